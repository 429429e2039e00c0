-- A quiz in a browser, with figures that are others in every run: an Operator gathers the questions, an Analyst answers
-- them, an Operator fills in the answer sheet. The mark is the quiz's own. It needs a language model that sees.
local json = require "deskpilot.base.json"
local paper = require "quiz.paper"

local quiz

---@type deskpilot.mission
return {
  task = [[
Take the quiz that is open in the browser. Its six questions are on two pages. Answer all of them on the answer sheet,
in the form that each question asks for, and hand it in once.]],
  policy = "manager",
  desktop = { kind = "private", size = { 1280, 800 } },
  limits = { turns = 120, seconds = 900 },
  before_run = function(m)
    quiz = paper.start()
    m:on_close(quiz.stop)
    assert(m.desk.browser.start { url = quiz.url .. "/" })
  end,
  after_run = function(m)
    if quiz then assert(m.dir:save_json("quiz.json", { questions = quiz.questions, record = quiz.record })) end
  end,
  verify = function(m)
    local sheet = quiz.record.sheets[1]
    if not sheet then return false, "nothing was handed in yet" end
    return m.checks.verdict(sheet.right == #quiz.questions and "yes" or "no", ("the quiz's mark is %d of %d, for the "
      .. "answers %s"):format(sheet.right, #quiz.questions, json.encode(sheet.answers)))
  end,
}
