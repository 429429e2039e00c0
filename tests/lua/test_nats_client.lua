-- The client of NATS in Lua (net/nats_client.lua), which deskpilot.exe has for all and Linux for WebSockets: everything
-- that test_nats wants of libnats, by TCP; what is its own; and servers that say what no server says.
local nats = require "deskpilot.net.nats"
local nats_accounts = require "nats_accounts"
local nats_server = require "nats_server"
local files = require "deskpilot.base.files"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local connect = nats.connect
function nats.connect(options)
  local copy = { client = "own" }
  for name, value in pairs(options or {}) do copy[name] = value end
  return connect(copy)
end

local tests = dofile "tests/lua/test_nats.lua"

tests.tls_is_wanted_and_checked = nil -- it has TLS over WebSockets only: below
function tests.a_server_without_tls_is_not_spoken_to_in_the_open()
  t.fails("unsupported", "the address wss://host:port", nats.connect { servers = "tls://127.0.0.1:4222" })
  t.fails("unsupported", "the address wss://host:port", nats.connect { ca_file = "ca.pem" })
  t.fails("unsupported", "use a credentials file", nats.connect { servers = "wss://localhost", cert_file = "a.pem" })
end

return tests
