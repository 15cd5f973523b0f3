#!/bin/sh
# library_is_silent.sh NM ARCHIVE: fails when an object of the library refers to anything that prints or ends the process.
set -eu
nm="$1"
archive="$2"
printing='std::(cout|cerr|clog|wcout|wcerr|wclog)|stdout|stderr|_*v?d?printf(_chk)?|_*puts|_*putchar|putc|fputs|perror|v?syslog|fmt::v[0-9]+::v?print\(.*'
ending='abort|_?_?exit|_Exit|quick_exit|__assert_fail|__assert_perror_fail|v?errx?|hwy::Abort\(.*|raise|kill'
# nanoflann's allocator complains on stderr right before it throws std::bad_alloc.
tolerated='^kd_tree\.cpp\.o: stderr$'

symbols="$("$nm" -C --undefined-only "$archive")"
found="$(printf '%s\n' "$symbols" | awk '/^[^ ].*:$/ { object = $0 } sub(/^ +U /, "") { print object " " $0 }' |
         grep -E "^[^ ]+: ($printing|$ending)(@.*)?\$" | grep -vE "$tolerated" || true)"
if [ -n "$found" ]; then
    echo "The library must not print or end the process, but refers to:"
    echo "$found"
    exit 1
fi
