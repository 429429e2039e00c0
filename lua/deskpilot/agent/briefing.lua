--- What a persona is told, put together from the parts that all policies share. What stays the same for the whole run
--- comes first, and what changes with every turn comes last: a server that keeps the beginning of a request (prompt
--- caches) then has least to read again. For the same reason what never changes belongs into the system prompt.
local criteria = require "deskpilot.agent.criteria"
local observation = require "deskpilot.agent.observation"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"

local briefing = {}

local longest_line = 200 -- characters of a tool's description in a list

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

--- A line for each tool: "- NAME: what it does".
---@param run deskpilot.run
---@param names string[]
---@return string
function briefing.tools(run, names)
  local lines = {}
  for _, name in ipairs(names) do
    lines[#lines + 1] = ("- %s: %s"):format(name, first_sentence(run.toolbox:get(name).description))
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
local function signature(tool)
  local required, parts = {}, {}
  for _, name in ipairs(tool.parameters.required or {}) do required[name] = true end
  for _, name in ipairs(schema.names(tool.parameters)) do
    if name ~= "justification" then
      local definition = tool.parameters.properties[name]
      local limits = definition.type == "array" and definition.maxItems == 2 and " [x, y] in 0..1000" or ""
      parts[#parts + 1] = ("%s%s: %s%s"):format(name, required[name] and "" or "?", describe_type(definition), limits)
    end
  end
  return ("- %s(%s): %s"):format(tool.name, table.concat(parts, ", "), text.one_line(tool.description))
end

--- A line for each tool with its arguments: for personas that name tools and arguments inside another call.
---@param run deskpilot.run
---@param names string[]
---@return string
function briefing.signatures(run, names)
  local lines = {}
  for i, name in ipairs(names) do lines[i] = signature(run.toolbox:get(name)) end
  return table.concat(lines, "\n")
end

-- The parts: each is given the run and what the policy has said of it, and returns nil where there is nothing to say.
local parts = {}

function parts.mission(run, heading)
  return briefing.section(heading == true and "MISSION" or heading, run.task)
end

function parts.criteria(_, list)
  if #list == 0 then return nil end
  return briefing.section("SUCCESS CRITERIA (at the end all of this is on the screen)", criteria.numbered(list))
end

function parts.doctrine(run, words)
  if words == "" then return nil end
  return briefing.section("DOCTRINE", text.cut(words, run.config:get("history.doctrine_chars")))
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

function parts.tools(_, names)
  return "THE EXECUTOR'S TOOLS NOW: " .. (#names > 0 and table.concat(names, ", ") or "none")
end

function parts.memory(run)
  local words = run.memory:render()
  if words then return briefing.section("MEMORY", words) end
end

function parts.answers(run)
  return run.history:answers()
end

function parts.history(run)
  return run.history:render()
end

function parts.screen(run)
  return run.observation and observation.describe(run.observation)
end

-- A policy's own parts, each { heading, words }.
function parts.notes(_, notes)
  local sections = {}
  for i, note in ipairs(notes) do sections[i] = briefing.section(note[1], note[2]) end
  if #sections > 0 then return table.concat(sections, "\n\n") end
end

function parts.notices(run)
  return run.observation and observation.notices(run.observation)
end

function parts.demand(_, words)
  return words
end

function parts.turn(run)
  return ("TURN: %d of %d"):format(run.turn, run.config:get("limits.turns"))
end

-- From what never changes to what changes with every turn. Those from `memory` to `notes` hold text from outside, and
-- stand together between the run's marks.
local order = { "mission", "criteria", "doctrine", "knowledge", "phase", "tools", "orders", "answers", "memory",
  "history", "screen", "notes", "notices", "demand", "turn" }
local outside = { memory = true, history = true, screen = true, notes = true }

-- Parts that come along with another.
local with = { answers = "history", notices = "screen" }

---@class deskpilot.briefing which parts are wanted; the order is always the same
---@field mission boolean|string|nil the task; a text is the heading in place of MISSION
---@field criteria string[]? all of them, whole
---@field doctrine string? its first history.doctrine_chars characters
---@field knowledge string? what is known of the applications
---@field phase string?
---@field tools string[]? names of the tools that an Executor has now
---@field orders string? those that it has now
---@field memory boolean? what is remembered
---@field history boolean? the recent actions
---@field screen boolean? the latest observation in words
---@field notes string[][]? a policy's own parts, each { heading, words }, which may quote what is from outside
---@field demand string? what else the persona is asked for now, in the policy's words
---@field turn boolean? its number and the limit

--- The message of a request. What comes from outside in it stands between the run's marks (agent/untrusted.lua).
---@param run deskpilot.run
---@param wanted deskpilot.briefing
---@return string
function briefing.compose(run, wanted)
  local sections, from_outside = {}, {}
  for _, name in ipairs(order) do
    local value = wanted[with[name] or name]
    local words = value and parts[name](run, value)
    if not outside[name] and #from_outside > 0 then
      sections[#sections + 1] = run.marks:wrap(table.concat(from_outside, "\n\n"))
      from_outside = {}
    end
    if words and outside[name] then from_outside[#from_outside + 1] = words
    elseif words then sections[#sections + 1] = run.marks:clean(words) end
  end
  return table.concat(sections, "\n\n")
end

return briefing
