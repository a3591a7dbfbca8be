#!/usr/bin/env bash
# peers.sh [DIR]: installs what this project is compared with; DIR (default $TPUIR_PEER, else /opt/peer) gets the
# tpu-mlir wheel. Runs as root on Debian; what is there already is left alone. On a new machine it takes about four
# minutes, most of it the Python half (torch, transformers).
set -euo pipefail
dir=${1:-${TPUIR_PEER:-/opt/peer}}
wheel_version=1.30.2

say() { echo "peers.sh: $*" >&2; }

# MLIR's and LLVM's tools; GNU parallel for llm_convert; cmake, make and a C compiler for the kernels that the wheel
# builds on the fly.
install_packages() {
  local package missing=()
  for package in mlir-19-tools mlir-22-tools llvm-19-tools parallel cmake make gcc g++ python3-pip; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "apt-get install ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# The wheel is unpacked by hand: its metadata pins Python 3.10, its native half does not need it.
install_wheel() {
  local root=$dir/tpu_mlir work library
  [ ! -x "$root/bin/tpuc-opt" ] || return 0
  say "unpacking tpu-mlir $wheel_version into $dir"
  work=$(mktemp -d "$dir/.unpack-XXXXXX")
  python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.10 -d "$work" "tpu-mlir==$wheel_version" >&2
  python3 -m zipfile -e "$work"/tpu_mlir-*.whl "$work/wheel"
  # Its own C and C++ runtime libraries are older than the system's, and mixing the two crashes.
  mkdir "$work/wheel/tpu_mlir/lib/set-aside"
  for library in libc.so.6 libm.so.6 libpthread.so.0 libstdc++.so.6 libgcc_s.so.1; do
    [ ! -e "$work/wheel/tpu_mlir/lib/third_party/$library" ] ||
      mv "$work/wheel/tpu_mlir/lib/third_party/$library" "$work/wheel/tpu_mlir/lib/set-aside/"
  done
  chmod +x "$work"/wheel/tpu_mlir/bin/* "$work"/wheel/tpu_mlir/python/tools/*.py \
    "$work"/wheel/tpu_mlir/cross_toolchains/ppl_compile/bin/*
  # The simulator is found under the names that a driver for a real chip would have.
  ln -sf libcmodel_bm1684x.so "$work/wheel/tpu_mlir/lib/libcmodel.so"
  ln -sf libbmlib_bm1684x.so.0 "$work/wheel/tpu_mlir/lib/libbmlib.so.0"
  rm -rf "$root" "$dir"/tpu_mlir-*.dist-info
  mv "$work"/wheel/tpu_mlir-*.dist-info "$dir/"
  mv "$work/wheel/tpu_mlir" "$root"
  rm -rf "$work"
}

python310() {
  local candidate
  for candidate in "${PYTHON310:-}" "$HOME"/.pyenv/versions/3.10*/bin/python python3.10; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 10))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  say "no Python 3.10 found; name one in PYTHON310"
  return 1
}

install_python() {
  local python
  [ ! -e "$dir/venv/done" ] || return 0
  python=$(python310)
  say "installing the wheel's Python half with $python"
  rm -rf "$dir/venv"
  "$python" -m venv "$dir/venv"
  "$dir/venv/bin/pip" install -q --disable-pip-version-check numpy==1.24.3 scipy==1.11.1 pandas==2.0.3 \
    protobuf==3.20.3 flatbuffers==24.12.23 setuptools==65.5.0 onnx==1.14.1 onnxruntime==1.16.3 torch==2.11.0 \
    torchvision==0.26.0 transformers==5.6.2 safetensors sentencepiece gguf opencv-python-headless==4.8.0.76 \
    pillow plotly graphviz psutil tqdm >&2
  # Some of these pull newer ones in.
  "$dir/venv/bin/pip" install -q --disable-pip-version-check numpy==1.24.3 protobuf==3.20.3 >&2
  touch "$dir/venv/done"
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
install_packages
install_wheel
install_python
# A kernel whose build failed once, say for want of a compiler, is remembered as impossible.
if [ -e "$HOME/.ppl/cache/flag.txt" ] && grep -qv ' 0$' "$HOME/.ppl/cache/flag.txt"; then rm -rf "$HOME/.ppl/cache"; fi
say "ready in $dir"
