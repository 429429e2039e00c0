#!/bin/sh
# Says whether a program was linked and compiled so that a mistake in memory is hard to use: loaded at a random address,
# its tables of functions read-only from the start on, no stack that can be run, return addresses guarded.
#
# usage: hardening.sh PROGRAM [fortified]     an ELF program or a Windows one; fortified: the C library's checked calls too
set -eu
program=$1
wrong=0
want() { # want WHAT COMMAND...
    what=$1
    shift
    if ! "$@"; then
        echo "hardening.sh: $program $what" >&2
        wrong=1
    fi
}
has() { printf '%s\n' "$text" | grep -Eq "$1"; }
has_not() { ! has "$1"; }

if [ "$(head -c 2 "$program")" = MZ ]; then
    text=$(x86_64-w64-mingw32-objdump -p "$program")
    want "is not for random addresses of 64 bits" has HIGH_ENTROPY_VA
    want "is always loaded at the same address" has DYNAMIC_BASE
    want "has a stack that can be run" has NX_COMPAT
else
    text=$(readelf -W -h -l -d "$program")
    want "is always loaded at the same address (no -pie)" has 'Type: +DYN'
    want "binds functions when they are first called (no -z now)" has '\(FLAGS_1\).*NOW'
    want "has tables of functions that can be written (no -z relro)" has 'GNU_RELRO'
    want "has a stack that can be run" has 'GNU_STACK.* RW +0x'
    want "has memory that can be written and run" has_not 'LOAD.* RWE '
    want "looks for libraries in a folder of its own" has_not '\((RPATH|RUNPATH)\)'
    text=$(readelf -W --dyn-syms "$program")
    want "has no guarded return addresses (-fstack-protector-strong)" has '__stack_chk_fail'
    if [ "${2:-}" = fortified ]; then
        want "does not use the checked calls of the C library (_FORTIFY_SOURCE)" has '__(memcpy|snprintf|vsnprintf|read|fprintf|vfprintf)_chk'
    fi
fi
[ "$wrong" = 0 ] || exit 1
echo "$program is hardened"
