--- A small HTTP server on 127.0.0.1 for tests with a real browser: it serves what the test tells it to, and keeps
--- a record of what it was asked for.
---
---   local server = page_server.start { ["/one"] = "<title>One</title>", ["/two"] = function(request) ... end }
---   server.url; server.requests[1].path; server:count("/one"); server:stop()
---
--- What is served: a page's text, or a table { status = 200, type = "text/html", headers = {}, body = "",
--- cut = bytes (so many are sent, then the connection is closed), drop = true (closed without an answer),
--- hold = true (no answer before server:release()) }.
local uv = require "luv"

local page_server = {}

local Server = {}
Server.__index = Server

local function hang_up(self, socket)
  self.sockets[socket] = nil
  if not socket:is_closing() then socket:close() end
end

local function respond(self, socket, answer)
  if socket:is_closing() then return end
  if answer.drop then return hang_up(self, socket) end
  local body = answer.body or ""
  local lines = { ("HTTP/1.1 %d X"):format(answer.status or 200), "Content-Type: "
    .. (answer.type or "text/html; charset=utf-8"), "Content-Length: " .. #body, "Cache-Control: no-store" }
  for name, value in pairs(answer.headers or {}) do lines[#lines + 1] = name .. ": " .. value end
  local bytes = table.concat(lines, "\r\n") .. "\r\n\r\n" .. body
  if answer.cut then bytes = bytes:sub(1, #bytes - #body + answer.cut) end
  socket:write(bytes, function()
    if answer.cut then hang_up(self, socket) end
  end)
end

local function take(self, socket, method, path)
  local request = { method = method, path = path:match("^[^?]*"), target = path }
  self.requests[#self.requests + 1] = request
  local answer = self.routes[request.path]
  if type(answer) == "function" then answer = answer(request) end
  if type(answer) == "string" then answer = { body = answer } end
  answer = answer or { status = 404, body = "<title>Missing</title>not here" }
  if answer.hold and not self.released then
    self.held[#self.held + 1] = function() respond(self, socket, answer) end
  else
    respond(self, socket, answer)
  end
end

local function serve(self)
  local socket = uv.new_tcp()
  self.listener:accept(socket)
  self.sockets[socket] = true
  local got = ""
  socket:read_start(function(_, data)
    if not data then return hang_up(self, socket) end
    got = got .. data
    while true do -- requests have no bodies here
      local head, rest = got:match("^(.-\r\n\r\n)(.*)$")
      if not head then return end
      got = rest
      local method, path = head:match("^(%u+) (%S+)")
      take(self, socket, method, path)
    end
  end)
end

--- Answers what is held, and holds nothing from now on.
function Server:release()
  self.released = true
  local held = self.held
  self.held = {}
  for _, answer in ipairs(held) do answer() end
end

--- How often that path was asked for.
function Server:count(path)
  local count = 0
  for _, request in ipairs(self.requests) do
    if request.path == path then count = count + 1 end
  end
  return count
end

function Server:stop()
  self.listener:close()
  for socket in pairs(self.sockets) do
    if not socket:is_closing() then socket:close() end
  end
end

--- An address where nothing listens, and nothing will while the server's socket is there: close it at the end.
---@return string url, table socket
function page_server.nobody()
  local socket = uv.new_tcp()
  assert(socket:bind("127.0.0.1", 0))
  return "http://127.0.0.1:" .. socket:getsockname().port .. "/", socket
end

function page_server.start(routes)
  local self = setmetatable({ routes = routes, requests = {}, sockets = {}, held = {} }, Server)
  self.listener = uv.new_tcp()
  assert(self.listener:bind("127.0.0.1", 0))
  assert(self.listener:listen(64, function() serve(self) end))
  self.port = self.listener:getsockname().port
  self.url = "http://127.0.0.1:" .. self.port
  return self
end

return page_server
