#!/bin/sh
# Runs a command beside a browser of this machine, without a window: DESKPILOT_BROWSER_PORT tells where it listens, and
# DESKPILOT_BROWSER_DOWNLOADS where it puts files.
set -eu

folder=$(mktemp -d)
browser=""
# What it has started may write for a moment after its end.
clear_away() {
    [ -z "$browser" ] || kill -9 "-$browser" 2>/dev/null || true
    left=100
    until rm -rf "$folder" 2>/dev/null || [ "$left" = 0 ]; do
        left=$((left - 1))
        sleep 0.1
    done
}
trap clear_away EXIT
mkdir -p "$folder/profile/Default" "$folder/downloads" "$folder/tmp"
printf '{"download":{"default_directory":"%s","prompt_for_download":false}}' "$folder/downloads" \
    >"$folder/profile/Default/Preferences"
sandbox=""
[ "$(id -u)" != 0 ] || sandbox="--no-sandbox"
# shellcheck disable=SC2086
TMPDIR=$folder/tmp setsid chromium --headless --disable-gpu --no-first-run --disable-background-networking \
    --disable-component-update $sandbox --remote-debugging-port=0 --user-data-dir="$folder/profile" about:blank \
    >"$folder/log" 2>&1 &
browser=$!
port=""
while [ -z "$port" ]; do
    kill -0 "$browser" || { cat "$folder/log" >&2; exit 1; }
    port=$(sed -n '1s/^\([0-9][0-9]*\)$/\1/p' "$folder/profile/DevToolsActivePort" 2>/dev/null || true)
    [ -n "$port" ] || sleep 0.05
done
export DESKPILOT_BROWSER_PORT="$port" DESKPILOT_BROWSER_DOWNLOADS="$folder/downloads"
"$@"
