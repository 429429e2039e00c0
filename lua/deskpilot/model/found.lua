--- The calls that the grammars find in a text. A call that is announced and cannot be read becomes an error sentence,
--- which the model is sent: it is never ignored.
local limits = require "deskpilot.model.limits"
local text = require "deskpilot.base.text"
local values = require "deskpilot.model.values"

local found = {}

---@class deskpilot.model.call
---@field id string
---@field name string
---@field args table? nil when error is set
---@field error string? a sentence for the model
---@field raw string? the text that was received, when error is set
---@field verb boolean? it names an action of the model's own, and no tool as we have described it

---@class deskpilot.model.found
---@field calls deskpilot.model.call[]
---@field repairs deskpilot.model.repairs
local Found = {}
Found.__index = Found

--- Nothing found yet.
---@param repairs deskpilot.model.repairs
---@return deskpilot.model.found
function found.new(repairs)
  return setmetatable({ calls = {}, repairs = repairs }, Found)
end

local function is_object(value)
  return type(value) == "table" and value[1] == nil
end

-- The arguments of a call: a table, or JSON text, which some models encode twice.
local function read_arguments(arguments, repairs)
  if arguments == nil or arguments == "" then return {} end
  if type(arguments) == "string" and not arguments:find("%S") then return {} end
  local value, why = arguments, nil
  for _ = 1, 2 do
    if type(value) ~= "string" then break end
    if text.trim(value) == "null" then return {} end
    value, why = values.json(value, repairs)
  end
  if type(value) == "table" and why == nil then value, why = values.tidy(value) end
  if value == nil then return nil, "they are not valid JSON: " .. text.cut(text.one_line(why or "?"), 160) end
  if not is_object(value) then return nil, "they must be one JSON object" end
  return value
end

--- A call with that name and those arguments, or with what is wrong with them.
---@param id string
---@param name any
---@param arguments any
---@param repairs deskpilot.model.repairs
---@return deskpilot.model.call
function found.call(id, name, arguments, repairs)
  local raw = type(arguments) == "string" and arguments or nil
  if type(name) ~= "string" or name == "" then
    return { id = id, name = "", error = "A tool call came without the tool's name.", raw = raw }
  end
  local value
  local why = limits.of_call(name, raw or "")
  if not why then
    value, why = read_arguments(arguments, repairs)
    if value then return { id = id, name = name, args = value } end
  end
  return { id = id, name = name, raw = raw,
    error = ("The arguments of %s cannot be read: %s."):format(text.cut(text.one_line(name), 64), why) }
end

-- The name and the arguments of an object that represents a call in one of the usual forms; nil if it does not.
local function call_shape(value)
  if not is_object(value) then return nil end
  local fn = value["function"]
  if type(fn) == "table" then return call_shape(fn) end
  local name = value.name or fn or value.tool
  local arguments = value.arguments or value.parameters or value.args
  if type(name) ~= "string" then return nil end
  if type(arguments) ~= "table" and type(arguments) ~= "string" then return nil end
  return name, arguments
end

--- Whether there are so many calls already that nothing of the answer will be used.
---@return boolean
function Found:full() return #self.calls > limits.most.calls end

--- Adds a call.
---@param name any
---@param arguments any a table, or JSON text
function Found:add(name, arguments)
  table.insert(self.calls, found.call("text_" .. #self.calls + 1, name, arguments, self.repairs))
end

--- Adds the calls in a decoded value: one or a list of objects with a name and arguments, in the usual forms.
---@param value any
---@return boolean any false, with nothing added, if it holds none
function Found:add_value(value)
  if type(value) ~= "table" then return false end
  if type(value.tool_calls) == "table" then value = value.tool_calls end
  local list = value[1] ~= nil and value or { value }
  local calls = {}
  for _, item in ipairs(list) do
    local name, arguments = call_shape(item)
    if not name then return false end
    table.insert(calls, { name, arguments })
    if #calls > limits.most.calls then break end
  end
  for _, item in ipairs(calls) do self:add(item[1], item[2]) end
  return #calls > 0
end

--- Adds a call that cannot be read.
---@param source string
---@param why string? the answer was cut off, if not given
---@param name string? where it is known
function Found:broken(source, why, name)
  table.insert(self.calls, {
    id = "text_" .. #self.calls + 1, name = name or source:match('"name"%s*:%s*"([%w_-]+)"') or "",
    error = "A tool call written as text cannot be read: " .. text.cut(text.one_line(why or "it was cut off"), 160)
      .. ".",
    raw = source,
  })
end

--- Adds the call in a text that a tag has announced as one.
---@param source string JSON
function Found:announced(source)
  local value, why = values.json(source, self.repairs)
  if value == nil then self:broken(source, why)
  elseif not self:add_value(value) then self:broken(source, "it names no tool and arguments") end
end

--- Adds calls such as click(start_box='(1,2)') that follow each other from a place on, with nothing between them but
--- white space and semicolons.
---@param source string
---@param at integer
---@return integer after the byte behind the last one
function Found:written(source, at)
  while not self:full() do
    at = source:find("[^%s;]", at) or #source + 1
    local call, after, name = values.call(source, at, self.repairs)
    if not call then
      if after then self:broken(source:sub(at, at + 2000), after, name) end
      return after and #source + 1 or at
    end
    if after <= #source and not source:find("^%s*[\n;<`]", after) and source:find("^[ \t]*[%a_][%w_.]*%(", after)
      and not self.repairs:add "missing_newline" then
      self:broken(source:sub(at, at + 2000), nil, call.name)
      return #source + 1
    end
    self:add(call.name, call.args)
    self.calls[#self.calls].verb = true
    at = after
  end
  return at
end

return found
