-- Verdicts (yes, no, unknown), the ready-made checks of files, tables and processes, and what a run makes of them.
-- Those of what a desktop shows are in tests/e2e/test_checks.lua.
local t = require "harness"
local checks = require "deskpilot.agent.checks"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local null_run = require "null_run"
local spawn = require "spawn"
local system = require "native.system"
local task = require "deskpilot.base.task"
local uv = require "luv"
local verdict = require "deskpilot.agent.verdict"

local tests = {}

local check = checks.new { desk = {} }

-- That a check says this, by these words.
local function says(said, answer, words)
  t.ok(verdict.is(said), "a verdict")
  t.eq(said.answer, answer, said.evidence)
  t.has(said.evidence, words)
end

local with_folder = spawn.in_folder

tests.a_file = with_folder(function(folder)
  local path = files.join(folder, "note.txt")
  says(check.file { path = path }, "no", "there is no file " .. path)
  says(check.file { path = path, gone = true }, "yes", "there is no file")
  assert(files.write(path, "Total: 42 EUR\nthank you\n"))
  says(check.file { path = path }, "yes", "is there, of 24 bytes")
  says(check.file { path = path, gone = true }, "no", "is there")
  says(check.file { path = path, equals = "Total: 42 EUR\nthank you\n" }, "yes", 'is "Total: 42 EUR\\nthank')
  says(check.file { path = path, equals = "Total: 42" }, "no", 'is "Total: 42 EUR\\nthank you\\n", not "Total: 42"')
  says(check.file { path = path, contains = "42 EUR" }, "yes", 'contains "42 EUR"')
  says(check.file { path = path, contains = "43" }, "no", 'which does not contain "43"')
  says(check.file { path = path, matching = "^Total: %d+ EUR\n", contains = "thank" }, "yes",
    'contains "thank" and matches "^Total: %d+ EUR\\n"')
  says(check.file { path = path, matching = "^Sum" }, "no", 'which does not match "^Sum"')
  says(check.file { path = folder, contains = "x" }, "unknown", "cannot read " .. folder)
  says(check.file { path = files.join(path, "below"), contains = "x" }, "no", "there is no file")
end)

tests.a_row_of_a_table = with_folder(function(folder)
  local path = files.join(folder, "people.csv")
  says(check.row { path = path }, "no", "there is no file")
  assert(files.write(path, "Name,Mail,Age\nAda,ada@example.org,36\nJörg,j@example.org,50\n"))
  says(check.row { path = path, where = { Name = "Ada" }, has = { Age = 36 } }, "yes",
    'has the row Age="36" Mail="ada@example.org" Name="Ada"')
  says(check.row { path = path, where = { Name = "Ada" }, has = { Age = 37 } }, "no", 'Name="Ada", not Age="37"')
  says(check.row { path = path, where = { Name = "Eve" } }, "no", 'none of the 2 rows of ' .. path .. ' has Name="Eve"')
  says(check.row { path = path, where = { Name = "Eve" }, gone = true }, "yes", "none of the 2 rows")
  says(check.row { path = path, where = { Name = "Ada" }, gone = true }, "no", "has the row")
  assert(files.write(path, "Name,Mail\nAda\n"))
  says(check.row { path = path, where = { Name = "Ada" } }, "unknown",
    "could not be read as a table: row 2 has 1 field")
  assert(files.write(path, "Name;Age\nAda;36\n"))
  says(check.row { path = path, separator = ";", where = { Age = 36 } }, "yes", 'Name="Ada"')
end)

function tests.a_process()
  local own = uv.os_getpid() // 1 | 0
  says(check.process { pid = own }, "yes", ("the process %d runs"):format(own))
  says(check.process { pid = own, gone = true }, "no", "runs")
  local _, name = files.split(uv.exepath())
  local said = check.process { name = name }
  if system.platform == "windows" then return says(said, "unknown", "cannot be listed on Windows") end
  says(said, "yes", tostring(own))
  says(check.process { name = "no-such-program" }, "no", "a program no-such-program does not run")
  says(check.process { name = "no-such-program", gone = true }, "yes", "does not run")
end

function tests.a_process_that_has_ended()
  local ended
  local _, pid = assert(uv.spawn(spawn.program, { args = { "--version" } }, function() ended = true end))
  local limit = task.now() + 20
  while not ended and task.now() < limit do task.sleep(0.02) end
  says(check.process { pid = pid }, "no", "does not run")
end

function tests.checks_are_put_together()
  local yes, no, unknown = verdict.yes "a is 1", verdict.no "b is 2, not 3", verdict.unknown "c did not answer"
  local cases = { { { yes, yes }, "yes", "yes" }, { { yes, no }, "no", "yes" }, { { yes, unknown }, "unknown", "yes" },
    { { no, unknown }, "no", "unknown" }, { { no, no }, "no", "no" }, { { yes, no, unknown }, "no", "yes" },
    { {}, "yes", "no" } }
  for i, case in ipairs(cases) do
    t.eq({ check.all(case[1]).answer, check.any(case[1]).answer }, { case[2], case[3] }, "case " .. i)
  end
  local all = check.all { yes, no, check.any { no, unknown } }
  t.eq(all.evidence, "b is 2, not 3", "what speaks against it")
  t.eq(#all.parts, 3)
  t.eq(check.all { yes, check.all { yes } }.evidence, "a is 1; a is 1")
  t.eq(tostring(unknown), "unknown: c did not answer")
end

function tests.what_a_verify_returns_is_a_verdict()
  local function of(...) return verdict.words(verdict.of(...)) end
  t.eq(of(true), "yes: the check holds")
  t.eq(of(true, "the form was not sent"), "yes: the check holds", "the words were meant for the other answer")
  t.eq(of(false, "the window is empty"), "the window is empty")
  t.eq(of(nil), "no reason given")
  t.eq(of(nil, errors.new("not_found", "no element 42")), "no element 42", "it was looked for")
  t.eq(of(nil, errors.new("unavailable", "the bus is not there")), "unknown: the bus is not there")
  t.eq(of(verdict.unknown "x"), "unknown: x")
  t.eq(verdict.of(42).answer, "yes")
end

function tests.mistakes_of_the_caller_are_errors()
  local function why(fn, ...) return tostring(select(2, pcall(fn, ...))) end
  t.has(why(check.file, { path = "x", contain = "y" }), "did you mean 'contains'")
  t.has(why(check.row, "x"), "checks.row wants a table")
  t.has(why(check.pixels, { colour = "#ffffff" }), "did you mean 'color'")
  t.has(why(check.verdict, "maybe", "x"), "a verdict is yes, no or unknown, not maybe")
end

-- Whatever is asked of a desktop that has nothing of the kind is unknown.
function tests.what_the_desktop_cannot_tell_is_unknown()
  local said = {}
  null_run.play { limits = { turns = 5, seconds = 60 }, run = function(m)
    said.element = m.checks.element { name = "OK" }
    said.page = m.checks.page { url = "x" }
    said.window = m.checks.window { title = "x" }
  end }
  says(said.element, "unknown", "the null desktop has no elements")
  says(said.page, "unknown", "shows no page")
  says(said.window, "no", "x")
end

-- --- what a run makes of them ----------------------------------------------------------------------------

local function claimed(verify)
  local refusals = {}
  local run, events = null_run.play({ task = "x", limits = { turns = 2, seconds = 60 }, timing = { verify = 0 },
    verify = verify }, { turn = function(m)
    local result = m:act { tool = "report_completion", args = { evidence = ("It is done. "):rep(12) } }
    refusals[#refusals + 1] = result.text
  end })
  return run, events, refusals
end

function tests.a_refused_claim_names_what_was_compared_and_seen()
  local run, events, refusals = claimed(function(m)
    return m.checks.all { m.checks.file { path = "/nowhere/a.txt", contains = "42" }, m.checks.element { name = "OK" } }
  end)
  t.has(refusals[1], "NOT DONE: the mission's own check of the desktop says: there is no file /nowhere/a.txt")
  t.eq(run.outcome.status, "incomplete")
  local guard = null_run.only(events, "guard")[1]
  t.eq({ guard.verdict.answer, guard.verdict.parts[2].answer }, { "no", "unknown" })
  t.eq(null_run.only(events, "run_end")[1].verdict.answer, "no")
end

function tests.unknown_is_never_success()
  local run, _, refusals = claimed(function(m)
    return m.checks.verdict("unknown", "the window could not be read")
  end)
  t.has(refusals[1], "says: unknown: the window could not be read")
  t.ok(run.outcome.status ~= "succeeded", run.outcome.status)
  run = null_run.play { limits = { turns = 2, seconds = 60 }, timing = { verify = 0 }, run = function() end,
    verify = function(m) return m.checks.element { name = "OK" } end }
  t.eq(run.outcome.status, "failed")
  t.has(run.outcome.reason, "the mission's check says: unknown: the elements could not be read")
end

function tests.yes_is_success_and_its_evidence_is_kept()
  local run, events = claimed(function(m) return m.checks.verdict("yes", "the total is 42") end)
  t.eq(run.outcome.status, "succeeded")
  local said = null_run.only(events, "run_end")[1].verdict
  t.eq({ said.answer, said.evidence }, { "yes", "the total is 42" })
end

-- A tool may judge its own effect.
function tests.the_effect_of_a_tool_is_a_verdict()
  local _, box = require "configured".defaults()
  local more = box:with { { name = "save", description = "x", parameters = { type = "object" },
    run = function(_, args) return args.said end } }
  local function done(said)
    local result, err = more:run("save", {}, { said = said })
    return result or err.code .. ": " .. tostring(err)
  end
  t.eq(done(verdict.yes "the file is there"), { text = "yes: the file is there" })
  t.eq(done(verdict.no "there is no file"), "refused: save: there is no file")
  t.eq(done(verdict.unknown "the disk does not answer"), "refused: save: unknown: the disk does not answer")
end

return tests
