--- Programs whose calls of the C library fail (tests/torture/fail_calls.c says how). Linux only.
local files = require "deskpilot.base.files"
local spawn = require "spawn"

local failing = {}

local library = os.getenv "DESKPILOT_FAIL_CALLS" or "build/test/tests/libfail_calls.so"

--- The environment for spawn.start in which deskpilot's calls fail.
---@param how table<string, string|integer> by the variables' names without FAIL_: { CALL = "write", AT = 3 }
---@param report string? path of the report
---@return table<string, string>
function failing.env(how, report)
  local env = { LD_PRELOAD = files.absolute(library), ASAN_OPTIONS = "verify_asan_link_order=0",
    FAIL_PROGRAM = select(2, files.split(spawn.program)), FAIL_REPORT = report }
  for key, value in pairs(how) do env["FAIL_" .. key] = tostring(value) end
  return env
end

--- Runs the program with calls that fail.
---@param words string[] its arguments
---@param how table<string, string|integer>
---@param options table? of spawn.start
---@return table child, { calls: integer, failed: integer, paths: string[] } report how many calls there were, how many
---  of them failed, and the paths of those
function failing.run(words, how, options)
  local folder = spawn.folder()
  local report = files.join(folder, "report")
  options = options or {}
  local env = failing.env(how, report)
  for key, value in pairs(options.env or {}) do env[key] = value end
  local child = spawn.run({ files.absolute(spawn.program), table.unpack(words) }, { cwd = options.cwd, env = env })
  local said = { calls = 0, failed = 0, paths = {} }
  for line in (files.read(report) or ""):gmatch "[^\n]+" do
    if line:find("^" .. child.pid .. " ") then
      local path = line:match " fail %S+ (.*)$"
      if path then said.paths[#said.paths + 1] = path end
      said.calls = tonumber(line:match "calls=(%d+)") or said.calls
      said.failed = tonumber(line:match "failed=(%d+)") or said.failed
    end
  end
  files.remove(folder)
  return child, said
end

return failing
