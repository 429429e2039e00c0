--- A server that takes PUT, for tests of artifacts: object storage as far as they need it.
local http_server = require "deskpilot.net.http_server"

local artifact_server = {}

---@class artifact_server
---@field url string
---@field files table<string, string> what was PUT, by its path
---@field requests deskpilot.http_server.request[]
---@field fail (fun(request: table, number: integer): deskpilot.http_server.reply?)? an answer in place of its own
local Server = {}
Server.__index = Server

local function answer(self, request)
  self.requests[#self.requests + 1] = request
  local reply = self.fail and self.fail(request, #self.requests)
  if reply then return reply end
  if request.method ~= "PUT" then return { status = 405 } end
  if self.authorization and request.headers.authorization ~= self.authorization then
    return { status = 403, body = "<Code>AccessDenied</Code>" }
  end
  self.files[request.path] = request.body
  return { status = 201 }
end

--- Starts one; it stops with its closing.
---@param authorization string? what it wants of every request
---@return artifact_server
function artifact_server.start(authorization)
  local self = setmetatable({ files = {}, requests = {}, authorization = authorization }, Server)
  self.server = assert(http_server.start(function(request) return answer(self, request) end, { max_body = 80 << 20 }))
  self.url = self.server.url
  return self
end

--- The paths of what was PUT below a path.
---@param prefix string
---@return string[] sorted
function Server:paths(prefix)
  local list = {}
  for path in pairs(self.files) do
    if path:sub(1, #prefix) == prefix then list[#list + 1] = path:sub(#prefix + 1) end
  end
  table.sort(list)
  return list
end

function Server:close() self.server:stop() end

Server.__close = Server.close

return artifact_server
