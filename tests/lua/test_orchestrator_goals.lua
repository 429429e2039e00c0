--- The policy orchestrator on a desktop that is only imagined: the goals of a list, what ends each, what every request
--- tells, and how a goal's account compares with what is aimed at.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local manager_play = require "manager_play"
local metrics = require "deskpilot.policies.orchestrator.metrics"
local model_server = require "model_server"
local play = require "orchestrator_play"
local spawn = require "spawn"

local tests = {}

local key = { { "press_key", { key = "home" } } }

-- Plays a mission whose answers come in this order, the last one again and again; each may be a function(words).
local function answered(mission, list, options)
  local whole, said = { policy = "orchestrator" }, {}
  for name, value in pairs(mission) do whole[name] = value end
  local played = manager_play.play({ nobody = function(request, n)
    said[n] = play.words(request)
    local answer = list[math.min(n, #list)]
    if type(answer) == "function" then return answer(said[n]) end
    return answer
  end }, whole, options)
  return played, said
end

local function complete() return play.decide { status = "complete", status_why = "The screen shows it." } end
local function press() return play.decide { commands = key } end
local function miss() return play.decide { commands = { { "focus_window", { title = "Elsewhere" } } } } end

-- --- goals ----------------------------------------------------------------------------------------------------------

function tests.goals_are_worked_on_one_after_the_other_and_each_has_its_own_end()
  local written = false
  local played, said = answered({ task = "Do all of it.", verify = function() return true end,
    goals = { "Find the price.", { goal = "Write it down.", verify = function()
      return written, "nothing is written yet"
    end } } }, { press(), complete(), complete(), function()
      written = true
      return press()
    end, complete() })
  t.eq(played.run.outcome.status, "succeeded", played.run.outcome.reason)
  t.has(said[1], "CURRENT GOAL (1 of 2):\nFind the price.")
  t.has(said[1], "OVERALL GOAL:\nDo all of it.")
  t.ok(not said[1]:find("GOALS REACHED", 1, true))
  t.has(said[3], "CURRENT GOAL (2 of 2):\nWrite it down.")
  t.has(said[3], "GOALS REACHED:\n1. Find the price.")
  t.has(said[3], 'press_key("home") -> ', "they share one history")
  t.has(said[3], "ITERATION: 1 of 8", "and each has iterations of its own")
  t.has(said[4], "NOT DONE: the mission's own check of the desktop says: nothing is written yet")
  local result = played.run.result
  t.eq({ #result.goals, result.goals[1].reached, result.goals[2].reached, result.iterations }, { 2, true, true, 5 })
end

function tests.the_first_goal_that_is_not_reached_ends_the_run()
  for status, reason in pairs { stuck = "the agent is stuck: no way",
    infeasible = "the agent says that the goal cannot be reached: no way" } do
    local played = answered({ task = "x", goals = { "Find the price.", "Write it down." } },
      { play.decide { status = status, status_why = "no way" } })
    t.eq(played.run.outcome.status, "failed")
    t.has(played.run.outcome.reason, "goal 1 of 2 (Find the price.): " .. reason)
    t.eq({ #played.requests, #played:only "goal_start" }, { 1, 1 }, "the second is not begun")
  end
  local played = answered({ task = "x", goals = { "Find the price.", "Write it down." } }, { press() },
    { flags = { ["orchestrator.iterations"] = 2 } })
  t.eq(played.run.outcome.status, "incomplete")
  t.has(played.run.outcome.reason, "goal 1 of 2 (Find the price.): the goal has had its 2 iterations")
end

function tests.what_was_read_for_one_goal_is_a_value_of_those_after_it()
  local function begin(m) assert(m.memory:set("number", "4711")) end
  local played, said = answered({ task = "x", before_run = begin, goals = { "Read it.",
    { goal = "Write ${number}.", indicators = { "Total ${number}" } } } }, { complete() })
  t.has(played.run.outcome.reason, "not on the screen: Total 4711", "texts that are looked for have the value")
  t.has(said[2], "CURRENT GOAL (2 of 2):\nWrite ${number}.", "the words of a goal keep its name")
  t.has(said[2], "${number} = 4711")
  played = answered({ task = "x", goals = { "Read it.", "Write ${number}." } }, { complete() })
  t.has(played.run.outcome.reason, "goal 2 of 2 (Write ${number}.): it needs ${number}, which no goal before it")
  t.eq({ #played.requests, #played:only "goal_start" }, { 1, 1 }, "it is not begun")
end

function tests.a_list_is_gone_over_goal_by_goal()
  local folder = spawn.folder()
  local function step(goal, keys, ok)
    return { goal = goal, action = { tool = "press_key", args = { key = keys } }, result = { ok = ok, text = "x" } }
  end
  assert(files.write(folder .. "/trajectory.json", json.encode { steps = { step("1.1", "f1", true),
    step("1.2", "f2", false) } }))
  local played, said = answered({ task = "x", goals = { "Find the price.", "Write it down." },
    accept_claims = true }, { press(), miss(), complete(), press(), complete() }, { keep = true, flags = {
      ["orchestrator.mode"] = "repair", ["orchestrator.repair"] = folder } })
  t.has(said[1], 'STEPS OF THE EARLIER RUN:\n  1. press_key("f1") -> x')
  t.ok(not said[1]:find("f2", 1, true), "those of the other goal are not told")
  t.has(said[4], 'STEPS OF THE EARLIER RUN:\n  1. press_key("f2") -> ERROR: x')
  local mended = json.decode(files.read(files.join(played.run.dir.path, "mended.json")) or "") or { steps = {} }
  t.eq({ #mended.steps, mended.steps[1].goal, mended.steps[2].goal }, { 2, "1.1", "1.2" },
    "what was done in vain is not kept")
  files.remove(files.join(played.run.dir.path, "../.."))
  files.remove(folder)
end

-- Of a long run those around the first that failed are told.
function tests.of_many_steps_those_around_the_first_that_failed_are_told()
  local folder, steps = spawn.folder(), {}
  for i = 1, 40 do
    steps[i] = { action = { tool = "press_key", args = { key = "f" .. i } }, result = { ok = i ~= 35, text = "x" } }
  end
  assert(files.write(folder .. "/trajectory.json", json.encode { steps = steps }))
  local _, said = answered({ task = "x" }, { play.decide { status = "stuck" } }, { flags = {
    ["orchestrator.mode"] = "repair", ["orchestrator.repair"] = folder } })
  t.has(said[1], "STEPS OF THE EARLIER RUN:\n  (15 steps before these were done)\n  16. press_key(\"f16\") -> x")
  t.has(said[1], '  35. press_key("f35") -> ERROR: x')
  files.remove(folder)
end

-- --- claims ---------------------------------------------------------------------------------------------------------

function tests.what_only_its_word_tells_is_believed_after_another_look()
  local both = play.decide { commands = key, status = "complete" }
  local played, said = answered({ task = "x" }, { both, complete() })
  t.eq({ played.run.outcome.status, #said }, { "claimed", 2 })
  t.has(said[2], "REPORT:\nThe commands were done. Say complete only after you have seen what they brought")
  played, said = answered({ task = "x", verify = function() return true end }, { both })
  t.eq({ played.run.outcome.status, #said }, { "succeeded", 1 }, "a verify needs no second look")
end

function tests.nothing_done_is_a_failed_iteration()
  local played, said = answered({ task = "x" }, { play.decide {} })
  t.has(played.run.outcome.reason, "2 iterations in a row failed")
  t.has(said[2], "REPORT:\nNothing was done: an iteration needs at least one command, or another status.")
end

function tests.only_failures_in_a_row_end_it()
  local stuck = play.decide { status = "stuck", status_why = "That was all." }
  local played = answered({ task = "x" }, { miss(), press(), miss(), press(), miss(), stuck })
  t.has(played.run.outcome.reason, "the agent is stuck: That was all.")
  played = answered({ task = "x" }, { press(), miss() })
  t.has(played.run.outcome.reason, "2 iterations in a row failed")
end

-- What a goal may spend is its own: two goals of a list may spend it both.
function tests.each_goal_of_a_list_has_the_limits_of_one()
  local function within(tokens)
    return answered({ task = "x", goals = { "Find the price.", "Write it down." }, accept_claims = true },
      { press(), complete(), press(), complete() }, { flags = { ["orchestrator.goal_tokens"] = tokens } }).run
  end
  local tokens = within(0).result.goals[1].account.tokens
  t.ok(tokens > 0, "the server counts")
  t.eq(within(tokens + 1).outcome.status, "claimed")
  local outcome = within(tokens - 1).outcome
  t.eq(outcome.status, "incomplete")
  t.has(outcome.reason, "goal 1 of 2 (Find the price.): ")
  t.has(outcome.reason, "tokens")
end

function tests.an_answer_that_is_none_is_a_failed_iteration()
  local played = answered({ task = "x" }, { model_server.reply_text "%%% {{{" })
  t.has(played.run.outcome.reason, "2 iterations in a row failed")
  t.eq(played.run.result.failed, 2)
end

function tests.more_commands_than_there_may_be_are_not_done()
  local four = { key[1], key[1], key[1], key[1] }
  local played = answered({ task = "x" }, { play.decide { commands = four }, function() return press() end,
    play.decide { status = "stuck" } })
  t.has(played.requests[1].messages[1].content, "at most 3 commands")
  t.eq(#played:only "action_result", 1, "the four went back, and one was done")
end

-- The window is gone after the first command: the rest was meant for another screen.
local function minimizing(m)
  local window = m.desk.windows.active()
  if window then assert(m.desk.windows.minimize(window)) end
end

function tests.commands_stop_at_a_surprise_and_what_was_meant_to_end_it_does_not()
  local played, said = answered({ task = "x", after_action = minimizing, accept_claims = true },
    { play.decide { commands = { key[1], key[1], key[1] }, status = "complete" }, press(),
      play.decide { status = "stuck", status_why = "That was all." } })
  t.has(played.run.outcome.reason, "That was all.")
  t.has(said[2], "NOTE the commands were stopped ")
  t.has(said[2], "REPORT:\nNot all commands were done, so it was not asked whether the goal is reached.")
  t.ok(not said[3]:find("REPORT:", 1, true), "it is told once")
  t.eq({ played.run.result.commands, played.run.result.commands_done }, { 4, 2 })
end

-- --- what each request tells ----------------------------------------------------------------------------------------

function tests.of_the_past_the_latest_steps_and_experiences_are_told()
  local n, last = 0, nil
  local played = answered({ task = "x" }, { function(words)
    n, last = n + 1, words
    return play.decide { commands = { { "press_key", { key = "f" .. (n - 1) % 12 + 1 } } },
      learned = { ("The key number %d opens the window number %d."):format(n, 100 - n) } }
  end }, { flags = { ["orchestrator.iterations"] = 14 } })
  t.eq(played.run.outcome.status, "incomplete")
  local _, steps = last:gsub("press_key%(", "")
  local _, learned = last:gsub("The key number", "")
  t.eq({ steps, learned }, { 7, 10 }, last)
  t.has(last, 'press_key("f1") -> ', "the thirteenth")
  t.has(last, "The key number 13 opens")
  t.ok(not last:find("The key number 3 opens", 1, true), "the older ones are not told")
  t.eq(played:only "iteration"[14].of, 14)
  local sizes = played:only "iteration"[14].sizes
  for _, part in ipairs { "mission", "memory", "history", "screen", "demand", "system", "tools" } do
    t.ok((sizes[part] or 0) > 0, part .. " is counted")
  end
  local sum = -sizes.all
  for _, size in pairs(sizes) do sum = sum + size end
  t.eq(sum, sizes.all, "the parts are the whole")
end

function tests.the_parts_of_a_request_are_bounded_and_complete()
  local function begin(m) assert(m.memory:set("long", ("v"):rep(900))) end
  local _, said = answered({ task = ("all "):rep(300), before_run = begin, after_action = minimizing,
    goals = { { goal = "Find it.", indicators = { "Total 42" } } } }, { press(), play.decide { status = "stuck" } })
  t.has(said[1], "SUCCESS CRITERIA (at the end all of this is on the screen):\n1. Total 42")
  local overall = said[1]:match "OVERALL GOAL:\n([^\n]*)"
  t.ok(overall and #overall > 200 and #overall <= 303, overall)
  t.has(said[1], "${long} = " .. ("v"):rep(100))
  t.ok(not said[1]:find(("v"):rep(121)), "a value is cut")
  t.ok(not said[1]:find("APPLICATIONS", 1, true), said[1])
  t.has(said[2], "APPLICATIONS", "where no window is, what could be opened is told")
end

function tests.its_commands_are_described_with_their_arguments()
  local played = answered({ task = "x" }, { play.decide { status = "stuck" } })
  local system = played.requests[1].messages[1].content
  t.has(system, "- press_key(key: string")
  t.has(system, "- focus_window(title: string")
  t.ok(not system:find("- inspect_page(", 1, true), "information is asked for by calls, not by commands")
end

-- --- the account ----------------------------------------------------------------------------------------------------

function tests.a_tool_is_worth_something_where_the_next_commands_succeed()
  local look = play.ask { "check_page_ready" }
  local played = answered({ task = "x" }, { look, miss(), look, press(), play.decide { status = "stuck" } })
  t.eq(played.run.result.tools.check_page_ready, { asked = 2, useful = 1, redundant = 0, cached = 0 })
  t.eq({ played.run.result.lookups, played.run.result.useful }, { 2, 1 })
end

-- What came of goals with these counts.
local function compared(...)
  local run = { result = metrics.journey() }
  for _, account in ipairs { ... } do
    for _, name in ipairs { "cached", "redundant", "failed", "picture_tokens" } do account[name] = 0 end
    account.tools = {}
    metrics.join(run, "g", true, account)
  end
  local met, values = {}, {}
  for name, target in pairs(run.result.targets) do met[name], values[name] = target.met, target.value end
  return met, values
end

local function account(fields)
  local good = { iterations = 4, calls = 2, tokens = 4999, seconds = 29.9, lookups = 1, useful = 1, pictures = 0,
    commands = 10, commands_done = 9 }
  for name, value in pairs(fields or {}) do good[name] = value end
  return good
end

function tests.what_is_aimed_at()
  local names = { "calls", "iterations", "lookups", "seconds", "tokens", "command_success", "commands_per_iteration",
    "lookup_relevance", "screenshot_share" }
  local met = compared(account())
  for _, name in ipairs(names) do t.eq(met[name], true, name) end
  met = compared(account { iterations = 5, calls = 3, tokens = 5000, seconds = 30, lookups = 10, useful = 9,
    pictures = 1, commands = 5, commands_done = 4 })
  for _, name in ipairs(names) do t.eq(met[name], false, name) end
  local _, values = compared(account(), account { calls = 4, iterations = 6 })
  t.ok(values.calls == 3 and values.iterations == 5, "of several goals the mean")
end

return tests
