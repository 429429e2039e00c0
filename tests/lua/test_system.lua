-- native.system: checksums and locks of files.
local t = require "harness"
local files = require "deskpilot.base.files"
local spawn = require "spawn"
local system = require "native.system"
local uv = require "luv"

local tests = {}

-- FIPS 180-4 and NIST's examples; lengths around a block of 64 bytes, as sha256sum has them.
function tests.sha256()
  for bytes, sum in pairs {
    [""] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq =
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    [("a"):rep(55)] = "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
    [("a"):rep(56)] = "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
    [("a"):rep(64)] = "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
    [("a"):rep(1000000)] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  } do
    t.eq(system.sha256(bytes), sum, #bytes .. " bytes")
  end
  t.ok(system.sha256("a\0b") ~= system.sha256("a"), "zeros count")
end

local function open(path)
  return assert(uv.fs_open(path, "r+", 0))
end

function tests.a_locked_file_is_locked_for_others_until_it_is_closed()
  local folder = spawn.folder()
  local path = folder .. "/file"
  assert(files.write(path, "words"))
  local first, second = open(path), open(path)
  t.eq(system.lock_file(first), true)
  t.fails("refused", "cannot lock", system.lock_file(second))
  t.eq(files.read(path), "words", "it can be read")
  uv.fs_close(first)
  t.eq(system.lock_file(second), true)
  uv.fs_close(second)
  local child = spawn.start({ files.absolute(spawn.program), "eval", ([[
    local file = require("luv").fs_open(%q, "r+", 0)
    assert(require("native.system").lock_file(file))
    io.stdout:write("locked\n") io.stdout:flush()
    require("deskpilot.base.task").sleep(60)]]):format(path) }, { cwd = folder })
  t.wait_until("the lock", function() return child.stdout:find("locked", 1, true) or child.status end)
  local third = open(path)
  t.fails("refused", "cannot lock", system.lock_file(third))
  child:kill("sigkill")
  child:wait()
  t.wait_until("the lock of a process that was killed", function() return system.lock_file(third) end)
  uv.fs_close(third)
  files.remove(folder)
end

return tests
