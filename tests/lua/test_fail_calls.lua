-- The library that makes calls fail (tests/torture/fail_calls.c), tried on programs of the system. Linux only.
local t = require "harness"
local files = require "deskpilot.base.files"
local spawn = require "spawn"

local tests = {}

local library = files.absolute(os.getenv "DESKPILOT_FAIL_CALLS" or "build/test/tests/libfail_calls.so")

-- Runs a program; its report is of its own process.
local function run(argv, how)
  local folder = spawn.folder()
  local env = { LD_PRELOAD = library, LC_ALL = "C", FAIL_REPORT = folder .. "/report" }
  for key, value in pairs(how) do env["FAIL_" .. key] = tostring(value) end
  local child = spawn.run(argv, { env = env, cwd = folder })
  local found = { status = child.status, stdout = child.stdout, stderr = child.stderr,
    report = files.read(folder .. "/report") or "", written = files.read(folder .. "/out") }
  files.remove(folder)
  return found
end

-- Writes five times a hundred bytes.
local dd = { "dd", "if=/dev/zero", "of=out", "bs=100", "count=5" }

function tests.without_a_number_calls_are_only_counted()
  local one = run(dd, { CALL = "write", PATH = "/out" })
  t.eq({ one.status, #one.written }, { 0, 500 }, one.stderr)
  t.has(one.report, " dd calls=5 failed=0 write=5\n")
  one = run(dd, { CALL = "open,read", PATH = "zero" })
  t.has(one.report, " dd calls=6 failed=0 read=5 open=1\n")
end

function tests.the_nth_call_fails()
  for at = 1, 5 do
    local one = run(dd, { CALL = "write", PATH = "/out", AT = at, HOW = "EIO" })
    t.eq({ one.status, #one.written }, { 1, (at - 1) * 100 })
    t.has(one.stderr, "Input/output error")
    t.ok(one.report:find((" dd fail write#%d /%%S+/out\n"):format(at)), one.report)
    t.has(one.report, "failed=1")
  end
  t.has(run(dd, { CALL = "write", PATH = "/out", AT = 1 }).stderr, "No space left", "what is usual for the call")
  t.has(run(dd, { CALL = "open", PATH = "out", AT = 1 }).stderr, "Too many open files")
  t.eq(run(dd, { CALL = "write", PATH = "/out", AT = 6 }).status, 0, "there is no sixth")
end

function tests.a_call_may_come_up_short()
  local one = run(dd, { CALL = "write", PATH = "/out", AT = 2, HOW = "short" })
  t.eq({ one.status, #one.written }, { 0, 500 }, "the rest is written by the next call: " .. one.stderr)
  t.has(one.report, "calls=6 failed=1 write=6")
  one = run(dd, { CALL = "read", PATH = "zero", AT = 1, HOW = "short" })
  t.eq({ one.status, #one.written }, { 0, 450 }, "a short block of input")
end

function tests.several_fail_or_all()
  local one = run({ "cp", "/etc/passwd", "/etc/group", "." }, { CALL = "open", PATH = "/etc/", AT = 1, TIMES = 1,
    HOW = "EACCES" })
  t.ok(one.stderr:find("passwd") and not one.stderr:find("group"), one.stderr)
  one = run({ "cp", "/etc/passwd", "/etc/group", "." }, { CALL = "open", PATH = "/etc/", AT = 1, TIMES = "all",
    HOW = "EACCES" })
  t.ok(one.stderr:find("passwd") and one.stderr:find("group"), one.stderr)
end

function tests.a_disk_is_full()
  for _, room in ipairs { 0, 50, 100, 350, 499 } do
    local one = run(dd, { ROOM = room, PATH = "/out" })
    t.eq({ one.status, #one.written }, { 1, room }, one.stderr)
    t.has(one.stderr, "No space left")
  end
  t.eq(run(dd, { ROOM = 500, PATH = "/out" }).status, 0)
  t.eq(run({ "sh", "-c", "echo to a pipe" }, { ROOM = 0 }).stdout, "to a pipe\n", "pipes are no disk")
end

function tests.other_calls()
  for call, argv in pairs { rename = { "mv", "report", "there" }, mkdir = { "mkdir", "there" },
    unlink = { "rm", "-f", "report" }, truncate = { "truncate", "-s", "5", "out" }, fsync = { "sync", "." } } do
    local one = run({ "sh", "-c", "echo > report; exec " .. table.concat(argv, " ") },
      { CALL = call, AT = 1, HOW = "EIO", PROGRAM = argv[1] })
    t.ok(one.status ~= 0 and one.stderr:find "Input/output error", call .. ": " .. one.stderr)
  end
end

function tests.other_programs_are_left_alone()
  local one = run({ "sh", "-c", "dd if=/dev/zero of=out bs=100 count=5" }, { CALL = "write", PATH = "/out", AT = 1,
    PROGRAM = "sed" })
  t.eq({ one.status, #one.written, one.report }, { 0, 500, "" }, one.stderr)
end

function tests.what_is_not_known_is_refused()
  for name, value in pairs { CALL = "wriet", HOW = "EOOPS", AT = "x" } do
    local how = { CALL = "write", AT = 1 }
    how[name] = value
    local one = run(dd, how)
    t.eq(one.status, 99)
    t.has(one.stderr, ("fail_calls: FAIL_%s=%s is not known"):format(name, value))
  end
end

return tests
