#!/bin/sh
# Runs a command beside a TLS server on this machine, with a certificate that nobody knows:
# DESKPILOT_TLS_PORT and DESKPILOT_TLS_CERTIFICATE (for localhost) tell of it. /answer is "hello".
set -eu

folder=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$folder/key.pem" -out "$folder/certificate.pem" -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
printf 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello' >"$folder/answer"
: >"$folder/log" # to be read before the server has said anything
(cd "$folder" && exec openssl s_server -accept 0 -key key.pem -cert certificate.pem -HTTP >log 2>&1 </dev/null) &
server=$!
port=""
while [ -z "$port" ]; do
    kill -0 "$server" || { cat "$folder/log" >&2; exit 1; }
    port=$(sed -n 's/^ACCEPT.*:\([0-9][0-9]*\)$/\1/p' "$folder/log")
    [ -n "$port" ] || sleep 0.05
done
export DESKPILOT_TLS_PORT="$port" DESKPILOT_TLS_CERTIFICATE="Z:$folder/certificate.pem"
"$@"
