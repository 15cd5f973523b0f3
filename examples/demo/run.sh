#!/bin/sh
# The whole job on a simulated field: fit, predict a map, score against the truth, draw. `make demo` builds the program and runs this.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build/release}
out=${DEMO_DIR:-$root/build/demo}
python=$("$root/tools/find_python.sh")
cmake --build "$build" --target vnngp_demo >&2
mkdir -p "$out"
cd "$out"

# Shows the command as one would type it, then runs it. What runs is the program of this build.
vnngp() {
    printf '\n$ vnngp %s\n' "$*"
    "$build/vnngp" "$@"
}

echo
echo "Simulating a field: 20,000 noisy observations, a block and random points held out, the truth on a grid"
"$build/vnngp_demo" .

printf '\n$ cd %s\n' "$out"
vnngp fit train.csv --target y --model field.vnngp
vnngp predict field.vnngp grid.csv --latent -o map.csv
vnngp evaluate field.vnngp test_random.csv
vnngp evaluate field.vnngp test_block.csv

for model in field truth; do
    for test in random block; do
        "$build/vnngp" evaluate $model.vnngp test_$test.csv --quiet --json > scores_${model}_$test.json
    done
done
"$python" "$root/examples/demo/scores.py"
"$python" "$root/examples/demo/plot.py"

echo
echo "Picture  $out/demo.png"
echo "Map      $out/map.csv"
echo "Model    $out/field.vnngp"
