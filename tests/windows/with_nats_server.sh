#!/bin/sh
# Runs a command beside a NATS server on this machine, with JetStream, a listener for WebSockets, and one for those with
# TLS: DESKPILOT_NATS_URL, DESKPILOT_NATS_WS and DESKPILOT_NATS_WSS have their addresses, DESKPILOT_NATS_CA who vouches
# for the last one (localhost).
set -eu

folder=$(mktemp -d)
servers=""
# shellcheck disable=SC2086
trap 'kill $servers 2>/dev/null || true; rm -rf "$folder"' EXIT
server=$(command -v nats-server || echo /usr/sbin/nats-server) # where root's programs are
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$folder/key.pem" -out "$folder/certificate.pem" -days 2 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null

# begin NAME MORE: a server with further lines of configuration; its log tells the ports.
begin() {
    printf 'host: 127.0.0.1\nport: -1\njetstream { store_dir: "%s" }\n%s\n' "$folder/$1" "$2" >"$folder/$1.conf"
    : >"$folder/$1.log" # to be read before the server has said anything
    "$server" -c "$folder/$1.conf" >"$folder/$1.log" 2>&1 </dev/null &
    servers="$servers $!"
    until grep -q 'Server is ready' "$folder/$1.log"; do
        kill -0 $! || { cat "$folder/$1.log" >&2; exit 1; }
        sleep 0.05
    done
}

# port NAME WORDS: that of the listener whose line in the log has those words.
port() {
    sed -n "s/.*$2.*:\([0-9][0-9]*\)\$/\1/p" "$folder/$1.log"
}

begin plain 'websocket { host: 127.0.0.1, port: -1, no_tls: true }'
begin tls "websocket { host: 127.0.0.1, port: -1, tls { cert_file: \"$folder/certificate.pem\", key_file: \"$folder/key.pem\" } }"
DESKPILOT_NATS_URL=nats://127.0.0.1:$(port plain 'client connections')
DESKPILOT_NATS_WS=ws://127.0.0.1:$(port plain 'websocket clients')
DESKPILOT_NATS_WSS=wss://localhost:$(port tls 'websocket clients')
export DESKPILOT_NATS_URL DESKPILOT_NATS_WS DESKPILOT_NATS_WSS DESKPILOT_NATS_CA="Z:$folder/certificate.pem"
"$@"
