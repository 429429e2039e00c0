--- What each role of the policy manager sees, may call and may decide, on a desktop that is only imagined; what a run
--- that goes on tells its Technician; and how much of everything there is where nobody says otherwise.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local play = require "manager_play"
local resume = require "deskpilot.agent.resume"

local tests = {}

local subtask, yes, one_operator = play.subtask, play.yes, play.one_operator

local function one_technician() return play.plan(subtask("technician", "Count the files")) end

local function memorize(list) return play.call("memorize", { items = json.list(list) }) end

-- Memorizes, then says that it is done.
local function gatherer(list)
  return function(_, n) return n == 1 and memorize(list) or play.done() end
end

local item = { name = "q1", question = "What is 5 plus 6?", data = "A 10\nB 11", guidance = "one letter" }

local function answer()
  return play.call("answer", { answers = json.list { { item = "q1", how = "11 is B", answer = "B" } } })
end

-- --- who looks ------------------------------------------------------------------------------------------------------

-- The states in which the screen was looked at.
local function looked(played)
  local state, list = "INIT", {}
  for _, event in ipairs(played.events) do
    if event.event == "phase_change" then state = event.to end
    if event.event == "observed" then list[#list + 1] = state end
  end
  return table.concat(list, " ")
end

function tests.the_screen_is_looked_at_for_those_who_see_it_and_for_nobody_else()
  local played = play.play { manager = one_technician, technician = function() return play.done "7" end,
    evaluator = yes }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(looked(played), "PLAN CHECK FINAL_CHECK")
  played = play.play { manager = one_operator, operator = function() return play.done() end, evaluator = yes }
  t.eq(looked(played), "PLAN EXECUTE CHECK FINAL_CHECK")
  for _, who in ipairs { "manager", "operator", "evaluator" } do
    for _, request in ipairs(played:asked(who)) do
      t.has(play.words(request), "SCREEN:", who)
      t.ok(play.pictures(request) > 0, who .. " is shown a picture")
    end
  end
end

-- --- who may call what ----------------------------------------------------------------------------------------------

-- Each calls for a tool that there is, but not for it, and again when the answer was sent back.
function tests.nobody_can_call_what_is_not_offered()
  local because = "This is what I would like to do now."
  local command = play.call("run_command", { command = "echo x", justification = because })
  local wrong = { manager = command, operator = command, analyst = command, evaluator = command,
    technician = play.call("focus_window", { title = "Nowhere", justification = because }) }
  local right = { technician = function() return play.done "7" end, analyst = answer, evaluator = yes,
    operator = gatherer { item }, manager = function()
      return play.plan(subtask("operator", "Gather the question", { gives = { "questions" } }),
        subtask("analyst", "Answer the question", { needs = { "questions" }, gives = { "answers" } }),
        subtask("technician", "Count the files"))
    end }
  local script = {}
  for who, call in pairs(wrong) do
    script[who] = function(request, n) return n <= 2 and call or right[who](request, n - 2) end
  end
  local played = play.play(script, {}, { flags = { ["safety.shell"] = "allow-list",
    ["safety.shell_allow"] = "echo x" } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local refused = 0
  for _, event in ipairs(played:only "action_result") do
    t.ok(event.tool == "memorize" or not event.ok, event.tool .. " was not done")
    refused = refused + (event.ok and 0 or 1)
  end
  t.ok(refused >= 5, refused .. " were refused, one of each role at least")
end

-- --- what may be decided --------------------------------------------------------------------------------------------

function tests.what_the_evaluator_may_decide_depends_on_why_it_looks()
  local judgements = { play.judge("no", "go_on"), yes(), play.judge("no", "supplement", { missing = "the currency" }) }
  local played = play.play({ manager = function()
    return play.plan(subtask("operator", "Work on one page"), subtask("operator", "Look for another form"))
  end, operator = function(_, n)
    if n <= 4 then return play.wait() end -- three are equal ones, four are all that it has
    if n == 5 then return play.call("subtask_failed", { reason = "The form cannot be found anywhere." }) end
    return play.done()
  end, evaluator = function(_, n) return judgements[n] or yes() end }, {}, { flags = { ["manager.operations"] = 4 } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local requests, offered = played:asked "evaluator", {}
  for i, event in ipairs(played:only "evaluation") do
    offered[i] = { event.because, play.tool(requests[i], "judge").parameters.properties.decision.enum }
  end
  t.eq(offered, { { "repeating", { "done", "go_on", "failed" } }, { "limit", { "done", "failed" } },
    { "stuck", { "done", "supplement", "failed" } }, { "finished", { "done", "go_on", "supplement", "failed" } },
    { "final", { "done", "failed" } } })
end

function tests.where_the_mission_can_tell_by_itself_nobody_is_asked_at_the_end()
  local played = play.play({ manager = one_operator, operator = function() return play.done() end,
    evaluator = function(request)
      t.ok(not play.words(request):find("All subtasks are over", 1, true), "the mission's own check holds")
      return yes()
    end }, { verify = function() return true end })
  t.eq(played.run.outcome.status, "succeeded", played.run.outcome.reason)
  t.eq(#played:asked "evaluator", 1)
end

-- --- what the Analyst needs -----------------------------------------------------------------------------------------

function tests.each_of_question_data_and_guidance_is_missed()
  local half = {}
  for i, field in ipairs { "question", "data", "guidance" } do
    half[i] = { name = "no_" .. field, question = "What is it?", data = "A 1", guidance = "one letter" }
    half[i][field] = nil
  end
  local played = play.play({ manager = play.pipeline, evaluator = yes, operator = gatherer(half) }, {},
    { flags = { ["manager.supplements"] = 0, ["manager.replans"] = 0 } })
  play.ends(played, "failed",
    "no_question has no question; no_data has no data; no_guidance has no guidance")
end

-- --- going on -------------------------------------------------------------------------------------------------------

-- The journal up to the first event of that name and tool, as a kill leaves it.
local function cut_after(folder, name)
  local path, rows = files.join(folder, "journal.jsonl"), {}
  for row in assert(files.read(path)):gmatch "[^\n]+" do
    rows[#rows + 1] = row
    if row:find('^{"event":"' .. name .. '"') then break end
  end
  assert(files.write(path, table.concat(rows, "\n") .. "\n"))
end

local shell = { ["safety.shell"] = "allow-list", ["safety.shell_allow"] = "echo seven" }

-- Runs a command, is cut off after that event, and goes on; what the Technician is told then.
local function told_after(event)
  local function technician(_, n)
    if n > 1 then return play.done "7" end
    return play.call("run_command", { command = "echo seven", justification = "It counts the files of the folder." })
  end
  local script = { manager = one_technician, technician = technician, evaluator = yes }
  local before = play.play(script, {}, { flags = shell, keep = true })
  t.eq(before.run.outcome.status, "claimed", before.run.outcome.reason)
  local folder = before.run.dir.path
  cut_after(folder, event)
  local past, words = t.ok(resume.read(folder)), nil
  script.manager = nil -- the plan is there
  script.technician = function(request)
    words = words or play.words(request)
    return play.done "7"
  end
  local played = play.play(script, {}, { flags = shell, past = past })
  files.remove(files.join(folder, "../.."))
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  return words:match "THE LATEST COMMANDS:.*" or words
end

function tests.a_command_is_not_forgotten_where_its_turn_was_cut_off()
  local words = told_after "action_result"
  t.has(words, "$ echo seven\n")
  t.has(words, "stdout:\nseven", "what it has brought is known")
  words = told_after "action"
  t.has(words, "$ echo seven\n")
  t.has(words, "it may be done, half done or not begun; look before you run it again")
end

-- --- how much -------------------------------------------------------------------------------------------------------

function tests.what_there_is_at_most_where_nobody_says_otherwise()
  local defaults = {}
  for name, option in pairs(require "deskpilot.policies.manager".options) do defaults[name] = option.default end
  t.eq(defaults, { subtasks = 12, replans = 5, switches = 20, operations = 20, commands = 12, seconds = 600,
    repeats = 3, supplements = 2 })
end

return tests
