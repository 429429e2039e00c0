--- Plays one case of a storm: starts the program in a place of its own, does to it what the case says, and waits for
--- its end. A case has `mission`, and of these what is wanted:
---   stays        files may stay, because they cannot be removed
---   fail         what tests/torture/fail_calls.c is told, without FAIL_
---   clock        what tests/torture/jump_clock.c is told
---   env          more of the environment
---   descriptors  how many files the program may open
---   signal, whom, moment, again   sent to the "program" or its desktop's "host" at that part of the run's usual time;
---                `again` seconds later once more
---   looks        the parts of the run's usual time at which another user looks; the run is a third user's then
local uv = require "luv"
local desktop = require "desktop"
local failing = require "failing"
local files = require "deskpilot.base.files"
local judge = require "torture.judge"
local missions = require "torture.missions"
local place = require "torture.place"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local play = {}

--- Seconds.
play.limits = {
  run = 75,     -- more than the missions' own limit and what is usual beyond it, on a busy machine
  left = 20,    -- for what is still ending when the program has
}

local signals = { sighup = 1, sigint = 2, sigkill = 9, sigterm = 15 }

local Worker = {}
Worker.__index = Worker

--- Who plays one case after another, on one display that is shared by the missions that want that.
function play.worker()
  return setmetatable({}, Worker)
end

function Worker:close()
  if self.session then self.session:stop() end
  self.session = nil
end

function Worker:display()
  self.session = self.session or assert(private.start { size = { 500, 400 } })
  return desktop.env(self.session)
end

-- What is held down on the shared display; it is replaced by a new one, if anything is.
function Worker:held()
  local child = spawn.run({ os.getenv "DESKPILOT_HELD" or "build/torture/tests/held" }, { env = self:display() })
  local found = {}
  for line in (child.stdout .. child.stderr):gmatch "[^\n]+" do found[#found + 1] = line .. " is held" end
  if #found > 0 then self:close() end
  return found
end

local function user(name)
  return assert(math.tointeger(tonumber(spawn.run({ "id", "-u", name }).stdout)), "there is no user " .. name)
end

local function as(id, words)
  return { "setpriv", "--reuid", tostring(id), "--regid", tostring(id), "--clear-groups", table.unpack(words) }
end

local function merge(into, more)
  for key, value in pairs(more or {}) do into[key] = value end
  return into
end

local function environment(self, case, where, report)
  local env = where:env()
  if missions.all[case.mission].display == "shared" then merge(env, self:display()) end
  if case.fail then merge(env, failing.env(case.fail, report)) end
  if case.clock then
    merge(env, { LD_PRELOAD = files.absolute(os.getenv "DESKPILOT_JUMP_CLOCK"
      or "build/torture/tests/libjump_clock.so"), CLOCK_JUMPS = case.clock,
      ASAN_OPTIONS = "verify_asan_link_order=0" })
  end
  return merge(env, case.env)
end

local function command(case, where, words)
  local program = files.absolute(spawn.program)
  if case.descriptors then
    return { "/bin/bash", "-c", ('ulimit -n %d; exec "$@"'):format(case.descriptors), "bash", program,
      table.unpack(words) }
  elseif case.looks then -- the program may lie where that user cannot get it
    local copy = files.join(where.base, "deskpilot")
    assert(uv.fs_copyfile(program, copy))
    assert(uv.fs_chmod(copy, tonumber("755", 8)))
    return as(user "nobody", { "sh", "-c", 'umask 000; exec "$@"', "sh", copy, table.unpack(words) })
  end
  return { program, table.unpack(words) }
end

local function stack(pid)
  local child = spawn.run { "sh", "-c", "gdb -p " .. pid .. " -batch -ex 'thread apply all bt 14' 2>/dev/null"
    .. " | grep -E '^(#|Thread)' | head -40; cat /proc/" .. pid .. "/wchan" }
  return "\n" .. child.stdout
end

-- Where the system keeps the memory of what has crashed: its stack.
local function stack_of_crash(where)
  local core = files.join(where.work, "core")
  if not files.exists(core) then return "" end
  return "\n" .. spawn.run({ "sh", "-c", "gdb -batch -ex 'bt 20' " .. files.absolute(spawn.program) .. " " .. core
    .. " 2>/dev/null | grep '^#'" }).stdout
end

local function pid_of(whom, child, where)
  if whom ~= "host" then return child.pid end
  for _, pid in ipairs(where:processes()) do
    if (files.read("/proc/" .. pid .. "/cmdline") or ""):find("--desktop-host", 1, true) then return pid end
  end
end

-- Sends the case's signals to whom they are for; what was sent to the program itself.
local function strike(case, child, where, run)
  local pid = pid_of(case.whom, child, where)
  if not pid or child.status then return end
  uv.kill(pid, case.signal)
  if case.whom ~= "host" then run.sent, run.again = signals[case.signal], case.again ~= nil end
  if not case.again then return end
  task.sleep(case.again)
  if not child.status then uv.kill(pid, case.signal) end
end

-- What another user can read or write of the place.
local function look(where, run)
  local child = spawn.run(as(user "daemon", { "find", where.home, where.tmp, where.work, "(", "-readable", "-o",
    "-writable", ")", "-print" }))
  for path in child.stdout:gmatch "[^\n]+" do
    if path ~= where.home and path ~= where.tmp and path ~= where.work and not path:find "/m%.lua$" then
      run.seen[#run.seen + 1] = path
    end
  end
end

local function accompany(case, child, where, usual, run)
  local watching = task.start(function()
    while not child.status do
      where:processes()
      where:learn_displays()
      task.sleep(0.15)
    end
  end)
  local acts = {}
  if case.signal then
    acts[1] = task.start(function()
      task.sleep(case.moment * usual)
      strike(case, child, where, run)
    end)
  end
  for _, moment in ipairs(case.looks or {}) do
    acts[#acts + 1] = task.start(function()
      task.sleep(moment * usual)
      look(where, run)
    end)
  end
  return function()
    for _, act in ipairs(acts) do act:wait() end
    watching:wait()
  end
end

local function wait(child, where, run, stays, files_stay)
  local limit = task.now() + play.limits.run
  while not child.status and task.now() < limit do task.sleep(0.02) end
  if not child.status then
    run.hung = stack(child.pid)
    uv.kill(child.pid, "sigkill")
    while not child.status do task.sleep(0.02) end
  end
  run.seconds = task.now() - child.began
  if child.signal ~= 0 and child.signal ~= run.sent and not run.hung then run.crash = stack_of_crash(where) end
  run.left = where:wait_until_empty(play.limits.left, stays, files_stay)
  limit = task.now() + 2
  while child.open > 0 and task.now() < limit do task.sleep(0.02) end
end

--- Plays a case.
---@param case table
---@param usual number seconds that such a run takes, untouched
---@return { problems: string[], ending: string, seconds: number, stderr: string, hit: boolean } hit: whether a call
---  failed that was to
function Worker:play(case, usual)
  local owner = case.looks and user "nobody" or nil
  local where = place.new(owner)
  local report = files.join(where.base, "report")
  local words, stop = missions.prepare(case.mission, where.work)
  local run = { seen = {}, runs = files.join(where.work, "runs") }
  local child = spawn.start(command(case, where, words), { cwd = where.work,
    env = environment(self, case, where, report) })
  local finish = accompany(case, child, where, usual, run)
  wait(child, where, run, missions.all[case.mission].stays, case.stays)
  finish()
  stop()
  run.status, run.signal, run.stdout, run.stderr = child.status, child.signal, child.stdout, child.stderr
  local problems, ending = judge.problems(run)
  if missions.all[case.mission].display == "shared" then
    for _, words_held in ipairs(self:held()) do problems[#problems + 1] = words_held end
  end
  local said = files.read(report) or ""
  if not play.keep or #problems == 0 then where:remove() end
  return { problems = problems, ending = ending, seconds = run.seconds, stderr = run.stderr, base = where.base,
    hit = said:find " fail " ~= nil }
end

--- A case in words.
---@param case table
---@return string
function play.words(case)
  local parts = {}
  for key, value in pairs(case) do
    if type(value) == "table" then
      local inner = {}
      for name, one in pairs(value) do inner[#inner + 1] = type(name) == "string" and name .. "=" .. one or one end
      table.sort(inner, function(a, b) return tostring(a) < tostring(b) end)
      value = "{" .. table.concat(inner, " ") .. "}"
    end
    parts[#parts + 1] = key .. "=" .. tostring(value)
  end
  table.sort(parts)
  return table.concat(parts, " ")
end

return play
