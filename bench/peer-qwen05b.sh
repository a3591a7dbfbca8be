#!/usr/bin/env bash
# peer-qwen05b.sh WORK: what the peer's import and lowering cost on the shape of Qwen2.5-0.5B (W4BF16, length 512).
# Needs the peer (.ci/peers.sh) and some 10 GB in WORK. Three figures:
#
#   flow      llm_convert as its users run it, each net stopped after lowering: import, then model_deploy net by net,
#             as many at a time as it has workers
#   import    the import alone (Top files and float32 weights)
#   lowering  the tpuc-opt calls of the flow alone, one after the other
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: peer-qwen05b.sh WORK}"
work=$(cd "$1" && pwd)
peer=${TPUIR_PEER:-/opt/peer}
cd "$here/.."
go build -o "$work/measure" ./bench/measure
[ -e "$work/model/model.safetensors" ] || go run ./bench/make-checkpoint -shape qwen0.5b -o "$work/model"

# shellcheck source=../.ci/peer-environment.sh
. "$here/../.ci/peer-environment.sh" "$peer"
convert() { # EXTENT OUT
  rm -rf "$2"
  "$work/measure" python "$here/../.ci/references.py" llm-convert "$1" \
    -m "$work/model" -o "$2" -s 512 -q w4bf16 -c bm1684x > "$2.log" 2> "$2.measure" || { tail -5 "$2.log" "$2.measure"; exit 1; }
  tail -1 "$2.measure"
}
cat "$work/model/model.safetensors" > /dev/null
echo "import:   $(convert import "$work/import")"
echo "flow:     $(convert lower "$work/flow")"

# The flow's own tpuc-opt calls, on the import's files.
cd "$(dirname "$work"/import/*/tasks.txt)"
python "$here/../.ci/references.py" task-commands < tasks.txt > "$work/lowering.sh"
echo "calls:    $(wc -l < "$work/lowering.sh")"
echo "lowering: $("$work/measure" bash "$work/lowering.sh" 2>&1 > "$work/lowering.log" | tail -1)"
