-- A client of `deskpilot mcp` on its standard input and output, as a test needs one: it keeps every line that the
-- server has written, and may be either kind of client.
local environment = require "deskpilot.desk.platform.environment"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local process = require "deskpilot.desk.app.process"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local uv = require "luv"

local mcp_talk = {}

local Talk = {}
Talk.__index = Talk

local meta = { version = "io.modelcontextprotocol/protocolVersion", client = "io.modelcontextprotocol/clientInfo",
  capabilities = "io.modelcontextprotocol/clientCapabilities" }

local function hear(self, line)
  local message = json.decode(line)
  self.lines[#self.lines + 1] = line
  if type(message) ~= "table" then return end
  if message.method and message.id ~= nil then
    local answer = self.on_request and self.on_request(message)
    if answer then self:send { id = message.id, result = answer } end
  elseif message.method then
    table.insert(self.heard, message)
  elseif self.pending[message.id] then
    self.pending[message.id](message)
  end
end

--- Starts a server.
---@param words string[] after `deskpilot mcp`
---@param options { stateless: boolean?, capabilities: table?, env: table<string, string>?, cwd: string? }?
function mcp_talk.start(words, options)
  options = options or {}
  local self = setmetatable({ lines = {}, heard = {}, pending = {}, count = 0, stateless = options.stateless,
    capabilities = options.capabilities or {}, runs = spawn.folder() }, Talk)
  self.child = assert(process.start { cwd = options.cwd, max_output = 64 * 1024 * 1024,
    argv = { files.absolute(spawn.program), "mcp", "--runs", self.runs, table.unpack(words) },
    env = environment.lines(uv.os_environ(), options.env) })
  self.reader = task.start(function()
    while true do
      local line, err = self.child:line(3600)
      if not line then self.ended = tostring(err) return end
      hear(self, line)
    end
  end)
  return self
end

function Talk:send(message)
  message.jsonrpc = "2.0"
  assert(self.child:write(json.encode(message) .. "\n"))
end

--- Sends a request; gives its id, and a function that waits for the answer.
function Talk:begin(method, params)
  self.count = self.count + 1
  local id, answer = self.count, nil
  params = params or {}
  if self.stateless then
    params._meta = params._meta or {}
    params._meta[meta.version], params._meta[meta.capabilities] = "2026-07-28", self.capabilities
    params._meta[meta.client] = { name = "a test", version = "1" }
  end
  self.pending[id] = function(message) answer = message end
  self:send { id = id, method = method, params = params }
  return id, function(seconds)
    local limit = task.now() + (seconds or 60)
    while not answer do
      if task.now() > limit or self.ended then
        error(("no answer to %s (%s); the server says:\n%s"):format(method, tostring(self.ended),
          self.child.stderr:contents()), 2)
      end
      task.sleep(0.005)
    end
    return answer
  end
end

--- The answer to a request.
function Talk:request(method, params, seconds)
  local _, wait = self:begin(method, params)
  return wait(seconds)
end

--- Begins as a client with sessions does.
function Talk:initialize()
  local answer = self:request("initialize", { protocolVersion = "2025-11-25", capabilities = self.capabilities,
    clientInfo = { name = "a test", version = "1" } })
  self:send { method = "notifications/initialized" }
  return answer.result
end

--- Calls a tool: its words, whether it failed, and the whole result.
function Talk:call(name, args, seconds)
  local answer = self:request("tools/call", { name = name, arguments = args or {} }, seconds)
  local result = answer.result or {}
  local block = (result.content or {})[1] or {}
  return block.text or answer.error and answer.error.message, result.isError == true or answer.error ~= nil, result
end

--- Waits until `look` tells of something.
function Talk:look_until(part, seconds)
  local limit = task.now() + (seconds or 60)
  while true do
    local words = self:call("look", { picture = false })
    if words and words:find(part, 1, true) then return words end
    if task.now() > limit then error(("the screen does not show %q but:\n%s"):format(part, tostring(words)), 2) end
    task.sleep(0.1)
  end
end

--- Closes its input, and gives the status with which it ends.
function Talk:leave()
  self.child:close_input()
  local status = self.child:wait(30)
  self:close()
  return status
end

function Talk:close()
  self.child:kill()
  self.reader:cancel("the test is over")
  if files.exists(self.runs) then files.remove(self.runs) end
end

Talk.__close = Talk.close

return mcp_talk
