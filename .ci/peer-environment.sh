# Sourced with the peer's folder as argument: sets what the wheel's own Python driver sets before it calls a tool.
# Without PPL_* and the chip, the passes that call into the backend crash.
export TPUC_ROOT=$1/tpu_mlir
export PPL_PROJECT_ROOT=$TPUC_ROOT/cross_toolchains/ppl_compile
export PPL_RUNTIME_PATH=$PPL_PROJECT_ROOT/deps PPL_BUILD_PATH=$TPUC_ROOT/build/ppl
export TPUKERNEL_CUSTOM_FIRMWARE_PATH=$TPUC_ROOT/lib/libcmodel_custom.so
export CHIP=${CHIP:-bm1684x} CORE_NUM=${CORE_NUM:-1} OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
# numpy rounds some rotary frequencies otherwise where it uses AVX-512; the golden files have the bits of machines without.
export NPY_DISABLE_CPU_FEATURES=AVX512_SKX
export PATH=$1/venv/bin:$TPUC_ROOT/bin:$TPUC_ROOT/python/tools:$PPL_PROJECT_ROOT/bin:$PATH
export LD_LIBRARY_PATH=$TPUC_ROOT/lib:$TPUC_ROOT/lib/capi:$TPUC_ROOT/lib/third_party${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PYTHONPATH=$1:$TPUC_ROOT:$TPUC_ROOT/python:$TPUC_ROOT/customlayer/python
