-- One run at a time on the user's desktop: real processes in one session.
local testapp = dofile "tests/windows/testapp.lua"
local files = require "deskpilot.base.files"
local harness = require "harness"
local spawn = require "spawn"

local tests = {}

local with_folder = testapp.with_folder

local function mission(folder, name, words)
  assert(files.write(files.join(folder, name), 'return { desktop = { kind = "current" }, run = function(m) ' .. words
    .. " end }"))
  return name
end

local function start(folder, ...)
  return spawn.start({ spawn.program, ... }, { cwd = folder })
end

local function holder(folder)
  local child = start(folder, "run", mission(folder, "first.lua", [[io.stderr:write("holds\n")
    m.desk.wait_until(function() return io.open "go" end, { timeout = 100 })]]), "--runs", folder .. "/runs")
  child:wait_for_word "holds"
  return child
end

local function let_go(folder, child)
  assert(files.write(files.join(folder, "go"), ""))
  child:wait()
  harness.eq(child.status, 0, child.stderr)
  files.remove(files.join(folder, "go"))
end

local function refused(child, first, status)
  child:wait()
  harness.eq(child.status, status, child.stderr)
  harness.has(child.stderr, ('this desktop is in use by the run "first" (process %d on '):format(first.pid))
  harness.has(child.stderr, "--shared")
end

local function ends_well(child)
  child:wait()
  harness.eq(child.status, 0, child.stderr)
end

function tests.a_second_run_is_told_who_the_first_is()
  with_folder(function(folder)
    local second = mission(folder, "second.lua", "m.desk.mouse.position()")
    local first = holder(folder)
    refused(start(folder, "run", second, "--runs", folder .. "/runs"), first, 3)
    refused(start(folder, "eval", "desk.mouse.move { 5, 5 }"), first, 1)
    ends_well(start(folder, "eval", "#desk.windows.list() >= 0")) -- who only looks need not ask
    ends_well(start(folder, "run", second, "--shared", "--runs", folder .. "/runs"))
    refused(start(folder, "run", second, "--runs", folder .. "/runs"), first, 3) -- sharing has not taken it over
    let_go(folder, first)
    ends_well(start(folder, "run", second, "--runs", folder .. "/runs"))
  end)
end

function tests.a_killed_run_leaves_nothing()
  with_folder(function(folder)
    local first = holder(folder)
    first:kill "sigkill"
    first:wait()
    let_go(folder, holder(folder))
  end)
end

return tests
