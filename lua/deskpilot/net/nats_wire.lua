--- The byte streams that NATS is spoken over: TCP (nats://), and WebSockets (ws://, wss://), whose TLS is that of the
--- system. All callbacks come from the loop, never from inside a call of this module; none comes after close().
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local http_message = require "deskpilot.net.http_message"
local native = require "native.websocket"
local protocol = require "deskpilot.net.nats_protocol"
local text = require "deskpilot.base.text"

local nats_wire = {}

---@class deskpilot.nats_wire.address
---@field scheme "nats"|"tls"|"ws"|"wss"
---@field host string
---@field port integer
---@field path string "" for TCP
---@field user string?
---@field password string? without it, `user` is a token

local PORTS = { nats = 4222, tls = 4222, ws = 80, wss = 443 }

--- Reads an address.
---@param address string "nats://user:password@host:4222"
---@return deskpilot.nats_wire.address? address nil if it is none
function nats_wire.address(address)
  local scheme, authority, path = address:match "^(%l+)://([^/?#]*)(.*)$"
  local identity, place = (authority or ""):match "^(.*)@([^@]*)$"
  place = place or authority
  if not PORTS[scheme] then return nil end
  local host, port = place:match "^%[([%x:.]+)%]:?(%d*)$"
  if not host then host, port = place:match "^([^:%s%c%[%]]+):(%d*)$" end
  if not host then host, port = place:match "^[^:%s%c%[%]]+$", "" end
  local number = port == "" and PORTS[scheme] or math.tointeger(tonumber(port))
  local on_web = scheme == "ws" or scheme == "wss"
  if not host or not number or number < 1 or number > 65535 or not on_web and path ~= "" and path ~= "/" then
    return nil
  end
  local found = { scheme = scheme, host = host, port = number, path = on_web and path or "" }
  if not identity then return found end
  local user, password = identity:match "^([^:]*):(.*)$"
  found.user = http_message.unescape(user or identity)
  found.password = password and http_message.unescape(password)
  return found.user and (found.password or not password) and found or nil
end

---@class deskpilot.nats_wire.handlers
---@field on_open fun()
---@field on_bytes fun(bytes: string)
---@field on_end fun(err: deskpilot.error) once, unless it was closed before; open or not

---@class deskpilot.nats_wire
local Wire = {}
Wire.__index = Wire

local function over(self, code, words)
  if self.closed then return end
  self:close()
  self.on_end(errors.new(code, "%s", words))
end

-- --- TCP ---------------------------------------------------------------------------------------------------------

local Tcp = setmetatable({ __index = nil }, { __index = Wire })
Tcp.__index = Tcp

-- "connection refused" of luv's "ECONNREFUSED: connection refused".
local function plain(why) return (tostring(why):gsub("^%u[%u%d]*: ", "")) end

local function read(self)
  self.socket:nodelay(true)
  self.socket:read_start(function(why, bytes)
    if self.closed then return end
    if bytes then self.on_bytes(bytes) else over(self, "unavailable", why and plain(why) or "the server closed it") end
  end)
  self.on_open()
end

-- Tries one address of the host after the other.
local function connect(self, list, at)
  local socket = uv.new_tcp()
  self.socket = socket
  local function failed(why)
    if not socket:is_closing() then socket:close() end
    if self.closed then return end
    if list[at + 1] then return connect(self, list, at + 1) end
    over(self, "unavailable", plain(why))
  end
  local begun, why = socket:connect(list[at].addr, list[at].port, function(err)
    if err then failed(err) elseif not self.closed then read(self) end
  end)
  if not begun then failed(why) end
end

local function open_tcp(self, address)
  local asked, why = uv.getaddrinfo(address.host, nil, { socktype = "stream" }, function(err, found)
    self.asking = nil
    if self.closed then return end
    local list = {}
    for _, one in ipairs(found or {}) do list[#list + 1] = { addr = one.addr, port = address.port } end
    if err or not list[1] then return over(self, "unavailable", plain(err or "no such host")) end
    connect(self, list, 1)
  end)
  if not asked then return errors.fail("unavailable", "%s", plain(why)) end
  self.asking = asked
  return self
end

function Tcp:write(bytes)
  self.socket:write(bytes, function(why)
    if why then over(self, "unavailable", plain(why)) end
  end)
end

function Tcp:pending() return self.socket and not self.closed and self.socket:get_write_queue_size() or 0 end

function Tcp:close()
  if self.closed then return end
  self.closed = true
  if self.asking then uv.cancel(self.asking) end
  if self.socket and not self.socket:is_closing() then self.socket:close() end
end

-- --- WebSockets --------------------------------------------------------------------------------------------------

local Web = setmetatable({}, { __index = Wire })
Web.__index = Web

-- Frames may hold several of NATS's messages, and parts of them.
local MOST_FRAME = protocol.most_message + protocol.most_line

local function open_web(self, address, options)
  local host = address.host:find(":", 1, true) and "[" .. address.host .. "]" or address.host
  local socket, err = native.open { url = ("%s://%s:%d%s"):format(address.scheme, host, address.port,
      address.path == "" and "/" or address.path), timeout = options.timeout, ca_file = options.ca_file,
    max_message = MOST_FRAME, low_water = 1 << 20, headers = {}, protocols = {},
    on_open = function() if not self.closed then self.on_open() end end,
    on_message = function(bytes) if not self.closed then self.on_bytes(bytes) end end,
    on_drain = function() end,
    on_end = function(why)
      -- What knows of no WebSockets is no NATS server; a certificate that is not trusted is no agreement on TLS.
      over(self, why.code == "protocol" and not why.close_code and address.scheme == "wss" and "protocol"
        or why.code == "timed_out" and "timed_out" or "unavailable", why.message)
    end }
  if not socket then return nil, err end
  self.socket = socket
  return self
end

function Web:write(bytes)
  local _, err = self.socket:send(bytes, true)
  if err and not self.closed then self.broken = err end -- on_end says it
end

function Web:pending() return self.socket and not self.closed and self.socket:pending() or 0 end

function Web:close()
  if self.closed then return end
  self.closed = true
  if self.socket then self.socket:close(1000, "") end
end

-- -----------------------------------------------------------------------------------------------------------------

--- Begins to open one.
---@param address deskpilot.nats_wire.address nats, ws or wss
---@param options { timeout: number, ca_file: string? }
---@param handlers deskpilot.nats_wire.handlers
---@return deskpilot.nats_wire? wire, deskpilot.error? err
function nats_wire.open(address, options, handlers)
  local on_web = text.starts(address.scheme, "ws")
  local self = setmetatable({ on_open = handlers.on_open, on_bytes = handlers.on_bytes, on_end = handlers.on_end },
    on_web and Web or Tcp)
  return (on_web and open_web or open_tcp)(self, address, options)
end

return nats_wire
