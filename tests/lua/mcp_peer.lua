--- Servers of the Model Context Protocol for tests, each a real process: the test runner with a file that begins with
--- the prelude below. What a test writes behind it fills `tools` and `calls`, or takes over altogether.
local uv = require "luv"
local files = require "deskpilot.base.files"

local peer = {}

local prelude = [[
local protocol = require "deskpilot.mcp.protocol"
local json = require "deskpilot.base.json"
local stateless = %s
local tools, calls, handlers = json.list {}, {}, {}
local capabilities = { tools = {} }
local next_id = 1000

local function say(line) io.write(line, "\n") io.flush() end
local function answer(m, result)
  if stateless then result.resultType = result.resultType or "complete" end
  say(protocol.result(m.id, result))
end
local function refuse(m, code, words, data) say(protocol.failure(m.id, code, words, data)) end
local function words(m, said) answer(m, { content = { { type = "text", text = said } } }) end
local function note(path, said)
  local file <close> = assert(io.open(path, "ab"))
  file:write(said, "\n")
end
local function hear()
  local line = io.read "l"
  if not line then os.exit(0) end
  return assert(protocol.read(line))
end
-- Asks the client and gives the message that answers; `between` is told of others.
local function ask(method, params, between)
  next_id = next_id + 1
  say(protocol.request(next_id, method, params))
  while true do
    local m = hear()
    if m.id == next_id then return m end
    if between then between(m) end
  end
end
local function tool(name, fields)
  local made = { name = name, description = name, inputSchema = { type = "object" } }
  for key, value in pairs(fields or {}) do made[key] = value end
  tools[#tools + 1] = made
end

handlers["server/discover"] = function(m)
  if not stateless then return refuse(m, -32601, "Method not found") end
  answer(m, { supportedVersions = { protocol.STATELESS }, capabilities = capabilities,
    _meta = { [protocol.meta.server] = { name = "peer", version = "2" } } })
end
handlers.initialize = function(m)
  if stateless then return refuse(m, -32022, "no", { supported = { protocol.STATELESS } }) end
  answer(m, { protocolVersion = m.params.protocolVersion, capabilities = capabilities,
    serverInfo = { name = "peer", version = "1" } })
end
handlers["tools/list"] = function(m) answer(m, { tools = tools }) end
handlers["tools/call"] = function(m)
  local fn = calls[m.params.name]
  if fn then return fn(m, m.params.arguments) end
  refuse(m, -32602, "Unknown tool: " .. m.params.name)
end
local function serve()
  while true do
    local m = hear()
    local fn = m.method and handlers[m.method]
    if fn then fn(m) elseif m.kind == "request" then refuse(m, -32601, "Method not found") end
  end
end
]]

local number = 0

--- The command of a server.
---@param folder string in which its file is written
---@param source string what it does; it serves afterwards
---@param stateless boolean? whether it is of the revision without sessions
---@return string[]
function peer.command(folder, source, stateless)
  number = number + 1
  local path = files.join(folder, ("peer%d.lua"):format(number))
  assert(files.write(path, prelude:format(tostring(stateless == true)) .. source .. "\nserve()\n"))
  return { assert(uv.exepath()), path }
end

return peer
