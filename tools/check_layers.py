#!/usr/bin/env python3
"""Refuses what the division into rooms forbids.

Looks at every file under include/, src/, experiments/ and app/ and reports, as file:line,
  - an #include of a room that the including room may not use (the table below);
  - an #include in a public header of anything but the standard library, Eigen and vnngp;
  - threads started outside the room that owns them (base), and OpenMP anywhere;
and, in the build files, code generation for the building machine only (march=native).
"""
import argparse
import pathlib
import re
import sys

# room -> the rooms whose headers it may include (its own are always allowed). A room uses only rooms above it.
ROOMS = {
    "base": [],
    "linalg": ["base"],
    "data": ["base"],
    "kernel": ["base", "linalg"],
    "likelihood": ["base", "linalg"],
    "neighbors": ["base", "linalg"],
    "conditional": ["base", "linalg", "kernel", "neighbors"],
    "optim": ["base"],
    "inference": ["base", "linalg", "kernel", "likelihood", "neighbors", "conditional", "optim"],
    "rivals": ["base", "linalg", "kernel", "likelihood", "neighbors", "conditional", "optim", "inference"],
    "metrics": ["base"],
    "model": ["base", "linalg", "data", "kernel", "likelihood", "neighbors", "conditional", "optim", "inference", "rivals",
              "metrics"],
    "experiments": ["base", "linalg", "data", "kernel", "likelihood", "neighbors", "conditional", "inference", "rivals", "metrics", "model"],
    "app": ["base", "linalg", "data", "kernel", "likelihood", "metrics", "model", "experiments"],
}
# Headers directly in include/vnngp/ gather what users include; front ends may use them, rooms may not.
UMBRELLA = "vnngp"
UMBRELLA_USERS = ["app", "experiments"]
ROOM_WITH_THREADS = "base"

SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
OPENMP = re.compile(r'^\s*#\s*pragma\s+omp\b|\b_Pragma\s*\(\s*"omp\b|^\s*#\s*include\s*[<"]omp\.h')
THREADS = re.compile(r"^\s*#\s*include\s*<(thread|future|execution|pthread\.h)>")
STANDARD_HEADER = re.compile(r"[a-z_]+$")
NATIVE = re.compile(r"\bm(arch|cpu|tune)=native\b")


def room_of(path):
    """The room a file (relative to the root) belongs to; None when its folder is not in the table."""
    top, *rest = path.parts
    if top in ("app", "experiments"):
        return top
    if top == "include":
        rest = rest[1:]
    if len(rest) == 1:
        return UMBRELLA
    return rest[0] if rest[0] in ROOMS else None


def included_room(path, target):
    """The room named by an #include in quotes: "vnngp/<room>/x.hpp", or "<room>/x.hpp" for a header private to src/."""
    parts = target.split("/")
    if len(parts) > 1 and parts[0] == "vnngp":
        return UMBRELLA if len(parts) == 2 else parts[1]
    if len(parts) > 1 and parts[0] in ROOMS:
        return parts[0]
    return room_of(path)


def source_problems(path, text):
    room = room_of(path)
    if room is None:
        yield 1, "this folder is not a room of the table in tools/check_layers.py"
        return
    allowed = list(ROOMS) if room == UMBRELLA else [room, *ROOMS[room]]
    if room in UMBRELLA_USERS:
        allowed.append(UMBRELLA)
    for number, line in enumerate(text.splitlines(), start=1):
        if OPENMP.search(line):
            yield number, "OpenMP is not used here; use parallel_chunks"
        if THREADS.search(line) and room != ROOM_WITH_THREADS:
            yield number, f"threads are started only in {ROOM_WITH_THREADS}; use parallel_chunks"
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        if quote == "<":
            if path.parts[0] == "include" and not STANDARD_HEADER.match(target) and not target.startswith("Eigen/"):
                yield number, f"a public header may not include <{target}>"
        elif ".." in target.split("/"):
            yield number, f'"{target}": include by room, not by a relative path'
        elif included_room(path, target) not in allowed:
            yield number, f'{room} may not use {included_room(path, target)} ("{target}")'


def problems(root):
    """Every violation under root, as "file:line: what"."""
    found = []
    for top in ("include", "src", "experiments", "app"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCE_SUFFIXES:
                path = file.relative_to(root)
                found += [f"{path}:{number}: {what}" for number, what in source_problems(path, file.read_text())]
    build_files = [root / "Makefile", root / "CMakePresets.json"]
    for pattern in ("CMakeLists.txt", "*.cmake", "*.cmake.in"):
        build_files += [file for file in root.rglob(pattern) if file.relative_to(root).parts[0] != "build"]
    for file in sorted(filter(pathlib.Path.is_file, build_files)):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            if NATIVE.search(line):
                found.append(f"{file.relative_to(root)}:{number}: the program must run on machines other than the one that built it")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    found = problems(parser.parse_args().root)
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
