#!/bin/sh
# tools/install_dependencies.sh against a pretended Debian: what it installs, what it asks for, and when it keeps quiet.
set -eu
script="$(cd "$(dirname "$0")/../.." && pwd)/tools/install_dependencies.sh"
box="$(mktemp -d)"
trap 'rm -rf "$box"' EXIT

# The pretended machine: $box/missing lists packages that are not installed, $box/log records apt-get, $box/uid is who runs it.
mkdir "$box/bin"
for tool in sh env grep; do ln -s "$(command -v $tool)" "$box/bin/$tool"; done
cat > "$box/bin/dpkg-query" <<END
#!/bin/sh
for package; do :; done
if grep -qx -e "\$package" "$box/missing"; then echo config-files; else echo installed; fi
END
cat > "$box/bin/apt-get" <<END
#!/bin/sh
echo "\$DEBIAN_FRONTEND \$*" >> "$box/log"
END
printf '#!/bin/sh\nread -r uid < "%s/uid"; echo "$uid"\n' "$box" > "$box/bin/id"
chmod +x "$box/bin/"*

run() { # run UID MISSING...: leaves the status in $status, the output in $box/out, apt-get's calls in $box/log
    echo "$1" > "$box/uid"
    shift
    printf '%s\n' "$@" > "$box/missing"
    : > "$box/log"
    status=0
    PATH="$box/bin" "$script" > "$box/out" 2>&1 < /dev/null || status=$?
}
fail() {
    echo "FAILED: $1"
    cat "$box/out" "$box/log"
    exit 1
}

run 0 nothing
[ "$status" -eq 0 ] && [ ! -s "$box/out" ] && [ ! -s "$box/log" ] || fail "nothing missing: quiet, and apt-get is not called"

run 0 cmake libhwy-dev
[ "$status" -eq 0 ] || fail "root installs"
[ "$(sed -n 1p "$box/log" | grep -c 'noninteractive .*update$')" -eq 1 ] || fail "the package lists are updated first"
sed -n 2p "$box/log" | grep -q 'noninteractive .*install --yes --no-install-recommends cmake libhwy-dev$' || fail "only what is missing is installed"

run 1000 cmake libhwy-dev
[ "$status" -ne 0 ] && [ ! -s "$box/log" ] || fail "without root and sudo: refused, nothing called"
grep -qx '    apt-get update && apt-get install --yes --no-install-recommends cmake libhwy-dev' "$box/out" || fail "the exact line to run is printed"

printf '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n' > "$box/bin/sudo"
printf '#!/bin/sh\n' > "$box/bin/true"
chmod +x "$box/bin/sudo" "$box/bin/true"
run 1000 cmake
[ "$status" -eq 0 ] && grep -q 'install .* cmake$' "$box/log" || fail "sudo without a password installs"
