-- There is no memory: the program says so in one sentence, and leaves no half of a file. The address sanitizer's
-- allocator says no where it is asked for 32 terabytes; ./dev torture has the rest.
local t = require "harness"
local files = require "deskpilot.base.files"
local spawn = require "spawn"

local tests = {}

local setup = [[local uv, folder = require "luv", ...
  local native = require "native.files"
  assert(native.open(folder .. "/file.part", "part", true))
]]

local function ends(source)
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "eval", setup .. source, folder },
    { env = { ASAN_OPTIONS = "allocator_may_return_null=1", XDG_STATE_HOME = folder .. "/state" } })
  t.eq({ child.status, child.stdout }, { 3, "" }, child.stderr)
  t.has(child.stderr, "deskpilot: there is not enough memory\n")
  t.ok(not child.stderr:find("traceback", 1, true), child.stderr)
  t.ok(not files.exists(folder .. "/file.part"), "file.part is left")
  files.remove(folder)
end

function tests.in_a_callback()
  ends [[uv.new_timer():start(20, 0, function() return io.open("/dev/zero"):read(1 << 45) end)
    require("deskpilot.base.task").sleep(20)]]
end

-- luv looks at what it gets in some places only, and has words of its own there.
function tests.in_luv()
  ends [[uv.fs_read(assert(uv.fs_open("/dev/zero", "r", 0)), 1 << 45, 0)]]
end

return tests
