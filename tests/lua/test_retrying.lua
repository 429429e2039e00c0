-- Failed actions that are done again, and actions that change nothing: on the imagined desktop, which is drawn on.
local t = require "harness"
local null_run = require "null_run"
local errors = require "deskpilot.base.errors"
local screen_change = require "deskpilot.agent.screen_change"
local task = require "deskpilot.base.task"

local tests = {}

-- A tool that fails so many times in a way before it works; `each` is called at each attempt.
local function flaky(how)
  local tool = { name = "poke", description = "Taps.", parameters = { type = "object", properties = {} },
    tried = 0, at = {} }
  for _, key in ipairs { "acts", "repeatable", "lasting", "group" } do tool[key] = how[key] end
  function tool.run(ctx)
    tool.tried = tool.tried + 1
    tool.at[tool.tried] = task.now()
    if how.each then how.each(tool.tried, ctx) end
    if tool.tried <= (how.fails or math.huge) then return errors.fail(how.code or "timed_out", "no answer") end
    return "tapped"
  end
  return tool
end

-- Plays one act of such a tool.
local function play(how, flags)
  local tool, result = flaky(how), nil
  local all = { ["retry.actions"] = 2, ["retry.delay"] = 0.02 }
  for key, value in pairs(flags or {}) do all[key] = value end
  local run, events = null_run.play({ task = "x" }, { flags = all, turn = function(run)
    assert(run.toolbox:add(tool))
    result = run:act { tool = "poke", args = {}, why = "it has to be" }
    run:stop("failed", "that was all")
  end })
  return { tool = tool, result = result, run = run, events = events, retries = null_run.only(events, "retry"),
    looks = #null_run.only(events, "observed"), results = null_run.only(events, "action_result") }
end

-- Scenario: Error Recovery and Retry Logic / Retry failed action
function tests.a_failed_action_is_tried_again_with_growing_pauses()
  local played = play({ fails = 2 }, { ["retry.delay"] = 0.1 })
  t.eq({ played.result.ok, played.tool.tried, #played.results, played.run.actions }, { true, 3, 1, 1 },
    "one action with one result, whatever it took")
  t.eq({ played.results[1].attempts, played.result.text }, { 3, "tapped (after 3 attempts)" })
  t.eq(played.looks, 3, "a fresh look before each")
  local at = played.tool.at
  t.ok(at[2] - at[1] >= 0.1 and at[3] - at[2] >= 0.2, ("%.3f %.3f"):format(at[2] - at[1], at[3] - at[2]))
  local told = {}
  for i, event in ipairs(played.retries) do
    told[i] = { event.tool, event.attempt, event.of, event.code, event.text, event.seconds, event.again }
  end
  t.eq(told, { { "poke", 1, 3, "timed_out", "no answer", 0.1, true }, { "poke", 2, 3, "timed_out", "no answer", 0.2,
    true } })
end

function tests.the_pauses_unless_told_are_half_a_second_one_and_two()
  local config = play({ fails = 0 }).run.config
  t.eq({ config.sources["retry.factor"], config:get "retry.factor" }, { "default", 2 })
  local fresh = null_run.play({ task = "x" }, { turn = function(run) run:stop("failed", "x") end }).config
  t.eq({ fresh:get "retry.actions", fresh:get "retry.delay", fresh:get "retry.factor" }, { 0, 0.5, 2 })
end

function tests.it_is_over_after_so_many_times()
  local played = play {}
  t.eq({ played.result.ok, played.result.code, played.tool.tried }, { false, "timed_out", 3 })
  t.eq(played.result.text, "no answer (failed in 3 attempts)")
  t.eq(played.run.goal.guards.failures, 1, "it counts as one failed step")
  t.eq(play({}, { ["retry.actions"] = 0 }).tool.tried, 1)
  local even = play({}, { ["retry.actions"] = 3, ["retry.factor"] = 1, ["retry.delay"] = 0.03 })
  t.eq({ even.retries[1].seconds, even.retries[2].seconds, even.retries[3].seconds }, { 0.03, 0.03, 0.03 })
end

function tests.what_is_never_tried_again()
  for _, how in ipairs { { code = "invalid" }, { code = "unsupported" }, { code = "forbidden" }, { code = "stale" },
    { repeatable = false }, { lasting = true }, { acts = false }, { group = "finish" } } do
    local played = play(how)
    t.eq({ played.tool.tried, #played.retries, played.looks }, { 1, 0, 1 })
  end
  local vetoed = null_run.play({ task = "x", before_action = function() return false, "no" end },
    { flags = { ["retry.actions"] = 2 }, turn = function(run)
      run:act { tool = "press_key", args = { key = "a" }, why = "it has to be" }
      run:stop("failed", "that was all")
    end })
  t.eq(vetoed.actions, 1)
end

function tests.a_policy_that_repeats_its_own_steps_is_not_multiplied()
  local tool = flaky {}
  null_run.play({ task = "x" }, { flags = { ["retry.actions"] = 2, ["retry.delay"] = 0.01 }, turn = function(run)
    run.goal.owns_retries = true
    assert(run.toolbox:add(tool))
    run:act { tool = "poke", args = {}, why = "it has to be" }
    run:stop("failed", "that was all")
  end })
  t.eq(tool.tried, 1)
  local _, odev = pcall(require, "deskpilot.policies.odev")
  t.eq(odev.owns_retries, true)
end

-- The click has worked, though its answer was lost: the screen tells.
function tests.what_has_changed_the_screen_is_not_done_twice()
  local played = play { fails = 1, each = function(_, ctx) ctx.desk.mouse.move { 700, 700 } end }
  t.eq(played.tool.tried, 2, "the pointer alone is no change")
  played = play { fails = 1, each = function(_, ctx)
    ctx.run.observation.elements[1] = { role = "label", name = "an answer", states = {}, x = 1, y = 1, width = 9,
      height = 9, number = 0, norm = { 1, 1 } }
  end }
  t.eq({ played.tool.tried, played.retries[1].again }, { 1, false })
  t.has(played.retries[1].why, "the elements changed meanwhile")
end

function tests.a_run_that_ends_meanwhile_tries_nothing_more()
  local tool = flaky { each = function(_, ctx) ctx.run:stop("failed", "enough") end }
  local run = null_run.play({ task = "x" }, { flags = { ["retry.actions"] = 2 }, turn = function(run)
    assert(run.toolbox:add(tool))
    run:act { tool = "poke", args = {}, why = "it has to be" }
  end })
  t.eq({ tool.tried, run.outcome.reason }, { 1, "enough" })
end

-- Scenario: Error Recovery and Retry Logic / Screen state validation
function tests.an_action_that_changes_nothing_is_suspected()
  local told = {}
  local function model(request)
    told[#told + 1] = request.messages[#request.messages].content
    return null_run.calls { { "press_key", { key = "a", justification = "it has to be" } } }
  end
  local function played(flags)
    told = {}
    local turns = 0
    local _, events = null_run.play({ task = "x" }, { flags = flags, model = model, turn = function(run)
      turns = turns + 1
      run:ask { persona = "agent", system = "s", text = "t", tools = { "press_key" }, acts = true }
      if turns == 3 then return run:stop("failed", "that was all") end
      if turns == 1 then run:act { tool = "press_key", args = { key = "a" }, why = "it has to be" } end
    end })
    return null_run.only(events, "suspected")
  end
  t.eq(#played {}, 0, "off unless told")
  local found = played { ["observe.validate_screen_change"] = true }
  t.eq({ #found, found[1] and found[1].tool, found[1] and found[1].action_number, found[1] and found[1].turn },
    { 1, "press_key", 1, 2 })
  local words = {}
  for i, content in ipairs(told) do
    words[i] = ""
    for _, part in ipairs(content) do words[i] = words[i] .. (part.text or "") end
  end
  t.ok(not words[1]:find("nothing on the screen", 1, true))
  t.has(words[2], "press_key was done, but nothing on the screen has changed")
  t.ok(not words[3]:find("nothing on the screen", 1, true), "it is told once")
end

function tests.what_fails_or_waits_is_not_suspected()
  for _, call in ipairs { { "wait", { seconds = 0.1 } }, { "press_key", { key = "no such key" } } } do
    local turns = 0
    local _, events = null_run.play({ task = "x" }, { flags = { ["observe.validate_screen_change"] = true },
      turn = function(run)
        turns = turns + 1
        if turns == 2 then return run:stop("failed", "that was all") end
        run:act { tool = call[1], args = call[2], why = "it has to be" }
      end })
    t.eq(#null_run.only(events, "suspected"), 0, call[1])
  end
end

local native = require "native.image"
local shots = require "deskpilot.desk.picture.shot"

-- A look at a window with a spot in it { x, y, width, height }.
local function look(how)
  local image = assert(native.new(400, 300))
  image:fill(0, 0, 400, 300, 240, 240, 240)
  for _, spot in ipairs(how) do image:fill(spot[1], spot[2], spot[3], spot[4], 20, 40, 60) end
  local picture = shots.new(image, { x = 0, y = 0, width = 400, height = 300 })
  local bytes, encoded = picture:encode { format = "png" }
  return { window = { id = 1, title = how.title or "A window", pid = 5, x = 0, y = 0, width = 400, height = 300 },
    elements = how.elements or {}, shot = shots.encoded(assert(bytes), encoded, picture), bytes = bytes,
    pointer = how.pointer, page = how.page }
end

function tests.what_counts_as_a_change()
  local function changed(before, now) return screen_change.of(look(before), look(now)) end
  t.eq(changed({}, {}), nil)
  t.eq(changed({}, { { 50, 50, 20, 20 } }), "the picture")
  t.eq(changed({}, { { 50, 50, 2, 16 } }), nil, "a caret")
  t.eq(changed({}, { title = "*A window" }), "the active window")
  local at = { x = 200, y = 150 }
  t.eq(changed({ { 10, 10, 12, 20 }, pointer = { x = 10, y = 10 } }, { { 200, 150, 12, 20 }, pointer = at }), nil,
    "the pointer")
  local function button(name, pid)
    return { elements = { { role = "push button", name = name, states = {}, pid = pid, x = 1, y = 1 } } }
  end
  t.eq(changed(button("Start", 5), button("Stop", 5)), "the elements")
  t.eq(changed(button("12:00", 9), button("12:01", 9)), nil, "of another program")
  local function page(scroll)
    return { page = { url = "u", title = "t", text = "x", scroll = { x = 0, y = scroll } } }
  end
  t.eq({ changed(page(0), page(0)), changed(page(0), page(9)) }, { nil, "the page" })
end

return tests
