#!/bin/sh
# Says whether a Windows program needs no DLL but those that are part of every Windows 10 and 11.
#
# usage: imports.sh PROGRAM.exe
set -eu
system="advapi32 bcrypt comctl32 crypt32 dbghelp dwmapi gdi32 iphlpapi kernel32 msvcrt ole32 oleaut32 oleacc psapi"
system="$system secur32 shcore shell32 user32 userenv ws2_32"
found=$(x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/^.*DLL Name: \(.*\)\.[dD][lL][lL]$/\1/p' | tr '[:upper:]\n' '[:lower:] ')
[ -n "$found" ] || { echo "imports.sh: $1 has no import table" >&2; exit 1; }
for name in $found; do
    case " $system " in
    *" $name "*) ;;
    *) echo "imports.sh: $1 needs $name.dll, which is not part of Windows" >&2; exit 1 ;;
    esac
done
printf '%s needs: %s\n' "$1" "$found"
