-- Answers word for word as models write them, each with the calls of our tools that come out of it: through the profile
-- of its model, the grammars and the vocabularies. A call that comes out is one that a schema allows.
local configured = require "configured"
local decode = require "deskpilot.model.decode"
local profiles = require "deskpilot.model.profile"
local schema = require "deskpilot.base.schema"
local spaces = require "deskpilot.model.space"
local t = require "harness"
local toolbox = require "deskpilot.agent.toolbox"
local vocabulary = require "deskpilot.model.vocabulary"
local wire = require "deskpilot.model.wires.chat"

local tests = {}

local settings, tools = configured.settings()
local config = assert(settings:resolve { layers = {}, environment = {}, flags = { source = "a flag", values = {} } })
local box = assert(toolbox.new(tools, config))

-- What agents with mouse and keyboard are offered, what those with a finger are, and what only some of the former are.
local offered, finger, information = {}, {}, {}
local sets = { touch = finger, information = information }
for _, entry in ipairs(tools) do
  local set = sets[box:get(entry.name).group] or offered
  set[entry.name] = box:parameters(entry.name)
end
for _, name in ipairs { "press_key", "scroll_down", "scroll_up", "wait", "ask_user", "give_up", "open_app",
  "mcp_call" } do
  finger[name] = offered[name]
end

-- An answer of the table as a server sends it.
local function body_of(answer)
  if type(answer) == "string" then answer = { content = answer } end
  local calls
  for i, call in ipairs(answer.calls or {}) do
    calls = calls or {}
    calls[i] = { id = "call_" .. i, type = "function", ["function"] = { name = call[1], arguments = call[2] } }
  end
  return { choices = { { finish_reason = answer.finish or "stop", message = { role = "assistant",
    content = answer.content, reasoning_content = answer.reasoning_content, reasoning = answer.reasoning,
    tool_calls = calls } } } }
end

local function read(row, set)
  local profile = assert(profiles.of(row[1]))
  local reply = assert(wire.read(body_of(row[2])))
  local calls, why, answer = decode.calls(reply, profile)
  return vocabulary.translate(calls, profile, set, answer), why, answer, profile
end

-- What is filled in where a model's verbs have no place for it counts only where a row names it.
local function told(args, wanted)
  local copy = {}
  for key, value in pairs(args or {}) do copy[key] = value end
  for _, key in ipairs { "justification", "label" } do
    if not wanted or wanted[key] == nil then copy[key] = nil end
  end
  return copy
end

-- The calls are allowed by their tools' schemas, once their positions are canonical.
local function check_schemas(calls, profile, what, set)
  local space = spaces.of(profile, 1024, 768)
  space:calls(calls, function(name) return set[name] end)
  for _, call in ipairs(calls) do
    if call.args then
      local definition = set[call.name]
      local known, dropped = schema.drop(definition, schema.coerce(definition, call.args))
      local ok, err = schema.validate(definition, known)
      t.ok(ok, ("%s: %s: %s"):format(what, call.name, tostring(err)))
      t.eq(#dropped, 0, what .. ": " .. table.concat(dropped, ", "))
    end
  end
end

local function check(row, what, set)
  local calls, why, answer, profile = read(row, set or offered)
  local wanted = row[3]
  if type(wanted) == "string" then
    local said, args = tostring(why), false
    for _, call in ipairs(calls) do
      said = said .. " | " .. tostring(call.error)
      args = args or (call.args ~= nil and #calls == 1)
    end
    t.has(said, wanted, what)
    t.ok(not args, what .. ": a call came out: " .. t.show(calls))
  else
    t.eq(#calls, #wanted, what .. t.show(calls) .. tostring(why))
    for i, expected in ipairs(wanted) do
      local call = calls[i] or {}
      t.eq({ call.name, told(call.args, expected[2]) }, expected, what .. " " .. tostring(call.error))
    end
    if #wanted == 0 then t.eq(why, nil, what) end
  end
  local kinds = {}
  for _, kind in ipairs(row.repairs or {}) do kinds[kind] = true end
  for kind in pairs(answer and answer.repairs and answer.repairs.kinds or {}) do
    t.ok(kinds[kind], ("%s: repaired: %s"):format(what, kind))
    kinds[kind] = nil
  end
  t.eq(next(kinds), nil, what .. ": a repair was not counted")
  if not row.foreign then check_schemas(calls, profile, what, set or offered) end
end

local count = 0
for _, part in ipairs { "qwen", "thought", "code", "native" } do
  local rows = require("decode_answers_" .. part)
  count = count + #rows
  tests["answers_" .. part] = function()
    for i, row in ipairs(rows) do check(row, ("%s %d (%s): "):format(part, i, t.show(row[2]):sub(1, 120))) end
  end
end

function tests.answers_of_agents_with_a_finger()
  for i, row in ipairs(require "decode_answers_finger") do
    check(row, ("finger %d (%s): "):format(i, t.show(row[2]):sub(1, 120)), finger)
  end
end

function tests.there_are_enough()
  t.ok(count >= 200, count .. " answers")
end

function tests.profiles_name_what_there_is()
  local grammars = require "deskpilot.model.grammars"
  for _, profile in ipairs(assert(profiles.all())) do
    if profile.grammar then t.ok(grammars.of(profile.grammar), profile.name .. ": " .. profile.grammar) end
    if profile.vocabulary then t.ok(vocabulary.of(profile.vocabulary), profile.name .. ": " .. profile.vocabulary) end
    if profile.tools == "text" then t.ok(grammars.of(profile.grammar), profile.name .. " has no grammar") end
  end
  for _, name in ipairs(grammars.names()) do t.eq(grammars.of(name).name, name) end
  for _, name in ipairs(vocabulary.names()) do t.eq(vocabulary.of(name).name, name) end
end

-- A tool that was not offered is never called, whatever the model's verbs are.
-- Where a tool that is offered has the name of a maker's verb, the tool is meant.
function tests.a_tool_of_a_verbs_name_is_the_tool()
  local row = { "ui-tars-2", { calls = { { "take_screenshot", '{"whole_page":true}' } } } }
  for set, name in pairs { [offered] = "wait", [information] = "take_screenshot" } do
    local calls = read(row, set)
    t.eq({ #calls, calls[1] and calls[1].name }, { 1, name })
  end
end

function tests.only_what_was_offered()
  local few = { press_key = offered.press_key }
  for _, part in ipairs { "qwen", "thought", "code", "native" } do
    for _, row in ipairs(require("decode_answers_" .. part)) do
      local profile = assert(profiles.of(row[1]))
      local calls, _, answer = decode.calls(assert(wire.read(body_of(row[2]))), profile)
      local before = {}
      for _, call in ipairs(calls) do before[call.name] = true end
      for _, call in ipairs(vocabulary.translate(calls, profile, few, answer)) do
        t.ok(call.error or few[call.name] or before[call.name], t.show(row[2]) .. t.show(call))
      end
    end
  end
end

return tests
