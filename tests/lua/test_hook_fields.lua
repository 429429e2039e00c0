--- What hooks are told in real runs is what is declared, and so what docs/hooks.md says; its examples work in them.
local t = require "harness"
local examples = require "deskpilot.cli.hook_examples"
local hook_fields = require "hook_fields"
local hooks_reference = require "deskpilot.cli.hooks_reference"
local null_run = require "null_run"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local tool_reference = require "deskpilot.cli.tool_reference"
local schema = require "deskpilot.base.schema"

local tests = {}

-- An agent's turn in which most of what can happen does.
local function turn(run)
  if run.goal.parent then
    run:stop("succeeded", "the part is done")
    return
  end
  run:observe { region = { 0, 0, 100, 100 } }
  assert(run.toolbox:add { name = "price", description = "d", looks = true,
    parameters = { type = "object", properties = {} }, run = function() return "it costs 7" end })
  local reply = run:ask { persona = "agent", system = "s", text = "t", tools = { "price", "wait" }, acts = true }
  run.desk.keyboard.press "a" -- so that the screen has changed since the picture
  run:act { tool = reply.calls[1].name, args = reply.calls[1].args, persona = "agent", why = "w" }
  run:act { tool = "click_element", why = "w", args = { label = "It", position = { 100, 900 }, extra = 1 } }
  run:act { tool = "drag_element", why = "w", args = { label = "It", start = { 1, 1 }, ["end"] = { 500, 500 } } }
  run:act { tool = "press_key", why = "w", args = { key = "alt+f4" } } -- the guard `safety` refuses it
  run:act { tool = "type_text", why = "w", args = {} }
  run:reject("(none)", {}, "there was no call")
  run:question { text = "Overwrite it?", options = { "yes", "no" } }
  run:consent { what = "Delete it" }
  run.memory:set("price", "7")
  run.memory:forget "price"
  run.toolbox:remove "price"
  run:achieve "a part"
  run:emit("iteration", { iteration = 1, of = 8, status = "continue" }) -- as the policy orchestrator does
  run:emit("phase_change", { from = "INIT", to = "EXECUTION", why = "seen" })
  run:emit("plan", { reason = "seen", subtasks = { { id = "S1" } }, kept = {}, dropped = {}, reassigned = {} })
  run:emit("evaluation", { subtask = "S1", because = "finished", answer = "no", decision = "go_on", evidence = "seen" })
  run.result = { done = true }
  local tried = 0
  assert(run.toolbox:add { name = "poke", description = "d", parameters = { type = "object", properties = {} },
    run = function()
      tried = tried + 1
      if tried == 1 then return errors.fail("timed_out", "no answer") end
      return "tapped"
    end })
  run.config:set("desktop.window", "Notes", "the test")
  local list, asked = run.desk.windows.list, 0
  run.desk.windows.list = function()
    asked = asked + 1
    return asked > 1 and { { id = 1, title = "Notes", class = "", executable = "", pid = 0 } } or {}
  end
  assert(run:observe({ region = { 0, 0, 100, 100 } }))
  run.desk.windows.list = list
  run.config:set("desktop.window", "", "the test")
  run:observe { region = { 0, 0, 100, 100 } }
  run:act { tool = "poke", args = {}, why = "w" }
  run:observe { region = { 0, 0, 100, 100 } }
  table.insert(run.listeners, 1, { name = "the guard x", listener = { settled = function() error "broken" end } })
  run:act { tool = "wait", why = "w", args = { seconds = 0.1 } }
  run:stop("succeeded", "done")
end

-- A person who holds the run for a moment, takes over, and gives it back.
local function person()
  local control = require "deskpilot.agent.control".new()
  control:order("take", "the terminal")
  task.start(function()
    while not control.waiting do control.changed:wait(1) end
    control:order("go", "the terminal")
  end)
  return control
end

local function play_agent(mission)
  local asked = 0
  mission.task = "x"
  local flags = { ["retry.actions"] = 1, ["retry.delay"] = 0, ["observe.validate_screen_change"] = true }
  local function model()
    asked = asked + 1
    if asked == 1 then return null_run.calls { { "price", {} } } end
    return null_run.calls { { "wait", { justification = "w", seconds = 0.1 } } }
  end
  local run, events = null_run.play(mission, { turn = turn, args = { "--x" }, flags = flags, model = model,
    screen = null_run.thousand, control = person() })
  t.eq({ run.outcome.status, asked }, { "succeeded", 2 }, run.outcome.reason)
  return events
end

local function play_script(mission)
  mission.strict = false
  function mission.run(m)
    m.desk.mouse.move(10, 10)
    m.desk.windows.find "Nothing"
  end
  local run, events = null_run.play(mission, {})
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  return events
end

-- The events that there were, beside those in `seen`.
local function names_of(events, seen)
  for _, event in ipairs(events) do seen[event.event] = true end
  return seen
end

function tests.hooks_are_told_what_is_declared()
  local seen = {}
  for _, play in ipairs { play_agent, play_script } do
    play(hook_fields.hooks(function(name, problem)
      seen[name] = true
      t.eq(problem, nil)
    end))
  end
  local unheard = {}
  for _, name in ipairs(hooks_reference.events()) do
    if not seen[name] then unheard[#unheard + 1] = name end
  end
  t.eq(unheard, {}, "every event was heard")
end

function tests.what_is_not_declared_is_found()
  local event = { event = "settled", at = 1, seconds = 1, reason = "quiet" }
  t.eq(hook_fields.problem(event), nil)
  event.why = "x"
  t.eq(hook_fields.problem(event), "settled has a field why that is not declared")
  event.why, event.reason = nil, nil
  t.eq(hook_fields.problem(event), "settled.reason is missing")
  event.reason = 7
  t.has(hook_fields.problem(event), "settled.reason is 7, but must be a string")
end

function tests.the_examples_work()
  t.eq(text.keys(examples), (function(list) table.sort(list) return list end)(hooks_reference.events()),
    "one for each event")
  local parts = {}
  for _, name in ipairs(text.keys(examples)) do
    parts[#parts + 1] = examples[name]
    for line in examples[name]:gmatch "[^\n]+" do t.ok(#line <= 120, line) end
  end
  local chunk = assert(load("return {\n" .. table.concat(parts, "\n") .. "\n}"))
  local seen = names_of(play_script(chunk()), names_of(play_agent(chunk()), {}))
  for name in pairs(examples) do t.ok(seen[name], name) end
  -- Of one of them it is seen that it does what it says.
  local mission = chunk()
  mission.task = "x"
  local run, events = null_run.play(mission, { observe = "false", turn = function(run)
    run.desk.windows = setmetatable({ list = function() return {} end }, { __index = run.desk.windows })
    run:act { tool = "browser_open", why = "w", args = { url = "https://example.com" } }
    run:stop("succeeded", "done")
  end })
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  t.eq(null_run.only(events, "action_result")[1].text, "the mission's hook vetoed this: only example.org is to be used")
end

function tests.the_examples_of_arguments_are_valid()
  for _, tool in ipairs(tool_reference.tools(true)) do
    local ok, why = schema.validate(tool.parameters, (hooks_reference.sample(tool.parameters)))
    t.ok(ok, tool.name .. ": " .. tostring(why))
  end
end

return tests
