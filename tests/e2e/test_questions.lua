--- Questions as a person meets them: at a terminal, while a run on a private desktop goes on.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local terminal = require "terminal"

local tests = {}

local program = files.absolute(spawn.program)

-- A script that asks, and says what came of it.
local mission = [[
local function said(m, question)
  local answer, by = m:question(question)
  m:note(("got %%s of %%s"):format(answer, type(by) == "table" and by.code or by))
  return answer
end
return { desktop = { kind = "private", size = { 640, 480 } }, run = function(m)
  %s
end }]]

local function events_of(folder)
  local runs = files.join(folder, "runs")
  return assert(journal.read(files.join(runs, files.list(runs)[1])))
end

local function answers(folder)
  local list = {}
  for _, event in ipairs(events_of(folder)) do
    if event.event == "answer" then list[#list + 1] = { event.answer or event.code, event.by } end
  end
  return list
end

-- The run as a job of its own, so that Ctrl+C does not end the test's shell too.
local own_job = { "/bin/sh", "-mc", '"$@"', "sh" }

-- fn(folder, words): a folder with that mission, and the command line that runs it.
local function with_mission(body, fn)
  return function()
    local folder = spawn.folder()
    local removing <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    assert(files.write(files.join(folder, "m.lua"), mission:format(body)))
    fn(folder, { program, "run", "m.lua", "--runs", "runs" })
    return removing
  end
end

local function at_terminal(body, fn, before, after)
  return with_mission(body, function(folder, run)
    local words = {}
    for _, list in ipairs { before or {}, run, after or {} } do table.move(list, 1, #list, #words + 1, words) end
    local term = terminal.start(words, { cwd = folder, columns = 110, env = { XDG_CONFIG_HOME = folder } })
    local ok, err = xpcall(fn, debug.traceback, term, folder)
    term:stop()
    if not ok then error(err, 0) end
  end)
end

tests.a_person_answers_while_the_run_goes_on = at_terminal([[
  local other = require "deskpilot.base.task".start(function()
    require "deskpilot.base.task".sleep(1)
    m:note "something else went on"
    io.open(m.folder .. "/noted", "w"):close()
  end)
  said(m, { text = "Which\27[2Jfolder \226\128\174is meant?", options = { "Pictures", "Music" }, default = "Music" })
  said(m, { text = "And its name?" })
  said(m, { text = "Which one?", default = "that" })
  said(m, { text = "Any more?" })
  other:wait()
]], function(term, folder)
  term:wait_for_last "answer (number or text; Enter: Music; 120 s):"
  t.wait_until("the other task", function() return files.exists(files.join(folder, "noted")) end)
  t.has(term:screen(), "? Which [2Jfolder is meant?\n    1  Pictures\n    2  Music\n")
  term:type "3"
  term:press "Enter"
  term:wait_for "that is none of the options"
  local screen = term:screen()
  t.ok(not screen:find "something else", screen) -- not where the answer is typed
  term:type "X"
  term:press "BSpace" -- the terminal edits the line
  term:line "pict"
  term:wait_for "something else went on" -- what happened meanwhile follows
  t.has(term:wait_for_last "answer (Enter: no answer; 120 s):", "? And its name?")
  term:line "Größe Ω"
  term:wait_for_last "answer (Enter: that; 120 s):"
  term:press "Enter"
  term:wait_for "? Any more?"
  term:wait_for_last "answer (Enter: no answer; 120 s):"
  term:press "Enter"
  term:wait_for "status 0"
  term:wait_for "terminal sane"
  t.has(term:screen(), "asked: And its name? — Größe Ω (a person)")
  t.eq(answers(folder), { { "Pictures", "a person" }, { "Größe Ω", "a person" }, { "that", "a person" },
    { "refused" } })
end)

tests.what_was_typed_before_the_question_is_no_answer = at_terminal([[
  io.stderr:write("ready\n")
  local file = m.folder .. "/go"
  m.desk.wait_until(function() return io.open(file) ~= nil end, { timeout = 60 })
  said(m, { text = "Really?", options = { "yes", "no" }, seconds = 100 })
]], function(term, folder)
  term:wait_for "ready"
  term:line "yes"
  term:type "y"
  assert(files.write(files.join(folder, "go"), "x"))
  term:wait_for_last "answer (number or text; Enter: no answer; 100 s):"
  term:line "no"
  term:wait_for "status 0"
  t.eq(answers(folder), { { "no", "a person" } })
end)

tests.time_runs_out = at_terminal([[
  said(m, { text = "Anybody?", default = "nobody", seconds = 1 })
  said(m, { text = "Anybody now?" })
]], function(term, folder)
  term:wait_for "? Anybody?"
  term:type "half a wo"
  term:wait_for "? Anybody now?"
  term:wait_for_last "120 s):"
  term:line "me"
  term:wait_for "status 0"
  t.eq(answers(folder), { { "nobody", "the default" }, { "me", "a person" } })
end)

tests.ctrl_c_ends_the_run = at_terminal([[said(m, { text = "Anybody?" })]], function(term, folder)
  term:wait_for_last "120 s):"
  term:type "hal"
  term:press "C-c"
  term:wait_for "status 130"
  term:wait_for "terminal sane"
  local events = events_of(folder)
  t.eq({ events[#events].event, events[#events].status }, { "run_end", "interrupted" })
end, own_job)

tests.quiet_and_json_ask_all_the_same = at_terminal([[said(m, { text = "Anybody?" })]], function(term, folder)
  term:wait_for_last "120 s):"
  term:line "me"
  term:wait_for "status 0"
  t.has(term:screen(), '"status":"succeeded"')
  t.eq(answers(folder), { { "me", "a person" } })
end, nil, { "--json", "-q" })

tests.without_a_terminal_nobody_is_there = with_mission([[
  said(m, { text = "Anybody?" })
  said(m, { text = "Anybody?", default = "nobody" })
]], function(folder, words)
  local child = spawn.run(words, { cwd = folder, input = "me\nme\n", env = { XDG_CONFIG_HOME = folder } })
  t.eq(child.status, 0, child.stderr)
  t.eq(answers(folder), { { "unavailable" }, { "nobody", "the default" } })
  t.ok(child.seconds < 60, child.seconds)
end)

tests.a_background_job_is_not_stopped_by_its_terminal = at_terminal([[said(m, { text = "Anybody?" })]], function(term)
  term:wait_for "status 0"
  t.has(term:screen(), "no answer: nobody is at a terminal to answer")
end, { "/bin/sh", "-mc", '"$@" & wait $!', "sh" })

tests.answers_come_from_a_file = with_mission([[
  said(m, { text = "Which folder is meant?", options = { "Pictures", "Music" } })
  said(m, { text = "Anything else?" })
]], function(folder, words)
  assert(files.write(files.join(folder, "answers.txt"), "# answers\nwhich folder* = music\n"))
  table.move({ "--answers", "answers.txt", "--json" }, 1, 3, #words + 1, words)
  local child = spawn.run(words, { cwd = folder, env = { XDG_CONFIG_HOME = folder } })
  t.eq(child.status, 0, child.stderr)
  t.eq(json.decode(child.stdout).status, "succeeded")
  t.eq(answers(folder), { { "Music", "the file answers.txt" }, { "unavailable" } })
  assert(files.write(files.join(folder, "answers.txt"), "what\n"))
  child = spawn.run(words, { cwd = folder, env = { XDG_CONFIG_HOME = folder } })
  t.eq(child.status, 2)
  t.has(child.stderr, "answers.txt:1: a line is QUESTION = ANSWER")
end)

return tests
