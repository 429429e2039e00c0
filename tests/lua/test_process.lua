--- Children with pipes both ways: real ones, which are this test runner with a file of their own.
local t = require "harness"
local files = require "deskpilot.base.files"
local environment = require "deskpilot.desk.platform.environment"
local process = require "deskpilot.desk.app.process"
local program = require "deskpilot.desk.app.program"
local spawn = require "spawn"
local system = require "native.system"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local runner = assert(uv.exepath()) -- runs a Lua file

-- Calls fn(start, folder): start(source, options) starts a child that runs that Lua source.
local function with_children(fn)
  return function()
    local folder = spawn.folder()
    local removing <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    local number = 0
    fn(function(source, options)
      number = number + 1
      local path = files.join(folder, ("child%d.lua"):format(number))
      assert(files.write(path, source))
      local all = { argv = { runner, path } }
      for key, value in pairs(options or {}) do all[key] = value end
      return assert(process.start(all))
    end, folder)
    return removing
  end
end

local function alive(pid)
  return uv.kill(pid, 0) == 0
end

local echo = [[
for line in io.lines() do
  io.write("<", line, ">\n")
  io.flush()
end
io.write("the end")
os.exit(3, true)]]

tests.lines_go_both_ways = with_children(function(start)
  local child <close> = start(echo)
  for _, line in ipairs { "one", "zwei ä", ("x"):rep(100000) } do
    t.ok(child:write(line .. "\n"))
    t.eq(child:line(30), "<" .. line .. ">")
  end
  t.ok(child:write "a\nb\nc\n")
  t.eq({ child:line(30), child:line(30), child:line(30) }, { "<a>", "<b>", "<c>" })
  t.fails("timed_out", "has not written a line within 0.05 s", child:line(0.05))
  child:close_input()
  t.eq(child:line(30), "the end", "a last line without its end")
  t.fails("io", "has ended with status 3", child:line(30))
  t.eq(child:wait(30), 3)
  t.fails("io", "has ended with status 3", child:write "more\n")
end)

tests.bytes_pass_unchanged_and_wait_for_their_reader = with_children(function(start)
  local child <close> = start([[
    local bytes = {}
    for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
    bytes = table.concat(bytes)
    for _ = 1, 4000 do io.write(bytes) end
    io.flush()
    os.exit(0, true)]], { max_output = 10000 })
  t.wait_until("a full buffer", function() return child.stdout.paused end)
  t.ok(child.stdout.size < 10000 + 70000, child.stdout.size)
  local parts = {}
  while true do
    local bytes, err = child:read(30)
    if not bytes then t.eq(err.code, "io") break end
    parts[#parts + 1] = bytes
  end
  local whole = table.concat(parts)
  t.eq(#whole, 1024000)
  for i = 0, 255 do t.eq(whole:byte(i * 257 + 1), (i * 257) % 256) end
  t.eq(child:wait(30), 0)
end)

tests.what_is_kept_is_limited = with_children(function(start)
  local long <close> = start([[io.write(("y"):rep(5000)) io.flush() io.read()]], { max_output = 1000 })
  t.fails("protocol", "a line of more than 1000 bytes", long:line(30))
  local loud <close> = start([[
    for i = 1, 3000 do io.stderr:write("complaint ", i, "\n") end
    io.stderr:flush()
    os.exit(1, true)]], { max_output = 1000 })
  t.fails("io", "has ended with status 1; it said: complaint 3000", loud:line(30))
  t.eq(#loud.stderr:contents(), 1000)
  t.ok(loud.stderr.truncated)
  local result = t.ok(program.run { argv = { runner, "-" }, timeout = 30, max_output = 10, input = "" })
  t.ok(#result.stderr <= 10, result.stderr)
end)

tests.a_child_gets_no_secrets = with_children(function(start)
  uv.os_setenv("DESKPILOT_API_KEY", "s3cret")
  uv.os_setenv("SOME_PRIVATE_THING", "s3cret")
  uv.os_setenv("LC_TEST_THING", "harmless")
  local child <close> = start([[
    for name, value in pairs(require "luv".os_environ()) do io.write(name, "=", value, "\n") end
    io.flush()
    os.exit(0, true)]], { env = environment.of("child", { GIVEN = "given ä", Path = t.platform == "windows"
      and os.getenv "PATH" or nil }) })
  local seen = {}
  for line in function() return (child:line(30)) end do
    local name, value = line:match("^([^=]+)=(.*)$")
    if name then seen[name] = value end
  end
  t.eq(child:wait(30), 0)
  t.eq({ seen.GIVEN, seen.LC_TEST_THING }, { "given ä", "harmless" })
  t.eq({ seen.DESKPILOT_API_KEY, seen.SOME_PRIVATE_THING }, {})
  t.ok(seen.PATH or seen.Path, "a child finds programs")
end)

-- Its input is closed some time before it has ended. (On Windows a pipe is open for as long as the process.)
tests.who_writes_to_one_that_ends_is_told_how_it_did = with_children(function(start)
  if system.platform == "windows" then return end
  local child <close> = start [[
require("luv").fs_close(0) -- Lua itself does not close it
io.write("closed\n")
io.flush()
io.stderr:write("no luck today\n")
require("luv").sleep(200)
os.exit(3)]]
  t.eq(child:line(30), "closed")
  t.fails("io", "has ended with status 3; it said: no luck today", child:write "a line\n")
end)

tests.what_cannot_be_started_says_why = with_children(function(_, folder)
  t.fails("not_found", "no-such-program-anywhere", process.start { argv = { "no-such-program-anywhere" } })
  t.fails("not_found", "there is no folder", process.start { argv = { runner }, cwd = files.join(folder, "nowhere") })
end)

tests.stop_asks_first_and_kills_what_stays = with_children(function(start)
  local child = start(echo)
  t.ok(child:write "up?\n")
  t.eq(child:line(30), "<up?>")
  t.eq(child:stop(), 3, "the end of its input was enough")
  local before = process.timing
  process.timing = { output = 0.5, leave = 0.1, term = 0.3 }
  local deaf = start [[
    local uv = require "luv"
    local child = { uv.spawn(uv.exepath(), { args = { arg and arg[0] or "-", "sleep" } }, function() end) }
    return { sleeps = function()
      require "native.system".on_interrupt(function() end)
      io.write("ready\n")
      io.flush()
      require "deskpilot.base.task".sleep(60)
    end }]]
  t.eq(deaf:line(30), "ready")
  deaf:stop()
  process.timing = before
  t.ok(deaf.status and deaf.status ~= 0, deaf.status)
  t.wait_until("its end", function() return not alive(deaf.pid) end)
  t.eq(deaf:stop(), deaf.status, "again")
end)

-- Its output is still open, in a process that it has left.
tests.who_waits_for_its_end_hears_of_it_where_another_task_stops_it = with_children(function(start, folder)
  if system.platform == "windows" then return end
  assert(files.write(folder .. "/left.lua", "require('luv').sleep(20000)"))
  local child = start(([[
    local uv = require "luv"
    assert(uv.spawn(uv.exepath(), { args = { %q }, stdio = { nil, 1, 2 } }, function() end))
    os.exit(0)]]):format(folder .. "/left.lua"))
  local ended = false
  local waiting = task.start(function() ended = child:wait(60) end)
  t.wait_until("its end", function() return child.status end)
  t.eq(ended, false)
  child:stop()
  t.eq(task.limit(10, waiting.wait, waiting), true)
  t.eq(ended, 0)
end)

tests.children_are_killed_with_the_task_that_waits = with_children(function(start)
  local child
  local work = task.start(function()
    local own <close> = start [[return { sleeps = function() require "deskpilot.base.task".sleep(60) end }]]
    child = own
    own:line(60)
  end)
  t.ok(alive(child.pid))
  if system.platform == "linux" then -- though it was executed by another name
    local name = select(2, files.split(runner)):sub(1, 15)
    t.wait_until("its name", function() return files.read(("/proc/%d/comm"):format(child.pid)) == name .. "\n" end)
  end
  work:cancel "enough"
  t.wait_until("its end", function() return not alive(child.pid) end)
end)

-- A parent that is killed cannot do anything about its children.
tests.children_end_with_a_parent_that_is_killed = with_children(function(start, folder)
  local path = files.join(folder, "grandchild.lua")
  assert(files.write(path, [[return { sleeps = function() require "deskpilot.base.task".sleep(60) end }]]))
  local parent <close> = start(([[
    return { parent = function()
      local child = require "deskpilot.desk.app.process".start { argv = { %q, %q } }
      io.write(child.pid, "\n")
      io.flush()
      require "deskpilot.base.task".sleep(60)
    end }]]):format(runner, path))
  local pid = math.tointeger(tonumber(parent:line(30)))
  t.ok(pid and alive(pid), pid)
  uv.kill(parent.pid, "sigkill")
  t.wait_until("the end of its child", function() return not alive(pid) end)
end)

return tests
