--- What an MCP server answers, whatever its messages come by (stdio.lua, http.lua). It speaks both forms of the
--- protocol: with `initialize`, and without sessions (2026-07-28); a client's first message decides.
local base_schema = require "deskpilot.base.schema"
local call_module = require "deskpilot.cli.mcp.call"
local errors = require "deskpilot.base.errors"
local failure = require "deskpilot.cli.mcp.failure"
local json = require "deskpilot.base.json"
local parameters = require "deskpilot.agent.parameters"
local protocol = require "deskpilot.mcp.protocol"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local server = {}

local codes = protocol.codes
local most_waiting = 16 -- calls that wait for answers of clients
local page_size = 100 -- entries of a list in one answer

---@class deskpilot.mcp_tool
---@field name string
---@field description string
---@field parameters table a JSON Schema
---@field read_only boolean? it changes nothing
---@field run fun(call: deskpilot.mcp_call, args: table): deskpilot.mcp_tool_result|string|nil, deskpilot.error?

---@class deskpilot.mcp_tool_result
---@field text string?
---@field pictures { base64: string, mime: string }[]?
---@field content table[]? in place of both: blocks as the protocol has them
---@field structured table?

---@class deskpilot.mcp_resource
---@field uri string
---@field name string
---@field mimeType string?
---@field description string?

---@class deskpilot.mcp_resources where resources come from
---@field list fun(): deskpilot.mcp_resource[]
---@field templates table[]
---@field read fun(uri: string, call: deskpilot.mcp_call): table[]? the contents; nil where it is not this one's
---@field complete (fun(name: string, value: string): string[])? values of a template's variable

---@class deskpilot.mcp_prompt
---@field name string
---@field description string?
---@field arguments table[]?
---@field get fun(call: deskpilot.mcp_call, args: table): table[] the messages

---@class deskpilot.mcp_server
---@field tools deskpilot.mcp_tool[]
---@field resources deskpilot.mcp_resources[]
---@field prompts deskpilot.mcp_prompt[]
---@field instructions string
---@field owner deskpilot.task
---@field waiting table<string, deskpilot.mcp_call> calls that wait for answers, by their tokens
local Server = {}
Server.__index = Server

--- A server. Its calls run as if the current task had started them.
---@param options { tools: deskpilot.mcp_tool[], resources: deskpilot.mcp_resources[], prompts: deskpilot.mcp_prompt[],
---  instructions: string }
---@return deskpilot.mcp_server
function server.new(options)
  local self = setmetatable({ waiting = {}, owner = task.current(), by_name = {} }, Server)
  for key, value in pairs(options) do self[key] = value end
  for _, tool in ipairs(self.tools) do self.by_name[tool.name] = tool end
  return self
end

local function identity()
  return { name = "deskpilot", version = system.version }
end

local function capabilities(self)
  local has = { tools = {}, resources = {}, logging = {}, completions = {} }
  if #self.prompts > 0 then has.prompts = {} end
  return has
end

-- --- lists ----------------------------------------------------------------------------------------------------

-- A part of a list, and where the next one begins.
local function paged(name, list, cursor)
  local from = 1
  if cursor ~= nil then
    from = type(cursor) == "string" and math.tointeger(tonumber(cursor:match "^%d+$")) or nil
    if not from or from < 1 or from > #list then failure.raise(codes.invalid_params, "there is no such cursor") end
  end
  local last = math.min(#list, from + page_size - 1)
  return { [name] = json.list(table.move(list, from, last, 1, {})), nextCursor = last < #list and tostring(last + 1)
    or nil }
end

--- The definition of a tool as clients are sent it.
---@param tool deskpilot.mcp_tool
---@return table
function server.definition(tool)
  return json.ordered({ name = tool.name, description = tool.description,
    inputSchema = tool.foreign and tool.parameters or parameters.sent(tool.parameters),
    annotations = tool.read_only and { readOnlyHint = true } or nil }, { "name", "description", "inputSchema" })
end

local methods = {}

methods["tools/list"] = function(self, request)
  local list = {}
  for i, tool in ipairs(self.tools) do list[i] = server.definition(tool) end
  return paged("tools", list, request.params.cursor)
end

methods["resources/list"] = function(self, request)
  local list = {}
  for _, source in ipairs(self.resources) do
    for _, resource in ipairs(source.list()) do list[#list + 1] = resource end
  end
  return paged("resources", list, request.params.cursor)
end

methods["resources/templates/list"] = function(self, request)
  local list = {}
  for _, source in ipairs(self.resources) do table.move(source.templates, 1, #source.templates, #list + 1, list) end
  return paged("resourceTemplates", list, request.params.cursor)
end

methods["resources/read"] = function(self, request)
  local uri = request.params.uri
  if type(uri) ~= "string" then failure.raise(codes.invalid_params, "resources/read needs a uri") end
  for _, source in ipairs(self.resources) do
    local contents = source.read(uri, request)
    if contents then return { contents = json.list(contents) } end
  end
  failure.raise(request.client.stateless and codes.invalid_params or codes.resource_not_found,
    "there is no such resource", { uri = uri })
end

methods["completion/complete"] = function(self, request)
  local argument, values = request.params.argument, {}
  if type(argument) ~= "table" or type(argument.name) ~= "string" or type(argument.value) ~= "string" then
    failure.raise(codes.invalid_params, "completion/complete needs an argument with name and value")
  end
  for _, source in ipairs(self.resources) do
    local more = source.complete and source.complete(argument.name, argument.value) or {}
    table.move(more, 1, #more, #values + 1, values)
  end
  local shown = table.move(values, 1, math.min(#values, 100), 1, {})
  return { completion = { values = json.list(shown), total = #values, hasMore = #values > #shown } }
end

methods["prompts/list"] = function(self, request)
  local list = {}
  for i, prompt in ipairs(self.prompts) do
    list[i] = { name = prompt.name, description = prompt.description, arguments = prompt.arguments
      and json.list(prompt.arguments) }
  end
  return paged("prompts", list, request.params.cursor)
end

methods["prompts/get"] = function(self, request)
  for _, prompt in ipairs(self.prompts) do
    if prompt.name == request.params.name then
      local args = request.params.arguments
      return { description = prompt.description,
        messages = json.list(prompt.get(request, type(args) == "table" and args or {})) }
    end
  end
  failure.raise(codes.invalid_params, "there is no such prompt")
end

-- --- tools ----------------------------------------------------------------------------------------------------

-- The arguments as the tool takes them; or what is wrong with them, for the model to read.
local function checked(tool, args)
  if args == nil then args = {} end
  if type(args) ~= "table" then return nil, "its arguments must be an object" end
  if tool.foreign then return args end
  local known, ignored, near = base_schema.drop(tool.parameters, base_schema.coerce(tool.parameters, args))
  local ok, why = base_schema.validate(tool.parameters, known)
  if #near > 0 then return nil, table.concat(near, "; ") end
  if ok then return known end
  return nil, #ignored > 0 and ("%s (not known here: %s)"):format(why, table.concat(ignored, ", ")) or why
end

local function content_of(result)
  if type(result) == "string" then result = { text = result } end
  if result.content then return json.list(result.content), result.structured end
  local blocks = json.list {}
  if result.text then blocks[1] = { type = "text", text = json.utf8(result.text) } end
  for _, picture in ipairs(result.pictures or {}) do
    blocks[#blocks + 1] = { type = "image", data = picture.base64, mimeType = picture.mime }
  end
  return blocks, result.structured
end

local function failed(words)
  return { content = { { type = "text", text = json.utf8(words) } }, isError = true }
end

methods["tools/call"] = function(self, request)
  local tool = type(request.params.name) == "string" and self.by_name[request.params.name]
  if not tool then
    failure.raise(codes.invalid_params, ("there is no tool %s"):format(text.cut(json.encode(
      tostring(request.params.name)), 100)))
  end
  local args, why = checked(tool, request.params.arguments)
  if not args then return failed(("%s: %s"):format(tool.name, why)) end
  local result, err = tool.run(request, args)
  if result == nil then return failed(tostring(err or tool.name .. " failed without saying why")) end
  local blocks, structured = content_of(result)
  return { content = blocks, structuredContent = structured }
end

-- --- the two forms of the protocol ----------------------------------------------------------------------------

local with_handshake = {}

with_handshake.ping = function() return {} end

with_handshake["logging/setLevel"] = function(_, request)
  local level = request.params.level
  if not call_module.is_level(level) then failure.raise(codes.invalid_params, "there is no such level") end
  request.client.log_level = level
  return {}
end

local without_sessions = {}

without_sessions["server/discover"] = function(self)
  return { supportedVersions = json.list(protocol.revisions), capabilities = capabilities(self),
    instructions = self.instructions }
end

-- Whose results may be kept by a client, and for how many milliseconds.
local cacheable = { ["server/discover"] = 3600000, ["tools/list"] = 3600000, ["prompts/list"] = 3600000,
  ["resources/templates/list"] = 3600000, ["resources/list"] = 0, ["resources/read"] = 0 }

-- What every result of the revision without sessions has.
local function completed(method, result)
  result.resultType = "complete"
  result._meta = { [protocol.meta.server] = identity() }
  if cacheable[method] then result.ttlMs, result.cacheScope = cacheable[method], "private" end
  return result
end

local function method_of(self, client, name)
  local own = client.stateless and without_sessions or with_handshake
  local fn = methods[name] or own[name]
  if fn and not (name:find "^prompts/" and #self.prompts == 0) then return fn end
  failure.raise(codes.method_not_found, ("there is no method %s here"):format(text.cut(json.encode(name), 100)), nil,
    404)
end

--- The answer to `initialize`.
---@param client deskpilot.mcp_client
---@return table result
function Server:initialized(client)
  return { protocolVersion = client.revision, capabilities = capabilities(self), serverInfo = identity(),
    instructions = self.instructions }
end

-- The requests that a client may be sent `input_required` for.
local may_ask = { ["tools/call"] = true, ["prompts/get"] = true, ["resources/read"] = true }

-- The call that waits for these answers. The state is the client's word: it has to be one that we have given, and for
-- the same request.
local function waiting_call(self, message)
  local state = message.params.requestState
  local found = type(state) == "string" and self.waiting[state]
  local same = found and found.method == message.method
  for _, key in ipairs { "name", "uri", "arguments" } do
    same = same and json.encode(found.params[key] or {}) == json.encode(message.params[key] or {})
  end
  if not same then
    failure.raise(codes.invalid_params, "this requestState is not one that is waited for: it was changed, belongs to "
      .. "another request, was used already, or nobody has answered in time")
  end
  self.waiting[state] = nil
  return found
end

local function begin(self, client, message, send)
  local fn = method_of(self, client, message.method)
  local request = call_module.new(self, client, message, send)
  request:start(self.owner, function() return fn(self, request) end)
  return request
end

local function count(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

-- The line that answers a request, by what has become of its call.
local function line_of(self, id, client, method, outcome)
  if outcome.failure then
    local f = outcome.failure
    return protocol.failure(id, f.code, f.message, f.data), f.status
  elseif outcome.wanted then
    if count(self.waiting) > most_waiting then
      self.waiting[outcome.state]:cancel("too many calls wait for answers")
      return protocol.failure(id, codes.internal, "too many calls wait for answers of their clients")
    end
    return protocol.result(id, { resultType = "input_required", inputRequests = outcome.wanted,
      requestState = outcome.state, _meta = { [protocol.meta.server] = identity() } })
  end
  local result = outcome.result
  return protocol.result(id, client.stateless and completed(method, result) or result)
end

--- Answers a request, and waits for that. Where the task that asks is cancelled, so is the work.
---@param client deskpilot.mcp_client
---@param message deskpilot.mcp.message
---@param send (fun(line: string): boolean?)? what is said before the answer; nil where there is no way to
---@return string line
---@return integer? status of the HTTP answer, where it is not 200
function Server:answer(client, message, send)
  local request
  local ok, err = pcall(function()
    if client.stateless and may_ask[message.method] and message.params.requestState ~= nil then
      request = waiting_call(self, message)
      request:go_on(client, message.params, send)
    else
      request = begin(self, client, message, send)
    end
  end)
  if not ok then
    if errors.is(err, "cancelled") then error(err, 0) end
    return line_of(self, message.id, client, message.method, { failure = failure.of(err) })
  end
  local outcome = request:next_outcome()
  local made, line, status = pcall(line_of, self, message.id, client, message.method, outcome)
  if made then return line, status end
  return protocol.failure(message.id, codes.internal, "the answer has no form in JSON: " .. tostring(line))
end

return server
