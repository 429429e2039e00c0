-- TLS by Windows's own library: what no authority vouches for is refused, and so is another's name. The
-- server is with_tls_server.sh's. (Wine 8 verifies only against a CA file; Windows also without one.)
local harness = require "harness"
local http = require "deskpilot.net.http"
local websocket = require "deskpilot.net.websocket"

local tests = {}

local port, certificate = os.getenv "DESKPILOT_TLS_PORT", os.getenv "DESKPILOT_TLS_CERTIFICATE"

local function ask(host, ca_file)
  return http.request { url = ("https://%s:%s/answer"):format(host, port), ca_file = ca_file, timeout = { total = 20 } }
end

function tests.a_known_certificate()
  local answer, err = ask("localhost", certificate)
  harness.eq(err, nil)
  harness.eq(answer and answer.body, "hello")
end

function tests.a_name_that_is_not_the_certificates()
  local answer, err = ask("127.0.0.1", certificate)
  harness.eq(answer, nil)
  harness.has(tostring(err), "verification")
end

function tests.an_authority_that_does_not_vouch_for_it()
  local answer, err = ask("localhost", "tests/windows/tls/another.pem")
  harness.eq(answer, nil)
  harness.has(tostring(err), "verification")
end

function tests.no_ca_file_at_all()
  local answer, err = ask("localhost", "tests/windows/tls/none.pem")
  harness.eq(answer, nil)
  harness.eq(err.code, "io")
end

-- That server speaks no WebSocket; but what it says is only to be had by who has verified it.
function tests.websockets_are_as_strict()
  local function open(host, ca_file)
    return websocket.open(("wss://%s:%s/answer"):format(host, port), { ca_file = ca_file, timeout = 20 })
  end
  local socket, err = open("localhost", certificate)
  harness.eq(socket, nil)
  harness.eq(err.code, "refused")
  harness.eq(err.status, 200)
  for _, case in ipairs { { "127.0.0.1", certificate }, { "localhost", "tests/windows/tls/another.pem" } } do
    socket, err = open(case[1], case[2])
    harness.eq(socket, nil)
    harness.eq(err.code, "protocol")
    harness.has(tostring(err), "verification")
  end
end

return tests
