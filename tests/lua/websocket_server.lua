--- A WebSocket server of raw sockets, for tests: it does nothing by itself, so that a test can send any byte at
--- any time, and keeps everything that the client sent, taken apart by rules of its own.
---
---   local server = websocket_server.start(function(peer)
---     peer:accept()                                  -- reads the request, answers it
---     peer:frame("text", "hello")                    -- or peer:write(any bytes)
---     local frame = peer:next()                      -- { kind, payload, final, reserved, masked, key, size_form }
---   end)
---   ... server.url ...; server:stop()
local uv = require "luv"
local task = require "deskpilot.base.task"

local websocket_server = {}

--- Kinds of frames by their numbers and back.
websocket_server.kinds = { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 }
local names = {}
for name, number in pairs(websocket_server.kinds) do names[number] = name end

-- SHA-1, so that what the client is told does not come from the code that is under test.
local function sha1(text)
  local function rotate(x, n) return ((x << n) | (x >> (32 - n))) & 0xffffffff end
  local h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 }
  local padded = text .. "\x80" .. ("\0"):rep((55 - #text) % 64) .. (">I8"):pack(#text * 8)
  for at = 1, #padded, 64 do
    local w = { (">" .. ("I4"):rep(16)):unpack(padded, at) }
    for i = 17, 80 do w[i] = rotate(w[i - 3] ~ w[i - 8] ~ w[i - 14] ~ w[i - 16], 1) end
    local a, b, c, d, e = table.unpack(h)
    for i = 1, 80 do
      local f, k
      if i <= 20 then f, k = (b & c) | (~b & d), 0x5a827999
      elseif i <= 40 then f, k = b ~ c ~ d, 0x6ed9eba1
      elseif i <= 60 then f, k = (b & c) | (b & d) | (c & d), 0x8f1bbcdc
      else f, k = b ~ c ~ d, 0xca62c1d6 end
      a, b, c, d, e = (rotate(a, 5) + (f & 0xffffffff) + e + k + w[i]) & 0xffffffff, a, rotate(b, 30), c, d
    end
    h = { (h[1] + a) & 0xffffffff, (h[2] + b) & 0xffffffff, (h[3] + c) & 0xffffffff, (h[4] + d) & 0xffffffff,
      (h[5] + e) & 0xffffffff }
  end
  return (">I4I4I4I4I4"):pack(table.unpack(h))
end

local function base64(bytes)
  local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  local out = {}
  for at = 1, #bytes, 3 do
    local a, b, c = bytes:byte(at, at + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    for i = 0, 3 do
      local n = bits >> (18 - 6 * i) & 63
      out[#out + 1] = (i == 2 and not b or i == 3 and not c) and "=" or alphabet:sub(n + 1, n + 1)
    end
  end
  return table.concat(out)
end

--- What must be answered to a key.
---@param key string
---@return string
function websocket_server.accept_for(key)
  return base64(sha1(key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
end

--- The bytes of a frame as a server writes it. Options break rules: final = false, reserved = bits 1..7, mask = four
--- bytes, length = a number to be told instead of the true one, form = 7, 16 or 64 bits of it.
---@param kind string|integer
---@param payload string
---@param options table?
---@return string
function websocket_server.frame_bytes(kind, payload, options)
  options = options or {}
  local first = (options.final == false and 0 or 0x80) | (options.reserved or 0) << 4
    | (websocket_server.kinds[kind] or kind)
  local length = options.length or #payload
  local form = options.form or (length < 126 and 7 or length < 65536 and 16 or 64)
  local masked = options.mask and 0x80 or 0
  local head
  if form == 7 then head = ("BB"):pack(first, masked | length)
  elseif form == 16 then head = (">BBI2"):pack(first, masked | 126, length)
  else head = (">BBI8"):pack(first, masked | 127, length) end
  return head .. (options.mask or "") .. payload
end

local function unmask(payload, key)
  local parts = {}
  local k1, k2, k3, k4 = key:byte(1, 4)
  local wide = (k1 | k2 << 8 | k3 << 16 | k4 << 24)
  wide = wide | wide << 32
  local whole = #payload // 8 * 8
  for at = 1, whole, 8 do parts[#parts + 1] = ("<i8"):pack(("<i8"):unpack(payload, at) ~ wide) end
  for at = whole + 1, #payload do parts[#parts + 1] = string.char(payload:byte(at) ~ key:byte((at - 1) % 4 + 1)) end
  return table.concat(parts)
end

-- The frame at that offset of `bytes` and the offset behind it; nil while it is not whole.
local function parse(bytes, at)
  if #bytes < at + 1 then return nil end
  local first, second = bytes:byte(at, at + 1)
  local length, form = second & 0x7f, 7
  at = at + 2
  if length >= 126 then
    form = length == 126 and 16 or 64
    local format = form == 16 and ">I2" or ">I8"
    if #bytes < at + format:packsize() - 1 then return nil end
    length, at = format:unpack(bytes, at)
  end
  local masked = second & 0x80 ~= 0
  if masked then at = at + 4 end
  if #bytes < at + length - 1 then return nil end
  local payload = bytes:sub(at, at + length - 1)
  local key = masked and bytes:sub(at - 4, at - 1) or nil
  return { final = first & 0x80 ~= 0, reserved = first >> 4 & 7, kind = names[first & 15] or first & 15,
    masked = masked, key = key, form = form, payload = key and unmask(payload, key) or payload }, at + length
end

local Peer = {}
Peer.__index = Peer

local function notify(self)
  local waiting = self.waiting
  self.waiting = nil
  if waiting then waiting() end
end

local function on_read(self, why, chunk)
  if chunk then
    self.chunks[#self.chunks + 1] = chunk
    self.received = self.received + #chunk
  else
    self.ended, self.broke = true, why
  end
  notify(self)
end

local function wait_for_more(self)
  if self.ended then return false end
  task.await(function(done) self.waiting = done end)
  return true
end

-- What has come and has not been taken: it begins at self.at of these bytes.
local function buffered(self)
  if #self.chunks > 0 then
    self.rest = self.rest:sub(self.at) .. table.concat(self.chunks)
    self.chunks, self.at = {}, 1
  end
  return self.rest
end

--- Reads the request: { line, headers (names in lower case), head (its bytes) }. nil when it ends before.
function Peer:request()
  repeat
    local bytes = buffered(self)
    local _, stop = bytes:find("\r\n\r\n", self.at, true)
    if stop then
      local head = bytes:sub(self.at, stop)
      self.at = stop + 1
      local request = { head = head, line = head:match("^[^\r]*"), headers = {} }
      for name, value in request.head:gmatch("\r\n([^:\r]+): ?([^\r]*)") do request.headers[name:lower()] = value end
      self.asked = request
      return request
    end
  until not wait_for_more(self)
end

--- The answer that a proper server gives to a request. `change` replaces headers (false: leaves one out); its
--- `status` replaces the first line, its `more` is added as it is.
---@param request table
---@param change table?
---@return string
function websocket_server.answer_to(request, change)
  change = change or {}
  local headers = { Upgrade = "websocket", Connection = "Upgrade",
    ["Sec-WebSocket-Accept"] = websocket_server.accept_for(request.headers["sec-websocket-key"]) }
  for name, value in pairs(change) do
    if name ~= "status" and name ~= "more" then headers[name] = value or nil end
  end
  local lines = { change.status or "HTTP/1.1 101 Switching Protocols" }
  for name, value in pairs(headers) do lines[#lines + 1] = name .. ": " .. value end
  return table.concat(lines, "\r\n") .. "\r\n" .. (change.more or "") .. "\r\n"
end

--- Reads the request and answers it.
---@param change table? as answer_to's
---@param behind string? bytes that go out with the answer
function Peer:accept(change, behind)
  local request = self:request()
  if request then self:write(websocket_server.answer_to(request, change) .. (behind or "")) end
  return request
end

--- Sends bytes; with `step`, that many at a time, each in a packet of its own.
---@param bytes string
---@param step integer?
function Peer:write(bytes, step)
  for at = 1, #bytes, step or #bytes + 1 do
    if self.handle:is_closing() then return end
    self.handle:write(bytes:sub(at, step and at + step - 1 or #bytes))
    if step then task.sleep(0) end
  end
end

--- Sends one frame; options as frame_bytes's.
function Peer:frame(kind, payload, options)
  self:write(websocket_server.frame_bytes(kind, payload or "", options))
end

--- A closing's payload.
---@param code integer?
---@param reason string?
---@return string
function websocket_server.closing(code, reason)
  return code and (">I2"):pack(code) .. (reason or "") or ""
end

--- The client's next frame; nil when it has ended.
function Peer:next()
  repeat
    local bytes = buffered(self)
    local frame, behind = parse(bytes, self.at)
    if frame then
      self.at = behind
      self.frames[#self.frames + 1] = frame
      return frame
    end
  until not wait_for_more(self)
end

--- All frames until the client ends the connection.
function Peer:rest_of_it()
  local frames = {}
  for frame in function() return self:next() end do frames[#frames + 1] = frame end
  return frames
end

--- Stops reading, so that what the client sends gets stuck.
function Peer:stop_reading() self.handle:read_stop() end

--- Reads again.
function Peer:read_on() self.handle:read_start(function(why, chunk) on_read(self, why, chunk) end) end

--- Ends our half of the connection; the client's may go on.
function Peer:shutdown() self.handle:shutdown() end

--- Ends it; `hard` as a machine does that does not know of it (a reset).
---@param hard boolean?
function Peer:close(hard)
  if self.handle:is_closing() then return end
  if hard then self.handle:close_reset() else self.handle:close() end
end

--- A peer over any stream of luv's. Its reading begins at once.
function websocket_server.peer(handle)
  local self = setmetatable({ handle = handle, chunks = {}, rest = "", at = 1, received = 0, frames = {} }, Peer)
  self:read_on()
  return self
end

local Server = {}
Server.__index = Server

--- Listens on a port of its own; each connection is a task that runs script(peer), after which it is closed.
---@param script fun(peer: table)
function websocket_server.start(script)
  local self = setmetatable({ peers = {}, works = {}, handle = uv.new_tcp() }, Server)
  assert(self.handle:bind("127.0.0.1", 0))
  self.port = self.handle:getsockname().port
  self.url = ("ws://127.0.0.1:%d"):format(self.port)
  assert(self.handle:listen(128, function()
    local socket = uv.new_tcp()
    self.handle:accept(socket)
    socket:nodelay(true)
    local peer = websocket_server.peer(socket)
    self.peers[#self.peers + 1] = peer
    self.works[#self.works + 1] = task.start_for(nil, function()
      local ending <close> = setmetatable({}, { __close = function() peer:close() end })
      assert(ending)
      script(peer)
    end)
  end))
  return self
end

--- Waits until every connection's script has ended, at most that many seconds; a script's error is raised.
---@param seconds number?
function Server:finish(seconds)
  for _, work in ipairs(self.works) do
    local ok, why = task.limit(seconds or 60, function()
      local fine, err = work:wait()
      if not fine then error(err, 0) end
    end)
    if not ok then error("the server: " .. tostring(why), 2) end
  end
end

--- Ends everything.
function Server:stop()
  self.handle:close()
  for _, work in ipairs(self.works) do work:cancel("the server stops") end
  for _, peer in ipairs(self.peers) do peer:close() end
end

--- A server for the time of fn(server). The errors of its script are raised here.
---@param script fun(peer: table)
---@param fn fun(server: table)
function websocket_server.with(script, fn)
  local server = websocket_server.start(script)
  local stop <close> = setmetatable({}, { __close = function() server:stop() end })
  assert(stop)
  fn(server)
  server:finish()
end

--- A script that sends back whatever comes, its closing too.
function websocket_server.echo(peer)
  peer:accept()
  for frame in function() return peer:next() end do
    peer:frame(frame.kind, frame.payload)
    if frame.kind == "close" then return end
  end
end

return websocket_server
