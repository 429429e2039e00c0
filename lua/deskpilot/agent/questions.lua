--- Questions to a person, and consent for what is dangerous. Whoever can answer is asked in this order, until somebody
--- does: the mission's hook `ask`, then run.answerers (the file of --answers, the terminal); where nobody has answered,
--- the policy's own rule, and at last the default. Consent is given by people alone: no rule and no default stands in
--- for them.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local questions = {}

local seconds_given = 120
local longest = { text = 2000, option = 200, answer = 4000 } -- characters
local most_options = 20

---@class deskpilot.question
---@field text string what is asked
---@field options string[]? the answers to choose from; without them any text is an answer
---@field default string? what counts as the answer where nobody gives one
---@field seconds number? how long a person may take; 120

--- Somebody who may answer.
---@class deskpilot.answerer
---@field name string in the journal, such as "a person"
---@field ask fun(run: deskpilot.run, question: deskpilot.question): string?, deskpilot.error? may wait

--- The events, as their declaration has them.
questions.events = {
  { name = "question", about = "A person is asked; the mission's hook `ask` may answer.", fields = {
    { "text", "string", "what is asked" },
    { "options?", { type = "array", items = { type = "string" } }, "the answers to choose from" },
    { "default?", "string", "what counts where nobody answers" },
    { "seconds", "number", "how long a person may take" },
    { "consent?", "boolean", "whether something dangerous is to be allowed" },
    { "answer?", "string", "of a hook" },
    { "answered_by?", "string", "which listener" },
    { "veto?", "string", "why nobody is to be asked" },
  } },
  { name = "answer", about = "What came of a question.", fields = {
    { "text", "string", "what was asked" },
    { "answer?", "string", "missing where there is none" },
    { "by?", "string", "who gave it" },
    { "why?", "string", "why nobody has answered, also where a rule or the default did in their place" },
    { "code?", "string", "of that error" },
    { "seconds", "number", "that it took" },
    { "consent?", "boolean", "as in the question" },
  } },
}

local function list_problem(options)
  if type(options) ~= "table" or #options < 2 or #options > most_options then
    return ("options must be a list of 2 to %d texts"):format(most_options)
  end
  local seen = {}
  for _, option in ipairs(options) do
    if type(option) ~= "string" or not option:find "%S" or #option > 4 * longest.option then
      return ("each option must be a text of at most %d characters"):format(longest.option)
    end
    local key = text.one_line(option):lower()
    if seen[key] then return ("the option %q is there twice"):format(option) end
    seen[key] = true
  end
end

--- What is wrong with a question, nil where nothing is.
---@param question any
---@return string?
function questions.problem(question)
  if type(question) ~= "table" or type(question.text) ~= "string" or not question.text:find "%S" then
    return "a question needs a text"
  end
  local problem = question.options ~= nil and list_problem(question.options) or nil
  if problem then return problem end
  local default, seconds = question.default, question.seconds
  if default ~= nil and (type(default) ~= "string" or not questions.choose(question, default)) then
    return question.options and "default must be one of the options" or "default must be a text"
  end
  if seconds ~= nil and (type(seconds) ~= "number" or not (seconds > 0 and seconds <= 86400)) then
    return "seconds must be a number above 0, at most a day"
  end
end

-- The options that a word may mean: the one that it is, else those that begin with it.
local function meant(options, word)
  local found = {}
  for _, option in ipairs(options) do
    local name = text.one_line(option):lower()
    if name == word then return { option } end
    if name:sub(1, #word) == word then found[#found + 1] = option end
  end
  return found
end

--- The answer that some words give: any text; or of the options the one of that name, number or unmistakable beginning.
---@param question deskpilot.question
---@param words string
---@return string? answer nil where they are none
function questions.choose(question, words)
  local said = text.trim(words)
  if said == "" then return nil end
  if not question.options then return text.cut(said, longest.answer) end
  local found = meant(question.options, text.one_line(said):lower())
  if #found == 1 then return found[1] end
  return question.options[math.tointeger(tonumber(said:match "^%d+$"))]
end

-- An answer of somebody's who need not know what fits.
local function checked(question, words, who)
  local answer = questions.choose(question, tostring(words))
  if answer then return answer end
  return errors.fail("invalid", "%s", ("the answer %q of %s is none of the options"):format(
    text.cut(tostring(words), 100), who))
end

-- Asks those who may answer, one after another. The most telling failure is that of the last who was there.
local function ask_people(run, event, question)
  local failure = errors.new("unavailable", "nobody is there to answer")
  if event.veto then return nil, nil, errors.new("refused", "%s", event.veto) end
  if event.answer ~= nil then
    local answer, err = checked(question, event.answer, event.answered_by)
    if answer then return answer, event.answered_by end
    failure = err
    run:note(err)
  end
  for _, answerer in ipairs(run.answerers or {}) do
    local answer, err = answerer.ask(run, question)
    if answer then answer, err = checked(question, answer, answerer.name) end
    if answer then return answer, answerer.name end
    failure = err or failure
    if err and err.code == "invalid" then run:note(err) end
    if err and err.code == "refused" then break end -- a person was there, and will not answer
  end
  return nil, nil, failure
end

-- What stands in for people.
local function fall_back(run, question)
  local rule = run.goal.rule
  if rule then
    local words = rule(run, question)
    local answer = words ~= nil and questions.choose(question, tostring(words))
    if answer then return answer, "the policy's rule" end
  end
  if question.default then return questions.choose(question, question.default), "the default" end
end

-- The next request to a model has it.
local function remember(run, question, answer, by, why)
  local asked = ("asked a person %s"):format(json.encode(text.cut(text.one_line(question.text), 300)))
  local came = answer and ("the answer (%s): %s"):format(by, json.encode(text.cut(text.one_line(answer), 1000)))
    or ("no answer: %s"):format(tostring(why))
  run.history:add(run.turn, "answer", asked .. "; " .. came)
end

local function copy_of(question, consent)
  return { text = text.cut(question.text, longest.text), options = question.options, default = question.default,
    seconds = question.seconds or seconds_given, consent = consent or nil }
end

--- Asks, and waits for the answer.
---@param run deskpilot.run
---@param question deskpilot.question
---@param consent boolean? only people may answer
---@return string? answer nil where there is none
---@return string|deskpilot.error by who gave it; or why nobody did: code "unavailable" where nobody is there,
---  "timed_out", "refused" by whoever was asked
function questions.ask(run, question, consent)
  local problem = questions.problem(question)
  if problem then error("question: " .. problem, 3) end
  local began = task.now()
  local event = run:emit("question", copy_of(question, consent))
  local asked = copy_of(question, consent)
  local answer, by, why = ask_people(run, event, asked)
  if not answer and not consent then answer, by = fall_back(run, asked) end
  run:emit("answer", { text = asked.text, answer = answer, by = by, why = why and tostring(why),
    code = why and why.code, seconds = task.now() - began, consent = consent or nil })
  if not consent then remember(run, asked, answer, by, why) end
  if answer then return answer, by end
  return nil, why
end

--- Asks whether something dangerous may be done. Only a "yes" of a person (a hook and the file of --answers count as
--- such) allows it.
---@param run deskpilot.run
---@param wanted { what: string, why: string?, seconds: number?, always: boolean? } what: "delete 3 files"; why: the
---  reason given for it; always: whether a person may answer "always" too
---@return boolean|"always"|nil allowed, deskpilot.error? err code "refused"
function questions.consent(run, wanted)
  if type(wanted) ~= "table" or type(wanted.what) ~= "string" then error("consent needs `what` is to be done", 3) end
  local what = text.cut(text.one_line(wanted.what), 1600)
  local why = wanted.why and text.one_line(wanted.why) or ""
  local answer, err = questions.ask(run, { text = ("Allow this: %s?%s"):format(what, why ~= ""
    and (" (Reason given: %s)"):format(text.cut(why, 400)) or ""),
    options = { "yes", "no", wanted.always and "always" or nil }, seconds = wanted.seconds }, true)
  if answer == "yes" then return true end
  if answer == "always" then return "always" end
  return errors.fail("refused", "%s", answer and "a person does not allow this: " .. what
    or ("nobody has allowed this: %s (%s)"):format(what, tostring(err)))
end

-- Whether a tool says that a call is dangerous. Where it cannot tell, it is.
local function is_dangerous(tool, args, config)
  if type(tool.dangerous) ~= "function" then return tool.dangerous end
  local ok, said = pcall(tool.dangerous, args, config)
  return not ok or said
end

--- Whether a call may be done: one of a dangerous tool needs consent.
---@param run deskpilot.run
---@param name string
---@param args table
---@param why string? what it is for
---@return boolean? allowed, deskpilot.error? err code "refused"
function questions.allow_call(run, name, args, why)
  local tool = run.toolbox:get(name)
  if not tool or not is_dangerous(tool, args, run.config) then return true end
  local shown = {}
  for key, value in pairs(args) do
    if key ~= "justification" then shown[key] = value end
  end
  local reason = type(args.justification) == "string" and args.justification or why
  return questions.consent(run, { what = name .. " " .. json.encode(shown), why = reason })
end

return questions
