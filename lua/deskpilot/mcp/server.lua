--- A server that is used: connected when it is first needed, and again when it has ended, after a while that grows. Its
--- tools and resources, and calls with as many rounds of questions as the server wants.
local connection = require "deskpilot.mcp.connection"
local errors = require "deskpilot.base.errors"
local protocol = require "deskpilot.mcp.protocol"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local tools = require "deskpilot.mcp.tools"

local server = {}

local most_pages, most_tools, most_resources = 50, 200, 1000
local most_rounds = 10 -- of questions within one call
local most_failures = 6 -- in a row, after which it is given up

--- Seconds until a server that has ended is started again: at first, and at most.
server.timing = { first = 0.5, longest = 30 }

---@class deskpilot.mcp.server
---@field name string
---@field label string what it is called in messages
---@field failures integer in a row
---@field connection deskpilot.mcp.connection?
---@field on_change fun(what: string)? its list of tools or resources has changed, or it was started again
local Server = {}
Server.__index = Server

--- A server that is not connected yet.
---@param name string
---@param options deskpilot.mcp.connection_options without label and callbacks
---@return deskpilot.mcp.server
function server.new(name, options)
  return setmetatable({ name = name, label = ("the server %q"):format(name), options = options, failures = 0,
    ready_at = 0, waiting = {} }, Server)
end

local function failed(self)
  self.connection, self.failures = nil, self.failures + 1
  self.ready_at = task.now() + math.min(server.timing.first * 2 ^ (self.failures - 1), server.timing.longest)
end

local function connect(self)
  local options = { label = self.label, on_end = function() failed(self) end, on_change = function(what)
    self.known = nil
    if self.on_change then self.on_change(what) end
  end }
  for key, value in pairs(self.options) do options[key] = value end
  local found, err = connection.open(options)
  if not found then
    failed(self)
    return nil, err
  end
  self.connection, self.known = found, nil
  return found
end

-- Waits until nobody else connects.
local function take_turn(self)
  while self.connecting do
    task.await(function(done)
      self.waiting[done] = true
      return function() self.waiting[done] = nil end
    end)
  end
end

--- The connection, made anew where the server has ended.
---@return deskpilot.mcp.connection? connection, deskpilot.error? err code "unavailable" where it was given up
function Server:connect()
  take_turn(self)
  if self.closed then return errors.fail("unavailable", "%s is closed", self.label) end
  if self.connection then return self.connection end
  if self.failures >= most_failures then
    return errors.fail("unavailable", "%s has failed %d times in a row, and is not started again in this run",
      self.label, self.failures)
  end
  self.connecting = true
  local over <close> = setmetatable({}, { __close = function()
    self.connecting = false
    local waiting = self.waiting
    self.waiting = {}
    for done in pairs(waiting) do done() end
  end })
  assert(over)
  local again = self.ready_at > 0
  if self.ready_at > task.now() then task.sleep(self.ready_at - task.now()) end
  local found, err = connect(self)
  if found and again and self.on_change then self.on_change "tools" end
  return found, err
end

-- A server over HTTP forgets sessions, when it is started again for one.
local function lost(self, err)
  if not err.session_lost then return end
  if self.connection then self.connection:close() end
  self.connection = nil
end

--- Makes a request. What may be done twice is asked once more of a server that has ended meanwhile.
---@param method string
---@param params table
---@param options deskpilot.mcp.request_options|{ repeatable: boolean? }
---@return table? result, deskpilot.error? err
function Server:request(method, params, options)
  for try = 1, 2 do
    local found, err = self:connect()
    if not found then return nil, err end
    local result
    result, err = found:request(method, params, options)
    if result then
      self.failures = 0
      return result
    end
    if err.rpc then self.failures = 0 end
    lost(self, err)
    local never_done = err.session_lost or err.unsent
    if not (err.ended and options.repeatable or never_done) or try == 2 then return nil, err end
  end
end

-- --- lists ----------------------------------------------------------------------------------------------------

-- All pages of a list: fn(item), which returns true where no more are wanted.
local function each(self, method, field, timeout, fn)
  local cursor, seen = nil, {}
  for _ = 1, most_pages do
    local result, err = self:request(method, { cursor = cursor }, { timeout = timeout, repeatable = true })
    if not result then return nil, err end
    if type(result[field]) ~= "table" then
      return errors.fail("protocol", "%s answers %s without a list of %s", self.label, method, field)
    end
    for _, item in ipairs(result[field]) do
      if fn(item) then return true end
    end
    cursor = result.nextCursor
    if type(cursor) ~= "string" or cursor == "" or seen[cursor] then return true end
    seen[cursor] = true
  end
  return true
end

--- The tools that it has now.
---@param timeout number seconds for each page
---@return deskpilot.mcp.tool[]? list
---@return string[]|deskpilot.error problems sentences about tools that cannot be used
function Server:tools(timeout)
  local found, problem = self:connect()
  if not found then return nil, problem end
  local list, problems, names = {}, {}, {}
  if not found.capabilities.tools then return list, problems end
  local ok, err = each(self, "tools/list", "tools", timeout, function(raw)
    local tool, why = tools.read(raw)
    if tool and names[tool.name] then
      tool, why = nil, ("the tool %s is there twice"):format(text.cut(tool.name, 60))
    end
    if #list == most_tools then why = ("more than %d tools, of which the others are left out"):format(most_tools) end
    if why and #problems < 20 then problems[#problems + 1] = ("%s has %s"):format(self.label, why) end
    if #list == most_tools then return true end
    if tool then
      names[tool.name] = true
      list[#list + 1] = tool
    end
  end)
  if not ok then return nil, err end
  return list, problems
end

local function resource_of(raw)
  local uri = type(raw) == "table" and (raw.uri or raw.uriTemplate)
  if type(uri) ~= "string" or uri == "" or #uri > 2000 then return nil end
  local function words(value, limit)
    return type(value) == "string" and text.cut(text.one_line(value), limit) or nil
  end
  return { uri = uri, name = words(raw.title, 100) or words(raw.name, 100), about = words(raw.description, 300),
    mime = words(raw.mimeType, 100), template = raw.uri == nil or nil }
end

--- The resources that it has now, and templates for the addresses of more.
---@param timeout number seconds for each page
---@return { uri: string, name: string?, about: string?, mime: string?, template: boolean? }[]? list, deskpilot.error?
---  err
function Server:resources(timeout)
  local found, problem = self:connect()
  if not found then return nil, problem end
  local list = {}
  if not found.capabilities.resources then return list end
  local function add(raw)
    list[#list + 1] = resource_of(raw)
    return #list >= most_resources
  end
  local ok, err = each(self, "resources/list", "resources", timeout, add)
  if not ok then return nil, err end
  each(self, "resources/templates/list", "resourceTemplates", timeout, add) -- not every server has them
  return list
end

-- --- calls ----------------------------------------------------------------------------------------------------

local function odd_question(self)
  return errors.fail("protocol", "%s asks in a form that is not known", self.label)
end

-- The answers to what the server wants to know before it goes on.
local function answers_of(self, wanted, ask)
  if wanted == nil then return nil end
  if type(wanted) ~= "table" then return odd_question(self) end
  local answers, count = {}, 0
  for _, key in ipairs(text.keys(wanted)) do
    local asked = wanted[key]
    count = count + 1
    local method = type(asked) == "table" and asked.method
    if type(key) ~= "string" or type(method) ~= "string" or count > 20 then
      return odd_question(self)
    end
    local answer, err
    if method == "roots/list" and self.options.roots then answer = { roots = self.options.roots() }
    elseif method == "elicitation/create" and ask then
      answer, err = ask(method, type(asked.params) == "table" and asked.params or {})
    end
    if not answer then
      return nil, err or errors.new("unsupported", "%s asks for %s, which deskpilot does not do", self.label,
        text.cut(method, 60))
    end
    answers[key] = answer
  end
  return answers
end

-- A request that may end in questions, asked again with their answers until it is complete.
local function rounds(self, method, params, options)
  local sent = params
  for _ = 1, most_rounds do
    local result, err = self:request(method, sent, options)
    if not result or result.resultType ~= "input_required" then return result, err end
    local answers, why = answers_of(self, result.inputRequests, options.ask)
    if why then return nil, why end
    local state = result.requestState
    if state ~= nil and type(state) ~= "string" or state == nil and answers == nil then
      return odd_question(self)
    end
    sent = { inputResponses = answers, requestState = state }
    for key, value in pairs(params) do sent[key] = value end
  end
  return errors.fail("protocol", "%s has asked %d times within one call", self.label, most_rounds)
end

local function call_once(self, tool, args, options)
  local all = { repeatable = tool.repeatable, headers = {} }
  for key, value in pairs(options) do all[key] = value end
  for name, value in pairs(tools.headers(tool, args)) do all.headers[name] = protocol.header_value(value) end
  return rounds(self, "tools/call", { name = tool.name, arguments = tools.arguments(tool, args) }, all)
end

-- The tool as it is listed now.
local function listed_now(self, tool, timeout)
  for _, other in ipairs(self:tools(timeout) or {}) do
    if other.name == tool.name then return other end
  end
  return tool
end

--- Calls a tool.
---@param tool deskpilot.mcp.tool
---@param args table
---@param options deskpilot.mcp.request_options
---@return table? result as the server gives it
---@return deskpilot.error? err
function Server:call(tool, args, options)
  local result, err = call_once(self, tool, args, options)
  if not result and err.rpc == protocol.codes.header_mismatch then -- it wants other headers than it has told of before
    result, err = call_once(self, listed_now(self, tool, options.timeout), args, options)
  end
  if result and type(result.content) ~= "table" and result.structuredContent == nil then
    return errors.fail("protocol", "%s gives a result without content", self.label)
  end
  return result, err
end

--- Reads a resource.
---@param uri string
---@param options deskpilot.mcp.request_options
---@return table[]? contents as the server gives them
---@return deskpilot.error? err
function Server:read(uri, options)
  local all = { repeatable = true }
  for key, value in pairs(options) do all[key] = value end
  local result, err = rounds(self, "resources/read", { uri = uri }, all)
  if not result then return nil, err end
  if type(result.contents) ~= "table" then
    return errors.fail("protocol", "%s gives a resource without contents", self.label)
  end
  return result.contents
end

--- Ends it, and what was started for it.
function Server:close()
  self.closed = true
  if self.connection then self.connection:close() end
  self.connection = nil
end

return server
