--- The tools that exist for a run: the shipped ones and the user's, each one Lua file. Schemas sent to
--- the model, validation, execution and the words of a refusal all come from that one definition.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local parameters = require "deskpilot.agent.parameters"
local plugins = require "deskpilot.agent.plugins"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local verdict = require "deskpilot.agent.verdict"

local toolbox = {}

--- What a file of tools/ returns.
---@class deskpilot.tool: deskpilot.plugin
---@field name string that of its file
---@field description string
---@field parameters table|(fun(config: deskpilot.config): table) a JSON Schema, whose properties may be a list, so that
---  they have an order (deskpilot.agent.fields); a function where it depends on options
---@field parameters_for (fun(run: deskpilot.run): table?)? the schema where it depends on what the run is at; nil: as
---  `parameters` says
---@field run fun(ctx: deskpilot.tool_context, args: table): string|deskpilot.verdict|nil, deskpilot.error? gives what
---  was done, in words; or a verdict of its effect, which has failed unless the answer is "yes"
---@field group string? what it belongs to; tools of "talk" and "memory" are offered only by policies that name them
---@field check (fun(ctx: deskpilot.tool_context, args: table): boolean?, deskpilot.error?)? whether it could be done
---  as things are
---@field acts boolean? false if the desktop does not change by it; to the parameters of all others a justification is
---  added, the first of them and required
---@field anywhere boolean? true if what is on the screen does not matter to it
---@field dangerous boolean|(fun(args: table): boolean)|nil true if a person has to allow a call first
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

-- What a tool's file says of its parameters, or what is wrong with that.
local function declared_parameters(tool, config)
  local definition = tool.parameters
  if type(definition) ~= "function" then return definition end
  local ok, result = pcall(definition, config)
  if ok and type(result) == "table" then return result end
  return nil, ("has parameters(config), but that %s"):format(ok and "returns no table" or "fails: " .. tostring(result))
end

-- The tool with its parameters as they are sent.
local function prepared(entry, config)
  local tool = entry.plugin
  local definition, problem = declared_parameters(tool, config)
  problem = problem or parameters.problem(definition)
  if problem then
    return errors.fail("invalid", "%s %s", plugins.label(tool) or ("the tool '%s'"):format(entry.name), problem)
  end
  return setmetatable({ parameters = parameters.complete(definition, tool.acts ~= false,
    config:get("tools.min_justification")) }, { __index = tool })
end

--- A toolbox of these tools.
---@param tools { name: string, plugin: deskpilot.tool }[] as deskpilot.cli.settings loads them
---@param config deskpilot.config for those whose parameters depend on it
---@return deskpilot.toolbox? toolbox, deskpilot.error? err names the tool that is wrong
function toolbox.new(tools, config)
  local self = setmetatable({ tools = {} }, Toolbox)
  for _, entry in ipairs(tools) do
    local tool, err = prepared(entry, config)
    if not tool then return nil, err end
    self.tools[entry.name] = tool
  end
  return self
end

--- A toolbox with more tools, which belong to a policy alone (the Tactician's meta-tools).
---@param tools deskpilot.tool[]
---@return deskpilot.toolbox
function Toolbox:with(tools)
  local more = setmetatable({ tools = {} }, Toolbox)
  for name, tool in pairs(self.tools) do more.tools[name] = tool end
  for _, tool in ipairs(tools) do
    local definition = parameters.complete(tool.parameters, false, 0)
    more.tools[tool.name] = setmetatable({ parameters = definition }, { __index = tool })
  end
  return more
end

-- Without it an agent could not say that it is done.
local always = { "report_completion" }

--- A toolbox with these of its tools alone.
---@param names string[]
---@return deskpilot.toolbox? toolbox, deskpilot.error? err
function Toolbox:only(names)
  local less = setmetatable({ tools = {} }, Toolbox)
  for _, name in ipairs(always) do less.tools[name] = self.tools[name] end
  for _, name in ipairs(names) do
    if not self:get(name) then
      return errors.fail("not_found", "there is no tool %q here%s", tostring(name), text.did_you_mean(tostring(name),
        self:names(), "%q"))
    end
    less.tools[name] = self.tools[name]
  end
  return less
end

--- The tool of that name, or nil.
---@param name any
---@return deskpilot.tool?
function Toolbox:get(name)
  return type(name) == "string" and self.tools[name] or nil
end

-- Tools of these groups belong to nobody's set: a policy that wants one names it.
local named_only = { talk = true, memory = true }

--- The names of the tools that may be offered to anybody, sorted.
---@return string[]
function Toolbox:names()
  local found = {}
  for name, tool in pairs(self.tools) do
    if not named_only[tool.group] then found[name] = true end
  end
  return text.keys(found)
end

-- What a request holds for a tool with those parameters.
local function new_definition(tool, definition)
  local inner = json.ordered({ name = tool.name, description = tool.description, parameters = definition },
    { "name", "description", "parameters" })
  return json.ordered({ type = "function", ["function"] = inner }, { "type", "function" })
end

-- The definitions of tools. Their texts are made once: they are the same in every request.
local definitions = setmetatable({}, { __mode = "k" })

local function definition_of(tool)
  definitions[tool] = definitions[tool] or json.constant(new_definition(tool, tool.parameters))
  return definitions[tool]
end

-- The parameters as the run wants them now; nil where they are always the same.
local function parameters_now(tool, run)
  local wanted = run and tool.parameters_for and tool.parameters_for(run)
  return wanted and parameters.complete(wanted, tool.acts ~= false, run.config:get("tools.min_justification"))
end

--- What a request's `tools` holds for these names. It is not to be changed.
---@param names string[]
---@param run deskpilot.run? that asks
---@return table[]
function Toolbox:definitions(names, run)
  local list = {}
  for i, name in ipairs(names) do
    local tool = assert(self.tools[name], name)
    local wanted = parameters_now(tool, run)
    list[i] = wanted and new_definition(tool, wanted) or definition_of(tool)
  end
  return list
end

-- What is wrong with arguments in a sentence; nil where nothing is.
local function problem_of(definition, args, ignored, near)
  local problem = parameters.justification_problem(definition, args)
  if not problem then
    local ok, why = schema.validate(definition, args)
    problem = not ok and why or nil
  end
  if problem and #ignored > 0 then
    problem = ("%s (not known here: %s)"):format(problem, table.concat(ignored, ", "))
  end
  return #near > 0 and table.concat(near, "; ") .. (problem and "; " .. problem or "") or problem
end

--- Checks a call against the tool's schema. What is clear is corrected: numbers given as strings become numbers, and
--- arguments that the schema does not know are left out.
---@param name string
---@param args table
---@param run deskpilot.run? that the call is for
---@return table? args
---@return string[]|deskpilot.error ignored the names of what was left out, or what is wrong
function Toolbox:validate(name, args, run)
  local tool = self:get(name)
  if not tool then
    local names = self:names()
    local nearest = text.nearest(tostring(name), names)
    return errors.fail("not_found", "there is no tool %q; %s", tostring(name),
      nearest and ("the nearest is %q"):format(nearest) or "there are " .. text.join(names))
  end
  if type(args) ~= "table" then return errors.fail("invalid", "%s needs an object of arguments", name) end
  local definition = parameters_now(tool, run) or tool.parameters
  local known, ignored, near = schema.drop(definition, schema.coerce(definition, args))
  local problem = problem_of(definition, known, ignored, near)
  if problem then return errors.fail("invalid", "%s: %s", name, problem) end
  return known, ignored
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
  if verdict.is(result) then -- of what the tool has brought about: what is not known to be so has failed
    if result.answer ~= "yes" then return errors.fail("refused", "%s: %s", name, verdict.words(result)) end
    result = verdict.words(result)
  end
  if result == nil then return nil, err or errors.new("io", name .. " failed without saying why") end
  return tostring(result)
end

return toolbox
