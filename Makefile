# The front door. Everything behind it is plain CMake: see CMakePresets.json and CONTRIBUTING.md.
JOBS ?= $(shell nproc)
export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help demo build test bench bench-peers format clean dependencies

help:
	@echo "make demo        install what is missing, build, fit the embedded example, print scores, draw the map"
	@echo "make build       the release program: build/release/vnngp"
	@echo "make test        every test in release, nearly all again under the address and undefined-behaviour sanitizers"
	@echo "make bench       measure the program's speed on this machine"
	@echo "make bench-peers the same job for other programs, installed into build/peers-venv; PEERS=\"--data DIR\" for real data"
	@echo "make format      clang-format every C++ file in place"
	@echo "make clean       remove build/"
	@echo "JOBS=2 limits the number of parallel jobs."

demo: build
	examples/demo/run.sh

build: dependencies
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target vnngp_app

test: dependencies
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS)
	cmake --preset asan -DVNNGP_TEST_OBJECTS=$(CURDIR)/build/release
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

bench: build
	bench/run.sh

bench-peers: build
	python3 bench/peers/run.py $(PEERS)

format:
	@command -v clang-format >/dev/null || { echo "clang-format is missing: apt-get install clang-format" >&2; exit 1; }
	git ls-files --cached --others --exclude-standard '*.hpp' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build

dependencies:
	@tools/install_dependencies.sh
