--- One mission of the queue as a process of its own: `deskpilot run` (or `resume`) on a private desktop, in the folder
--- that its bundle was unpacked into.
local uv = require "luv"
local bundle = require "deskpilot.fleet.bundle"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local process = require "deskpilot.desk.app.process"
local text = require "deskpilot.base.text"

local mission_run = {}

local RESULT = { bytes = 1 << 20, values = 20000, depth = 20 }
local LONGEST = 30 * 24 * 3600 -- seconds; a run's own limits are the mission's business
local MOST_ARGUMENTS, LONGEST_ARGUMENT = 1000, 100000

-- What a record says of the run, checked: it came over the network.
local function read(record)
  local arguments = {}
  for i, argument in ipairs(type(record.args) == "table" and record.args or {}) do
    if type(argument) ~= "string" or #argument > LONGEST_ARGUMENT or argument:find("\0", 1, true) or i > MOST_ARGUMENTS
    then
      return errors.fail("protocol", "the mission's parameters are not what submit sends")
    end
    arguments[i] = argument
  end
  if type(record.bundle) ~= "string" or not record.bundle:find("^%x+$") or #record.bundle ~= 64
    or type(record.mission) ~= "string" or not record.mission:find("^[^/\\%c:]+%.lua$") then
    return errors.fail("protocol", "the mission's record is not what submit writes")
  end
  return arguments
end

-- The files of the mission, in a folder that goes with its closing.
local function unpack(store, record, base)
  local packed, err = store:bundle(record.bundle)
  if not packed then return nil, err end
  local folder
  folder, err = files.make_temporary_folder(base, "mission-")
  if not folder then return nil, err end
  local files_of = setmetatable({ path = folder }, { __close = function() files.remove(folder) end })
  local ok
  ok, err = bundle.unpack(packed, record.bundle, folder)
  files_of.mission = files.join(folder, record.mission)
  if ok and files.exists(files_of.mission) then return files_of end
  files.remove(folder)
  if ok then return errors.fail("protocol", "the mission's bundle has no file %s", record.mission) end
  return nil, err
end

--- A mission that can be run; its files go with its closing.
---@class deskpilot.fleet.mission
---@field path string the folder of its files
---@field mission string its own file
---@field arguments string[]

--- Unpacks it, and checks what its record says.
---@param store deskpilot.fleet.store
---@param record table
---@param base string the folder in which its own is made
---@return deskpilot.fleet.mission? mission, deskpilot.error? err protocol: it is not what submit sends; the world's
function mission_run.open(store, record, base)
  local arguments, err = read(record)
  if not arguments then return nil, err end
  local mission, why = unpack(store, record, base)
  if not mission then return nil, why end
  mission.arguments = arguments
  return mission
end

-- What follows the program's name on the command line.
local function words(mission, options)
  local own = { "--desktop", options.desktop, "--runs", options.runs, "--json", "--quiet" }
  if options.from then return { "resume", options.from, "--mission-file", mission.mission, table.unpack(own) } end
  local list = { "run", mission.mission, table.unpack(own) }
  list[#list + 1] = "--"
  return table.move(mission.arguments, 1, #mission.arguments, #list + 1, list)
end

--- What became of a run.
---@class deskpilot.fleet.outcome
---@field status integer? the process's exit status (docs/missions.md)
---@field result table? what it said of itself
---@field words string? its last words, where it said nothing

--- Runs it to its end.
---@param mission deskpilot.fleet.mission
---@param options { runs: string, desktop: string, from: string?, environment: table<string, string>?, on_start:
---  fun(child: deskpilot.process) } from: the folder of a run that is gone on with; environment: is added to the
---  worker's own
---@return deskpilot.fleet.outcome? outcome, deskpilot.error? err
function mission_run.perform(mission, options)
  local argv = { os.getenv("DESKPILOT_BIN") or uv.exepath(), table.unpack(words(mission, options)) }
  local child <close>, failure = process.start { argv = argv, cwd = mission.path, input = false, output = "head",
    env = environment.lines(uv.os_environ(), options.environment) } -- settings and keys are for it
  if not child then return nil, failure end
  options.on_start(child)
  local status, late = child:wait(LONGEST)
  if not status then return nil, late end
  local result = json.decode(text.trim(child.stdout:contents()), RESULT)
  return { status = status, result = type(result) == "table" and result or nil, words = child:last_words() }
end

return mission_run
