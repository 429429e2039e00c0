-- agent/old_runs: which folders are removed, and which are not whatever the limits say.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local old_runs = require "deskpilot.agent.old_runs"
local spawn = require "spawn"
local system = require "native.system"
local uv = require "luv"

local tests = {}

local start = '{"event":"run_start","at":0.0,"number":1}\n'

-- A run of that many days ago, of about so many kilobytes.
local function make(base, days, name, options)
  options = options or {}
  local at = os.time() - math.floor(days * 86400)
  local folder = files.join(base, os.date("!%Y%m%dT%H%M%SZ-", at) .. name)
  assert(files.make_folder(folder .. "/screenshots"))
  assert(files.write(folder .. "/journal.jsonl", options.journal or start))
  assert(files.write(folder .. "/screenshots/step_0001.png", ("x"):rep((options.kb or 1) * 1000)))
  if not options.unfinished then assert(files.write(folder .. "/result.json", "{}\n")) end
  uv.fs_utime(folder .. "/journal.jsonl", options.touched or at, options.touched or at)
  return folder
end

local function with_base(fn)
  return function()
    local base = spawn.folder()
    fn(base, function(keep, own)
      return old_runs.tidy(base, { count = keep.count or 0, days = keep.days or 0, megabytes = keep.megabytes or 0 },
        own)
    end)
    files.remove(base)
  end
end

local function left(base)
  local names = {}
  for _, name in ipairs(files.list(base)) do names[#names + 1] = name:match("^%d+T%d+Z%-(.*)$") or name end
  table.sort(names)
  return table.concat(names, " ")
end

tests.no_limit_removes_nothing = with_base(function(base, tidy)
  make(base, 4000, "a")
  t.eq(tidy {}, nil)
  t.eq(tidy { count = 5, days = 5000, megabytes = 1 }, nil, "all of it is within the limits")
  t.eq(left(base), "a")
end)

tests.the_oldest_go_by_count = with_base(function(base, tidy)
  for i, name in ipairs { "a", "b", "c", "d" } do make(base, i, name) end
  local words = tidy { count = 2 }
  t.has(words, "removed the oldest 2 runs (0.0 MB) from " .. base .. ": runs.keep_count is 2")
  t.eq(left(base), "a b")
  t.eq(tidy { count = 2 }, nil)
end)

tests.and_by_days = with_base(function(base, tidy)
  for i, name in ipairs { "a", "b", "c", "d" } do make(base, i + 0.5, name) end
  t.has(tidy { days = 4 }, "removed the oldest run (")
  t.eq(left(base), "a b c")
  t.has(tidy { days = 1.75 }, "runs.keep_days is 1.75")
  t.eq(left(base), "a")
end)

tests.and_by_megabytes_of_all_files = with_base(function(base, tidy)
  make(base, 1, "a", { kb = 400 })
  make(base, 2, "b", { kb = 400 })
  make(base, 3, "c", { kb = 900 })
  make(base, 4, "d", { kb = 1 })
  t.has(tidy { megabytes = 1 }, "removed the oldest 2 runs (0.9 MB)", "what is older than one that goes, goes too")
  t.eq(left(base), "a b")
end)

-- Of a run that is over by its result, of others by what is there.
tests.how_large_a_run_is = with_base(function(base, tidy)
  make(base, 1, "a", { kb = 400 })
  local b = make(base, 2, "b", { kb = 400 })
  t.eq(tidy { megabytes = 1 }, nil)
  for _, words in ipairs { "what is this", "[]", '{"archive":5}', '{"archive":{"bytes":"many"}}' } do
    assert(files.write(b .. "/result.json", words))
    t.eq(tidy { megabytes = 1 }, nil, words)
  end
  assert(files.write(b .. "/result.json", json.encode { archive = { events = 1, bytes = 5000000 } }))
  t.has(tidy { megabytes = 1 }, "removed the oldest run (5.0 MB)")
  t.eq(left(base), "a")
end)

-- As the writer of a journal holds it while its run goes on.
local function hold(folder)
  local file = assert(files.append(folder .. "/journal.jsonl"))
  assert(system.lock_file(file))
  return function() uv.fs_close(file) end
end

tests.several_limits_are_all_named = with_base(function(base, tidy)
  make(base, 1, "new")
  make(base, 20, "old")
  local release = hold(make(base, 21, "going"))
  make(base, 30, "older")
  t.has(tidy { count = 2, days = 15 }, "runs.keep_count is 2 and runs.keep_days is 15")
  t.eq(left(base), "going new")
  release()
end)

-- Another process's is held by its lock; the test's own file descriptor stands for it.
tests.a_run_that_goes_on_is_never_removed = with_base(function(base, tidy)
  local long_ago = os.time() - 40 * 86400
  local going = make(base, 30, "going", { unfinished = true, touched = long_ago })
  local ending = make(base, 29, "ending")
  local fresh = make(base, 28, "fresh", { unfinished = true, touched = os.time() - 60 })
  local release, release_too = hold(going), hold(ending)
  make(base, 1, "own")
  t.eq(tidy { days = 7 }, nil)
  t.eq(left(base), "ending fresh going own")
  release()
  release_too()
  t.ok(tidy { days = 7 })
  t.eq(left(base), "fresh own", "one without an end waits a day, for file systems that keep no locks")
  t.ok(files.exists(fresh))
  local own = make(base, 20, "me")
  t.eq(tidy({ days = 7 }, select(2, files.split(own))), nil, "the run that asks")
end)

tests.a_run_of_a_process_that_was_killed_goes = with_base(function(base, tidy)
  local folder = make(base, 30, "killed", { unfinished = true })
  local child = spawn.start({ files.absolute(spawn.program), "eval", ([[
    local file = assert(require("deskpilot.base.files").append(%q .. "/journal.jsonl"))
    assert(require("native.system").lock_file(file))
    io.stdout:write("held\n") io.stdout:flush()
    require("deskpilot.base.task").sleep(60)]]):format(folder) }, { cwd = base })
  t.wait_until("the other process", function() return child.stdout:find("held", 1, true) or child.status end)
  t.eq(tidy { days = 7 }, nil)
  child:kill("sigkill")
  child:wait()
  t.wait_until("the run to be removed", function() return tidy { days = 7 } end)
  t.eq(left(base), "")
end)

tests.what_is_not_surely_a_run_stays = with_base(function(base, tidy)
  make(base, 100, "run")
  assert(files.make_folder(base .. "/20200101T000000Z-mine"))
  assert(files.write(base .. "/20200101T000000Z-mine/thesis.txt", "years of work"))
  assert(files.make_folder(base .. "/20200101T000000Z-notes"))
  assert(files.write(base .. "/20200101T000000Z-notes/journal.jsonl", "Dear diary,"))
  assert(files.write(base .. "/20200101T000000Z-file", "x"))
  local kept = make(base, 100, "kept")
  assert(os.rename(kept, base .. "/the one for the report"))
  t.has(tidy { count = 1, days = 1, megabytes = 0.0001 }, "the oldest run (")
  t.eq(left(base), "file mine notes the one for the report")
end)

if t.platform == "linux" then -- links need rights on Windows
  tests.no_link_is_followed = with_base(function(base, tidy)
    local elsewhere = spawn.folder()
    local treasure = make(elsewhere, 100, "treasure")
    assert(uv.fs_symlink(treasure, base .. "/20200101T000000Z-link"))
    local run = make(base, 100, "run")
    assert(uv.fs_symlink(elsewhere, run .. "/screenshots/elsewhere"))
    assert(uv.fs_symlink(treasure .. "/result.json", run .. "/screenshots/file"))
    local linked = make(base, 99, "linked")
    assert(os.rename(linked .. "/journal.jsonl", elsewhere .. "/journal.jsonl"))
    assert(uv.fs_symlink(elsewhere .. "/journal.jsonl", linked .. "/journal.jsonl"))
    t.has(tidy { days = 1 }, "the oldest run (")
    t.eq(left(base), "link linked")
    t.ok(files.exists(treasure .. "/result.json"))
    files.remove(elsewhere)
  end)
end

return tests
