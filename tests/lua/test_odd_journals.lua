--- Journals that anybody may have changed: each of hundreds of them gives a page, a result, a past to go on from, or a
--- sentence that says why not.
local t = require "harness"
local changed_journals = require "changed_journals"
local files = require "deskpilot.base.files"
local journal_readers = require "journal_readers"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local folder = "tests/fuzz/corpus/journal"
-- Of each journal. The readers are the same everywhere; under Wine it is about the files.
local CHANGED = t.platform == "linux" and 150 or 30

local function text_of(name) return assert(files.read(files.join(folder, name))) end

local function names()
  local list = {}
  for _, name in ipairs(files.list(folder)) do
    if name:find "%.jsonl$" then list[#list + 1] = name end
  end
  return list
end

-- Lets them read changed forms of a journal; what the first five could not be read for is told.
local function read_all(name, each)
  local run, told = journal_readers.folder(), 0
  local text = text_of(name)
  for seed = 1, CHANGED do
    local changed, how = changed_journals.change(text, seed)
    local why = each(run, changed)
    if why then
      told = told + 1
      if told <= 5 then t.ok(false, ("%s, change %d (%s): %s"):format(name, seed, how, why)) end
    end
  end
  t.eq(told, 0, ("journals of %d that were not read, changed from %s"):format(CHANGED, name))
end

function tests.every_reader_copes()
  t.ok(#names() >= 2, "journals to change")
  for _, name in ipairs(names()) do read_all(name, journal_readers.read) end
end

-- The run that goes on takes over whatever could be read.
function tests.a_run_goes_on_from_it()
  local resume = require "deskpilot.agent.resume"
  local null_run = require "null_run"
  local run, text, gone_on = journal_readers.folder(), text_of "every_event.jsonl", 0
  for seed = 1, 12 do
    assert(files.write(files.join(run, "journal.jsonl"), (changed_journals.change(text, seed))))
    local past = resume.read(run)
    if past then
      gone_on = gone_on + 1
      local _, events = null_run.play({ task = "x" }, { past = past, flags = { ["limits.turns"] = 1000 },
        turn = function(going) going:stop("failed", "enough") end })
      t.eq(events[#events].reason, "enough", "change " .. seed)
      t.eq(#null_run.only(events, "error"), 0, "change " .. seed)
    end
  end
  t.ok(gone_on > 6, gone_on)
end

-- `--model replay:RUN` reads the requests of that run, which may be anything as well.
function tests.recorded_requests_may_be_anything()
  local replay = require "deskpilot.model.replay"
  local run = journal_readers.folder()
  assert(files.make_folder(files.join(run, "requests")))
  local request = { persona = "executor", turn = 1, messages = { { role = "user", content = { { type = "text",
    text = "Look." } } }, { role = "system", content = "You are" } },
    tools = { { ["function"] = { name = "click" } } } }
  local asked = { persona = "executor", turn = 1 }
  local function save(name, value) assert(files.write(files.join(run, "requests", name), value)) end
  for seed = 1, 300 do
    save("0001-executor.request.json", (changed_journals.change(json.encode(request), seed)))
    save("0001-executor.reply.json", (changed_journals.change('{"choices":[{"message":{"content":"x"}}]}', seed)))
    local ok, why = xpcall(function()
      local opened, err = replay.open(run)
      if not opened then return assert(err) and nil end
      local answer, note = opened:answer(asked, request)
      assert(answer or note, "neither an answer nor a sentence")
      if answer then require "deskpilot.model.wires.chat".read(answer) end
    end, debug.traceback)
    if not t.ok(ok, ("change %d: %s"):format(seed, tostring(why))) then break end
  end
end

function tests.an_unchanged_journal_loses_nothing()
  local journal = require "deskpilot.agent.journal"
  for _, name in ipairs(names()) do
    local run = journal_readers.folder()
    assert(files.write(files.join(run, "journal.jsonl"), text_of(name)))
    local events, how = journal.read(run)
    t.eq(journal.lost(how), nil, name)
    local _, lines = text_of(name):gsub("\n", "")
    t.eq(#events, lines - 1, name)
    local first = text_of(name):match "\n([^\n]+)"
    t.eq(events[1], json.decode(first), "all fields of the first event")
  end
end

function tests.what_is_left_out_is_told()
  local journal = require "deskpilot.agent.journal"
  local run = journal_readers.folder()
  local path = files.join(run, "journal.jsonl")
  assert(files.write(path, table.concat({ '{"event":"journal","at":0,"version":1,"program":"x"}',
    '{"event":"run_start","at":"soon","mission":7,"task":"T","version":"0.1.0"}',
    '{"event":"observed","at":1,"turn":1.5,"screen":{"x":0},"elements":3}', "[]" }, "\n") .. "\n"))
  local events, how = journal.read(run)
  t.eq(events, { { event = "run_start", at = 0, task = "T", version = "0.1.0" }, { event = "observed", at = 1,
    elements = 3 } })
  t.eq(journal.lost(how), "1 line of the journal is no event and is left out; 4 fields of the journal are not what "
    .. "they should be and are left out, such as run_start.at")
  local said = spawn.run { spawn.program, "report", run }
  t.eq(said.status, 0)
  t.has(said.stderr, "4 fields of the journal are not what they should be")
  t.has(files.read(files.join(run, "report.html")), "4 fields of the journal are not what they should be")
end

return tests
