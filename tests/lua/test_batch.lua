--- Calls that were chosen together, on a desktop that the test makes up: what they assume is compared before each.
local t = require "harness"
local batch = require "deskpilot.agent.batch"
local errors = require "deskpilot.base.errors"
local native = require "native.image"
local null_run = require "null_run"
local shots = require "deskpilot.desk.picture.shot"

local tests = {}

local size = { x = 0, y = 0, width = 1000, height = 1000 }

-- A desktop with two fields in one window; the test changes it between calls.
local function new_world()
  local world = { acted = {}, painted = {} }
  world.window = { id = 1, pid = 5, title = "Form", class = "form", visible = true, x = 0, y = 0, width = 800,
    height = 800 }
  world.windows = { world.window }
  world.fields = {
    { role = "text", name = "One", x = 100, y = 90, width = 200, height = 20, pid = 5, states = { focusable = true } },
    { role = "text", name = "Two", x = 100, y = 190, width = 200, height = 20, pid = 5, states = { focusable = true } },
  }
  function world.focus(number)
    for i, field in ipairs(world.fields) do field.states.focused = i == number or nil end
  end
  function world.shot()
    local image = assert(native.new(1000, 1000))
    for _, part in ipairs(world.painted) do image:fill(part.x, part.y, part.width, part.height, 200, 50, 50) end
    return shots.new(image, size)
  end
  return world
end

local function copies(list)
  local made = {}
  for i, one in ipairs(list) do
    made[i] = {}
    for key, value in pairs(one) do made[i][key] = value end
    made[i].number, made[i].index, made[i].path = i - 1, i, {}
    if one.states then made[i].states = { focusable = true, focused = one.states.focused } end
  end
  return made
end

local function take_over(run, world)
  local desk = run.desk
  local function replace(part, methods) desk[part] = setmetatable(methods, { __index = desk[part] }) end
  replace("windows", { active = function() return world.window end,
    list = function() return copies(world.windows) end })
  replace("elements", { list = function() return copies(world.fields) end })
  replace("screen", { shot = function() return world.shot() end })
  local function act(what)
    return function(arg)
      if world.forbidden and arg == world.forbidden then return errors.fail("forbidden", "%s is forbidden", arg) end
      world.acted[#world.acted + 1] = what
      if world.after then world.after(#world.acted, arg) end
      return true
    end
  end
  replace("mouse", { click = act "click" })
  replace("keyboard", { type = act "type", press = act "press" })
  run.observation = { shot = world.shot(), elements = copies(world.fields), window = world.window,
    windows = copies(world.windows), missing = {}, pointer = world.pointer }
end

local function click(number)
  return { tool = "click_element", why = "w", args = { label = "Field", position = { 200, number * 100 } } }
end

local function type_text() return { tool = "type_text", why = "w", args = { text = "hello" } } end
-- A field by its number, which the tool goes to itself.
local function type_into(number) return { tool = "type_text", why = "w", args = { text = "hi", element = number } } end

local function press(key) return { tool = "press_key", why = "w", args = { key = key } } end

-- What came of calls, and what was done of them.
local function run_batch(calls, prepare, options)
  local world, outcome = new_world(), nil
  local mission = { task = "x", before_action = options and options.before_action }
  null_run.play(mission, { observe = "false", screen = null_run.thousand, turn = function(run)
    world.run = run
    if prepare then prepare(world) end
    take_over(run, world)
    if world.changed then world.changed() end
    outcome = batch.run(run, calls, options)
    if not run.outcome then run:stop("succeeded", "done") end
  end })
  return outcome, table.concat(world.acted, " "), world
end

local function follows_clicks(world)
  world.after = function(number)
    if world.acted[number] == "click" then
      world.clicks = (world.clicks or 0) + 1
      world.focus(world.clicks)
    end
  end
end

function tests.all_are_done_in_their_order()
  local outcome, acted = run_batch({ click(1), type_text(), click(2), type_text(), press "tab" }, follows_clicks)
  t.eq({ outcome.done, outcome.cut, outcome.failed }, { 5, nil, nil })
  t.eq(acted, "click type click type press")
end

function tests.a_window_that_takes_the_focus()
  local outcome, acted = run_batch({ click(1), type_text(), click(2) }, function(world)
    world.after = function() world.window = { id = 2, pid = 9, title = "Alert", class = "x" } end
  end)
  t.eq(acted, "click")
  t.eq(outcome.cut, 'before action 2 (type_text): the active window is "Alert" and was "Form"; 2 more actions were not '
    .. "done")
end

-- It came up over the form, but the form is still the active window.
function tests.a_window_that_does_not()
  local function comes_up(x, pid)
    return run_batch({ press "a", press "b" }, function(world)
      world.after = function()
        world.windows[2] = { id = 2, pid = pid, title = "Notice", visible = true, x = x, y = 10, width = 100,
          height = 100 }
      end
    end)
  end
  t.has(comes_up(100, 9).cut, 'before action 2 (press_key): a window came up: "Notice"; 1 more action was not done')
  t.has(comes_up(900, 5).cut, 'a window came up: "Notice"', "the application's own, beside it")
  t.eq(comes_up(900, 9).done, 2, "another program's, where it covers nothing")
end

function tests.what_lies_over_the_target()
  local outcome, acted = run_batch({ click(1), click(2) }, function(world)
    world.after = function() world.painted[1] = { x = 150, y = 150, width = 100, height = 100 } end
  end)
  t.eq(acted, "click")
  t.has(outcome.cut, "before action 2 (click_element): what lies at [200, 200] no longer looks as it did")
  outcome = run_batch({ click(1), click(2) }, function(world)
    world.changed = function() world.painted[1] = { x = 150, y = 50, width = 100, height = 100 } end
  end)
  t.has(outcome.cut, "before action 1", "what came while the model thought")
  t.ok(outcome.at_once)
end

-- Something that is never still may be clicked all the same, by the next answer; what comes after it is compared.
function tests.what_is_never_still()
  local function moving(world)
    world.changed = function() world.painted[1] = { x = 150, y = 50, width = 100, height = 200 } end
  end
  local outcome, acted = run_batch({ click(1), click(2) }, moving, { again = true })
  t.eq({ acted, outcome.at_once }, { "click", nil })
  t.has(outcome.cut, "before action 2 (click_element): what lies at")
end

-- A caret, and what a call has changed itself, are no surprise; neither is the pointer that was in the picture.
function tests.what_may_have_changed()
  local outcome = run_batch({ click(1), click(2) }, function(world)
    world.after = function() world.painted[1] = { x = 199, y = 192, width = 2, height = 16 } end
  end)
  t.eq(outcome.done, 2, "a caret")
  outcome = run_batch({ click(1), click(1) }, function(world)
    world.after = function() world.painted[1] = { x = 150, y = 50, width = 100, height = 100 } end
  end)
  t.eq(outcome.done, 2, "the same place again")
  outcome = run_batch({ click(2) }, function(world)
    world.pointer = { x = 205, y = 205 }
    world.changed = function() world.painted[1] = { x = 190, y = 190, width = 40, height = 40 } end
  end)
  t.eq(outcome.done, 1, "where the pointer was")
end

function tests.the_focus_is_where_it_was_clicked()
  local outcome, acted = run_batch({ click(2), type_text() }, function(world)
    world.focus(1) -- and stays there
  end)
  t.eq(acted, "click")
  t.has(outcome.cut, 'the keyboard\'s focus is on text "One" and not on text "Two", which was clicked')
  outcome = run_batch({ type_text(), press "tab", type_text() }, function(world)
    world.focus(1)
    world.changed = function() world.focus(2) end
  end)
  t.has(outcome.cut, 'before action 1 (type_text): the keyboard\'s focus is on text "Two" and was on text "One"')
  outcome = run_batch({ type_text(), press "tab", type_text() }, function(world)
    world.focus(1)
    world.after = function(number) world.focus(number == 2 and 2 or 1) end
  end)
  t.eq(outcome.done, 3, "a key that moves it is no surprise")
  outcome = run_batch { click(2), type_text() }
  t.eq(outcome.done, 2, "an application that does not tell")
end

function tests.a_failure_ends_it()
  local outcome, acted = run_batch({ press "a", { tool = "press_key", args = {}, why = "w" }, press "b" })
  t.eq({ acted, outcome.done, outcome.cut }, { "press", 1, nil })
  t.eq({ outcome.failed.number, outcome.failed.tool, outcome.failed.code }, { 2, "press_key", "invalid" })
end

-- Whether all is done is not decided by what was seen before the actions.
function tests.a_claim_waits_for_a_look()
  local claim = { tool = "report_completion", args = { evidence = ("It is done. "):rep(20) }, why = "w" }
  local outcome, acted, world = run_batch({ press "a", claim })
  t.eq({ acted, outcome.done, world.run.outcome.reason }, { "press", 1, "done" })
  t.has(outcome.cut, "before action 2 (report_completion): it is decided by what the screen shows after the actions")
  outcome, acted, world = run_batch { claim }
  t.eq({ acted, outcome.done, world.run.outcome.status }, { "", 0, "claimed" })
  t.has(world.run.outcome.reason, "It is done.")
end

-- --- the Executor of three_body -----------------------------------------------------------------------------------

-- One answer with these calls, each { name, args }: what was done, the results that it left and the notes.
local function executor(list, prepare, turns)
  local world, told = new_world(), { notes = {}, results = {} }
  local parsed = {}
  for i, call in ipairs(list) do
    call[2].justification = "because"
    parsed[i] = { name = call[1], args = call[2] }
  end
  local run, events = null_run.play({ task = "x" }, { observe = "false", flags = { ["three_body.calls_per_turn"] = 3,
    ["limits.failures"] = 3 }, turn = function(run)
    if prepare then prepare(world) end
    take_over(run, world)
    if world.changed then world.changed() end
    run.state.tools = { "press_key", "click_element" }
    require("deskpilot.policies.three_body.calls").perform(run, { calls = parsed })
    if not run.outcome and run.turn >= (turns or 1) then run:stop("succeeded", "done") end
  end })
  for i, event in ipairs(null_run.only(events, "note")) do told.notes[i] = event.message end
  for i, event in ipairs(null_run.only(events, "action_result")) do told.results[i] = event.text end
  return table.concat(world.acted, " "), told, run
end

local function key(name) return { "press_key", { key = name } } end

function tests.more_calls_than_a_turn_may_have()
  local acted, told = executor { key "a", key "b", key "c", key "d", key "e" }
  t.eq({ acted, told.notes }, { "press press press",
    { "2 more tool calls came with these and were not done: at most 3 actions each turn." } })
end

function tests.a_call_in_between_that_cannot_be_done()
  local acted, told = executor { key "a", { "fly", {} }, key "b" }
  t.eq({ acted, #told.results }, { "press", 2 })
  t.has(told.results[2], "fly is not among the tools of this phase: press_key and click_element")
  acted, told = executor { key "a", { "press_key", {} }, key "b" }
  t.eq({ acted, #told.results }, { "press", 2 })
  t.eq(told.notes, { "action 2 (press_key) failed, so the one after it in the same answer was not done" })
end

-- Or else the same answer could be given, and stopped, for ever.
function tests.a_batch_of_which_nothing_is_done_is_a_failure()
  local function another_window(world)
    world.changed = function() world.window = { id = 2, pid = 9, title = "Alert", class = "x" } end
    world.window = world.windows[1]
  end
  local acted, told, run = executor({ key "a", key "b" }, another_window, 9)
  t.eq({ acted, #told.results, run.outcome.status }, { "", 3, "failed" })
  t.has(told.results[1], 'before action 1 (press_key): the active window is "Alert" and was "Form"')
  t.has(run.outcome.reason, "3 steps in a row failed")
end

function tests.a_veto_ends_it()
  local outcome, acted = run_batch({ press "a", press "v", press "b" }, nil, { before_action = function(_, action)
    if action.args.key == "v" then return false, "not that one" end
  end })
  t.eq({ acted, outcome.failed, outcome.at_once }, { "press", nil, nil })
  t.has(outcome.cut, "action 2 (press_key): ")
  t.has(outcome.cut, "not that one; 1 more action was not done")
end

function tests.what_is_forbidden_ends_it()
  local outcome, acted = run_batch({ press "a", press "alt+f4", press "b" }, function(world)
    world.forbidden = "alt+f4"
  end)
  t.eq({ acted, outcome.failed }, { "press", nil })
  t.has(outcome.cut, "action 2 (press_key): alt+f4 is forbidden; 1 more action was not done")
end

-- The tool clicks the field itself.
function tests.where_the_focus_is_does_not_matter_to_who_names_the_field()
  local outcome = run_batch({ type_into(0) }, function(world)
    world.focus(1)
    world.changed = function() world.focus(2) end
  end)
  t.eq(outcome.at_once, nil)
end

return tests
