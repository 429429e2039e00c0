--- A mistake in one of the mission's own functions ends the run at once, as an error, with the mission's file and line;
--- a veto and what is merely not true do not. The real program, a private desktop, a real application.
local t = require "harness"
local script_play = require "script_play"

local tests = {}

local function with_run(keys, fn, ...)
  script_play.with_run(([[
return {
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  %s
}]]):format(keys), fn, "--model", "literal", ...)
end

local function count(events, name, key, value)
  local found = 0
  for _, event in ipairs(events) do
    if event.event == name and (key == nil or event[key] == value) then found = found + 1 end
  end
  return found
end

-- A run that has ended by a mistake in the function of that name, in that line.
local function check_mistake(name, line, child, result, events)
  t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
  t.has(result.reason, ("the mission's %s failed: m.lua:%d: attempt to index a nil value"):format(name, line))
  t.eq(count(events, "error"), 1, "one error: " .. child.stderr)
  for _, event in ipairs(events) do
    if event.event == "error" then
      t.eq(event.name, name)
      t.has(event.traceback, ("m.lua:%d: in"):format(line))
      t.ok(not event.message:find("\n", 1, true), event.message)
    end
  end
  t.eq(select(2, child.stderr:gsub("attempt to index", "")), 1, "it is told once: " .. child.stderr)
  t.has(child.stderr, ("\n    m.lua:%d: in"):format(line))
  t.eq(events[#events].event, "run_end")
  t.eq(events[#events].status, "error")
end

local task = [[task = 'click "7", click "8", click "9"',]]

function tests.a_method_that_is_called_with_a_dot()
  with_run([[run = function(m)
    m.note("a word")
  end,]], function(child, result)
    t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
    t.eq(result.reason, "m.lua:4: m.note is called with a colon: m:note(...)")
  end)
end

function tests.in_verify()
  with_run([[task = 'click "7", then expect "7"',
  verify = function(m)
    return m.nothing.here
  end,]], function(child, result, events)
    check_mistake("verify", 5, child, result, events)
    t.eq(count(events, "action", "tool", "report_completion"), 1, "it was asked once")
  end)
end

function tests.in_a_hook_of_an_action()
  with_run(task .. [[

  before_action = function(m, action)
    return m.nothing.here
  end,]], function(child, result, events)
    check_mistake("before_action", 5, child, result, events)
    t.eq(count(events, "action"), 1)
    t.eq(count(events, "action_result", "ok", true), 0, "what could not be checked is not done")
    t.eq(result.turns, 1, "at once")
  end)
end

function tests.in_hooks_of_other_events()
  for _, name in ipairs { "turn_start", "observed", "model_request", "model_reply", "after_action", "settled",
    "turn_end", "before_run" } do
    with_run(task .. ("\n  %s = function(m)\n    return m.nothing.here\n  end,"):format(name),
      function(child, result, events)
        check_mistake(name, 5, child, result, events)
        t.ok(count(events, "turn_start") <= 1, name .. " ends the run in its first turn")
      end)
  end
end

function tests.in_a_hook_that_a_script_causes()
  with_run([[note = function(m)
    return m.nothing.here
  end,
  run = function(m)
    m:note "x"
    require("deskpilot.base.task").sleep(60)
  end,]], function(child, result, events) check_mistake("note", 4, child, result, events) end)
end

function tests.in_the_verify_of_a_part_and_of_a_script()
  with_run([[run = function(m)
    m:achieve('click "7"', { verify = function() return m.nothing.here end })
    m:note "it went on"
  end,]], function(child, result, events)
    check_mistake("verify", 4, child, result, events)
    t.eq(count(events, "note", "message", "it went on"), 0)
  end)
  with_run([[run = function() end,
  verify = function(m) return m.nothing.here end,]], function(child, result, events)
    check_mistake("verify", 4, child, result, events)
  end)
end

function tests.in_the_hook_of_the_end()
  with_run([[run = function() end,
  after_run = function(m) return m.nothing.here end,]], function(child, result, events)
    check_mistake("after_run", 4, child, result, events)
  end)
  with_run([[run = function() return false, "as it is" end,
  after_run = function(m) return m.nothing.here end,]], function(child, result, events)
    t.eq({ child.status, result.status, result.reason }, { 1, "failed", "as it is" }, "how it ended stays")
    t.eq(count(events, "error", "name", "after_run"), 1)
    t.has(child.stderr, "attempt to index")
  end)
end

function tests.the_last_hook_is_called_after_a_mistake()
  with_run(task .. [[

  before_action = function(m) return m.nothing.here end,
  after_action = function(m) m:note "not any more" end,
  after_run = function(m, outcome) m:note("tidied up after " .. outcome.status) end,]], function(_, result, events)
    t.eq(result.status, "error")
    t.eq(count(events, "note", "message", "tidied up after error"), 1)
    t.eq(count(events, "note", "message", "not any more"), 0)
  end)
end

function tests.a_failure_of_the_world_is_no_mistake_in_verify()
  with_run([[task = 'click "7", then expect "7"', limits = { turns = 6 },
  verify = function(m)
    local shown = assert(m.desk.elements.find { app = "galculator", text = "42" })
    return shown.text == "42"
  end,]], function(child, result, events)
    t.ok(result.status == "failed" or result.status == "incomplete", result.status .. child.stderr)
    t.eq(count(events, "error"), 0, child.stderr)
    local told = false
    for _, event in ipairs(events) do
      if event.event == "guard" and event.name == "verify" then
        told = true
        t.has(event.message, "m.lua:5: no element with text '42'")
      end
    end
    t.ok(told)
  end, "--set", "timing.verify=0.2")
end

function tests.a_hook_that_asserts_in_vain_ends_the_run_with_the_reason()
  with_run([[task = 'click "7"',
  before_run = function(m)
    assert(m.desk.windows.focus "Mousepad")
  end,]], function(child, result, events)
    t.eq({ child.status, result.status }, { 1, "error" })
    t.has(result.reason, "the mission's before_run failed: m.lua:5: no window with title Mousepad; there are: ")
    t.eq(count(events, "turn_start"), 0)
  end)
end

-- A hook of an action in line 4, in a run that would succeed: the calculator is asked whether the click has happened.
local function with_hook(body, fn)
  with_run([[task = 'click "7"', limits = { turns = 3 },
  before_action = function(m, action) ]] .. body .. [[ end,
  after_run = function(m)
    m:note(m.desk.elements.find { app = "galculator", text = "7" } and "it was clicked" or "it was not clicked")
  end,
  verify = function(m) return m.desk.elements.find { app = "galculator", text = "7" } ~= nil, "no 7" end,]],
    function(child, result, events)
      t.eq(count(events, "note", "message", "it was not clicked"), 1, body .. child.stderr)
      t.eq(child.status, 1, body)
      fn(child, result, events)
    end)
end

function tests.what_a_hook_returns_and_nobody_understands_is_no_consent()
  for answer, sentence in pairs {
    ['{ vetto = "not today" }'] = [[vetto = "not today", which means nothing here; did you mean 'veto'?]],
    ['{ ammend = { args = {} } }'] = "did you mean 'amend'?",
    ['{ veto = 5 }'] = "veto = 5, which must be a text",
    ['"not today"'] = 'it returned the text "not today"',
  } do
    with_hook("return " .. answer, function(child, result, events)
      t.eq(result.status, "error")
      t.has(result.reason, "the mission's before_action failed: m.lua:4: it returned ")
      t.has(result.reason, sentence)
      t.has(child.stderr, sentence)
      t.eq(count(events, "error"), 1)
    end)
  end
  with_hook('if action.args.x then return false, "no" end', function(_, result)
    t.has(result.reason, "the mission's before_action failed: m.lua:4: click_element has no argument 'x'")
  end)
  with_hook('return nil, "not today"', function(_, result, events)
    t.ok(result.status == "failed" or result.status == "incomplete", result.status)
    t.ok(count(events, "action_result", "text", "the mission's hook vetoed this: not today") > 0)
    t.eq(count(events, "error"), 0)
  end)
end

function tests.a_veto_stays_a_veto()
  with_run(task .. [[

  limits = { turns = 3 },
  before_action = function(m, action)
    if action.tool == "click_element" then return false, "not today" end
  end,]], function(_, result, events)
    t.ok(result.status == "incomplete" or result.status == "failed", result.reason)
    t.eq(count(events, "error"), 0)
    t.ok(count(events, "turn_start") > 1)
  end)
end

return tests
