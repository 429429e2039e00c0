--- What of a goal lasts longer than the program: the policy's state, the history and the success criteria, written into
--- the journal as far as they have changed (event `state`). The `state` of the run's own goal is the last line of each
--- turn, and what a continued run goes back to (agent/resume.lua).
local events = require "deskpilot.agent.events"
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local state = {}

events.declare_all("deskpilot.agent.state", { { name = "state", fields = {
  { "set?", "object", "the fields of run.state that have changed since the event before, with their values" },
  { "removed?", { type = "array", items = { type = "string" } }, "the fields that are no more" },
  { "history?", { type = "array", items = { type = "object", properties = { turn = { type = "integer" },
    kind = { type = "string" }, line = { type = "string" } }, required = { "kind", "line", "turn" } } },
    "the entries that were added to the history: turn, kind, line" },
  { "criteria?", { type = "array", items = { type = "string" } }, "the success criteria, where they have changed" },
  { "actions?", { type = "array", items = { type = "object", properties = { tool = { type = "string" },
    args = { type = "object" }, text = { type = "string" }, why = { type = "string" } }, required = { "tool", "args",
    "text" } } }, "in the first one of a run that goes on from another: "
    .. "all actions before it (tool, args, ok, text, why)" },
}, about = "The state of a goal after a turn, as far as it has changed. What is no plain data is left out." } })

-- Why a value is no plain data, with the path to what is none; nil where it is.
local function stray(value, path, around)
  local kind = type(value)
  if kind == "string" or kind == "boolean" or kind == "nil" or value == json.null then return nil end
  if kind == "number" then
    return (value ~= value or math.abs(value) == math.huge) and path .. " is not finite" or nil
  end
  if kind ~= "table" then return ("%s is a %s"):format(path, kind) end
  if around[value] then return path .. " holds itself" end
  local meta = getmetatable(value)
  if meta and (meta.__index or meta.__tostring or meta.__gc) then return path .. " is an object" end
  around[value] = true
  for key, item in pairs(value) do
    local why = stray(item, ("%s.%s"):format(path, tostring(key)), around)
    if why then return why end
  end
  around[value] = nil
end

-- The value as JSON; nil and why where it cannot be written.
local function encoded(value, path)
  local why = stray(value, path, {})
  if why then return nil, why end
  local ok, words = pcall(json.encode, value)
  if not ok then return nil, ("%s: %s"):format(path, tostring(words)) end
  return words
end

-- Told once for each field.
local function tell(run, kept, key, why)
  if kept.told[key] then return end
  kept.told[key] = true
  run:note(("run.state.%s does not last, a continued run will be without it: %s"):format(key, why))
end

local function changes(run, goal, kept)
  local set, removed, now = {}, json.list {}, {}
  for _, key in ipairs(text.keys(goal.state)) do
    if type(key) ~= "string" then tell(run, kept, tostring(key), "its name is no text")
    elseif not (goal.transient and goal.transient[key]) then
      local words, why = encoded(goal.state[key], "run.state." .. key)
      if not words then tell(run, kept, key, why) end
      now[key] = words
      if words and words ~= kept.fields[key] then set[key] = goal.state[key] end
    end
  end
  for _, key in ipairs(text.keys(kept.fields)) do
    if now[key] == nil then removed[#removed + 1] = key end
  end
  kept.fields = now
  return next(set) and set, #removed > 0 and removed or nil
end

-- The history's entries that were added since the last time.
local function new_entries(history, kept)
  local list = json.list {}
  for _, entry in ipairs(history.entries) do
    if not kept.entries[entry] then list[#list + 1] = entry end
  end
  kept.entries = {}
  for _, entry in ipairs(history.entries) do kept.entries[entry] = true end
  return #list > 0 and list or nil
end

--- Writes into the journal what has changed of the present goal.
---@param run deskpilot.run
---@param extra table? further fields of the event: turn, actions
function state.keep(run, extra)
  local goal = run.goal
  local kept = goal.kept or { fields = {}, entries = {}, told = {} }
  goal.kept = kept
  local event = extra or {}
  event.set, event.removed = changes(run, goal, kept)
  event.history = new_entries(goal.history, kept)
  local criteria = goal.criteria and json.encode(goal.criteria)
  if criteria ~= kept.criteria then event.criteria, kept.criteria = json.list(goal.criteria or {}), criteria end
  run:emit("state", event)
end

return state
