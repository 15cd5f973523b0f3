#!/bin/sh
# Prints a Python interpreter that can draw: one that imports numpy and matplotlib.
# Debian's own comes first, because a pyenv or conda python3 on PATH does not see Debian's packages.
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import matplotlib, numpy' 2>/dev/null; then
        command -v "$python"
        exit 0
    fi
done
echo "No python3 that can import numpy and matplotlib was found; run tools/install_dependencies.sh" >&2
exit 1
