-- TLS by Windows's own library: what no authority vouches for is refused, and so is another's name. The
-- server is with_tls_server.sh's. (Wine 8 verifies only against a CA file; Windows also without one.)
local harness = require "harness"
local http = require "deskpilot.base.http"

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

return tests
