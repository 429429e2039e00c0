-- The client of NATS in Lua (net/nats_client.lua), which deskpilot.exe has for all and Linux for WebSockets: everything
-- that test_nats wants of libnats, by TCP; credentials; and WebSockets with TLS.
local files = require "deskpilot.base.files"
local nats = require "deskpilot.net.nats"
local nats_accounts = require "nats_accounts"
local nats_server = require "nats_server"
local t = require "harness"

local connect = nats.connect
function nats.connect(options)
  local copy = { client = "own" }
  for name, value in pairs(options or {}) do copy[name] = value end
  return connect(copy)
end

local tests = dofile "tests/lua/test_nats.lua"

tests.in_progress_keeps_a_message = nil -- the same bytes, for 9 s
tests.tls_is_wanted_and_checked = nil   -- it has TLS over WebSockets only: below
function tests.a_server_without_tls_is_not_spoken_to_in_the_open()
  t.fails("unsupported", "the address wss://host:port", nats.connect { servers = "tls://127.0.0.1:4222" })
  t.fails("unsupported", "the address wss://host:port", nats.connect { ca_file = "ca.pem" })
  t.fails("unsupported", "use a credentials file", nats.connect { servers = "wss://localhost", cert_file = "a.pem" })
end

-- --- credentials -------------------------------------------------------------------------------------------------

function tests.a_credentials_file_signs_what_the_server_asks()
  local accounts = nats_accounts.new()
  nats_server.with(accounts.config, function(server)
    local path = server.folder .. "/user.creds"
    assert(files.write(path, accounts.credentials()))
    local connection <close> = assert(server:connect { credentials_file = path })
    t.fails("not_found", "", connection:request("nobody", ""))
    -- The token of one user with the seed of another.
    local mixed = accounts.credentials():gsub("(BEGIN USER NKEY SEED%-+\n)%S+", function(head)
      return head .. nats_accounts.key("user").seed
    end)
    assert(files.write(path, mixed))
    t.fails("refused", "refused the credentials of " .. path, server:connect { credentials_file = path })
    t.fails("refused", "wants credentials", server:connect())
  end)
end

function tests.a_credentials_file_that_is_none_or_not_the_servers()
  nats_server.with('authorization { user: "ann", password: "right" }', function(server)
    local path = server.folder .. "/a.creds"
    t.fails("invalid", path, server:connect { credentials_file = path })
    assert(files.write(path, "nothing"))
    t.fails("invalid", "has no user's token", server:connect { credentials_file = path })
    assert(files.write(path, nats_accounts.new().credentials()))
    t.fails("refused", "refused the credentials of " .. path, server:connect { credentials_file = path })
  end)
end

-- --- WebSockets --------------------------------------------------------------------------------------------------

local function echoes(connection)
  local bytes = ("\0\255\r\n"):rep(50000)
  assert(connection:listen("echo", function(message) connection:publish(message.reply, message.data) end))
  t.ok(assert(connection:request("echo", bytes, { timeout = 30 })).data == bytes)
end

function tests.by_websockets()
  nats_server.with("websocket { host: 127.0.0.1, port: -1, no_tls: true }", function(server)
    local url = "ws://127.0.0.1:" .. server.web_port
    local connection = assert(connect { servers = url }) -- without being told which client
    echoes(connection)
    local changes = {}
    connection:on_change(function(change) changes[#changes + 1] = change end)
    server.more = ("websocket { host: 127.0.0.1, port: %d, no_tls: true }"):format(server.web_port)
    server:write()
    server:kill()
    server:start()
    t.wait_until("the connection", function() return changes[2] end, 60)
    t.eq(changes, { "lost", "back" })
    t.ok(assert(connection:request("echo", "again")).data == "again")
    t.ok(connection:close())
    t.fails("unavailable", "no NATS server answers at ws://127.0.0.1:" .. server.port,
      connect { servers = "ws://127.0.0.1:" .. server.port })
  end)
end

function tests.tls_by_websockets_is_checked()
  nats_server.with(function(folder)
    nats_server.certificates(folder, "ours", "server", "DNS:localhost")
    nats_server.certificates(folder, "theirs", "stranger", "DNS:localhost")
    return ('authorization { user: "ann", password: "a" }\n'
      .. "websocket { host: 127.0.0.1, port: -1, tls { cert_file: %q, key_file: %q } }"):format(folder .. "/server.pem",
      folder .. "/server.key")
  end, function(server)
    local url, ours = "wss://localhost:" .. server.web_port, server.folder .. "/ours.pem"
    local connection <close> = assert(connect { servers = url, ca_file = ours, user = "ann", password = "a" })
    echoes(connection)
    t.fails("refused", 'refused the user "ann"',
      connect { servers = url, ca_file = ours, user = "ann", password = "b" })
    t.fails("protocol", "do not agree on TLS", connect { servers = url, ca_file = server.folder .. "/theirs.pem" })
    t.fails("protocol", "do not agree on TLS", connect { servers = url })
    t.fails("protocol", "do not agree on TLS",
      connect { servers = "wss://127.0.0.1:" .. server.web_port, ca_file = ours })
    t.fails("invalid", "missing.pem", connect { servers = url, ca_file = server.folder .. "/missing.pem" })
  end)
end

return tests
