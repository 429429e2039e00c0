--- What a hook or a guard returns, read strictly: whatever cannot be understood refuses. Which events take which
--- answers is declared with the events (run_events.lua: `returns`, `amends`).
---
---   nothing, true, {}            nothing to say: it goes on
---   false, or nil and a reason   a veto, where the event can be vetoed
---   { veto = "why" }             the same
---   { amend = { ... } }          these fields of the event are replaced
---   { answer = "..." }, "..."    of a question
---   { stop = { status, reason } }  the run ends; any event takes it
---   a verdict (m.checks)         yes is nothing to say, no and unknown are a veto
---
--- Anything else is a mistake in the function, raised as an error that names its file and line.
local errors = require "deskpilot.base.errors"
local events = require "deskpilot.agent.run_events"
local schema = require "deskpilot.base.schema"
local text = require "deskpilot.base.text"
local verdict = require "deskpilot.agent.verdict"

local decisions = {}

--- What a listener may return.
---@class deskpilot.decision
---@field veto string? of what can be vetoed: why it does not happen
---@field amend table? of an action or a request: fields that are replaced
---@field answer string? of a question: its answer
---@field stop { [1]: string, [2]: string }? ends the run: { status, reason }

-- The place of a function in its file.
local function place_of(fn)
  local info = debug.getinfo(fn, "S")
  local source = info.source:sub(1, 1) == "@" and info.source:sub(2) or info.short_src
  return info.linedefined > 0 and ("%s:%d"):format(source, info.linedefined) or source
end

local function shown(value)
  if type(value) == "string" then return ("%q"):format(text.cut(text.one_line(value), 60)) end
  if type(value) == "table" and not errors.is(value) then return "a table" end
  return text.cut(text.one_line(tostring(value)), 60)
end

-- --- the keys that there are ----------------------------------------------------------------------------------------

local function is_sentence(value)
  return type(value) == "string" and value:find "%S" ~= nil or errors.is(value)
end

local function holds(list, wanted)
  for _, item in ipairs(list) do
    if item == wanted then return true end
  end
  return false
end

-- A key of a table that is not in the list; the keys may be anything.
local function stranger(value, list)
  for key in pairs(value) do
    if not holds(list, key) then return key end
  end
end

local keys = {}

keys.veto = { form = '"why"', wanted = "a text that says why it does not happen" }

function keys.veto.problem(value)
  if not is_sentence(value) then return "" end
end

keys.answer = { form = '"..."', wanted = "a text" }

function keys.answer.problem(value)
  if type(value) ~= "string" then return "" end
end

keys.stop = { form = "{ status, reason }", wanted = 'a list of a status and a reason, such as { "failed", "why" }' }

local function statuses()
  for _, field in ipairs(events.get "run_end".fields) do
    if field[1] == "status" then return field[2].enum end
  end
end

function keys.stop.problem(value)
  if type(value) ~= "table" or not is_sentence(value[2]) then return "" end
  for _, status in ipairs(statuses()) do
    if value[1] == status then return nil end
  end
  return (", and there is no status %s%s"):format(shown(value[1]), text.did_you_mean(tostring(value[1]), statuses()))
end

keys.amend = { form = "{ ... }", wanted = "a table of the fields that are replaced" }

function keys.amend.problem(value, event)
  if type(value) ~= "table" or errors.is(value) then return "" end
  local names, kinds = {}, {}
  for i, field in ipairs(event.amends) do names[i], kinds[field[1]] = field[1], field end
  local other = stranger(value, names)
  if other ~= nil then
    return (", and '%s' is no field of %s that can be replaced%s"):format(tostring(other), event.name,
      text.did_you_mean(tostring(other), names))
  end
  for _, key in ipairs(text.keys(value)) do
    local ok, why = schema.validate({ type = "object", properties = { [key] = events.field_schema(kinds[key]) } },
      { [key] = value[key] })
    if not ok then return ": " .. why end
  end
end

-- --- reading --------------------------------------------------------------------------------------------------------

local function may_return(event)
  local list = {}
  for i, key in ipairs(event.returns or {}) do list[i] = key end
  list[#list + 1] = "stop"
  return list
end

--- How a run may end, in words.
---@return string
function decisions.statuses_in_words()
  return "`" .. table.concat(statuses(), "`, `") .. "`"
end

--- What the functions that hear an event may return, in words.
---@param event deskpilot.event_declaration
---@return string
function decisions.words(event)
  local list, forms = may_return(event), { "nothing" }
  if holds(list, "answer") then forms[#forms + 1] = "the answer" end
  if holds(list, "veto") then forms[#forms + 1] = "false and why" end
  for _, key in ipairs(list) do forms[#forms + 1] = ("{ %s = %s }"):format(key, keys[key].form) end
  return table.concat(forms, ", ", 1, #forms - 1) .. " or " .. forms[#forms]
end

local function mistaken(fn, event, what, ...)
  local said = what:format(...)
  error(errors.new("invalid", "%s: it returned %s%s Of the event %s it may return %s", place_of(fn), said,
    said:sub(-1) == "?" and "" or ".", event.name, decisions.words(event)), 0)
end

local function veto(fn, event, what, reason)
  if not holds(may_return(event), "veto") then
    mistaken(fn, event, "%s%s, but there is nothing left to refuse", what,
      reason ~= nil and (" and %s"):format(shown(reason)) or "")
  end
  return { veto = reason == nil and "it was refused without a reason" or tostring(reason) }
end

local function read_table(fn, event, value)
  local allowed = may_return(event)
  local other = stranger(value, allowed)
  if other ~= nil then
    mistaken(fn, event, "a table with %s = %s, which means nothing here%s", tostring(other), shown(value[other]),
      text.did_you_mean(tostring(other), allowed))
  end
  for _, key in ipairs(text.keys(value)) do
    local problem = keys[key].problem(value[key], event)
    if problem then
      mistaken(fn, event, "%s = %s, which must be %s%s", key, shown(value[key]), keys[key].wanted, problem)
    end
  end
  return next(value) ~= nil and value or nil
end

--- What a function has decided. What it means is clear, or it is a mistake of its file's.
---@param name string the event that it was told
---@param fn function
---@param value any what it has returned first
---@param reason any and second
---@return deskpilot.decision? decision nil where it has nothing to say
function decisions.read(name, fn, value, reason)
  local event = events.get(name)
  if value == true or value == nil and reason == nil then return nil end
  if value == nil then return veto(fn, event, "nil", reason) end
  if value == false then return veto(fn, event, "false", reason) end
  if verdict.is(value) then
    return value.answer ~= "yes" and veto(fn, event, "a verdict", verdict.words(value)) or nil
  end
  if type(value) == "string" and holds(may_return(event), "answer") then return { answer = value } end
  if type(value) == "table" and not errors.is(value) then return read_table(fn, event, value) end
  return mistaken(fn, event, "%s", type(value) == "string" and "the text " .. shown(value) or shown(value))
end

return decisions
