-- Runs of the real program whose disk fails: nothing counts as done of which the journal could not tell, what is
-- written is whole, and the end says which file it was.
local t = require "harness"
local desktop = require "desktop"
local failing = require "failing"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local mission = [[return { desktop = { kind = "current" }, run = function(m)
  for i = 1, 5 do m:note("line " .. i) end
end }]]

-- Runs the mission with a failure: the child, what --json says, the events that a reader finds, how it finds them, and
-- the report of the failures.
local function run(place, how)
  local child, report = failing.run({ "run", "m.lua", "--json", "--runs", "runs" }, how,
    { cwd = place.folder, env = place.env })
  local result = json.decode(child.stdout) or {}
  t.eq(type(result.run_dir), "string", child.stderr)
  local folder = files.join(place.folder, result.run_dir or "")
  local events, reading = journal.read(folder)
  return { child = child, result = result, events = events or {}, reading = reading or {}, report = report,
    folder = folder }
end

local function last(list) return list[#list] or {} end

-- A sentence names the file, the exit status is that of a run that did not succeed, and --json and result.json agree.
local function ended_badly(one, name, part)
  t.eq({ one.child.status, one.result.status }, { 1, "error" }, one.child.stderr)
  t.has(one.result.reason, name)
  t.has(one.result.reason, part)
  t.has(one.child.stderr, name)
  t.ok(one.report.failed > 0, "nothing has failed: " .. one.child.stderr)
end

local function agrees(one)
  local written = json.decode(files.read(files.join(one.folder, "result.json")) or "") or {}
  t.eq({ written.status, written.reason }, { one.result.status, one.result.reason })
end

local function with_place(fn)
  desktop.with({ size = { 320, 240 } }, function(_, session, folder)
    assert(files.write(files.join(folder, "m.lua"), mission))
    fn { folder = folder, env = desktop.env(session) }
  end)
end

local in_journal = { PATH = "journal.jsonl" }

local function how(more)
  local all = {}
  for key, value in pairs(in_journal) do all[key] = value end
  for key, value in pairs(more) do all[key] = value end
  return all
end

function tests.each_write_of_the_journal()
  with_place(function(place)
    local whole = run(place, how { CALL = "write" })
    t.eq({ whole.child.status, whole.result.status }, { 0, "succeeded" }, whole.child.stderr)
    t.ok(whole.report.calls > 7, "only counts: " .. whole.report.calls)
    local count = #whole.events
    for at = 1, whole.report.calls do
      local short = run(place, how { CALL = "write", AT = at, HOW = "short" })
      t.eq({ short.child.status, short.report.failed, #short.events, short.reading }, { 0, 1, count, whole.reading },
        "a short write is no failure: the rest follows it")
    end
    for at = 2, whole.report.calls do
      local one = run(place, how { CALL = "write", AT = at, HOW = "EIO" })
      ended_badly(one, "journal.jsonl", "i/o error")
      agrees(one)
      t.eq({ last(one.events).event, last(one.events).status }, { "run_end", "error" }, "the disk takes the end again")
      t.eq(journals.problems(files.join(one.folder, "journal.jsonl")), {})
    end
  end)
end

function tests.a_disk_that_is_full_for_good()
  with_place(function(place)
    local whole = run(place, how { CALL = "write" })
    for at = 2, whole.report.calls do
      local one = run(place, how { CALL = "write", AT = at, TIMES = "all" })
      ended_badly(one, "journal.jsonl", "no space left")
      agrees(one)
      t.eq(#one.events, at - 2, "each line that was written is there")
      t.eq({ one.reading.skipped, one.reading.cut }, { 0, false })
    end
    for room = 100, 1500, 200 do
      local one = run(place, how { ROOM = room })
      if one.result.run_dir ~= json.null then
        ended_badly(one, "journal.jsonl", "no space left")
        t.eq({ one.reading.skipped, one.reading.cut }, { 0, false }, "what was half was taken back")
      end
    end
  end)
end

-- ulimit -f: without more ado the system would end the program by a signal.
function tests.a_limit_on_the_size_of_files()
  with_place(function(place)
    assert(files.write(files.join(place.folder, "m.lua"), (mission:gsub("1, 5", "1, 500"))))
    local child = spawn.run({ "/bin/bash", "-c", 'ulimit -f 20; exec "$@"', "bash", files.absolute(spawn.program),
      "run", "m.lua", "--json", "--runs", "runs" }, { cwd = place.folder, env = place.env })
    local result = json.decode(child.stdout) or {}
    t.eq({ child.status, result.status }, { 1, "error" }, child.stderr)
    t.has(result.reason, "journal.jsonl: EFBIG: file too large")
    local events, reading = journal.read(files.join(place.folder, result.run_dir or ""))
    t.ok(#events > 100, #events)
    t.eq({ reading.skipped, reading.cut }, { 0, false })
  end)
end

-- The half line stays, because it cannot be cut off: the next one begins anew, and readers say that there was one.
function tests.half_a_line_that_cannot_be_taken_back()
  with_place(function(place)
    local script = [[
      local watchdog = require "native.watchdog"
      local journal = assert(require("deskpilot.agent.journal").open(%q))
      local function event(name) return { event = name, at = 1, message = ("x"):rep(50) } end
      journal.every(nil, event "note")
      local append = watchdog.append
      watchdog.append = function(fd, text, place) -- 20 bytes of it get there, and stay
        local lines = place.lines
        assert(append(fd, text:sub(1, 20), place))
        place.lines, place.torn = lines, true
        return nil, "EIO: i/o error"
      end
      print(pcall(journal.every, nil, event "note"))
      watchdog.append = append
      journal.every(nil, { event = "run_end", at = 2, status = "error", reason = "x" })
      journal.close()]]
    local child = failing.run({ "eval", script:format(place.folder) }, { CALL = "connect" })
    t.has(child.stdout, "false\tcannot write", child.stderr)
    journals.made_up[files.join(place.folder, "journal.jsonl")] = true
    local events, reading = journal.read(place.folder)
    t.eq({ #events, last(events).event, reading.skipped, reading.cut }, { 2, "run_end", 1, false })
    t.has(journal.lost(reading), "1 line of the journal is no event")
  end)
end

function tests.what_cannot_be_put_on_the_disk()
  with_place(function(place)
    local whole = run(place, how { CALL = "fsync" })
    t.ok(whole.report.calls >= 2, "at the start and at the end")
    for at = 1, whole.report.calls do
      local one = run(place, how { CALL = "fsync", AT = at })
      ended_badly(one, "journal.jsonl", "i/o error")
      agrees(one)
      t.eq(last(one.events).status, "error")
    end
    t.eq(run(place, how { CALL = "fsync", AT = 1, TIMES = "all", HOW = "EINVAL" }).child.status, 0,
      "a file system that has no such call is no failure")
  end)
end

function tests.a_result_that_cannot_be_kept()
  with_place(function(place)
    for _, name in ipairs { "result.json", "trajectory.json" } do
      for _, call in ipairs { "open", "write", "fsync", "rename" } do
        -- Not an earlier run's, which is read when old runs are looked for.
        local one = run(place, { CALL = call, PATH = call == "rename" and name or name .. ".", AT = 1 })
        ended_badly(one, name, "cannot write")
        t.eq(one.result.seconds > 0, true)
        for _, file in ipairs(files.list(one.folder)) do t.ok(not file:find "%.part$", file .. " is left") end
        if name == "trajectory.json" then agrees(one) end
      end
    end
  end)
end

function tests.no_run_begins_without_its_journal()
  with_place(function(place)
    for _, call in ipairs { "open", "write" } do
      local child = failing.run({ "run", "m.lua", "--json", "--runs", "runs" }, how { CALL = call, AT = 1 },
        { cwd = place.folder, env = place.env })
      t.eq(child.status, 3, child.stderr)
      t.has(child.stderr, "journal.jsonl")
      t.eq((json.decode(child.stdout) or {}).status, "error")
    end
  end)
end

return tests
