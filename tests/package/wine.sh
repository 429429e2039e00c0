#!/bin/sh
# wine.sh ZIP: unpacks what Windows users download, and uses it under Wine.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/deskpilot-zip-XXXXXX")
trap 'rm -rf "$work"' EXIT
die() { echo "wine.sh: $*" >&2; exit 1; }
unzip -q "$1" -d "$work"
program=$(find "$work" -name deskpilot.exe)
[ -n "$program" ] || die "no deskpilot.exe in $1"
"$root/tests/wine/wine.sh" "$program" eval 'return 6 * 7' | tr -d '\r' | grep -qx 42 || die "eval does not say 42"
"$root/tests/wine/wine.sh" "$program" doctor --model literal | tr -d '\r' >"$work/log" ||
    { cat "$work/log" >&2; die "doctor is not content"; }
grep -F "scripts, --model literal and agents can run here" "$work/log" || { cat "$work/log" >&2; die "what doctor says"; }
echo "Windows: all is well"
