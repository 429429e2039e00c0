--- What each role of the policy manager sees, may call and may decide, on a desktop that is only imagined; what a run
--- that goes on tells its Technician; and how much of everything there is where nobody says otherwise.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "manager_play"
local resume = require "deskpilot.agent.resume"

local tests = {}

local subtask, yes, one_operator = play.subtask, play.yes, play.one_operator

local function one_technician() return play.plan(subtask("technician", "Count the files")) end

local memorize, gatherer, item, answer = play.memorize, play.gatherer, play.item, play.answer

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

-- --- what each is told ----------------------------------------------------------------------------------------------

-- Gathers, answers and counts; at the end something is missing, and the Manager plans anew.
local function journey()
  local script = { technician = function() return play.done "7 files" end, analyst = answer,
    operator = function(_, n)
      if n == 1 then return memorize { item } end
      return play.done(n == 2 and "one question" or "it is written")
    end }
  function script.manager(_, n)
    if n > 1 then return play.plan(subtask("operator", "Write the number down")) end
    return play.plan(subtask("operator", "Gather the question", { gives = { "questions" } }),
      subtask("analyst", "Answer the question", { needs = { "questions" }, gives = { "answers" } }),
      subtask("technician", "Count the files", { needs = { "answers" }, gives = { "number" } }))
  end
  function script.evaluator(_, n)
    return n == 4 and play.judge("no", "failed", { evidence = "The number stands nowhere." }) or yes()
  end
  local played = play.play(script, {}, { flags = { ["observe.looks"] = 1, ["tools.offer"] = "calculate" } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  return played
end

-- What the nth request to one of them says.
local function told(played, who, n)
  return play.words(played:asked(who)[n])
end

function tests.each_is_told_what_it_needs()
  local played = journey()
  local task, q1 = "THE USER'S TASK:\nWork out the total.", "MEMORY:\n  ${answers} = 1. q1: B\n  ${q1} = QUESTION: "
  for who, n in pairs { manager = 2, operator = 3, technician = 1, evaluator = 4 } do
    t.has(told(played, who, n), task, who)
    t.has(told(played, who, n), q1, who .. " is told what is remembered")
  end
  t.has(told(played, "analyst", 1), task)
  t.has(told(played, "analyst", 1), "MEMORY:\n  ${q1} = QUESTION: ")
  for who, words in pairs {
    operator = { "SUBTASK S4: Write the number down\nWrite the number down, with all that belongs to it\n"
      .. "It is done when: It is so.", 3 },
    analyst = { "SUBTASK S2: Answer the question\nAnswer the question, with all that belongs to it\n"
      .. "It is done when: It is so.\nIt uses: questions\nIt leaves for others: answers", 1 },
    technician = { "SUBTASK S3: Count the files\nCount the files, with", 1 },
    evaluator = { "SUBTASK S1: Gather the question\nGather the question, with", 1 } } do
    t.has(told(played, who, words[2]), words[1], who .. " is told its subtask")
  end
  for who, n in pairs { operator = 3, technician = 1 } do
    t.has(told(played, who, n), "DONE BEFORE:\nS1 (operator, Gather the question): one question\n"
      .. "S2 (analyst, Answer the question): 1. q1: B", who)
  end
  t.has(told(played, "operator", 2), 'memorize() -> memorized q1', "its steps")
  t.has(told(played, "evaluator", 1), 'memorize() -> memorized q1')
  t.has(told(played, "manager", 2), "the Analyst: answer ", "what the Analyst has said")
  t.has(told(played, "manager", 2), "evaluated S3: yes: ", "what the Evaluator has said")
  t.has(told(played, "manager", 2), "DONE:\nS1 (operator): Gather the question [gives questions] -> one question\n")
  t.has(told(played, "manager", 1), played.run.desk.apps.overview())
end

function tests.the_evaluator_is_told_why_it_looks_and_at_the_end_of_all_subtasks()
  local played = journey()
  t.has(told(played, "evaluator", 1), "The worker says that the subtask is done. Is it?")
  t.has(told(played, "evaluator", 4), "All subtasks are over. Is the whole task done?")
  t.has(told(played, "evaluator", 4), "SUBTASKS:\nS1 (operator): Gather the question [gives questions] -> one question")
  t.eq(played.run.result.evaluations, { yes = 5, no = 1, unknown = 0 })
end

function tests.what_the_user_offers_besides_goes_to_the_operator()
  local played = journey()
  t.has(play.tools(played:asked "operator"[1]), "calculate")
  t.ok(not play.tools(played:asked "technician"[1]):find("calculate", 1, true))
end

-- Runs each of these in a subtask of their own; gives what the last request says of commands.
local function commands(list, more)
  local played = play.play({ evaluator = yes, manager = function()
    return play.plan(subtask("technician", "Count the files"), more)
  end, technician = function(_, n)
    if n > #list then return play.done "7" end
    return play.call("run_command", { command = list[n], justification = "It counts the files of the folder." })
  end }, {}, { flags = { ["safety.shell"] = "allow-list", ["safety.shell_allow"] = "echo *" } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local asked = played:asked "technician"
  return play.words(asked[#asked])
end

function tests.a_technician_is_told_of_its_latest_commands()
  local list = {}
  for i = 1, 8 do list[i] = "echo number" .. i end
  local words = commands(list)
  t.has(words, "$ echo number3\n")
  t.ok(not words:find("$ echo number2\n", 1, true), "six of them")
  local run = { state = {}, past = { unfinished = { { tool = "run_command", args = { command = "cat large.txt" },
    text = ("x"):rep(9000) } } } }
  local technician = require "deskpilot.policies.manager.technician"
  technician.resume(run)
  t.eq(#technician.outputs(run):match "\n(x+)", 4000, "so much of each")
  t.has(commands({ "echo seven" }, subtask("technician", "Weigh the parcels")), "no command was run yet",
    "those of another subtask are not its own")
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
