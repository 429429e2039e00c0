--- Debian's nats-server, on a free port of this machine with JetStream in a folder of its own, for tests on Linux.
local uv = require "luv"
local files = require "deskpilot.base.files"
local nats = require "deskpilot.net.nats"
local spawn = require "spawn"
local t = require "harness"

local nats_server = {}

local Server = {}
Server.__index = Server

-- Debian has it where root's programs are.
local PROGRAM = files.exists("/usr/sbin/nats-server") and "/usr/sbin/nats-server" or "nats-server"

--- Starts it (again): on the same port, with what it has stored.
function Server:start()
  self.said = spawn.start { PROGRAM, "-c", self.config }
  self.port = t.wait_until("nats-server", function()
    if self.said.status then
      if not self.said.stderr:find("address already in use", 1, true) then error(self.said.stderr, 0) end
      self.said = spawn.start { PROGRAM, "-c", self.config } -- a connection may have had the port for a moment
    end
    return self.said.stderr:find("Server is ready", 1, true)
      and tonumber(self.said.stderr:match "client connections on 127%.0%.0%.1:(%d+)")
  end, 30)
  self.web_port = tonumber(self.said.stderr:match "websocket clients on %l+://127%.0%.0%.1:(%d+)")
  self:write() -- from now on with that port
  self.url = "nats://127.0.0.1:" .. self.port
end

function Server:write()
  local file = assert(io.open(self.config, "w"))
  file:write(("host: 127.0.0.1\nport: %d\njetstream { store_dir: %q }\n%s\n"):format(self.port or -1,
    self.folder .. "/store", self.more))
  file:close()
end

--- Ends it as a power cut would.
function Server:kill()
  self.said:kill "sigkill"
  self.said:wait()
end

--- A connection to it.
---@param options deskpilot.nats.options?
function Server:connect(options)
  local copy = { servers = self.url }
  for name, value in pairs(options or {}) do copy[name] = value end
  return nats.connect(copy)
end

--- Makes a self-made authority, if it is not there, and a certificate by it: AUTHORITY.pem, NAME.pem, NAME.key.
---@param folder string
---@param authority string
---@param name string
---@param subject string "DNS:localhost"
function nats_server.certificates(folder, authority, name, subject)
  local ca, at = folder .. "/" .. authority, folder .. "/" .. name
  local function openssl(...)
    local made = spawn.run { "openssl", ... }
    t.eq(made.status, 0, made.stderr)
  end
  if not files.exists(ca .. ".pem") then
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ca .. ".key", "-out", ca .. ".pem",
      "-days", "2", "-subj", "/CN=" .. authority)
  end
  openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", at .. ".key", "-out", at .. ".csr",
    "-subj", "/CN=" .. name)
  assert(files.write(at .. ".ext", "subjectAltName=" .. subject .. "\n"))
  openssl("x509", "-req", "-in", at .. ".csr", "-CA", ca .. ".pem", "-CAkey", ca .. ".key", "-CAcreateserial", "-out",
    at .. ".pem", "-days", "2", "-extfile", at .. ".ext")
end

--- Runs fn(server) beside one.
---@param more string|fun(folder: string): string further lines of its configuration
---@param fn fun(server: table)
function nats_server.with(more, fn)
  local folder = spawn.folder()
  local self = setmetatable({ folder = folder, config = folder .. "/server.conf" }, Server)
  self.more = type(more) == "function" and more(folder) or more
  local guard <close> = setmetatable({}, { __close = function()
    if self.said and not self.said.status then uv.kill(self.said.pid, "sigkill") end
    files.remove(folder)
  end })
  assert(guard)
  self:write()
  self:start()
  fn(self)
end

return nats_server
