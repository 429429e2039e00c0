--- The policy manager over HTTP on a desktop that is only imagined: its states, its plans, and what each of its
--- personas is sent.
local t = require "harness"
local controller = require "deskpilot.policies.manager.controller"
local json = require "deskpilot.base.json"
local plan = require "deskpilot.policies.manager.plan"
local play = require "manager_play"

local tests = {}

local subtask, yes = play.subtask, play.yes

local one_operator, pipeline = play.one_operator, play.pipeline

local items = { { name = "q2", question = "What is 3 times 4?", data = "A 12\nB 13", guidance = "one letter" },
  { name = "q1", question = "What is 5 plus 6?", data = "A 10\nB 11", guidance = "one letter" } }

local function memorize(list) return play.call("memorize", { items = json.list(list) }) end

local function answers(...)
  local list = json.list {}
  for i, given in ipairs { ... } do list[i] = { item = given[1], how = "by the data", answer = given[2] } end
  return play.call("answer", { answers = list })
end

-- Gathers, then applies.
local function gatherer(list)
  return function(_, n)
    if n == 1 then return memorize(list) end
    return play.done()
  end
end

function tests.a_plan_is_worked_on_checked_and_claimed()
  local played = play.play { manager = one_operator, evaluator = yes,
    operator = function(_, n) return n == 1 and play.wait() or play.done() end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played:states(), "INIT PLAN ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
  local result = played.run.result
  t.eq({ result.subtasks, result.done, result.failed, result.plans, result.replans }, { 1, 1, 0, 1, 0 })
  t.eq(result.operations, { operator = 2, analyst = 0, technician = 0 })
  t.eq(result.evaluations, { yes = 2, no = 0, unknown = 0 })
end

-- --- the plan -----------------------------------------------------------------------------------------------

local function problems(task, done, ...)
  local list = { ... }
  for i, planned in ipairs(list) do planned.id = "S" .. i end
  return table.concat(plan.problems(task, list, done), "\n")
end

local function one(title, intent) return subtask("operator", title, { intent = intent }) end

function tests.an_intent_says_what_and_not_how()
  for _, how in ipairs { "Click the button Save.", "Open the menu and press F5.",
    "Fill in the form, then type the name.", "Double-click the file report.", "Drag the file into the folder.",
    "Typing the name into the field.", "Right click the icon.", "Scroll to the end of the page." } do
    t.has(problems("x", {}, one("The letter", how)), "it says how", how)
    t.has(problems("x", {}, one(how, "The letter is to be saved.")), "it says how", "as the title: " .. how)
  end
  for _, what in ipairs { "Save the letter as notes.txt.", "Choose the file type PDF.", "Open the press release.",
    "Print the clickable map.", "Write hello, and save it." } do
    t.eq(problems("x", {}, one("The letter", what)), "", what)
  end
end

function tests.nothing_is_planned_that_only_verifies_or_is_not_needed()
  t.has(problems("x", {}, one("Verify the saved letter", "The letter is the saved one.")), "it only verifies")
  t.has(problems("x", {}, one("The letter", "Make sure that the letter was saved.")), "it only verifies")
  t.has(problems("x", {}, one("The letter", "Check whether the letter was saved.")), "it only verifies")
  t.has(problems("x", {}, one("The letter", "Optionally give the letter a heading.")), "it is not needed")
  t.eq(problems("x", {}, one("The box", "Check the box Confirm in the form, to make sure of delivery.")), "")
end

function tests.a_subtask_has_all_of_its_parts()
  local parts = { "title", "intent", "role", "completion" }
  local played = play.play { evaluator = yes, operator = function() return play.done() end,
    manager = function(request, n)
      if n > 1 then t.has(play.words(request):match "WHAT WAS WRONG WITH YOUR LAST ANSWER.*" or "", parts[n - 1]) end
      if not parts[n] then return one_operator() end
      local planned = subtask("operator", "Save the letter")
      planned[parts[n]] = nil
      return play.plan(planned)
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq({ #played:asked "manager", #played:only "plan" }, { 5, 1 })
end

function tests.nothing_is_planned_twice()
  local save = one("Save the letter", "Save the letter as notes.txt in the folder Documents.")
  local again = one("Save the letter", "Save the letter as notes.txt in the folder Documents!")
  t.has(problems("x", {}, save, again), "subtask 2: it is the same as subtask 1")
  save.id, save.status = "S7", "done"
  t.has(problems("x", { save }, again), "it was done already as S7 (Save the letter)")
  t.eq(problems("x", {}, one("Page 1", "Gather the questions of page 1."), one("Page 2",
    "Gather the questions of page 2.")), "", "another page is another subtask")
end

function tests.what_a_subtask_needs_is_given_before_it()
  local answer = subtask("analyst", "Answer the questions", { needs = { "questions" }, gives = { "answers" } })
  local gather = subtask("operator", "Gather the questions", { gives = { "questions" } })
  t.eq(problems("x", {}, gather, answer), "")
  t.has(problems("x", {}, answer), "it needs questions, and no subtask gives that")
  t.has(problems("x", {}, answer, gather), "it needs questions, which is given only by subtask 2")
  t.eq(problems("x", { gather }, answer), "", "one that is done has given it")
  t.has(problems("x", {}, gather, subtask("operator", "Read the questions aloud", { gives = { "questions" } })),
    "questions is given by subtask 1 already")
  t.has(problems("x", {}, subtask("analyst", "Think about it")), "an Analyst sees no screen")
end

-- Gather everything, one Analyst pass, one writing pass.
function tests.one_analyst_answers_all_and_one_operator_applies_all()
  local first = subtask("operator", "Gather page one", { gives = { "one" } })
  local second = subtask("operator", "Gather page two", { gives = { "two" } })
  local both = subtask("analyst", "Answer both pages", { needs = { "one", "two" }, gives = { "answers" } })
  local apply = subtask("operator", "Fill in all answers", { needs = { "answers" } })
  t.eq(problems("x", {}, first, second, both, apply), "")
  t.has(problems("x", {}, first, second, subtask("analyst", "Answer the former page", { needs = { "one" } }),
    subtask("analyst", "Answer the latter page", { needs = { "two" } })),
    "subtasks 3 and 4: gather everything first, then let one Analyst subtask answer all of it")
  t.has(problems("x", {}, first, second, both, apply, subtask("operator", "Write the answers down",
    { needs = { "answers" } })), "subtasks 4 and 5: let one Operator subtask apply all the answers")
  local further = subtask("analyst", "Compare the answers with the list", { needs = { "answers" } })
  t.eq(problems("x", {}, first, second, both, further), "", "one that builds on the other is another pass")
end

function tests.what_is_to_be_seen_in_a_terminal_is_shown_by_an_operator()
  local compute = subtask("technician", "Add up the sizes of all files", { gives = { "total" } })
  local show = subtask("operator", "Show the total in a terminal window", { needs = { "total" } })
  t.has(problems("Add up the sizes and show them in a terminal.", {}, compute), "nobody sees what a Technician does")
  t.has(problems("Print the sum in the terminal.", {}, show, compute), "it needs total, which is given only")
  t.has(problems("Print the sum in the terminal.", {}, show, compute), "nobody sees what a Technician does")
  t.eq(problems("Add up the sizes and show them in a terminal.", {}, compute, show), "")
  t.eq(problems("Add up the sizes of the files.", {}, compute), "")
end

function tests.a_plan_that_is_wrong_goes_back_with_what_is_wrong_and_nothing_of_it_is_done()
  local played = play.play { evaluator = yes, operator = function() return play.done() end,
    manager = function(request, n)
      if n == 1 then
        return play.plan(subtask("operator", "Click the button Save"), subtask("operator", "Close the window"))
      end
      t.has(play.words(request), 'subtask 1 (Click the button Save): it says how ("click")')
      return one_operator()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.result.rejected, 1)
  t.eq(#played:only "plan", 1, "a plan that was rejected is none")
  t.eq(played:only "plan"[1].subtasks[1].title, "Write the total into the note")
  local shown = {}
  for _, note in ipairs(played:only "note") do shown[#shown + 1] = note.message end
  t.has(table.concat(shown, "\n"), "plan: S1 (operator): Write the total into the note")
end

function tests.a_new_plan_keeps_what_succeeded_reassigns_and_drops()
  local played = play.play { evaluator = function(_, n)
    if n == 2 then return play.judge("no", "failed", { evidence = "The window cannot be opened at all." }) end
    return yes()
  end, operator = function() return play.done() end, technician = function(request)
    t.has(play.words(request), "DONE BEFORE:\nS1 (operator, Open the folder): All of it is there.")
    return play.done "moved 7 files"
  end,
    manager = function(request, n)
      local move = { "Move the old files", { intent = "Move all files of last year into the folder old." } }
      if n == 1 then
        return play.plan(subtask("operator", "Open the folder"), subtask("operator", table.unpack(move)),
          subtask("operator", "Write the total into the note"))
      end
      local words = play.words(request)
      t.has(words, "DONE:\nS1 (operator): Open the folder")
      t.has(words, "LEFT OF THE LAST PLAN:\nS3 (operator): Write the total into the note")
      t.has(words, "FAILED:\nS2 (operator): Move the old files FAILED: The window cannot be opened at all.")
      t.has(words, "WHY THE PLAN IS TO BE REVISED")
      return play.plan(subtask("technician", table.unpack(move)))
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local second = played:only "plan"[2]
  t.eq({ second.kept, second.dropped, second.reassigned }, { { "S1" }, { "S3" }, { "S4" } })
  t.eq({ played:subtask("S1").status, played:subtask("S2").status, played:subtask("S3").status,
    played:subtask("S4").status }, { "done", "failed", "dropped", "done" })
  t.eq({ played.run.result.replans, played.run.result.switches }, { 1, 1 })
end

function tests.what_was_left_may_go_to_another_role()
  local write = { "Write the total into the note", { intent = "Write the sum of all files into total.txt." } }
  local played = play.play { evaluator = function(_, n)
    return n == 1 and play.judge("no", "failed", { evidence = "The folder cannot be opened." }) or yes()
  end, operator = function() return play.done() end, technician = function() return play.done "42" end,
    manager = function(_, n)
      if n > 1 then return play.plan(subtask("technician", table.unpack(write))) end
      return play.plan(subtask("operator", "Open the folder"), subtask("operator", table.unpack(write)))
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local second = played:only "plan"[2]
  t.eq({ second.kept, second.dropped, second.reassigned }, { {}, {}, { "S3" } })
  t.eq(played:subtask("S2").status, "dropped", "S3 is in its place")
end

function tests.there_is_no_technician_where_no_command_may_be_run()
  for _, flags in ipairs { { ["safety.shell"] = "off" }, { ["safety.tools.deny"] = "run_command" }, {} } do
    local played = play.play({ evaluator = yes, operator = function() return play.done() end,
      manager = function() return one_operator() end }, {}, { flags = flags })
    local roles = play.tool(played.requests[1], "write_plan").parameters.properties.subtasks.items.properties.role.enum
    t.eq(roles, next(flags) and { "operator", "analyst" } or { "operator", "analyst", "technician" })
  end
end

-- Whoever made a mistake is told of it, and nobody else.
function tests.a_mistake_is_told_to_whoever_made_it()
  local played = play.play({ manager = one_operator, evaluator = yes,
    operator = function() return play.call("wait", { seconds = 900, justification = "It takes long." }) end },
    {}, { flags = { ["manager.operations"] = 2 } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.has(play.words(played:asked "operator"[2]), "WHAT WAS WRONG WITH YOUR LAST ANSWER")
  t.ok(not play.words(played:asked "evaluator"[1]):find("WHAT WAS WRONG", 1, true))
end

function tests.a_vague_task_leads_to_a_question_and_the_answer_to_the_manager()
  local played = play.play({ evaluator = yes, operator = function() return play.done() end,
    manager = function(request, n)
      if n == 1 then return play.call("ask_user", { question = "Which of the two notes is to be changed?" }) end
      t.has(play.words(request), "the blue one")
      return one_operator()
    end }, { task = "Fix the note.", ask = function(_, question)
    return question.text:find "Which of the two" and "the blue one" or nil
  end })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(#played:only "question", 1)
  t.eq(played.run.result.replans, 0, "a question is no new plan")
end

function tests.an_empty_plan_means_that_something_was_done()
  local played = play.play { evaluator = yes, operator = function() return play.done() end,
    manager = function(request, n)
      if n == 1 then return play.plan() end
      t.has(play.words(request), "an empty plan means that all is done, and nothing was done yet")
      return one_operator()
    end }
  t.eq({ played.run.outcome.status, played.run.result.rejected }, { "claimed", 1 })
end

-- --- memory and the pipeline --------------------------------------------------------------------------------

function tests.questions_are_gathered_answered_and_applied_in_order()
  local played = play.play { manager = pipeline, evaluator = yes, operator = gatherer(items),
    analyst = function(request, n)
      if n == 1 then
        local words = play.words(request)
        t.has(words, "1. q2\n  QUESTION: What is 3 times 4?\n  GUIDANCE: one letter\n  DATA: A 12\n    B 13")
        t.has(words, "2. q1\n  QUESTION: What is 5 plus 6?")
        return answers({ "q1", "B" }, { "q2", "A" })
      elseif n == 2 then
        t.has(play.words(request), "answer 1 is for q1, and the item in that place is q2")
        return answers { "q2", "A" }
      elseif n == 3 then
        t.has(play.words(request), "there is no answer for q1: answer all 2 items at once")
        return answers({ "q2", "A" }, { "q1", "B" }, { "q3", "C" })
      end
      t.has(play.words(request), "there are 3 answers for 2 items")
      return answers({ "q2", "A" }, { "q1", "B" })
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.memory:get "answers", "1. q2: A\n2. q1: B")
  t.eq(played.run.result.operations, { operator = 3, analyst = 4, technician = 0 }, "two items are one operation")
  local last = played:asked "operator"[3]
  t.has(play.words(last), "1. q2: A")
  t.has(play.words(last), "Put everything that is visible into ONE call, before you scroll")
  t.has(play.tool(last, "memorize").description, "goes into one call, before you scroll")
end

function tests.an_analyst_that_lacks_something_is_sent_back_with_what_is_missing()
  local half = { { name = "q1", question = "What is 5 plus 6?" } }
  local played = play.play({ manager = pipeline, evaluator = yes,
    operator = function(request, n)
      if n == 1 then return memorize(half) end
      if n == 3 then
        t.has(play.words(request), "STILL MISSING: q1 has no data and guidance")
        return memorize { { name = "q1", data = "A 10\nB 11", guidance = "one letter" } }
      end
      return play.done()
    end, analyst = function() return answers { "q1", "B" } end }, {}, { flags = { ["manager.operations"] = 2 } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  for i, event in ipairs(played:only "evaluation") do
    t.eq(event.because, i < 5 and "finished" or "final", "who has to add something has its answers anew")
  end
  t.eq(played:states(), "INIT PLAN ASSIGN EXECUTE CHECK ASSIGN SUPPLEMENT ASSIGN EXECUTE CHECK ASSIGN EXECUTE CHECK "
    .. "ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
  t.eq(played.run.memory:get "q1", "QUESTION: What is 5 plus 6?\nGUIDANCE: one letter\nDATA: A 10\nB 11")
end

function tests.an_operator_that_gathers_nothing_is_sent_back_and_at_last_planned_anew()
  local played = play.play({ evaluator = yes, operator = function() return play.done() end,
    manager = function(request, n)
      if n == 1 then return pipeline() end
      t.has(play.words(request), "nothing was memorized")
      return play.call("give_up", { reason = "The questions cannot be gathered by anybody here." })
    end }, {}, { flags = { ["manager.supplements"] = 2 } })
  t.eq(played.run.outcome.status, "failed")
  t.eq(#played:asked "analyst", 0, "nobody is asked who has nothing to work on")
  t.eq(played.run.result.supplements, 2)
  t.eq(played:subtask("S1").status, "failed")
end

function tests.an_analyst_may_say_itself_what_is_missing()
  local played = play.play { manager = pipeline, evaluator = yes,
    operator = function(request, n)
      if n == 1 then return memorize(items) end
      if n == 3 then
        t.has(play.words(request), "STILL MISSING: the third question of the page is missing")
        return memorize { { name = "q3", question = "What is 1 plus 1?", data = "A 2", guidance = "one letter" } }
      end
      return play.done()
    end, analyst = function(_, n)
      if n == 1 then return play.call("report_missing", { missing = "the third question of the page is missing" }) end
      return answers({ "q2", "A" }, { "q1", "B" }, { "q3", "A" })
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.memory:get "answers", "1. q2: A\n2. q1: B\n3. q3: A")
end

function tests.a_machine_calculates_for_the_analyst()
  local played = play.play { manager = pipeline, evaluator = yes, operator = gatherer(items),
    analyst = function(request, n)
      if n == 1 then
        return play.call("calculate", { expressions = json.list { "3 * 4", "days(2026-02-27, 2026-03-01)" } })
      end
      local said = request.messages[#request.messages].content
      t.has(type(said) == "string" and said or json.encode(said), "days(2026-02-27, 2026-03-01) = 2")
      return answers({ "q2", "A" }, { "q1", "B" })
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(#played:only "lookup", 1)
end

-- --- what each is sent --------------------------------------------------------------------------------------

-- Nobody but the Operator is offered anything that acts on the desktop, whatever tools.offer says.
-- Pictures go to those alone that look.
function tests.who_does_not_see_is_sent_no_picture_and_who_does_not_act_no_tool_that_acts()
  local played = play.play({ evaluator = yes, operator = gatherer(items),
    technician = function() return play.done "7" end,
    analyst = function() return answers({ "q2", "A" }, { "q1", "B" }) end, manager = function()
      return play.plan(subtask("operator", "Gather the questions", { gives = { "questions" } }),
        subtask("analyst", "Answer the questions", { needs = { "questions" }, gives = { "answers" } }),
        subtask("technician", "Count the files", { gives = { "number" } }))
    end }, {}, { flags = { ["tools.offer"] = "look_closely,click_element,open_app,run_command" } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local sent = { manager = {}, operator = {}, analyst = {}, technician = {}, evaluator = {} }
  for i, request in ipairs(played.requests) do
    local who = play.persona(request)
    sent[who].tools, sent[who].pictures = play.tools(request), play.pictures(request)
    if who == "analyst" or who == "technician" then
      t.ok(not played.bodies[i]:find("image", 1, true), who .. ": no picture in any form")
      t.ok(not played.bodies[i]:find("SCREEN:", 1, true), who .. ": nothing of the screen")
    end
  end
  t.eq(sent.analyst, { tools = "answer calculate recall report_missing subtask_failed", pictures = 0 })
  t.eq(sent.technician, { tools = "recall remember run_command subtask_done subtask_failed", pictures = 0 })
  t.eq(sent.evaluator, { tools = "browser_read judge look_closely recall", pictures = 1 })
  t.eq(sent.manager, { tools = "ask_user give_up write_plan", pictures = 1 })
  local _, lists = play.words(played:asked "manager"[1]):gsub("Give it a subtask when\n%- ", "")
  t.eq(lists, 3, "when which role is right")
  t.has(play.words(played:asked "manager"[1]), "5 to 15 operations of an Operator, 3 to 10 commands of a Technician")
  t.eq(sent.operator.pictures, 1)
  for _, name in ipairs { "click_element", "drag_element", "type_text", "browser_open" } do
    t.has(sent.operator.tools, name)
  end
  t.has(sent.operator.tools, "memorize")
  t.has(sent.operator.tools, " recall ")
  t.ok(not sent.operator.tools:find "report_completion", "only the Evaluator's word ends it")
end

-- A tool that is not offered is not done, by whomever it is called for.
function tests.what_is_not_offered_is_not_done()
  local played = play.play { evaluator = function(_, n)
    if n == 1 then return play.call("click_element", { label = "OK", position = json.list { 1, 1 } }) end
    return yes()
  end, operator = gatherer(items), manager = pipeline, analyst = function(_, n)
    if n == 1 then return play.call("press_key", { key = "a" }) end
    return answers({ "q2", "A" }, { "q1", "B" })
  end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq({ #played:asked "analyst", #played:asked "evaluator" }, { 2, 5 }, "each was asked once more")
  for _, event in ipairs(played:only "action") do
    t.ok(event.rejected or event.tool == "memorize", "nothing else was begun")
  end
end

-- --- the Evaluator ------------------------------------------------------------------------------------------

function tests.three_equal_actions_bring_the_evaluator()
  local played = play.play { manager = one_operator,
    operator = function(_, n) return n <= 6 and play.wait() or play.done() end,
    evaluator = function(request, n)
      if n <= 2 then
        t.has(play.words(request), "The worker does the same again and again")
        return play.judge("no", "go_on", { missing = "the total stands nowhere yet" })
      end
      return yes()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played:states(), "INIT PLAN ASSIGN EXECUTE CHECK EXECUTE CHECK EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
  t.has(play.words(played:asked "operator"[4]), "THE EVALUATOR SAYS: the total stands nowhere yet")
  local because = {}
  for i, event in ipairs(played:only "evaluation") do because[i] = event.because end
  t.eq(because, { "repeating", "repeating", "finished", "final" })
end

function tests.a_judgement_that_contradicts_itself_is_none()
  local wrong = { play.judge("unknown", "done"), play.judge("yes", "failed"), play.judge("no", "supplement"),
    play.judge("yes", "done", { evidence = "ok" }) }
  local played = play.play { manager = one_operator, operator = function() return play.done() end,
    evaluator = function(_, n) return wrong[n] or yes() end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq({ #played:only "evaluation", #played:asked "evaluator" }, { 2, 6 }, "nor is one without evidence")
  t.has(play.words(played:asked "evaluator"[2]), "the decision done needs the answer yes, and the answer was unknown")
end

function tests.what_the_evaluator_misses_is_added_by_the_same_worker()
  local played = play.play { manager = one_operator,
    operator = function(request, n)
      if n == 2 then t.has(play.words(request), "STILL MISSING: the currency") end
      return play.done()
    end, evaluator = function(_, n)
      return n == 1 and play.judge("no", "supplement", { missing = "the currency" }) or yes()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played:states(), "INIT PLAN ASSIGN EXECUTE CHECK SUPPLEMENT ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
end

function tests.an_evaluator_that_says_no_at_the_end_has_the_manager_plan_again()
  local played = play.play { operator = function() return play.done() end,
    manager = function(request, n)
      if n == 1 then return one_operator() end
      t.has(play.words(request), "the task is not done: The second page is empty.")
      return play.plan(subtask("operator", "Fill in the second page"))
    end, evaluator = function(_, n)
      return n == 2 and play.judge("no", "failed", { evidence = "The second page is empty." }) or yes()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.result.replans, 1)
end

-- --- the end ------------------------------------------------------------------------------------------------

function tests.the_missions_own_check_decides()
  local asked = 0
  local played = play.play({ manager = function(request, n)
    if n > 1 then t.has(play.words(request), "not yet, says the world") end
    return play.plan(subtask("operator", "Work on page " .. n))
  end, evaluator = yes, operator = function() return play.done() end }, { verify = function(m)
    asked = asked + 1
    return #m.history.actions >= 0 and asked > 4, "not yet, says the world"
  end })
  t.eq(played.run.outcome.status, "succeeded", played.run.outcome.reason)
  t.ok(played.run.result.replans >= 1, "a claim that the world denies is planned for")
end

-- --- limits ---------------------------------------------------------------------------------------------------

local ends = play.ends

function tests.the_roles_change_only_so_often()
  local played = play.play({ manager = function()
    local list = {}
    for i = 1, 8 do list[i] = subtask(i % 2 == 0 and "operator" or "technician", "Work on page " .. i) end
    return play.plan(table.unpack(list))
  end, operator = function() return play.done() end, technician = function() return play.done() end, evaluator = yes },
    {}, { flags = { ["manager.switches"] = 3 } })
  ends(played, "failed", "from one role to another 3 times already (manager.switches)")
end

local function one_technician() return play.plan(subtask("technician", "Count the files")) end

function tests.a_technician_has_so_many_commands_and_an_operator_so_many_actions()
  local roles = { technician = { one_technician, 12, "commands" }, operator = { one_operator, 20, "operations" } }
  for role, expected in pairs(roles) do
    local played = play.play({ manager = expected[1], [role] = function(_, n)
      return play.call(role == "operator" and "memorize" or "remember", role == "operator" and { items = json.list {
        { name = "q" .. n, question = "?" } } } or { values = json.list { { name = "v" .. n, value = "1" } } })
    end, evaluator = function(request)
      t.has(play.words(request), ("%d answers of the %s are used up (manager.%s)"):format(expected[2], role,
        expected[3]))
      return play.judge("no", "failed")
    end }, {}, { flags = { ["manager.replans"] = 0 } })
    ends(played, "failed", "manager.replans")
    t.eq(#played:asked(role), expected[2])
  end
end

function tests.a_technician_and_the_evaluator_are_told_what_commands_have_brought()
  local played = play.play({ manager = one_technician, technician = function(request, n)
    if n == 1 then
      t.has(play.words(request), "no command was run yet")
      return play.call("run_command", { command = "echo seven", justification = "It counts the files of the folder." })
    end
    t.has(play.words(request), "$ echo seven")
    t.has(play.words(request), "stdout:\nseven")
    return play.done "7"
  end, evaluator = function(request, n)
    if n == 1 then t.has(play.words(request), "$ echo seven") end
    return yes()
  end }, {}, { flags = { ["safety.shell"] = "allow-list", ["safety.shell_allow"] = "echo seven" } })
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
end

function tests.a_subtask_has_its_time()
  local played = play.play({ manager = one_operator, operator = function() return play.wait(1.2) end,
    evaluator = function(request)
      t.has(play.words(request), "1 seconds are used up (manager.seconds)")
      return play.judge("no", "failed")
    end }, {}, { flags = { ["manager.seconds"] = 1, ["manager.replans"] = 0 } })
  ends(played, "failed", "manager.replans")
  t.eq(#played:asked "operator", 1)
end

function tests.the_time_of_a_subtask_is_that_of_all_its_answers()
  local played = play.play({ manager = one_operator, operator = function() return play.wait(0.6) end,
    evaluator = function(request)
      t.has(play.words(request), "1 seconds are used up (manager.seconds)")
      return play.judge("no", "failed")
    end }, {}, { flags = { ["manager.seconds"] = 1, ["manager.replans"] = 0 } })
  ends(played, "failed", "manager.replans")
end

-- --- the Controller -----------------------------------------------------------------------------------------

function tests.every_trigger_leads_to_a_state_and_every_state_to_the_end()
  local reached, todo = { INIT = true }, { "INIT" }
  while #todo > 0 do
    for _, to in pairs(controller.transitions[table.remove(todo)] or {}) do
      t.ok(to == "DONE" or controller.transitions[to], to)
      if not reached[to] then table.insert(todo, to) end
      reached[to] = true
    end
  end
  for state in pairs(controller.transitions) do t.ok(reached[state], state .. " is reached") end
  t.ok(reached.DONE)
end

-- The journal has the state after every transition, so that a killed run goes on from it.
function tests.the_state_is_kept_after_every_transition()
  local played = play.play { manager = pipeline, evaluator = yes, operator = gatherer(items),
    analyst = function() return answers({ "q2", "A" }, { "q1", "B" }) end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  local now, changes, kept = nil, 0, 0
  for _, event in ipairs(played.events) do
    if event.event == "phase_change" and event.to ~= "INIT" then
      now, changes = event.to, changes + 1
    elseif event.event == "state" and now then
      t.eq(event.set.name, now, "the state that was entered")
      now, kept = nil, kept + 1
    end
  end
  t.eq(kept, changes)
  t.ok(kept > 10, kept)
end

return tests
