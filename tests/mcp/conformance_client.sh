#!/bin/sh
# conformance_client.sh URL: the client that the official conformance suite starts. $MCP_REVISION says which revision
# it speaks; without it, what the server answers decides.
MCP_URL=$1 exec "$DESKPILOT_BIN" run "$(dirname "$0")/conformance_client.lua" --runs "$MCP_RUNS" --quiet
