--- Goals within goals, from outside: a policy of the user's own that hands parts of its work to the shipped ones, on a
--- private desktop with a real calculator; what journal, report and progress tell of the levels; and a model that never
--- answers.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local report = require "deskpilot.cli.commands.report"
local spawn = require "spawn"

local calculator = [[desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },]]

-- Runs a mission, with a policy `planner` beside it, and gives it to fn(child, result, events).
local function with_run(mission, planner, fn, ...)
  local folder = spawn.folder()
  assert(files.write(files.join(folder, "m.lua"), mission))
  if planner then
    assert(files.make_folder(files.join(folder, "deskpilot/policies")))
    assert(files.write(files.join(folder, "deskpilot/policies/planner.lua"), planner))
  end
  local child = spawn.run({ spawn.program, "run", "m.lua", "--runs", folder .. "/runs", "--model", "literal", ... },
    { cwd = folder })
  local name = t.ok((files.list(folder .. "/runs") or {})[1], "a run: " .. child.stderr)
  local run_dir = files.join(folder, "runs", name or "")
  fn(child, json.decode(files.read(files.join(run_dir, "result.json")) or "") or {}, journal.read(run_dir) or {})
  files.remove(folder)
end

local function told(events)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == "goal_start" then
      list[#list + 1] = ("%s %s %s"):format(event.goal, event.policy, table.concat(event.tools or {}, ","))
    elseif event.event == "goal_end" then
      list[#list + 1] = ("%s %s %s"):format(event.goal, event.status, event.verdict and event.verdict.answer or "-")
    elseif event.event == "action_result" and event.tool == "click_element" then
      list[#list + 1] = ("%s %s %s"):format(event.goal or "own", event.tool, event.args.label or "")
    end
  end
  return list
end

local tests = {}

local planner = [[
local function shows(words)
  return function(m) return m.checks.element { app = "galculator", role = "text", shows = words } end
end
return { turn = function(run)
  local ok, why = run:achieve { goal = 'click "7", click "*"', policy = "three_body",
    tools = { "click_element", "wait" },
    limits = { turns = 8, seconds = 60 }, verify = shows "7" }
  if not ok then return run:stop("failed", why) end
  ok, why = run:achieve { goal = 'click "6", click "="', policy = "odev", tools = { "click_element" },
    verify = shows "42" }
  if not ok then return run:stop("failed", why) end
  run:claim "both parts are done"
end }]]

function tests.a_policy_hands_out_its_work()
  with_run("return { task = 'Work out 7 times 6.', policy = 'planner', " .. calculator .. [[
    verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "42" } end }]], planner,
    function(child, result, events)
      t.eq(result.status, "succeeded", child.stderr)
      t.eq(told(events), { "1.1 three_body click_element,wait", "1.1 click_element 7", "1.1 click_element *",
        "1.1 succeeded yes", "1.2 odev click_element", "1.2 click_element 6", "1.2 click_element =",
        "1.2 succeeded yes" })
      local last = events[#events]
      t.eq({ last.event, last.verdict.answer, last.verdict.evidence }, { "run_end", "yes",
        'the text of the text "42" is "42"' })
      local page = report.html(events, "run")
      t.has(page, "an agent is asked: goal 1.1")
      t.has(page, "· goal 1.2</h2>")
      t.has(page, "<dt>the mission&#39;s check</dt><dd>yes: the text of")
      t.has(child.stderr, '\ngoal 1.1 (three_body): click "7", click "*"\n')
      t.has(child.stderr, "\n  turn 2")
      t.has(child.stderr, "\ngoal 1.2 succeeded: ")
      t.has(child.stderr, "\nturn 1")
    end)
end

-- A tool that the goal was not given is not there for the agent that works on it.
function tests.the_tools_of_a_goal_are_all_that_it_has()
  with_run("return { " .. calculator .. [[
    run = function(m)
      local ok, why = m:achieve { goal = 'click "7"', tools = { "press_key" }, limits = { turns = 4 } }
      return not ok and m.desk.elements.find({ app = "galculator", role = "text" }).text ~= "7", tostring(why)
    end }]], nil, function(child, result, events)
      t.eq(result.status, "succeeded", child.stderr)
      for _, event in ipairs(events) do
        if event.event == "action_result" then t.ok(not (event.tool == "click_element" and event.ok), event.text) end
      end
    end)
end

function tests.a_model_that_never_answers_ends_its_goal_alone()
  local server = model_server.start { { silent = true } }
  server.models = { "slow" }
  local guard <close> = setmetatable({}, { __close = function() server:stop() end })
  t.ok(guard)
  with_run("return { " .. calculator .. ([[
    run = function(m)
      local ok, why = m:achieve { goal = "Anything.", model = { model = "slow", endpoint = %q },
        limits = { seconds = 2 } }
      m:note("it ended: " .. why)
      assert(not ok and m:achieve { goal = 'click "7"', limits = { turns = 8 }, accept_claims = true })
      return m.desk.elements.find({ app = "galculator", role = "text" }).text == "7", "no 7"
    end }]]):format(server.endpoint), nil, function(child, result, events)
      t.eq(result.status, "succeeded", child.stderr)
      t.has(child.stderr, "it ended: out of time: the limit is 2 s (the goal's own)")
      local list = told(events)
      t.eq({ list[1], list[2], list[3] }, { "1.1 three_body ", "1.1 incomplete -", "1.2 three_body " })
      for _, event in ipairs(events) do
        if event.event == "goal_end" and event.goal == "1.1" then
          t.ok(event.seconds >= 1.9 and event.seconds < 10, event.seconds)
        end
      end
    end)
  t.ok(#server.requests >= 1, "it was asked")
  t.eq(server.requests[#server.requests].json and server.requests[#server.requests].json.model, "slow")
end

return tests
