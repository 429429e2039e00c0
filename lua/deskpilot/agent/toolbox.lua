--- The tools that exist for a run: the shipped ones and the user's, each one Lua file. Schemas sent to
--- the model, validation, execution and the words of a refusal all come from that one definition.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local lists = require "deskpilot.agent.safety_lists"
local pace = require "deskpilot.agent.pace"
local parameters = require "deskpilot.agent.parameters"
local plugins = require "deskpilot.agent.plugins"
local schema = require "deskpilot.base.schema"
local spaces = require "deskpilot.model.space"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local verdict = require "deskpilot.agent.verdict"

local toolbox = {}

--- The group of a tool that names none.
toolbox.user_group = "user"

--- What a file of tools/ returns.
---@class deskpilot.tool: deskpilot.plugin
---@field name string that of its file
---@field description string
---@field parameters table|(fun(config: deskpilot.config): table) a JSON Schema, whose properties may be a list, so that
---  they have an order (deskpilot.agent.fields); a function where it depends on options
---@field parameters_for (fun(run: deskpilot.run): table?)? the schema where it depends on what the run is at; nil: as
---  `parameters` says
---@field run fun(ctx: deskpilot.tool_context, args: table): string|deskpilot.tool_result|deskpilot.verdict|nil,
---  deskpilot.error? gives what was done, in words, or more than words; or a verdict of its effect, which has failed
---  unless the answer is "yes"
---@field group string? what it belongs to, such as "pointing": policies offer groups or names; "user" unless told
---@field looks boolean? true if it only reads: a model that is offered it gets the answer within the same turn, and
---  then goes on; it is no action then. Such a tool does not act
---@field fresh boolean? of one that looks: what it answers may be another while the screen stays the same, so it is not
---  kept
---@field picture boolean? of one that looks: what it gives is a picture of the screen; a policy may allow more of these
---@field timeout number? seconds after which it is stopped
---@field tells integer? how much of its result the next request tells, in characters, where it is an action; 200
---@field foreign boolean? whether its parameters are somebody else's, whose schemas may say what is not known here
---@field phases string[]? the only phases of the policy in which it may be used, each by its name or the words that its
---  name begins with
---@field check (fun(ctx: deskpilot.tool_context, args: table): boolean?, deskpilot.error?)? whether it could be done
---  as things are
---@field acts boolean? false if the desktop does not change by it; to the parameters of all others a justification is
---  added, the first of them and required
---@field anywhere boolean? true if what is on the screen does not matter to it
---@field touches (fun(ctx: deskpilot.tool_context, args: table): { window: deskpilot.window?, application: string?,
---  url: string? })? what it acts on, where that is neither what its arguments point at nor what has the keyboard's
---  focus: a window, an application, or an address that it opens
---@field dangerous boolean|(fun(args: table, config: deskpilot.config): boolean)|nil true if a person has to allow a
---  call first
---@field lasting boolean|(fun(args: table): boolean)|nil true if it cannot be undone: the journal is put on the disk
---  before it is done, so that it is known of whatever happens to the machine. Those that are dangerous are too
---@field repeatable boolean|(fun(args: table): boolean)|nil false if having done it twice is not the same as once
---@field ends boolean? true if it says that the work is done, as all of the group "finish" do
---@field pages boolean? true if its argument `element` may be an element of the page

--- What a tool may return in place of a text.
---@class deskpilot.tool_result
---@field text string what was done or found
---@field data any? the same as plain data, for the journal, for scripts, and for a model that looks
---@field pictures (deskpilot.shot|deskpilot.picture)[]? for the model to see (agent/pictures.lua)

--- What a tool is given.
---@class deskpilot.tool_context
---@field desk deskpilot.desk
---@field run deskpilot.run
---@field config deskpilot.config
---@field persona string? of a look-up: who wants it
---@field observation deskpilot.observation? what the model was shown when it chose the arguments: positions are points
---  of its picture, and numbers are those of its elements
---@field element { role: string, name: string }? set by the tool: the element that it acts on, for action_result
---@field point number[]? set by the tool: where it acts, as 0..1000 of the picture, for action_result

--- Tools by their names. A toolbox that is made from another (`with`, `scope`) sees what is later added to that one and
--- removed from it.
---@class deskpilot.toolbox
---@field tools table<string, deskpilot.tool> its own
---@field parent deskpilot.toolbox? whose tools it has besides
---@field allows (fun(tool: deskpilot.tool): boolean)? which of these
---@field lists (fun(tool: deskpilot.tool): boolean)? which of them whoever has made the scope has asked for
---@field reads_only boolean? whether these only read
---@field config deskpilot.config
---@field phase (fun(): string?)? the phase that the policy has announced last
---@field changed fun(change: { added: string[]?, removed: string[]? })? told of what is added and removed
local Toolbox = {}
Toolbox.__index = Toolbox

-- Where a tool cannot tell, it is so.
local function says(answer, args)
  if type(answer) ~= "function" then return answer end
  local ok, said = pcall(answer, args)
  return not ok or said
end

--- Whether a call cannot be undone.
---@param tool deskpilot.tool?
---@param args table
---@return boolean
function toolbox.lasts(tool, args)
  return tool ~= nil and (says(tool.lasting, args) or says(tool.dangerous, args)) or false
end

--- Whether a tool says that the work is done, or that it cannot be.
---@param tool deskpilot.tool
---@return boolean
function toolbox.ends(tool)
  return tool.ends or tool.group == "finish"
end

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
  problem = problem or parameters.problem(definition, tool.foreign)
  if problem then
    return errors.fail("invalid", "%s %s", plugins.label(tool) or ("the tool '%s'"):format(entry.name), problem)
  end
  local acts = tool.acts ~= false and not tool.looks
  return setmetatable({ acts = acts, group = tool.group or toolbox.user_group, parameters = parameters.complete(
    definition, acts, config:get("tools.min_justification")) }, { __index = tool })
end

--- A toolbox of these tools.
---@param tools { name: string, plugin: deskpilot.tool }[] as deskpilot.cli.settings loads them
---@param config deskpilot.config for those whose parameters depend on it
---@return deskpilot.toolbox? toolbox, deskpilot.error? err names the tool that is wrong
function toolbox.new(tools, config)
  local self = setmetatable({ tools = {}, config = config }, Toolbox)
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
  local more = setmetatable({ tools = {}, parent = self, config = self.config }, Toolbox)
  for _, tool in ipairs(tools) do
    local definition = parameters.complete(tool.parameters, false, 0)
    more.tools[tool.name] = setmetatable({ parameters = definition }, { __index = tool })
  end
  return more
end

local function set(words)
  local found = {}
  for _, word in ipairs(words or {}) do found[word] = true end
  return found
end

-- Everything that `get` finds, by its name.
local function all_tools(self)
  local found = {}
  for name in pairs(self.parent and all_tools(self.parent) or {}) do found[name] = self:get(name) end
  for name in pairs(self.tools) do found[name] = self:get(name) end
  return found
end

-- The groups that the tools of a box are of.
local function groups_of(self)
  local found = {}
  for _, tool in pairs(all_tools(self)) do found[tool.group or ""] = true end
  return found
end

--- A toolbox with some of the tools. Whatever a prompt says, no other can be called through it.
---@param wanted { groups: string[]?, names: string[]?, reads_only: boolean?, ends: boolean? } the tools of these
---  groups and those of these names, all where neither is given; reads_only: of them those that only look; ends: also
---  those that say that the work is done
---@return deskpilot.toolbox
function Toolbox:scope(wanted)
  local groups, names, all = set(wanted.groups), set(wanted.names), not (wanted.groups or wanted.names)
  local there
  for word in pairs(names) do -- which of the two is meant is not said: the tool `finish` is not of the group "finish"
    if groups[word] and self:get(word) then
      there = there or groups_of(self)
      if there[word] then names[word] = nil end
    end
  end
  local function lists_tool(tool) return all or groups[tool.group] or names[tool.name] or false end
  return setmetatable({ tools = {}, parent = self, config = self.config, reads_only = wanted.reads_only,
    lists = lists_tool, allows = function(tool)
      return (lists_tool(tool) or wanted.ends and toolbox.ends(tool) or false)
        and (tool.looks or not wanted.reads_only)
    end }, Toolbox)
end

--- A toolbox with these of its tools and no others, but for those that say that the work is done: without them an agent
--- could not end it.
---@param words string[] names and groups
---@return deskpilot.toolbox? toolbox, deskpilot.error? err code "not_found"
function Toolbox:only(words)
  local groups = groups_of(self)
  groups.finish = true
  for _, word in ipairs(words) do
    if not self:get(word) and not groups[word] then
      return errors.fail("not_found", "there is no tool %q here%s", tostring(word), text.did_you_mean(tostring(word),
        self:names(), "%q"))
    end
  end
  return self:scope { names = words, groups = words, ends = true }
end

-- The one that tools are added to.
local function root(self)
  while self.parent do self = self.parent end
  return self
end

--- Adds a tool to a run, or replaces one that was added in it: what a server or a hook brings along. Policies that
--- offer its group are offering it from their next request on.
---@param tool deskpilot.tool
---@return boolean? ok, deskpilot.error? err what is wrong with the tool, or that a tool of this name ships or is the
---  user's
function Toolbox:add(tool)
  local box = root(self)
  local problem = plugins.problem("tools", tool, tool.name)
  if problem then return errors.fail("invalid", "the tool '%s' %s", tostring(tool.name), problem) end
  local same = box.tools[tool.name]
  if same and not same.added then
    return errors.fail("invalid", "there is a tool %q already: give the new one another name", tool.name)
  end
  local made, err = prepared({ name = tool.name, plugin = tool }, box.config)
  if not made then return nil, err end
  made.added = true
  box.tools[tool.name] = made
  if box.changed then box.changed { added = { tool.name } } end
  return true
end

--- Puts a tool in the place of the one of that name: its file was edited.
---@param name string
---@param plugin deskpilot.tool
---@return boolean? ok, deskpilot.error? err what is wrong with it; then the one before stays
function Toolbox:replace(name, plugin)
  local box = root(self)
  local made, err = prepared({ name = name, plugin = plugin }, box.config)
  if not made then return nil, err end
  box.tools[name] = made
  return true
end

--- Removes a tool from a run.
---@param name string
---@return boolean? ok, deskpilot.error? err code "not_found"
function Toolbox:remove(name)
  local box = root(self)
  if not box.tools[name] then return errors.fail("not_found", "there is no tool %q", tostring(name)) end
  box.tools[name] = nil
  if box.changed then box.changed { removed = { name } } end
  return true
end

-- Why a tool may not be used (safety.tools); nil where it may. A policy's own tools, which are in no file, and those
-- that say that the work is done are nobody's acts.
local function forbidden(self, tool)
  if self.parent or toolbox.ends(tool) then return nil end
  if tool.phases and self.phase and not pace.is_phase(self.phase(), tool.phases) then
    return ("%s is not for this phase, but for %s"):format(tool.name, text.join(tool.phases))
  end
  return lists.tool(self.config, tool.name)
end

--- The tool of that name that may be used, or nil.
---@param name any
---@return deskpilot.tool?
function Toolbox:get(name)
  if type(name) ~= "string" then return nil end
  if self.tools[name] then return not forbidden(self, self.tools[name]) and self.tools[name] or nil end
  local tool = self.parent and self.parent:get(name)
  return tool and (not self.allows or self.allows(tool)) and tool or nil
end

-- Tools of these groups belong to nobody's set: a policy that wants one names it, or its group.
local named_only = { talk = true, memory = true, touch = true, mcp = true, resources = true, calculation = true,
  command = true }

local function asked_for(box, tool)
  while box do
    if box.lists and box.lists(tool) then return true end
    box = box.parent
  end
  return false
end

--- The names of the tools that may be offered to anybody, or that a scope is of, sorted.
---@return string[]
function Toolbox:names()
  local found = {}
  for name, tool in pairs(all_tools(self)) do
    found[name] = (not named_only[tool.group] or asked_for(self, tool)) or nil
  end
  return text.keys(found)
end

-- What a request holds for a tool with those parameters.
local function new_definition(tool, definition, space)
  local inner = json.ordered({ name = tool.name, description = tool.description,
    parameters = parameters.sent(space:schema(definition)) }, { "name", "description", "parameters" })
  return json.ordered({ type = "function", ["function"] = inner }, { "type", "function" })
end

-- The definitions of tools by their space. Their texts are made once: they are the same in every request.
local definitions = setmetatable({}, { __mode = "k" })

local function definition_of(tool, space)
  definitions[tool] = definitions[tool] or {}
  local known, key = definitions[tool], space:key()
  known[key] = known[key] or json.constant(new_definition(tool, tool.parameters, space))
  return known[key]
end

-- The parameters as the run wants them now; nil where they are always the same.
local function parameters_now(tool, run)
  local wanted = run and tool.parameters_for and tool.parameters_for(run)
  return wanted and parameters.complete(wanted, tool.acts ~= false, run.config:get("tools.min_justification"))
end

--- The schema of a tool's arguments as it is now.
---@param name any
---@param run deskpilot.run? that asks
---@return table? nil where there is no such tool
function Toolbox:parameters(name, run)
  local tool = self:get(name)
  return tool and (parameters_now(tool, run) or tool.parameters)
end

--- The names of the arguments that any of the tools takes.
---@param run deskpilot.run?
---@return table<string, true>
function Toolbox:arguments(run)
  local known = {}
  for name in pairs(all_tools(self)) do
    for key in pairs(self:parameters(name, run).properties) do known[key] = true end
  end
  return known
end

--- What a request's `tools` holds for these names. It is not to be changed.
---@param names string[]
---@param run deskpilot.run? that asks
---@param space deskpilot.model.space? in which positions are told of; the canonical one if not given
---@return table[]
function Toolbox:definitions(names, run, space)
  local list = {}
  space = space or spaces.canonical
  for i, name in ipairs(names) do
    local tool = assert(self:get(name), name)
    local wanted = parameters_now(tool, run)
    list[i] = wanted and new_definition(tool, wanted, space) or definition_of(tool, space)
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

-- A tool that there is, but not in this toolbox.
local function outside(self, name)
  if self:get(name) then return nil end
  local box = root(self)
  local why = box.tools[name] and forbidden(box, box.tools[name])
  if why then return lists.error(why) end
  if not box:get(name) then return nil end
  local names = self:names()
  return errors.new("refused", "%s is not among the tools that may be used here%s: %s", name,
    self.reads_only and ", which only read" or "", #names > 0 and text.join(names) or "there are none")
end

--- Checks a call against the tool's schema. What is clear is corrected: numbers given as strings become numbers, and
--- arguments that the schema does not know are left out.
---@param name string
---@param args table
---@param run deskpilot.run? that the call is for
---@return table? args
---@return string[]|deskpilot.error ignored the names of what was left out, or what is wrong
function Toolbox:validate(name, args, run)
  local tool, refused = self:get(name), outside(self, name)
  if refused then return nil, refused end
  if not tool then
    local names = self:names()
    local nearest = text.nearest(tostring(name), names)
    return errors.fail("not_found", "there is no tool %q; %s", tostring(name),
      nearest and ("the nearest is %q"):format(nearest) or "there are " .. text.join(names))
  end
  if type(args) ~= "table" then return errors.fail("invalid", "%s needs an object of arguments", name) end
  local definition = self:parameters(name, run)
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
  local refused = outside(self, name)
  if refused then return nil, refused end
  local fn = self:get(name).check
  if not fn then return true end
  local ok, err = call(name, fn, ctx, args)
  if ok then return true end
  return nil, err or errors.new("invalid", name .. " cannot be done now")
end

-- Within the tool's own time.
local function call_in_time(tool, ctx, args)
  if not tool.timeout then return call(tool.name, tool.run, ctx, args) end
  local ok, result, err = task.limit(tool.timeout, function()
    task.sleep(0) -- from here on a task of its own, which can be cancelled
    return call(tool.name, tool.run, ctx, args)
  end)
  if ok then return result, err end
  if errors.is(result, "timed_out") then
    return errors.fail("timed_out", "%s was stopped after %g s, its time limit; what it had begun may be half done",
      tool.name, tool.timeout)
  end
  error(result, 0)
end

--- Runs a validated call. An error inside the tool is its failure, not the run's.
---@param name string
---@param ctx deskpilot.tool_context
---@param args table
---@return deskpilot.tool_result? result, deskpilot.error? err
function Toolbox:run(name, ctx, args)
  local refused = outside(self, name)
  if refused then return nil, refused end
  local result, err = call_in_time(self:get(name), ctx, args)
  if verdict.is(result) then -- of what the tool has brought about: what is not known to be so has failed
    if result.answer ~= "yes" then return errors.fail("refused", "%s: %s", name, verdict.words(result)) end
    result = verdict.words(result)
  end
  if result == nil then return nil, err or errors.new("io", name .. " failed without saying why") end
  if type(result) ~= "table" then return { text = tostring(result) } end
  return { text = tostring(result.text or "done"), data = result.data, pictures = result.pictures }
end

return toolbox
