--- All that reads a run's journal, for tests with journals that are not as the program writes them.
local continued = require "deskpilot.cli.continued"
local export = require "deskpilot.agent.export"
local files = require "deskpilot.base.files"
local journals = require "journals"
local json = require "deskpilot.base.json"
local lua_export = require "deskpilot.replay.lua_export"
local markup = require "markup"
local recording = require "deskpilot.agent.recording"
local report = require "deskpilot.cli.commands.report"
local resume = require "deskpilot.agent.resume"
local spawn = require "spawn"
local trajectories = require "trajectories"

local readers = {}

--- A folder of a run with a mission, whose journal a test makes up.
---@return string
function readers.folder()
  local folder = spawn.folder()
  journals.made_up[files.join(folder, "journal.jsonl")] = true
  assert(files.write(files.join(folder, "mission.lua"), "return { task = 'T' }"))
  return folder
end

local function report_problem(folder)
  local path, err = report.write(folder)
  if not path then return err == nil and "no page and no sentence" or nil end
  return markup.problem(assert(files.read(path)))
end

local settings = { ["limits.turns"] = 30, ["limits.seconds"] = 300 }
local config = { get = function(_, name) return settings[name] or 0 end }

-- What is kept of a run that goes on from this one is data.
local function resume_problem(folder, from)
  local order, err = continued.order({ quiet = false }, folder, from)
  if not order then return err == nil and "no order and no sentence" or nil end
  local ok, why = order.change { mission = {}, config = config }
  if not ok and why == nil then return "refused without a sentence" end
  json.encode(resume.parent(order.past))
  for _, entry in ipairs(order.past.entries) do
    if type(entry.line) ~= "string" then return "an entry of the history without a line" end
  end
end

local function export_problem(folder)
  local result, err = export.write(folder)
  if not result then return err == nil and "no result and no sentence" or nil end
  for _, name in ipairs { "result.json", "trajectory.json" } do
    if type(json.decode(files.read(files.join(folder, name)) or "")) ~= "table" then return name .. " is no JSON" end
  end
  local problem = trajectories.problem(json.decode(files.read(files.join(folder, "trajectory.json"))))
  if problem then return "trajectory.json: " .. problem end
  if type(result.status) ~= "string" or type(result.reason) ~= "string" then return "a result without status" end
end

local function mission_problem(folder)
  local source, err = lua_export.make({ folder }, "x-replay.lua")
  if not source then return err == nil and "no mission and no sentence" or nil end
  local chunk, why = load(source, "=mission", "t", {})
  return not chunk and "the mission is no Lua: " .. why or nil
end

local function rerun_problem(folder)
  local recorded, err = recording.open(folder)
  if not recorded then return err == nil and "no recording and no sentence" or nil end
  local width, height = recorded:size()
  if math.type(width) ~= "integer" or math.type(height) ~= "integer" or width < 1 or height < 1 then
    return ("a desktop of %s x %s"):format(tostring(width), tostring(height))
  end
  local run = { turn = recorded.first, stop = function() end }
  local seen, why = recorded:take(run)
  if not seen and why == nil then return "no look and no sentence" end
end

--- Lets every reader read a journal.
---@param folder string of readers.folder
---@param text string the journal
---@return string? problem
function readers.read(folder, text)
  assert(files.write(files.join(folder, "journal.jsonl"), text))
  for name, read in pairs { report = report_problem, export = export_problem, mission = mission_problem,
    rerun = rerun_problem, resume = resume_problem } do
    local ok, why = xpcall(read, debug.traceback, folder)
    if not ok or why then return ("%s: %s"):format(name, tostring(why)) end
  end
  local ok, why = xpcall(resume_problem, debug.traceback, folder, { turn = 1, fork = true })
  if not ok or why then return ("fork: %s"):format(tostring(why)) end
end

return readers
