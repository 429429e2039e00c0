--- The project's small test runner: a test file returns a table of functions; each runs in a task
--- of its own with a time limit, in the order of its names, one after the other unless the
--- file says otherwise. Checks count and say what they saw.
local uv = require "luv"
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"

local harness = {}

--- "linux" or "windows": for what only one of them has.
harness.platform = require("native.system").platform
local passed, failed = 0, 0
local running = {} -- the tests that run, by their tasks: { failed }
local at_once = 1
local seconds_of_test = 240 -- less than ctest gives the whole file

-- `around`: the tables that it is inside of; one that holds itself has no end.
local function show(v, around)
  if type(v) == "string" then return string.format("%q", v) end
  if type(v) ~= "table" then return tostring(v) end
  local meta = getmetatable(v)
  if meta and meta.__tostring then return tostring(v) end
  around = around or {}
  if around[v] then return "{...}" end
  around[v] = true
  local parts = {}
  for k, item in pairs(v) do parts[#parts + 1] = tostring(k) .. "=" .. show(item, around) end
  around[v] = nil
  table.sort(parts)
  return "{" .. table.concat(parts, ", ") .. "}"
end
harness.show = function(v) return show(v) end

local function where()
  local info = debug.getinfo(3, "Sl")
  return info.short_src .. ":" .. info.currentline
end

-- What fails outside of any task may be anybody's.
local function fail()
  local current = task.current()
  failed = failed + 1
  for root, test in pairs(running) do
    if not current or current:is_within(root) then test.failed = true end
  end
end

local function report(ok, message)
  if ok then passed = passed + 1 return true end
  fail()
  io.stderr:write("  FAILED ", message, "\n")
  return false
end

--- The value is true (not nil, not false). Returns it.
function harness.ok(value, what)
  report(value, where() .. ": " .. (what and show(what) or "is not true") .. ", got " .. show(value))
  return value
end

--- The two are the same, tables by their contents.
function harness.eq(got, want, what)
  report(show(got) == show(want), where() .. ": " .. (what and what .. ": " or "") .. "got " .. show(got)
    .. ", want " .. show(want))
end

--- The text contains the plain part.
function harness.has(got, part, what)
  report(type(got) == "string" and got:find(part, 1, true), where() .. ": "
    .. (what and what .. ": " or "") .. show(got) .. " does not contain " .. show(part))
end

--- fn() raises an error whose text contains `part`. Returns the error.
function harness.raises(part, fn, ...)
  local ok, err = pcall(fn, ...)
  report(not ok and tostring(err):find(part, 1, true), where() .. ": "
    .. (ok and "no error" or "error " .. show(tostring(err))) .. ", want " .. show(part))
  return err
end

--- A call has failed: its results are nil and an error with that code, in whose sentence the plain part stands.
function harness.fails(code, part, result, err)
  local right = result == nil and type(err) == "table" and err.code == code and tostring(err):find(part, 1, true)
  report(right, where() .. ": got " .. show(result) .. ", " .. show(type(err) == "table" and err.code or err) .. " ("
    .. tostring(err) .. "), want " .. show(code) .. " and " .. show(part))
end

--- Waits until fn() is true; fails the test with `what` after that many seconds (half a minute, for a machine that is
--- busy with other things).
function harness.wait_until(what, fn, seconds)
  local limit = task.now() + (seconds or 30)
  while true do
    local value = fn()
    if value then return value end
    if task.now() > limit then error("waited too long for " .. what, 2) end
    task.sleep(0.02)
  end
end

-- A folder for all that this test and what it starts call temporary, so that tests, and clones of the project, can
-- run side by side; gone at its end. Its name is short, for there are sockets in it. Under Wine each test has a disk
-- of its own.
local function own_temporary_folder()
  if harness.platform ~= "linux" then return function() end end
  local folder = assert(uv.fs_mkdtemp(files.join(files.temporary_folder(), "dp-XXXXXX")))
  uv.os_setenv("TMPDIR", folder)
  return function() -- a process that ends may still remove or write something there
    for _ = 1, 100 do
      files.remove(folder)
      if not files.exists(folder) then return end
      uv.sleep(20)
    end
  end
end

--- As it is documented.
harness.plain_remove = files.remove

-- Folders that are removed take their journals along: what is wrong with those is found before.
function files.remove(path)
  require "journals".check(path, report)
  return harness.plain_remove(path)
end

--- Lets so many tests of this file run at a time: where they wait for processes of their own.
---@param most integer
function harness.side_by_side(most) at_once = most end

--- How long each test of this file may take; what is no part of the suite may take longer. It is told before they run.
---@param seconds number
function harness.time_limit(seconds) seconds_of_test = seconds end

local function run_test(name, fn)
  local test, began = {}, task.now()
  local done, failure = task.limit(seconds_of_test, function()
    local root = task.current()
    running[root] = test
    local _ <close> = setmetatable({}, { __close = function() running[root] = nil end })
    fn()
  end)
  if not done then
    failed, test.failed = failed + 1, true
    io.stderr:write("  FAILED ", name, ": ", tostring(failure), "\n")
  end
  io.stdout:write(test.failed and "NOT OK " or "ok    ", name, (" (%.1f s)\n"):format(task.now() - began))
  io.stdout:flush()
end

-- Each worker takes the first that nobody has taken.
local function run_tests(tests)
  local names, workers = {}, {}
  for name in pairs(tests) do names[#names + 1] = name end
  table.sort(names)
  for i = 1, at_once do
    workers[i] = task.start(function()
      while names[1] do
        local name = table.remove(names, 1)
        run_test(name, tests[name])
      end
    end)
  end
  for _, worker in ipairs(workers) do assert(worker:wait()) end
end

function harness.run_file(path)
  local chunk, why = loadfile(path)
  if not chunk then
    io.stderr:write(why, "\n")
    return 1
  end
  local remove_temporary_folder = own_temporary_folder()
  local work
  local ok, err = task.run(function(signal) work:cancel("interrupted by " .. task.signal_name(signal)) end, function()
    work = task.current()
    run_tests(chunk())
  end)
  if not ok then
    failed = failed + 1
    io.stderr:write(tostring(err), "\n")
  end
  require "journals".check(files.temporary_folder(), report)
  remove_temporary_folder()
  io.stdout:write(("%d checks passed, %d failed\n"):format(passed, failed))
  return failed == 0 and passed > 0 and 0 or 1
end

return harness
