--- What the Analyst of the policy manager works on: what others have gathered for its subtask, all of it, and nothing
--- else. On a desktop that is only imagined.
local t = require "harness"
local json = require "deskpilot.base.json"
local play = require "manager_play"

local tests = {}

local subtask, yes = play.subtask, play.yes

local memorize, gatherer, item, answer = play.memorize, play.gatherer, play.item, play.answer

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

local function named(name) return { name = name, question = "What?", data = "A 1", guidance = "one letter" } end

-- What other subtasks have gathered, and what one has that was given up, is none of the Analyst's business.
function tests.an_analyst_works_on_what_its_subtask_needs()
  local played = play.play { manager = function(_, n)
    return play.plan(subtask("operator", n == 1 and "Gather the question" or "Find the question again",
      { gives = { "questions" } }), subtask("operator", "Gather the weather", { gives = { "weather" } }),
      subtask("analyst", "Answer the question", { needs = { "questions" }, gives = { "answers" } }))
  end, operator = function(_, n)
    local steps = { memorize { named "old" }, play.call("subtask_failed", { reason = "The page has gone away." }),
      memorize { item }, play.done(), memorize { named "sun" }, play.done() }
    return steps[n]
  end, evaluator = function(_, n) return n == 1 and play.judge("no", "failed") or yes() end,
    analyst = function(request)
      t.has(play.words(request), "GATHERED:\n1. q1\n")
      for _, name in ipairs { "old", "sun" } do t.ok(not play.words(request):find("%d%. " .. name .. "\n"), name) end
      return answer()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.memory:get "answers", "1. q1: B")
end

function tests.what_an_answer_lacks_is_gathered_by_who_sees_the_page()
  local played = play.play { manager = play.pipeline, operator = gatherer { item }, analyst = answer,
    evaluator = function(_, n)
      return n == 2 and play.judge("no", "supplement", { missing = "the options C and D" }) or yes()
    end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq({ played:subtask("S1").supplements, played:subtask("S2").supplements }, { 1, 0 })
  t.has(play.words(played:asked "operator"[3]), "STILL MISSING: the options C and D")
  t.eq(#played:asked "analyst", 2, "and then it is answered again")
end

-- An item that is too long does not take those beside it with it.
function tests.what_could_be_memorized_is_there_for_the_analyst()
  local long = { name = "q2", question = "What is it?", data = ("x"):rep(5000), guidance = "one letter" }
  local short = { name = "q2", question = "What is it?", data = "A 1", guidance = "one letter" }
  local played = play.play { manager = play.pipeline, evaluator = yes, operator = function(request, n)
    if n == 1 then return memorize { item, long } end
    if n == 2 then t.has(play.words(request), "memorized q1") end
    return n == 2 and memorize { short } or play.done()
  end, analyst = function(request)
    t.has(play.words(request), "1. q1\n  QUESTION: What is 5 plus 6?")
    t.has(play.words(request), "2. q2\n  QUESTION: What is it?")
    return play.call("answer", { answers = json.list { { item = "q1", how = "11 is B", answer = "B" },
      { item = "q2", how = "1 is A", answer = "A" } } })
  end }
  t.eq(played.run.outcome.status, "claimed", played.run.outcome.reason)
  t.eq(played.run.memory:get "answers", "1. q1: B\n2. q2: A")
end

return tests
