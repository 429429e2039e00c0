--- The real program runs missions and exports what they did, for tests of what is exported.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local replays = {}

--- Runs a mission. What missions write is in the temporary folder: one of its own, as others may run the same mission.
---@param folder string where the run's folder and its temporary files are
---@param words string[] the mission, options
---@param env table<string, string>?
---@return table result as `run --json` prints it
function replays.run(folder, words, env)
  env = env or {}
  env.TMPDIR = folder
  local argv = { spawn.program, "run", "--json", "--runs", files.join(folder, "runs") }
  table.move(words, 1, #words, #argv + 1, argv)
  local child = spawn.run(argv, { env = env })
  local result = json.decode(child.stdout)
  t.ok(result, "one JSON object on standard output, with stderr " .. child.stderr)
  return result or {}
end

--- Makes a mission of runs, in the folder.
---@param folder string
---@param out string its name
---@param ... string run directories
---@return string path
function replays.export(folder, out, ...)
  local child = spawn.run { spawn.program, "export", "--lua", "-o", files.join(folder, out), ... }
  t.eq(child.status, 0, child.stderr)
  return files.join(folder, out)
end

return replays
