--- What a persona is told, put together from the parts that all policies share. What stays the same for the whole run
--- comes first, and what changes with every turn comes last: a server that keeps the beginning of a request (prompt
--- caches) then has least to read again. For the same reason what never changes belongs into the system prompt.
local criteria = require "deskpilot.agent.criteria"
local differences = require "deskpilot.agent.differences"
local observation = require "deskpilot.agent.observation"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local token_count = require "deskpilot.agent.token_count"
local viewpoint = require "deskpilot.agent.viewpoint"

local briefing = {}

local longest_line = 200 -- characters of a tool's description in a list
local longest_part = { 6000, 1500 } -- characters of what is from outside, where all of it was too long once and twice

--- A heading and what stands under it.
---@param heading string
---@param words string
---@return string
function briefing.section(heading, words)
  return heading .. ":\n" .. words
end

-- "Click one element." of a description that goes on.
local function first_sentence(description)
  local line = text.one_line(description)
  return text.cut(line:match("^(.-[.!?])%s+%u") or line, longest_line)
end

-- What the shipped groups of tools are for; the names of their tools say the rest.
local groups = {
  { "pointing", "with the mouse" }, { "typing", "with the keyboard" }, { "apps", "applications and windows" },
  { "browser", "a page in a browser" }, { "looking", "only looks, in detail" }, { "waiting", "for the screen" },
  { "finish", "the end of the mission" },
}

--- The tools by their groups, for personas that name tools but do not call them: a line for each group; and for a tool
--- that is of none of the shipped groups, "- NAME: what it does".
---@param run deskpilot.run
---@param names string[]
---@return string
function briefing.tools(run, names)
  local lines, of_group = {}, {}
  for _, name in ipairs(names) do
    local group = run.toolbox:get(name).group
    of_group[group] = of_group[group] or {}
    table.insert(of_group[group], name)
  end
  for _, group in ipairs(groups) do
    local list = of_group[group[1]]
    if list then lines[#lines + 1] = ("- %s: %s"):format(group[2], table.concat(list, ", ")) end
    of_group[group[1]] = nil
  end
  for _, name in ipairs(names) do
    local tool = run.toolbox:get(name)
    if of_group[tool.group] then
      lines[#lines + 1] = ("- %s: %s"):format(name, first_sentence(tool.description))
    end
  end
  return table.concat(lines, "\n")
end

local function describe_type(definition)
  if definition.enum then
    local values = {}
    for i, value in ipairs(definition.enum) do values[i] = tostring(value) end
    return table.concat(values, "|")
  end
  local kind = definition.type
  return type(kind) == "table" and table.concat(kind, "|") or tostring(kind or "any")
end

-- "browser_type(index: integer, text: string, replace?: boolean): Types into ..." The parameter `justification` is left
-- out: whoever names a tool inside another call gives one reason for all.
local function signature(tool, short)
  local required, parts = {}, {}
  for _, name in ipairs(tool.parameters.required or {}) do required[name] = true end
  for _, name in ipairs(schema.names(tool.parameters)) do
    if name ~= "justification" then
      local definition = tool.parameters.properties[name]
      local limits = definition.type == "array" and definition.format == "position" and " {{point}} in {{space}}" or ""
      parts[#parts + 1] = ("%s%s: %s%s"):format(name, required[name] and "" or "?", describe_type(definition), limits)
    end
  end
  return ("- %s(%s): %s"):format(tool.name, table.concat(parts, ", "),
    short and first_sentence(tool.description) or text.one_line(tool.description))
end

--- A line for each tool with its arguments: for personas that name tools and arguments inside another call, to stand in
--- a system prompt, where {{point}} and {{space}} are filled in for the persona's model.
---@param run deskpilot.run
---@param names string[]
---@param short boolean? only the first sentence of what each does
---@return string
function briefing.signatures(run, names, short)
  local lines = {}
  for i, name in ipairs(names) do lines[i] = signature(run.toolbox:get(name), short) end
  return table.concat(lines, "\n")
end

-- The parts: each is given the run, what the policy has said of it, the space in which places are told, and what the
-- persona was told before (nil: nothing). It returns nil where there is nothing to say.
local parts = {}

function parts.mission(run, heading)
  return briefing.section(heading == true and "MISSION" or heading, run.task)
end

function parts.criteria(_, list)
  if #list == 0 then return nil end
  return briefing.section("SUCCESS CRITERIA (at the end all of this is on the screen)", criteria.numbered(list))
end

function parts.doctrine(run, words, _, _, short)
  if words == "" then return nil end
  return briefing.section("DOCTRINE", text.cut(words, run.config:get("history.doctrine_chars") >> short))
end

function parts.plan(_, words, _, _, short)
  if words == "" then return nil end
  return briefing.section("DOCTRINE", short > 0 and text.cut(words, longest_part[short]) or words)
end

function parts.knowledge(_, hints)
  if hints ~= "" then return hints end
end

function parts.phase(_, phase)
  return "CURRENT PHASE: " .. phase
end

function parts.orders(_, words)
  return briefing.section("YOUR LAST ORDERS TO THE EXECUTOR", words)
end

function parts.own_orders(_, words)
  return briefing.section("YOUR ORDERS FOR THIS PHASE", words)
end

function parts.tools(_, names)
  return "THE EXECUTOR'S TOOLS NOW: " .. (#names > 0 and table.concat(names, ", ") or "none")
end

function parts.memory(run, most)
  local words = run.memory:render(type(most) == "table" and most or nil)
  if words then return briefing.section("MEMORY", words) end
end

function parts.answers(run, _, _, told)
  return run.history:answers(told and told.entry)
end

function parts.history(run, _, space, told, short)
  if told then return run.history:since(told.entry, space) end
  return run.history:render(space, short)
end

function parts.screen(run, how, space, told)
  if type(how) == "table" then return observation.describe(how, true, space) end
  if not run.observation then return nil end
  if told and told.look then return differences.describe(told.look, run.observation, how, space) end
  return observation.describe(run.observation, how, space)
end

-- A policy's own parts, each { heading, words }.
function parts.notes(run, notes, space)
  local sections = {}
  for i, note in ipairs(notes) do sections[i] = briefing.section(note[1], run.history:told(note[2], space)) end
  if #sections > 0 then return table.concat(sections, "\n\n") end
end

function parts.notices(run)
  return run.observation and observation.notices(run.observation)
end

function parts.demand(_, words)
  return words
end

-- Of a goal within the run its own, where it has a limit of its own.
function parts.turn(run, heading)
  local bound = run.goal.bounds.turns or { from = 0, at = run.config:get "limits.turns" }
  return ("%s: %d of %d"):format(heading == true and "TURN" or heading, run.turn - bound.from, bound.at - bound.from)
end

-- From what never changes to what changes with every turn. Those from `memory` to `notes` hold text from outside, and
-- stand together between the run's marks.
local order = { "mission", "plan", "criteria", "doctrine", "knowledge", "phase", "tools", "orders", "own_orders",
  "answers", "memory", "history", "screen", "notes", "notices", "demand", "turn" }
local outside = { memory = true, history = true, screen = true, notes = true }

-- Parts that come along with another.
local with = { answers = "history", notices = "screen" }

-- Parts that say the same until they change: where a persona was told them, it need not be told them again.
local lasting = { mission = true, plan = true, criteria = true, doctrine = true, knowledge = true, phase = true,
  tools = true, orders = true, own_orders = true, memory = true }

---@class deskpilot.briefing which parts are wanted; the order is always the same
---@field mission boolean|string|nil the task; a text is the heading in place of MISSION
---@field plan string? the doctrine, whole
---@field criteria string[]? all of them, whole
---@field doctrine string? its first history.doctrine_chars characters
---@field knowledge string? what is known of the applications
---@field phase string?
---@field tools string[]? names of the tools that an Executor has now
---@field orders string? those that it has now, as the Tactician reads them
---@field own_orders string? the same as the Executor reads them
---@field memory boolean|{ experiences: integer?, chars: integer? }|nil what is remembered, or as much of it
---@field history boolean? the recent actions
---@field screen boolean|"words"|deskpilot.observation|nil the latest observation in words; "words": for a persona that
---  points at nothing, elements without numbers and places; or what the policy has made of it, told whole each time
---@field notes string[][]? a policy's own parts, each { heading, words }, which may quote what is from outside
---@field demand string? what else the persona is asked for now, in the policy's words
---@field turn boolean|string|nil its number and the limit; a text is the heading in place of TURN
---@field persona string? who is told: places are in the space of its model; of the run's own model if not given

--- What a persona was told: the words of each part that lasts, the look, and the history's entry.
---@class deskpilot.briefing.told
---@field parts table<string, string>
---@field look deskpilot.observation?
---@field entry table?

--- The message of a request. What comes from outside in it stands between the run's marks (agent/untrusted.lua).
---@param run deskpilot.run
---@param wanted deskpilot.briefing
---@param short integer? how often it was too long: 0, 1 or 2
---@param told deskpilot.briefing.told? what the persona has before it already: then only what is new is said
---@return string words
---@return deskpilot.briefing.told told what it has been told with it
function briefing.compose(run, wanted, short, told)
  short = short or 0
  local sections, from_outside, now = {}, {}, { parts = {}, entry = run.history:latest() }
  local space = viewpoint.space(run, wanted.persona)
  for _, name in ipairs(order) do
    local value = wanted[with[name] or name]
    local words = value and parts[name](run, value, space, told, short)
    if words and outside[name] and short > 0 then words = text.cut(words, longest_part[short]) end
    if lasting[name] then
      now.parts[name] = words or told and told.parts[name]
      if told and words == told.parts[name] then words = nil end
    end
    if not outside[name] and #from_outside > 0 then
      sections[#sections + 1] = run.marks:wrap(table.concat(from_outside, "\n\n"))
      from_outside = {}
    end
    if words and outside[name] then from_outside[#from_outside + 1] = words
    elseif words then sections[#sections + 1] = run.marks:clean(words) end
  end
  now.look = wanted.screen and run.observation or told and told.look
  return table.concat(sections, "\n\n"), now
end

--- The tokens of each part of a message that is told whole, about.
---@param run deskpilot.run
---@param wanted deskpilot.briefing
---@return table<string, integer> sizes by the parts' names
function briefing.sizes(run, wanted)
  local sizes, space = {}, viewpoint.space(run, wanted.persona)
  for _, name in ipairs(order) do
    local value = wanted[with[name] or name]
    local words = value and parts[name](run, value, space, nil, 0)
    if words then sizes[name] = token_count.of_text(words) end
  end
  return sizes
end

--- The same as a function that composes it when it is asked for, as short as the model needs it.
---@param run deskpilot.run
---@param wanted deskpilot.briefing
---@return fun(short: integer): string
function briefing.later(run, wanted)
  return function(short) return briefing.compose(run, wanted, short) end
end

return briefing
