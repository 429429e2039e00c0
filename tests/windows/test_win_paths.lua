-- Paths with letters of many scripts, from the command line to the files that a run writes, and where a
-- user's configuration is found.
local files = require "deskpilot.base.files"
local harness = require "harness"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local function in_folder(fn)
  local above = spawn.folder()
  local folder = files.join(above, "Ünïcode 日本 😀")
  assert(files.make_folder(folder))
  local _ <close> = setmetatable({}, { __close = function() files.remove(above) end })
  fn(folder)
end

local mission = [[
local helper = require "helper"
return {
  desktop = { kind = "current" },
  run = function(m)
    local file = assert(io.open(helper.path, "wb"))
    file:write(helper.words)
    file:close()
    m:note("written")
  end,
  verify = function() return require("deskpilot.base.files").read(helper.path) == helper.words end,
}
]]

function tests.a_mission_runs_in_such_a_folder()
  in_folder(function(folder)
    local path = files.join(folder, "Grüße.lua")
    assert(files.write(path, mission))
    assert(files.write(files.join(folder, "helper.lua"),
      ("return { path = %q, words = 'héllo' }"):format(files.join(folder, "notes – 日本.txt"))))
    local child = spawn.run { spawn.program, "run", path, "--json", "--runs", files.join(folder, "läufe") }
    harness.eq(child.status, 0, child.stderr)
    local result = json.decode(child.stdout) or {}
    harness.eq(result.status, "succeeded")
    harness.has(result.run_dir or "", "läufe")
    harness.ok(files.exists(files.join(result.run_dir or "", "journal.jsonl")))
    harness.eq(files.read(files.join(folder, "notes – 日本.txt")), "héllo")
  end)
end

function tests.a_screenshot_is_written_there()
  in_folder(function(folder)
    local child = spawn.run { spawn.program, "shot", "-o", files.join(folder, "bild ö.png") }
    harness.eq(child.status, 0, child.stderr)
    harness.eq((files.read(files.join(folder, "bild ö.png")) or ""):sub(2, 4), "PNG")
    child = spawn.run({ spawn.program, "shot" }, { cwd = folder })
    harness.eq(child.status, 0, child.stderr)
    harness.ok(files.exists(files.join(folder, (child.stdout:gsub("%s+$", "")))), child.stdout)
  end)
end

function tests.standard_output_is_the_bytes_themselves()
  local child = spawn.run { spawn.program, "shot", "-o", "-" }
  harness.eq(child.stdout:sub(1, 8), "\137PNG\r\n\26\n")
  child = spawn.run { spawn.program, "--version" }
  harness.eq(child.stdout:find("\r", 1, true), nil)
end

function tests.the_users_configuration_is_in_appdata()
  in_folder(function(folder)
    assert(files.make_folder(files.join(folder, "deskpilot")))
    assert(files.write(files.join(folder, "deskpilot", "config.lua"), "return { model = { nmae = 'x' } }"))
    local child = spawn.run({ spawn.program, "doctor", "--set", "model.name=literal" },
      { env = { APPDATA = files.native(folder) } })
    harness.has(child.stdout, "did you mean 'model.name'?")
  end)
end

return tests
