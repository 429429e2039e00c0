#!/bin/sh
# Runs a Windows program under Wine on a desktop of its own, of which nothing is left afterwards: a new
# X server, and a clone of a prepared Wine folder (links: a few milliseconds). Several can run side by side.
#
# usage: wine.sh [--size WIDTHxHEIGHT | --two-monitors] [--seconds LIMIT] PROGRAM.exe [ARGUMENT...]
#        wine.sh --prepare     makes the Wine folder that is cloned, if it is not there
#
# With --two-monitors there is a second one of 800x600 to the left of the primary one of 1024x768 and
# 200 pixels higher, so at -800,-200; tests/wine/two_monitors.conf says how.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=$root/.cache/windows
template=$cache/wine
size=1280x800
two_monitors=""
seconds=0

export LC_ALL=C.UTF-8 # file names in other scripts are lost without it
export WINEARCH=win64 WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="
unset WAYLAND_DISPLAY

# A clone must not share files with the user's home, as Wine's own Desktop and Documents do.
own_folders() {
    find "$1/drive_c/users" -maxdepth 2 -type l | while read -r link; do
        rm "$link"
        mkdir "$link"
    done
}

# What Wine would start before the first program, and no program of ours asks for, is left until it is wanted: devices,
# volumes, the event log. And each new console waits 2 s for a window manager's word, where there is none.
settings() {
    printf 'REGEDIT4\n\n'
    for service in Eventlog MountMgr NDIS nsiproxy PlugPlay; do
        printf '[HKEY_LOCAL_MACHINE\\System\\CurrentControlSet\\Services\\%s]\n"Start"=dword:00000003\n\n' "$service"
    done
    printf '[HKEY_CURRENT_USER\\Software\\Wine\\AppDefaults\\conhost.exe\\X11 Driver]\n"Managed"="N"\n'
}

# Nothing of it needs a screen; without DISPLAY Wine opens none.
in_template() {
    env -u DISPLAY WINEPREFIX="$template" "$@"
}

# Programs find the server of their Wine folder by the number of its inode, in a folder below /tmp that the file
# wineserver names. That one is each Wine folder's own here and goes with it: a new one may get the inode of one that was
# just removed, and must not meet the server of that, which may take a while to die.
forget_server() {
    sockets=$(cat "$1/wineserver" 2>/dev/null || true)
    [ -z "$sockets" ] || rm -rf "/tmp/${sockets##*/}" 2>/dev/null || true
}

prepare() {
    wanted="$(wine --version) $(cksum <"$root/tests/wine/wine.sh")"
    [ "$(cat "$template/prepared" 2>/dev/null || true)" != "$wanted" ] || return 0
    rm -rf "$template"
    mkdir -p "$template"
    settings >"$cache/settings.reg"
    { in_template wine wineboot --init && in_template wine regedit "$cache/settings.reg" &&
        in_template wineserver -w; } >"$cache/wine.log" 2>&1 || { cat "$cache/wine.log" >&2; return 1; }
    own_folders "$template"
    forget_server "$template"
    rm -f "$template/wineserver"
    printf '%s\n' "$wanted" >"$template/prepared"
}

# The folder of Windows itself, 800 files in which nothing is written, is the template's own.
clone() {
    mkdir -p "$1/drive_c"
    for name in "$template"/* "$template"/drive_c/*; do
        case $name in
        */drive_c) ;;
        */windows) ln -s "$name" "$1/drive_c/windows" ;;
        *) cp -al "$name" "$1/${name#"$template"/}" ;;
        esac
    done
    # What Wine writes in place must not be the template's.
    for file in system.reg user.reg userdef.reg .update-timestamp; do
        cp --remove-destination "$template/$file" "$1/$file"
    done
}

# Lets whoever knows the cookie use the display. xauth gives up where a lock cannot be had at once.
admit() {
    for _ in 1 2 3 4 5; do
        said=$(printf 'add %s . %s\n' "$1" "$cookie" | xauth -q -f "$XAUTHORITY" source - 2>&1) && return 0
        sleep 0.1
    done
    echo "wine.sh: xauth did not take the display $1: $said" >&2
    exit 3
}

start_display() {
    mkfifo "$place/number"
    cookie=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    export XAUTHORITY="$place/xauthority"
    admit :0
    set -- Xvfb -screen 0 "${size}x24"
    [ -z "$two_monitors" ] || set -- /usr/lib/xorg/Xorg -config "$root/tests/wine/two_monitors.conf" \
        -logfile "$place/server.log"
    # In a session of its own: Ctrl+C in a terminal is for the program.
    setsid "$@" -displayfd 3 -nolisten tcp -noreset -auth "$XAUTHORITY" 3>"$place/number" >/dev/null 2>&1 &
    server=$!
    read -r number <"$place/number" || {
        cat "$place/server.log" >&2 2>/dev/null || true
        echo "wine.sh: $1 did not start" >&2
        exit 3
    }
    admit ":$number"
    export DISPLAY=":$number"
}

place_monitors() {
    xrandr --addmode DUMMY1 800x600
    xrandr --output DUMMY0 --primary --mode 1024x768 --pos 800x200 --output DUMMY1 --mode 800x600 --pos 0x0
    xrandr >/dev/null # looks at the outputs again: only now the second one counts as connected
}

# The processes that run in a Wine folder. Each thread tells, for the first one of a process may have ended before it.
processes_in() {
    env -u WINEPREFIX grep -lsxzF "WINEPREFIX=$1" /proc/[0-9]*/task/*/environ | cut -d/ -f3 | sort -u
}

# Ends whatever runs in a Wine folder; nothing of it is worth a goodbye. The server alone is not enough, for its services
# outlive it; and asked to end in its own way (wineserver -k) it takes most of a second.
end_wine() {
    for _ in 1 2 3 4 5 6 7 8 9; do
        left=$(processes_in "$1")
        [ -n "$left" ] || return 0
        # shellcheck disable=SC2086
        kill -9 $left 2>/dev/null || true
    done
}

# What is left of a run is the next one's to remove: a process of it may still write as it ends, and another run may
# be removing it, too.
remove() {
    forget_server "$1/wine"
    rm -rf "$1" 2>/dev/null || true
}

# What runs that were killed have left behind; a run's place begins with its process's number.
clean() {
    for old in "$cache"/runs/*; do
        [ -d "$old" ] || continue
        owner=${old##*/}
        kill -0 "${owner%%.*}" 2>/dev/null && continue
        end_wine "$old/wine"
        remove "$old"
    done
}

server=""
place=""
step="" # what a silent end would leave untold
# shellcheck disable=SC2317 # called by the trap
finish() {
    [ -z "$step" ] || echo "wine.sh: it ended while $step" >&2
    [ -z "$place" ] || end_wine "$place/wine"
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$place" ] || remove "$place"
}

while [ $# -gt 0 ]; do
    case $1 in
    --prepare) prepare; exit ;;
    --size) size=$2; shift 2 ;;
    --two-monitors) two_monitors=yes; shift ;;
    --seconds) seconds=$2; shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '5,6s/^# //p' "$0" >&2; exit 2; }

prepare
mkdir -p "$cache/runs"
clean
place=$(mktemp -d "$cache/runs/$$.XXXXXX")
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
export WINEPREFIX="$place/wine"
step="the Wine folder was cloned"
clone "$WINEPREFIX"
step="the display was started"
start_display
[ -z "$two_monitors" ] || place_monitors
step=""
status=0
# The program stays in our process group, so that Ctrl+C reaches it.
timeout --foreground -k 5 "$seconds" wine "$@" || status=$?
[ "$status" = 0 ] || echo "wine.sh: $1 ended with status $status" >&2
exit "$status"
