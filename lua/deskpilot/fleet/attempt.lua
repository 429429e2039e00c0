--- One attempt at a mission: what it begins with (continuation.lua), its run, and the run's journal on the server.
local continuation = require "deskpilot.fleet.continuation"
local files = require "deskpilot.base.files"
local mission_run = require "deskpilot.fleet.mission_run"
local run_journal = require "deskpilot.fleet.run_journal"

local attempt = {}

---@class deskpilot.fleet.attempt_options
---@field folder string in which the mission is unpacked
---@field runs string the folder of the mission's runs
---@field desktop string
---@field trusts_journals boolean whether a run may be gone on with by any journal that the server has
---@field journal_key string? whose holders' journals are gone on with otherwise
---@field environment table<string, string>? variables for its process
---@field cut_off boolean whether the worker of the attempt before has vanished
---@field on_start fun(child: deskpilot.process)
---@field on_run fun(folder: string) the folder of the run that has ended, or had ended before
---@field on_choice fun(): boolean the record says what the attempt begins with; whether it may begin
---@field say fun(words: string)

local function run(store, id, record, mission, options, from)
  local sending <close> = run_journal.send(store, id, record.attempts, options.runs, options.journal_key)
  local outcome, err = mission_run.perform(mission, { runs = options.runs, desktop = options.desktop,
    from = from and from.folder, environment = options.environment, on_start = options.on_start })
  local trouble = sending:finish()
  if trouble then options.say(trouble) end
  if sending.name then options.on_run(files.join(options.runs, sending.name)) end
  return outcome, err
end

-- Whether `deskpilot resume` has begun no run.
local function refused(outcome)
  return outcome.status == 2 and type(outcome.result) == "table" and type(outcome.result.run_dir) ~= "string"
end

-- What a further attempt begins with; nothing of the first one.
local function choose(store, id, record, mission, options)
  if record.attempts < 2 then return nil end
  local source, err = files.read(mission.mission)
  if not source then return nil, err end
  local found, why = continuation.of(store, id, record, { runs = options.runs, mission = source,
    cut_off = options.cut_off, trusts = options.trusts_journals, key = options.journal_key })
  if why then return nil, why end
  return found or { anew = "no attempt before it has sent a journal" }
end

--- Makes it.
---@param store deskpilot.fleet.store
---@param id string
---@param record table gets `continued` (attempt, run, turn) or `anew` (why), of a further attempt
---@param options deskpilot.fleet.attempt_options
---@return deskpilot.fleet.outcome? outcome, deskpilot.error? err protocol: it is not what submit sends; the world's;
---  nil without an error where on_choice has said no
function attempt.perform(store, id, record, options)
  local mission <close>, err = mission_run.open(store, record, options.folder)
  if not mission then return nil, err end
  local from, why = choose(store, id, record, mission, options)
  if why then return nil, why end
  record.continued, record.anew = nil, from and from.anew
  if from and from.outcome then
    options.on_run(from.folder)
    return from.outcome
  end
  if record.anew then options.say("begins anew: " .. record.anew) end
  if from and not from.anew then
    record.continued = { attempt = from.attempt, run = from.run, turn = from.turn }
    options.say(("goes on with the run %s after turn %d"):format(from.run, from.turn))
  end
  if from and not options.on_choice() then return nil end
  local outcome, failure = run(store, id, record, mission, options, record.continued and from)
  if not (outcome and record.continued and refused(outcome)) then return outcome, failure end
  record.continued, record.anew = nil, tostring(outcome.result.reason)
  options.say("begins anew: " .. record.anew)
  return run(store, id, record, mission, options)
end

return attempt
