--- Who answers questions at the command line: a person at the terminal, and a file of answers (--answers).
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local glob = require "deskpilot.base.glob"
local platform = require "deskpilot.desk.platform"
local questions = require "deskpilot.agent.questions"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local asking = {}

local function put(words)
  terminal.note(words)
  io.stderr:flush()
end

-- A person sits there if both the question and the answer go by a terminal, and it is ours to read.
local function somebody_is_there()
  return uv.guess_handle(0) == "tty" and uv.guess_handle(2) == "tty" and platform.in_foreground()
end

local function show(question)
  local lines = { "? " .. terminal.line(question.text) }
  for i, option in ipairs(question.options or {}) do
    lines[#lines + 1] = ("    %d  %s"):format(i, terminal.line(option))
  end
  put(table.concat(lines, "\n") .. "\n")
end

local function prompt(question)
  local enter = question.default and "Enter: " .. text.cut(terminal.line(question.default), 60) or "Enter: no answer"
  put(("  answer (%s%s; %g s): "):format(question.options and "number or text; " or "", enter, question.seconds))
end

-- The next line that is typed, nil at the end of the input. The terminal itself edits it.
local function read_line(tty)
  local typed = ""
  while not typed:find("\n", 1, true) do
    local bytes = task.await(function(done)
      tty:read_start(function(err, data)
        tty:read_stop()
        done(not err and data or nil)
      end)
      return function() tty:read_stop() end
    end)
    if not bytes then return nil end
    typed = typed .. bytes
  end
  return typed:match("^([^\r\n]*)")
end

-- Asks until an answer fits.
local function converse(question, tty)
  while true do
    local line = read_line(tty)
    if not line or not line:find "%S" then
      if line and question.default then return question.default end
      if not line then put "\n" end
      return errors.fail("refused", "the person gave no answer")
    end
    -- A terminal in another encoding may send what is no text.
    local answer = utf8.len(line) and questions.choose(question, line)
    if answer then return answer end
    put(utf8.len(line) and "  that is none of the options\n" or "  that is not UTF-8\n")
    prompt(question)
  end
end

local function ask_at_terminal(_, question)
  if not somebody_is_there() then return errors.fail("unavailable", "nobody is at a terminal to answer") end
  show(question)
  system.discard_input() -- what was typed before the question was seen is no answer to it
  local tty, why = uv.new_tty(0, true)
  if not tty then return errors.fail("unavailable", "the terminal cannot be read: %s", tostring(why)) end
  local over = false
  local closing <close> = setmetatable({}, { __close = function()
    if not over then put "\n" end -- Ctrl+C
    if not tty:is_closing() then tty:close() end
  end })
  assert(closing)
  prompt(question)
  local in_time, answer, err = task.limit(question.seconds, function()
    task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
    return converse(question, tty)
  end)
  over = true
  if in_time then return answer, err end
  if not errors.is(answer, "timed_out") then error(answer, 0) end
  put "\n"
  system.discard_input()
  return errors.fail("timed_out", "nobody has answered within %g s", question.seconds)
end

--- The person at the terminal.
---@type deskpilot.answerer
asking.person = { name = "a person", ask = ask_at_terminal }

local function read_rules(words, name)
  local rules, number = {}, 0
  for line in text.lines(words) do
    number = number + 1
    if line:find "%S" and not line:find "^%s*#" then
      local pattern, answer = line:match "^([^=]*)=(.*)$"
      if not pattern or not pattern:find "%S" then
        return errors.fail("invalid", "%s", ("%s:%d: a line is QUESTION = ANSWER, where * in the question stands for "
          .. "anything"):format(name, number))
      end
      rules[#rules + 1] = { pattern = text.one_line(pattern), answer = text.trim(answer) }
    end
  end
  return rules
end

--- Who answers from a file: lines QUESTION = ANSWER, of which the first that fits counts. In the question * stands for
--- anything, and the case does not matter; no answer after the = means that nobody is to be asked. Empty lines and
--- lines that begin with # say nothing.
---@param path string
---@return deskpilot.answerer? answerer, deskpilot.error? err
function asking.file(path)
  local words, err = files.read(path, 1 << 20)
  if not words then return nil, err end
  if not utf8.len(words) then return errors.fail("invalid", "%s is not UTF-8", path) end
  local rules, problem = read_rules(words, path)
  if not rules then return nil, problem end
  local name = "the file " .. path
  return { name = name, ask = function(_, question)
    local asked = text.one_line(question.text)
    for _, rule in ipairs(rules) do
      if glob.matches(rule.pattern, asked) then
        if rule.answer ~= "" then return rule.answer end
        return errors.fail("refused", "%s has no answer to this", name)
      end
    end
  end }
end

return asking
