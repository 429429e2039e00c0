--- A TLS server on this machine (openssl's) with a certificate for localhost that nobody knows. Linux; the Windows
--- suite has tests/windows/with_tls_server.sh.
local uv = require "luv"
local files = require "deskpilot.base.files"
local ports = require "ports"
local spawn = require "spawn"
local t = require "harness"

local tls_server = {}

--- Runs fn(port, certificate, folder) beside one. `words` are further ones for openssl s_server, `stdio` its streams.
---@param words string[]
---@param stdio table?
---@param fn fun(port: integer, certificate: string, folder: string)
function tls_server.with(words, stdio, fn)
  local folder = spawn.folder()
  local server
  local guard <close> = setmetatable({}, { __close = function()
    if server then
      server:kill "sigkill"
      server:close()
    end
    files.remove(folder)
  end })
  assert(guard)
  local key, certificate = folder .. "/key.pem", folder .. "/cert.pem"
  local made = spawn.run { "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
    certificate, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost" }
  t.eq(made.status, 0, made.stderr)
  local pid
  server, pid = assert(uv.spawn("openssl", { args = { "s_server", "-quiet", "-4", "-accept", "0", "-key", key, "-cert",
    certificate, table.unpack(words) }, stdio = stdio }, function() end))
  fn(t.wait_until("openssl", function() return ports.of(pid) end, 30), certificate, folder)
end

return tls_server
