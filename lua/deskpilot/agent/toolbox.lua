--- The tools that exist for a run: the shipped ones and the user's, each one Lua file. Schemas sent to
--- the model, validation, execution and the words of a refusal all come from that one definition.
local errors = require "deskpilot.base.errors"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local toolbox = {}

--- What a file of tools/ returns.
---@class deskpilot.tool: deskpilot.plugin
---@field name string that of its file
---@field description string
---@field parameters table|(fun(config: deskpilot.config): table) a JSON Schema; a function where it depends on options
---@field run fun(ctx: deskpilot.tool_context, args: table): string?, deskpilot.error? gives what was done, in words
---@field check (fun(ctx: deskpilot.tool_context, args: table): boolean?, deskpilot.error?)? whether it could be done
---  as things are
---@field acts boolean? false if the desktop does not change by it
---@field anywhere boolean? true if what is on the screen does not matter to it
---@field repeatable boolean|(fun(args: table): boolean)|nil false if having done it twice is not the same as once

--- What a tool is given.
---@class deskpilot.tool_context
---@field desk deskpilot.desk
---@field run deskpilot.run
---@field config deskpilot.config
---@field observation deskpilot.observation? what the model was shown when it chose the arguments: positions are points
---  of its picture, and numbers are those of its elements
---@field element { role: string, name: string }? set by the tool: the element that it acts on, for action_result
---@field point number[]? set by the tool: where it acts, as 0..1000 of the picture, for action_result

---@class deskpilot.toolbox
---@field tools table<string, deskpilot.tool>
local Toolbox = {}
Toolbox.__index = Toolbox

--- A toolbox of these tools.
---@param tools { name: string, plugin: deskpilot.tool }[] as deskpilot.cli.settings loads them
---@param config deskpilot.config for those whose parameters depend on it
---@return deskpilot.toolbox? toolbox, deskpilot.error? err names the tool that is wrong
function toolbox.new(tools, config)
  local self = setmetatable({ tools = {} }, Toolbox)
  for _, entry in ipairs(tools) do
    local tool = entry.plugin
    if type(tool.parameters) == "function" then
      local ok, parameters = pcall(tool.parameters, config)
      if not ok or type(parameters) ~= "table" then
        return errors.fail("invalid", "the tool '%s' has parameters(config), but that %s", entry.name,
          ok and "returns no table" or "fails: " .. tostring(parameters))
      end
      tool = setmetatable({ parameters = parameters }, { __index = tool })
    end
    self.tools[entry.name] = tool
  end
  return self
end

--- A toolbox with more tools, which belong to a policy alone (the Tactician's meta-tools).
---@param tools deskpilot.tool[]
---@return deskpilot.toolbox
function Toolbox:with(tools)
  local more = setmetatable({ tools = setmetatable({}, { __index = self.tools }) }, Toolbox)
  for _, tool in ipairs(tools) do more.tools[tool.name] = tool end
  return more
end

--- The tool of that name, or nil.
---@param name any
---@return deskpilot.tool?
function Toolbox:get(name)
  return type(name) == "string" and self.tools[name] or nil
end

--- All names, sorted.
---@return string[]
function Toolbox:names()
  return text.keys(self.tools)
end

--- What a request's `tools` holds for these names.
---@param names string[]
---@return table[]
function Toolbox:definitions(names)
  local list = {}
  for _, name in ipairs(names) do
    local tool = assert(self.tools[name], name)
    list[#list + 1] = { type = "function",
      ["function"] = { name = name, description = tool.description, parameters = tool.parameters } }
  end
  return list
end

--- Checks a call against the tool's schema; numbers given as strings become numbers.
---@param name string
---@param args table
---@return table? args, deskpilot.error? err
function Toolbox:validate(name, args)
  local tool = self:get(name)
  if not tool then
    return errors.fail("not_found", "there is no tool %q; the nearest is %q", tostring(name),
      tostring(text.nearest(tostring(name), self:names())))
  end
  if type(args) ~= "table" then return errors.fail("invalid", "%s needs an object of arguments", name) end
  args = schema.coerce(tool.parameters, args)
  local ok, why = schema.validate(tool.parameters, args)
  if not ok then return errors.fail("invalid", "%s: %s", name, tostring(why)) end
  return args
end

local function call(name, fn, ctx, args)
  local ok, result, err = xpcall(fn, debug.traceback, ctx, args)
  if not ok then
    if errors.is(result, "cancelled") then error(result, 0) end
    return errors.fail("invalid", "the tool %s broke: %s", name, tostring(result))
  end
  return result, err
end

--- What the tool itself says of a validated call, before it is run; true where it has nothing to say.
---@param name string
---@param ctx deskpilot.tool_context
---@param args table
---@return boolean? ok, deskpilot.error? err
function Toolbox:check(name, ctx, args)
  local fn = self.tools[name].check
  if not fn then return true end
  local ok, err = call(name, fn, ctx, args)
  if ok then return true end
  return nil, err or errors.new("invalid", name .. " cannot be done now")
end

--- Runs a validated call. An error inside the tool is its failure, not the run's.
---@param name string
---@param ctx deskpilot.tool_context
---@param args table
---@return string? text, deskpilot.error? err
function Toolbox:run(name, ctx, args)
  local result, err = call(name, self.tools[name].run, ctx, args)
  if result == nil then return nil, err or errors.new("io", name .. " failed without saying why") end
  return tostring(result)
end

return toolbox
