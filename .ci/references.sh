#!/usr/bin/env bash
# references.sh OUT [GROUP ...]: makes reference files with the peer in OUT, for what the golden corpus lacks.
#
#   golden       the weights of the golden cases that have none
#   matrix       nets of golden cases lowered in every mode, chip, group size, symmetry and precision (after golden)
#   conversions  models of odd shape (head size 48, 3 key/value heads, 301 tokens, 3 layers, length 80), to the bmodel
#   lowerings    further conversions up to the lowered files: bm1688 with its small mask, chunks in f16, length 512
#
# Without a group, all of them. What is there already is kept. TPUIR_PEER names the peer's folder (see peers.sh),
# TPUIR_SHARED the folder with golden/.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: references.sh OUT [GROUP ...]}"
out=$(cd "$1" && pwd)
shift
peer=${TPUIR_PEER:-/opt/peer}
shared=${TPUIR_SHARED:-$here/../../shared}
[ $# -gt 0 ] || set -- golden matrix conversions lowerings

# shellcheck source=peer-environment.sh
. "$here/peer-environment.sh" "$peer"

if [[ " $* " == *" conversions "* ]]; then
  cd "$here/.."
  for family in llama qwen2 qwen3; do
    [ -e "$out/models/headdim48-$family" ] || go run ./bench/make-checkpoint -shape odd-$family -o "$out/models/headdim48-$family"
  done
  [ -e "$out/models/headdim48-qwen3-h" ] || go run ./bench/make-checkpoint -shape odd-qwen3 -dtype F16 -o "$out/models/headdim48-qwen3-h"
  [ -e "$out/models/headdim48-llama-biases" ] ||
    go run ./bench/make-checkpoint -shape odd-llama -biases -seed 2 -o "$out/models/headdim48-llama-biases"
fi
exec "$peer/venv/bin/python" "$here/references.py" --out "$out" --golden "$shared/golden" "$@"
