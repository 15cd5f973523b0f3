#!/bin/sh
# `make bench`: the speed of this machine, by programs that print ratios. Arguments go to bench_neighbors.
set -eu
cd "$(dirname "$0")/.."
tools/install_dependencies.sh libopenblas-dev
cmake --preset release -DVNNGP_BUILD_BENCH=ON >/dev/null
cmake --build --preset release --target bench_limits --target bench_step --target bench_neighbors --target bench_csv --target bench_growth

# OpenBLAS falls back to the oldest instruction set on a processor that it does not know; the limit would be too easy.
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
    if grep -q avx512dq /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX; elif grep -q avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=Haswell; fi
fi
missed=""
for program in limits step csv growth; do
    echo
    build/release/bench_$program || missed="$missed $program"
done
echo
build/release/bench_neighbors "$@"
[ -z "$missed" ] || { echo "Beyond their limits:$missed" >&2; exit 1; }
