#!/bin/sh
# `make bench`: the speed of this machine, by programs that print ratios.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release -DVNNGP_BUILD_BENCH=ON >/dev/null
cmake --build --preset release --target bench_step --target bench_neighbors --target bench_csv --target bench_growth
echo
build/release/bench_step
echo
build/release/bench_csv
echo
build/release/bench_growth
echo
build/release/bench_neighbors "$@"
