--- Questions to a person and consent for dangerous tools, in real runs on the imagined desktop; the file of answers.
local t = require "harness"
local asking = require "deskpilot.cli.asking"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local null_run = require "null_run"
local questions = require "deskpilot.agent.questions"
local spawn = require "spawn"

local tests = {}

-- A run whose script asks that; what question() gave, and the run with its events.
local function ask(question, options)
  options = options or {}
  local got
  local run, events = null_run.play({ ask = options.hook, run = function(m)
    m.answerers = options.answerers
    got = table.pack(m:question(question))
  end })
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  return got, events, run
end

local function somebody(answer, err)
  return { name = "a person", ask = function() return answer, err end }
end

function tests.the_hook_is_asked_before_people()
  local heard
  local got, events, run = ask({ text = "Which folder?", options = { "Pictures", "Music" } }, {
    hook = function(_, question)
      heard = { question.text, question.options, question.seconds }
      return "pictures"
    end,
    answerers = { { name = "nobody", ask = function() error "is not to be asked" end } } })
  t.eq({ got[1], got[2] }, { "Pictures", "the mission's hook" })
  t.eq(heard, { "Which folder?", { "Pictures", "Music" }, 120 })
  local answer = null_run.only(events, "answer")[1]
  t.eq({ answer.text, answer.answer, answer.by }, { "Which folder?", "Pictures", "the mission's hook" })
  t.has(run.history:answers(), 'asked a person "Which folder?"; the answer (the mission\'s hook): "Pictures"')
end

function tests.a_hook_may_refuse_for_everybody()
  local got, events = ask({ text = "Which?", default = "that" }, { hook = function() return false, "not today" end,
    answerers = { { name = "nobody", ask = function() error "is not to be asked" end } } })
  t.eq({ got[1], got[2] }, { "that", "the default" })
  t.eq(null_run.only(events, "answer")[1].why, "not today")
end

function tests.answers_that_do_not_fit_go_to_the_next()
  local got, events = ask({ text = "Which?", options = { "a", "b" } }, { hook = function() return "c" end,
    answerers = { somebody "x", somebody "2" } })
  t.eq({ got[1], got[2] }, { "b", "a person" })
  t.has(null_run.only(events, "note")[1].message, 'the answer "c" of the mission\'s hook is none of the options')
end

function tests.without_anybody_there_is_the_default_or_nothing()
  local got, events, run = ask { text = "Which?" }
  t.eq(got[1], nil)
  t.eq(got[2].code, "unavailable")
  t.eq(null_run.only(events, "answer")[1].code, "unavailable")
  t.has(run.history:answers(), 'asked a person "Which?"; no answer: nobody is there to answer')
  got = ask { text = "Which?", default = " this " }
  t.eq({ got[1], got[2] }, { "this", "the default" })
  got = ask({ text = "Which?" }, { answerers = { somebody(nil, errors.new("timed_out", "too slow")) } })
  t.eq({ got[1], got[2].code }, { nil, "timed_out" })
end

function tests.a_policy_has_a_rule_for_when_nobody_answers()
  local got
  local run = null_run.play({ task = "T", limits = { turns = 1 } }, { turn = function(run)
    run.goal.rule = function(_, question) return question.options[2] end
    got = table.pack(run:question { text = "Which?", options = { "a", "b" }, default = "a" })
  end })
  t.eq({ got[1], got[2] }, { "b", "the policy's rule" })
  t.ok(run.outcome)
end

function tests.wrong_questions_are_the_callers_mistake()
  for part, question in pairs { ["needs a text"] = { text = " " }, ["seconds"] = { text = "x", seconds = 0 },
    ["2 to 20 texts"] = { text = "x", options = { "a" } }, ["is there twice"] = { text = "x", options = { "a", "A" } },
    ["one of the options"] = { text = "x", options = { "a", "b" }, default = "c" } } do
    t.has(tostring(questions.problem(question)), part)
  end
  t.raises("needs a text", questions.ask, {}, {})
end

function tests.an_option_is_meant_by_name_number_or_beginning()
  local question = { text = "?", options = { "10", "2", "yes", "yes, all", "Größe" } }
  for said, want in pairs { ["10"] = "10", ["2"] = "2", ["3"] = "yes", yes = "yes", ["YES,"] = "yes, all", ye = false,
    ["6"] = false, [""] = false, gr = "Größe", [" no "] = false, ["0"] = false } do
    t.eq(questions.choose(question, said) or false, want, said)
  end
end

-- --- consent --------------------------------------------------------------------------------------------------

local deleting = [[
return { api = 1, name = "delete_file", description = "Deletes.", acts = false,
  parameters = { type = "object", properties = { path = { type = "string" } }, required = { "path" } },
  dangerous = %s,
  run = function(_, args) return "deleted " .. args.path end }
]]

local function delete(dangerous, hook)
  local result
  local run, events = null_run.play({ ask = hook, run = function(m)
    m.toolbox = m.toolbox:with { load(deleting:format(dangerous))() }
    result = m:act { tool = "delete_file", args = { path = "a\27[2Jb" }, why = "it is old" }
  end })
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
  return result, events
end

function tests.a_dangerous_tool_asks_first()
  local asked
  local result, events = delete("true", function(_, question)
    asked = question
    return "y"
  end)
  t.eq({ result.ok, result.text }, { true, "deleted a\27[2Jb" })
  t.has(asked.text, "Allow this: delete_file")
  t.has(asked.text, "it is old")
  t.ok(asked.consent)
  t.eq(null_run.only(events, "answer")[1].answer, "yes")
  result = delete("true", function() return "no" end)
  t.eq({ result.ok, result.code }, { false, "refused" })
  t.has(result.text, "a person does not allow this")
  result = delete("true")
  t.eq({ result.ok, result.code }, { false, "refused" })
  t.has(result.text, "nobody has allowed this")
  t.eq(delete("function(args) return #args.path > 100 end").ok, true)
  t.eq(delete("function(args) error 'cannot tell' end").code, "refused", "what cannot be told is dangerous")
end

function tests.consent_is_no_policys_business()
  local allowed, err
  null_run.play({ task = "T", limits = { turns = 1 } }, { turn = function(run)
    run.goal.rule = function() return "yes" end
    allowed, err = run:consent { what = "format the disk" }
  end })
  t.fails("refused", "nobody has allowed this: format the disk", allowed, err)
end

-- --- the tool -------------------------------------------------------------------------------------------------

function tests.agents_ask_by_a_tool_that_is_offered_to_nobody_unasked()
  local results = {}
  null_run.play({ ask = function(_, question) return question.text == "Which?" and "2" or nil end, run = function(m)
    t.ok(not (" " .. table.concat(m.toolbox:names(), " ") .. " "):find " ask_user ")
    for _, args in ipairs { { question = "Which?", options = { "a", "b" } }, { question = "Who?" },
      { question = "Who?", default = "me" }, { question = "x", options = { "a", "b" }, default = "c" },
      { question = "x" } } do
      results[#results + 1] = m:act { tool = "ask_user", args = args }
    end
  end }, { flags = { ["ask_user.most"] = 3 } })
  t.eq({ results[1].ok, results[1].text }, { true, "the mission's hook answered: b" })
  t.eq({ results[2].ok, results[2].code }, { false, "unavailable" })
  t.eq(results[3].text, "the default answered: me")
  t.has(results[4].text, "default must be one of the options")
  t.has(results[5].text, "3 questions were asked, and there are no more")
end

-- --- the file of answers --------------------------------------------------------------------------------------

local function answers(words)
  local folder = spawn.folder()
  local path = folder .. "/answers.txt"
  assert(files.write(path, words))
  local answerer, err = asking.file(path)
  files.remove(folder)
  return answerer, err
end

function tests.a_file_answers_by_patterns()
  local file = t.ok(answers "# of rename\r\n\r\nWhich folder* = /home/ann = x\r\n  a+b? =  yes \nsecret* =\n* = else\n")
  local function said(question) return file.ask(nil, { text = question }) end
  t.eq(said "which FOLDER\nis meant?", "/home/ann = x")
  t.eq(said "A+B?", "yes")
  t.eq(said "aab?", "else")
  local none, err = said "secret thing?"
  t.fails("refused", "has no answer to this", none, err)
  t.fails("invalid", "answers.txt:2: a line is QUESTION = ANSWER", answers "a = b\nwhat?\n")
  t.fails("invalid", "is not UTF-8", answers "a = \xff\n")
  t.fails("not_found", "cannot read", asking.file "/nowhere/answers.txt")
end

return tests
