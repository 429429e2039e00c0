-- The bundle of a mission's folder: what gets in, and that nothing from outside gets out of the folder that it is
-- unpacked into.
local bundle = require "deskpilot.fleet.bundle"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local system = require "native.system"
local t = require "harness"

local tests = {}

tests.a_folder_comes_out_as_it_went_in = spawn.in_folder(function(folder)
  local from, to = folder .. "/from", folder .. "/to"
  assert(files.make_folder(from .. "/prompts/deep"))
  assert(files.make_folder(from .. "/runs/1"))
  assert(files.make_folder(to))
  for path, text in pairs { ["a.lua"] = "return {}", ["prompts/deep/b"] = "\0\r\n\255", empty = "", ["runs/1/x"] = "no",
    [".hidden"] = "no" } do
    assert(files.write(from .. "/" .. path, text))
  end
  local text, hash = assert(bundle.make(from))
  t.eq(hash, system.sha256(text))
  t.eq(select(2, bundle.make(from)), hash)
  t.ok(bundle.unpack(text, hash, to))
  t.eq(files.list(to), { "a.lua", "empty", "prompts" })
  t.eq(files.read(to .. "/a.lua"), "return {}")
  t.eq(files.read(to .. "/prompts/deep/b"), "\0\r\n\255")
  t.eq(files.read(to .. "/empty"), "")
end)

tests.too_much_does_not_get_in = spawn.in_folder(function(folder)
  local before = bundle.limits
  local restore <close> = setmetatable({}, { __close = function() bundle.limits = before end })
  assert(restore)
  bundle.limits = { bytes = 1000, files = 3, depth = 2 }
  assert(files.write(folder .. "/a", ("x"):rep(1000)))
  t.ok(bundle.make(folder))
  assert(files.write(folder .. "/b", "x"))
  t.fails("invalid", "has more than 0 MB", bundle.make(folder))
  for _, name in ipairs { "a", "b", "c", "d" } do assert(files.write(folder .. "/" .. name, "")) end
  t.fails("invalid", "has more than 3 files", bundle.make(folder))
  files.remove(folder .. "/d")
  assert(files.make_folder(folder .. "/1/2/3"))
  t.fails("invalid", "2 folders in each other", bundle.make(folder))
end)

tests.what_is_hostile_writes_nothing = spawn.in_folder(function(folder)
  local to = folder .. "/to"
  assert(files.make_folder(to))
  local function refused(words, head, body)
    local text = (type(head) == "string" and head or json.encode(head)) .. "\n" .. (body or "")
    t.fails("protocol", words, bundle.unpack(text, system.sha256(text), to))
    t.eq(files.list(to), {})
    t.eq(files.list(folder), { "to" })
  end
  for _, path in ipairs { "../x", "a/../../x", "/tmp/x", "a//x", "./x", "", "a/", "C:/x", "a\\x", "a\nb", "a\0b",
    ".. /x", "a/. ./x", "...", ("a/"):rep(40) .. "x", ("a"):rep(2000) } do
    refused("a file outside of it", { version = 1, files = { { path = "good", size = 1 }, { path = path, size = 1 } } },
      "12")
  end
  refused("outside", { version = 1, files = { { path = 7, size = 0 } } })
  refused("a wrong size", { version = 1, files = { { path = "a", size = 3 } } }, "12")
  refused("a wrong size", { version = 1, files = { { path = "a", size = -1 } } }, "12")
  refused("a wrong size", { version = 1, files = { { path = "a", size = 1e300 } } }, "12")
  refused("a wrong size", { version = 1, files = { "a" } }, "12")
  refused("more than its list says", { version = 1, files = { { path = "a", size = 1 } } }, "12")
  refused("another version", { version = 2, files = {} })
  refused("cannot be read", "{}{")
  refused("cannot be read", ("["):rep(5000))
  t.fails("protocol", "its SHA-256 is another", bundle.unpack("{}", ("0"):rep(64), to))
  local many = { version = 1, files = {} }
  for i = 1, 1001 do many.files[i] = { path = "f" .. i, size = 0 } end
  refused("more than its list says", many)
end)

return tests
