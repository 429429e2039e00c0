--- `deskpilot eval` as a shell uses it.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local function eval(words, options)
  options = options or {}
  options.env = options.env or { DISPLAY = false }
  return spawn.run({ spawn.program, "eval", table.unpack(words) }, options)
end

local function lines(s)
  return (s:gsub("\r\n", "\n"))
end

function tests.values_are_printed_as_at_the_prompt()
  local child = eval { "1 + 1, 'two', { a = { 3 } }" }
  t.eq(child.status, 0, child.stderr)
  t.eq(lines(child.stdout), '2, "two", { a = { 3 } }\n')
  child = eval { "local x = 6; return x * 7" }
  t.eq(lines(child.stdout), "42\n")
  child = eval { "local nothing = 1" }
  t.eq(child.status, 0)
  t.eq(child.stdout, "")
  child = eval { "...", "a b", "--", "--json", "日本" }
  t.eq(lines(child.stdout), '"a b", "--json", "日本"\n')
  child = eval { "help(require('deskpilot.base.task').sleep)" }
  t.has(child.stdout, "Waits for that many seconds.")
end

function tests.json()
  local child = eval { "--json", "{ a = 1 }, nil, 'é', { 1, 2 }, true" }
  t.eq(child.status, 0, child.stderr)
  t.eq(lines(child.stdout), '{"a":1}\nnull\n"é"\n[1,2]\ntrue\n')
  child = eval { "--json", "print" }
  t.eq(child.status, 1)
  t.eq(child.stdout, "")
  t.has(child.stderr, "has no form in JSON")
  child = eval { "--json", "nil, require('deskpilot.base.errors').new('io', 'no disk')" }
  t.eq(child.status, 1)
  t.eq(json.decode(lines(child.stdout):match("\n(.*)$")), { code = "io", message = "no disk" })
end

function tests.failures_have_their_status()
  local function fails(status, part, ...)
    local child = eval { ... }
    t.eq(child.status, status, (...) or "nothing")
    t.eq(child.stdout, "", (...))
    t.has(child.stderr, part)
  end
  fails(2, "eval wants a piece of Lua")
  fails(2, "eval:1: syntax error near 'y'", "x y")
  fails(2, "there is no option --jsn", "--jsn", "1")
  fails(2, "--app starts a program on a private desktop: add --desktop private", "--app", "x", "1")
  fails(1, "eval:1: boom", "error('boom')")
  fails(1, "attempt to perform arithmetic", "nil + 1")
  local child = eval { "nil, require('deskpilot.base.errors').new('not_found', 'no such thing')" }
  t.eq(child.status, 1)
  t.eq(lines(child.stdout), "nil, no such thing (not_found)\n")
  t.eq(eval({ "nil, 'words'" }).status, 0)
end

function tests.standard_input()
  local child = eval({ "-", "x" }, { input = "#!/usr/bin/env -S deskpilot eval -\nlocal a = ...\nreturn a .. 'y'\n" })
  t.eq(child.status, 0, child.stderr)
  t.eq(lines(child.stdout), '"xy"\n')
  child = eval({ "-" }, { input = "error('where')" })
  t.eq(child.status, 1)
  t.has(child.stderr, "eval:1: where")
end

function tests.the_projects_modules_are_found()
  local folder = spawn.folder()
  assert(files.write(folder .. "/mine.lua", "return { n = 7 }"))
  local child = eval({ "require('mine').n" }, { cwd = folder })
  t.eq(lines(child.stdout), "7\n", child.stderr)
  files.remove(folder)
end

function tests.waiting_works()
  local child = eval { "require('deskpilot.base.task').sleep(0.05), 'after'" }
  t.eq(child.status, 0, child.stderr)
  t.has(child.stdout, '"after"')
end

if t.platform == "linux" then -- on Windows there is always a desktop, and tests/windows sends console events
function tests.without_a_display()
  local child = eval { "desk.screen.size()" }
  t.eq(child.status, 3)
  t.has(child.stderr, "DISPLAY is not set")
end

function tests.interrupted()
  for _, source in ipairs { "while true do pcall(function() while true do end end) end",
    "require('deskpilot.base.task').sleep(1000)" } do
    local child = spawn.start({ spawn.program, "eval", "print('begun') io.stdout:flush() " .. source })
    t.wait_until("it has begun", function() return child.stdout:find("begun") end, 20)
    task.sleep(0.05)
    child:kill("sigint")
    child:wait()
    t.eq(child.status, 130, source)
    t.has(child.stderr, "interrupted")
  end
end
end

return tests
