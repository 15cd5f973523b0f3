#!/bin/sh
# Installs the Debian packages that building, testing and the demo need, and those named as arguments; does nothing, silently, when all
# are there.
set -eu

packages="
    g++ cmake ninja-build pkg-config
    libeigen3-dev libhwy-dev libnanoflann-dev libnlopt-dev libopenblas-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev libfast-float-dev zlib1g-dev
    libgtest-dev libgmock-dev
    libcairo2-dev fonts-dejavu-core
    python3 python3-numpy python3-matplotlib
    $*
"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is not a Debian system. Install the equivalents of:" $packages >&2
    echo "and then use CMake directly: cmake --workflow --preset release" >&2
    exit 1
fi

missing=""
for package in $packages; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo"
else
    echo "Packages are missing and neither root nor sudo is at hand. As root, run:" >&2
    echo "    apt-get update && apt-get install --yes --no-install-recommends$missing" >&2
    exit 1
fi

echo "Installing:$missing" >&2
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300"
$apt --quiet update
$apt --quiet install --yes --no-install-recommends $missing
