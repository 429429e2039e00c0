--- The policy task_executor: its loop, what it tells the agent, and predictions that fail, against a scripted agent
--- over HTTP and real applications on a private desktop.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local play = require "executor_play"

local tests = {}

local seventy_seven = play.seventy_seven

local function count_pictures(request)
  local pictures = 0
  for _, part in ipairs(request.messages[2].content) do
    if part.type == "image_url" then pictures = pictures + 1 end
  end
  return pictures
end

-- --- Autonomous Execution Loop ------------------------------------------------------------------------------

-- Scenario: Autonomous Execution Loop / Execute multi-step task to completion
function tests.steps_follow_each_other_until_finish()
  local played = play.play { mission = play.calculator, agent = seventy_seven }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq({ played.result.turns, played.result.actions }, { 3, 3 })
  t.ok(played.result.seconds > 0, "the summary has the duration")
  t.eq({ played.result.task_result.steps, played.result.task_result.failed }, { 3, 0 })
  local order = {}
  for _, event in ipairs(played.events) do
    if event.turn == 1 and event.event ~= "note" then order[#order + 1] = event.event end
  end
  local kept = table.concat(order, " ")
  t.has(kept, "turn_start observed model_request model_reply action action_result settled turn_end")
  for turn, event in ipairs(played:only "observed") do
    t.eq(event.turn, turn)
    t.ok(files.exists(files.join(played.result.run_dir, event.screenshot)), "the picture of step " .. turn)
  end
  t.eq(#played:only "observed", 3, "each step has a picture")
  t.eq(played:actions()[1].action, nil) -- the journal has it beside
  t.eq(played:only "action"[1].args.justification, play.because, "and what the agent thought")
  played:close()
end

-- Scenario: Autonomous Execution Loop / Terminate on FINISH action
function tests.finish_ends_the_run_at_once()
  local played = play.play { mission = play.calculator, agent = function(request, n)
    if n < 3 then return seventy_seven(request, n) end
    return play.json { action = "FINISH", reason = "Task completed successfully" }
  end }
  t.eq({ played.result.status, played.result.reason }, { "succeeded", "Task completed successfully" })
  t.eq(#played.requests, 3, "nobody is asked any more")
  local last = played:actions()
  t.eq({ #last, last[#last].tool, last[#last].ok }, { 3, "finish", true })
  played:close()
end

-- A claim is only the agent's word: the world decides, and a claim that it denies is a step like any other.
function tests.a_claim_that_is_not_true_is_shown_to_the_agent()
  local played = play.play { mission = play.calculator, flags = { "--set", "timing.verify=0.3" },
    agent = function(request, n)
      if n == 1 then return play.action("finish", { reason = "I believe so." }) end
      if n == 2 then t.has(play.words(request), "NOT DONE: the mission's own check of the desktop says") end
      return seventy_seven(request, n - 1)
    end }
  t.eq({ played.result.status, played.result.turns }, { "succeeded", 4 }, played.result.reason)
  played:close()
end

-- Scenario: Autonomous Execution Loop / Terminate on max steps limit
function tests.out_of_steps_is_incomplete_and_warned_of()
  local played = play.play { mission = play.calculator, flags = { "--set", "task_executor.max_steps=3" },
    agent = function(request)
      return play.action("tap", { element = play.number(request, "toggle button", "1") })
    end }
  t.eq({ played.result.status, played.result.turns, played.child.status }, { "incomplete", 3, 1 })
  t.has(played.result.reason, "out of turns: the limit is 3")
  local warned = {}
  for _, event in ipairs(played:only "guard") do warned[#warned + 1] = event.message end
  t.has(table.concat(warned, "\n"), "it may have gone in circles")
  t.eq(#played:actions "tap", 3, "what was done up to there is kept")
  played:close()
end

-- Scenario: Autonomous Execution Loop / Progress tracking during execution
function tests.each_step_tells_how_far_the_run_is()
  local played = play.play { agent = seventy_seven, flags = { "--set", "task_executor.max_steps=20" },
    mission = play.calculator .. [[
    turn_end = function(m, event) state(m, { event.turn, event.of, event.actions, event.last.tool, event.last.ok,
      event.last.why, event.seconds_left }) end,]] }
  t.eq(played.result.status, "succeeded", played.result.reason)
  local told, seconds = played:states(), 0
  t.eq(#told, 3, "after each action")
  for turn, line in ipairs(told) do
    t.eq({ line[1], line[2], line[3] }, { turn, 20, turn }, "step, of how many, actions so far")
    t.eq({ line[4], line[5] }, { turn < 3 and "tap" or "finish", true }, "the last action")
    if turn < 3 then t.eq(line[6], play.because, "what the agent thought") end
    local ended = played:only "turn_end"[turn]
    seconds = seconds + ended.seconds
    local expected = seconds / turn * (20 - turn)
    t.ok(math.abs(line[7] - math.min(expected, 90 - ended.at)) < math.max(1, expected * 0.05),
      ("step %d: %g s are left by the average of %g s, told was %s"):format(turn, expected, seconds / turn,
        tostring(line[7])))
  end
  for turn = 1, 2 do t.has(played.child.stderr, ("turn %d "):format(turn)) end
  played:close()
end

-- --- Observation Construction ---------------------------------------------------------------------------------

-- Scenario: Observation Construction / Construct basic observation
function tests.an_observation_is_the_screen_and_its_elements()
  local played = play.play { mission = play.calculator, agent = seventy_seven }
  local first = played.requests[1]
  t.eq(count_pictures(first), 1, "a screenshot")
  t.has(play.words(first), "TASK:\nShow the number 77.")
  t.has(play.words(first), 'active window: "galculator"')
  t.has(play.words(first), 'toggle button "7"')
  local names = {}
  for i, tool in ipairs(first.tools) do names[i] = tool["function"].name end
  for _, name in ipairs { "tap", "swipe", "type", "back", "home", "recent", "finish", "ask_user" } do
    t.has(" " .. table.concat(names, " ") .. " ", " " .. name .. " ")
  end
  t.ok(not table.concat(names, " "):find("click_element", 1, true), "one way to do a thing")
  played:close()
end

-- Scenario: Observation Construction / Include step count in observation
function tests.the_agent_is_told_its_step_where_that_is_wanted()
  local seen = {}
  local played = play.play { mission = play.calculator, flags = { "--set", "task_executor.max_steps=9" },
    agent = function(request, n)
      seen[n] = play.words(request)
      return seventy_seven(request, n)
    end }
  for n = 1, 3 do t.has(seen[n], ("STEP: %d of 9"):format(n)) end
  played:close()
  played = play.play { mission = play.calculator, flags = { "--set", "task_executor.include_step_info=false" },
    agent = function(request, n)
      seen[n] = play.words(request)
      return seventy_seven(request, n)
    end }
  for n = 1, 3 do t.ok(not seen[n]:find("STEP:", 1, true), seen[n]) end
  played:close()
end

-- Scenario: Observation Construction / Observation caching
function tests.the_last_look_serves_again_where_nothing_was_done()
  local played = play.play { mission = play.calculator, agent = function(request, n)
    if n == 1 then return play.action("tap", { element = 9999 }) end -- there is none
    if n == 2 then t.has(play.words(request), "there is no element [9999] in ELEMENTS") end
    return seventy_seven(request, n - 1)
  end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  local turns = {}
  for i, event in ipairs(played:only "observed") do turns[i] = event.turn end
  t.eq(turns, { 1, 3, 4 }, "no look after the action that failed, a new one after each that was done")
  played:close()
end

-- What was seen is no longer there: then the last look would only lead to the same failure again.
function tests.a_stale_element_is_looked_for_anew()
  local played = play.play { agent = function(request, n)
    if n == 1 then return play.action("tap", { element = play.number(request, "push button", "OK") }) end
    return play.action("finish", { reason = "The question has gone." })
  end, mission = [[
    task = "Answer the question.",
    desktop = { kind = "private", size = { 700, 500 }, apps = { { "zenity", "--question", "--title", "Survey",
      "--text", "Go on?", "--ok-label", "OK" } } },
    before_run = function(m) assert(m.desk.wait_for_element { name = "OK", timeout = 30 }) end,
    before_action = function(m, action)
      if action.tool == "tap" then assert(m.desk.windows.close({ title = "Survey" }, { wait = true })) end
    end,
    verify = function(m) return m.desk.windows.find { title = "Survey" } == nil, "it is still there" end,]] }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq({ played:actions "tap"[1].ok, played:actions "tap"[1].code }, { false, "stale" })
  t.eq(#played:only "observed", 2, "it was looked anew")
  played:close()
end

-- Scenario: Observation Construction / Accessibility tree enrichment
function tests.a_tree_that_cannot_be_had_fails_no_step()
  local place, seen = nil, {}
  local played = play.play { mission = play.calculator .. [[
    turn_start = function(m, event) -- whoever does not answer has no elements to tell of
      local pid = m.desk.windows.find { title = "galculator" }.pid
      if event.turn == 2 then assert(m.desk.apps.run { "kill", "-STOP", tostring(pid) }) end
    end,
    observed = function(m, event)
      local pid = m.desk.windows.find { title = "galculator" }.pid
      if event.turn == 2 then assert(m.desk.apps.run { "kill", "-CONT", tostring(pid) }) end
    end,]], agent = function(request, n)
      seen[n] = request
      if n > 2 then return play.action("finish", { reason = "The display shows 77." }) end
      place = place or play.place(request, "toggle button", "7")
      return play.action("tap", { position = place })
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.has(play.words(seen[1]), 'toggle button "7"')
  t.ok(not play.words(seen[2]):find('toggle button "7"', 1, true), play.words(seen[2]))
  t.has(play.words(seen[3]), 'toggle button "7"')
  local looks = played:only "observed"
  t.eq({ #looks, looks[2].elements }, { 3, 0 })
  t.ok(files.exists(files.join(played.result.run_dir, looks[2].screenshot)), "the picture is there all the same")
  played:close()
end

-- --- Error Recovery and Retry Logic --------------------------------------------------------------------------

local function fails(n) return n > 1 and { status = 500, body = "the model has crashed" } or nil end

-- Scenario: Error Recovery and Retry Logic / Agent prediction failure
function tests.a_prediction_that_fails_is_tried_twice_more_and_is_the_end()
  local played = play.play { mission = play.calculator, flags = { "--set", "task_executor.retry_delay=0.1" },
    agent = function(request, n) return fails(n) or seventy_seven(request, n) end }
  t.eq(#played.requests, 4, "one prediction, then one that fails with two more tries: nobody multiplies them")
  t.eq({ played.result.status, played.child.status }, { "error", 3 }, played.result.reason)
  t.has(played.result.reason, "answered 500")
  local errors = played:only "error"
  t.eq(#errors, 1, "it is logged once")
  t.has(errors[1].message, "500")
  t.eq({ #played:actions(), played:only "run_end"[1].turns }, { 1, 2 }, "what was done before it is kept")
  local trajectory = json.decode(files.read(played.result.run_dir .. "/trajectory.json"))
  t.ok(trajectory and #trajectory.steps >= 1, "the partial trajectory")
  played:close()
end

-- One that never answers fails as one that answers with an error does. The guard that counts failures of one kind is
-- kept out of it: whether they are of one kind depends on how far each answer had come.
function tests.a_prediction_that_never_comes_is_the_same()
  local played = play.play { mission = play.calculator, flags = { "--set", "task_executor.retry_delay=0.1", "--set",
    "model.timeout=0.5", "--set", "limits.model_failures=9" }, agent = function(request, n)
      return n > 1 and { silent = true } or seventy_seven(request, n)
    end }
  t.eq({ #played.requests, played.result.status, played.child.status }, { 4, "error", 3 }, played.result.reason)
  t.has(played.result.reason, "no whole answer")
  played:close()
end

function tests.a_model_that_is_overloaded_for_a_moment_is_no_failure()
  local played = play.play { mission = play.calculator, flags = { "--set", "task_executor.retry_delay=0.1" },
    agent = function(request, n)
      if n == 2 then return { status = 503, body = "busy" } end
      return seventy_seven(request, n > 2 and n - 1 or n)
    end }
  t.eq({ played.result.status, #played.requests }, { "succeeded", 4 }, played.result.reason)
  played:close()
end

return tests
