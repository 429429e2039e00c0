--- docs/hooks.md: what hooks and guards are told and what they may return, for each event, and the arguments of each
--- action. Made of the events that are declared and of the tools' schemas.
local decisions = require "deskpilot.agent.decisions"
local events = require "deskpilot.agent.run_events"
local examples = require "deskpilot.cli.hook_examples"
local hooks = require "deskpilot.agent.hooks"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local tool_reference = require "deskpilot.cli.tool_reference"

local hooks_reference = {}

local head = [[
# Hooks

Made by `./dev docs` from the events that are declared in the code and from the schemas of the tools.

A hook is a function of a mission, named after an event, or by a friendly name: `before_run(m)`,
`after_run(m, outcome)`, `before_action(m, action)`, `after_action(m, action, result)`, `ask(m, question)`. All others
are called as `fn(m, event)`. A guard's functions have the events' names and are called as `fn(run, event)`. Hooks are
called first, then guards.

## What they return

%s

Several keys may stand in one table. Whatever else is returned is a mistake and never consent: a key that does not exist
(`{ vetto = "why" }`), a value of the wrong type (`{ veto = 5 }`), `false` where nothing is left to refuse. A Lua error
is one too. The action, request or question does not happen. In a mission the run ends with the status `error` and a
sentence that names the hook's file and line; a guard's mistake is a veto, and an event `error` names the guard.

## What they read

The fields below; one that may be missing is nil. In a mission's hook any other name is a mistake where it is read or
written: `action.args.x` (the argument is `position`, in 0..1000 of the picture), `action.vetto = "why"`. An argument
that another tool takes is nil. What a hook wants to keep goes into `m`.

What an action touches (`point`, `element`, `window`, `application`, `site`, `drop`) is found out when it is first read:
elements cost a question to the application where the screen was not looked at since the last action. What cannot be
told is nil. After the action it is what was there before it. A menu or a tooltip belongs to no window: `window` is the
one behind it. A page's frames from elsewhere belong to the `site` of the page.

## What every event has
]]

local returned = {
  { 'nothing, `true`, `{}`', "nothing to say: it goes on" },
  { '`false`, `false, "why"`, `nil, "why"`, `{ veto = "why" }`',
    "it does not happen, where that is still possible: an action, a request, a question" },
  { "a [verdict](missions.md#verdicts-and-checks)", "yes is nothing to say; no and unknown are a veto" },
  { "`{ amend = { field = value } }`", "these fields of an action or of a request are replaced" },
  { '`{ answer = "..." }`, `"..."`', "the answer to a question" },
  { "`{ stop = { status, reason } }`", "the run ends: %s" },
}

-- What may be returned, as a table.
local function returns()
  local rows = { "| returned | what it means |", "| --- | --- |" }
  for _, row in ipairs(returned) do rows[#rows + 1] = ("| %s | %s |"):format(row[1], row[2]) end
  return (table.concat(rows, "\n"):gsub("%%s", decisions.statuses_in_words()))
end

local function table_of(fields)
  local rows = { "| field | type | what it says |", "| --- | --- | --- |" }
  for _, field in ipairs(fields) do
    local name, optional, kind = events.describe(field)
    rows[#rows + 1] = ("| `%s` | %s%s | %s |"):format(name, kind, optional and ", may be missing" or "", field[3])
  end
  return table.concat(rows, "\n")
end

local function event_text(name)
  local event = events.get(name)
  local parts = { ("## %s\n\n%s"):format(name, event.about) }
  parts[#parts + 1] = #event.fields > 0 and table_of(event.fields) or "No fields of its own."
  if event.live then
    parts[#parts + 1] = "Beside these, which the journal does not have:\n\n" .. table_of(event.live)
  end
  local may_return = decisions.words(event):gsub("{[^}]*}+%s*}?", "`%0`") -- pattern: of our own words
  parts[#parts + 1] = ("It may return %s."):format(may_return)
  if event.amends then parts[#parts + 1] = "`amend` may replace:\n\n" .. table_of(event.amends) end
  if examples[name] then parts[#parts + 1] = "```lua\n" .. examples[name] .. "\n```" end
  return table.concat(parts, "\n\n")
end

local samples = {}

function samples.string(definition, name)
  return name == "url" and "https://example.org/" or definition.pattern and "name" or "..."
end

function samples.boolean() return true end

function samples.number(definition) return math.max(1, definition.minimum or 1) end
samples.integer = samples.number

-- A value that a schema allows.
local function sample(definition, name)
  local kind = type(definition.type) == "table" and definition.type[1] or definition.type
  if definition.enum then return definition.enum[1] end
  return samples[kind](definition, name)
end

function samples.array(definition, name)
  local list = {}
  for i = 1, math.max(1, definition.minItems or 1) do list[i] = sample(definition.items, name) end
  return list
end

--- Arguments that a schema takes, as an example: all but those that stand in place of another.
---@param definition table a tool's parameters
---@return table args
function samples.object(definition)
  local args = {}
  for _, name in ipairs(schema.names(definition)) do
    local one = definition.properties[name]
    if not text.starts(one.description or "", "Or else") then args[name] = sample(one, name) end
  end
  return args
end
hooks_reference.sample = samples.object

local function key_words(name)
  return name:find "^%a+$" and name ~= "end" and name or ("[%q]"):format(name)
end

-- A value as Lua; the keys of a table in the order of the schema.
local function literal(value, definition)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for i, item in ipairs(value) do parts[i] = literal(item, definition.items) end
  for _, name in ipairs(definition.properties and schema.names(definition) or {}) do
    if value[name] ~= nil then
      parts[#parts + 1] = ("%s = %s"):format(key_words(name), literal(value[name], definition.properties[name]))
    end
  end
  return #parts > 0 and "{ " .. table.concat(parts, ", ") .. " }" or "{}"
end

local function tool_text(tool)
  local definition, rows = tool.parameters, { "| argument | type | what it says |", "| --- | --- | --- |" }
  for _, row in ipairs(tool_reference.parameters(tool)) do
    if row.name ~= "justification" then -- said at the beginning
      rows[#rows + 1] = ("| `%s` | %s%s | %s |"):format(row.name, row.kind, row.required and "" or ", may be missing",
        row.about)
    end
  end
  return ("### %s\n\n%s\n\n```lua\naction.tool == %q\naction.args   %s\n```"):format(tool.name,
    #rows > 2 and table.concat(rows, "\n") or "No arguments of its own.", tool.name,
    literal(samples.object(definition), definition))
end

--- The events that hooks hear, in the order of their declaration.
---@return string[]
function hooks_reference.events()
  local list = {}
  for _, name in ipairs(events.names()) do
    if hooks.hears(name) then list[#list + 1] = name end
  end
  return list
end

--- The page.
---@return string
function hooks_reference.text()
  local parts = { head:format(returns()) .. "\n" .. table_of(events.common()) }
  for _, name in ipairs(hooks_reference.events()) do parts[#parts + 1] = event_text(name) end
  parts[#parts + 1] = "## The arguments of actions\n\n`action.args` of each tool that ships; what the tools do is in "
    .. "[api/tools.md](api/tools.md). Every tool that acts has `justification` (string) beside those below."
  for _, tool in ipairs(tool_reference.tools()) do parts[#parts + 1] = tool_text(tool) end
  return table.concat(parts, "\n\n") .. "\n"
end

return hooks_reference
