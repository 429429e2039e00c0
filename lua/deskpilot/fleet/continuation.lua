--- What a further attempt at a mission begins with: the run of an attempt before it, which was cut off, is gone on with
--- as `deskpilot resume` does, if its journal says how. A worker that has the run's folder itself takes that, with its
--- pictures and requests; else the journal comes from the server, which is all that resuming needs.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local old_runs = require "deskpilot.agent.old_runs"
local resume = require "deskpilot.agent.resume"
local run_journal = require "deskpilot.fleet.run_journal"

local continuation = {}

---@class deskpilot.fleet.continuation
---@field attempt integer? the one whose run is gone on with
---@field folder string? of that run
---@field run string? the folder's name
---@field turn integer? after which it goes on
---@field outcome deskpilot.fleet.outcome? that run has ended: there is nothing to go on with
---@field anew string? why the mission begins anew

-- Ends by which a run has decided about its mission. Other ones were the machine's or somebody's.
local decided = { succeeded = 0, failed = 1, incomplete = 1 }

-- What workers say on their command lines of a run. Nothing else of what a journal says of one is taken over.
local own_flags = { ["desktop.kind"] = true, ["desktop.width"] = true, ["desktop.height"] = true, ["runs.dir"] = true }

-- The latest attempt of which there is a journal.
local function latest(store, id, before)
  for attempt = before, 1, -1 do
    local kept, err = run_journal.kept(store, id, attempt)
    if kept then return attempt, kept end
    if err.code ~= "not_found" then return nil, err end
  end
end

-- Why a journal is not that of this mission's run; nil if it may be gone on with.
local function foreign(past, record)
  for name in pairs(type(past.start.flags) == "table" and past.start.flags or {}) do
    if not own_flags[name] then return "its journal sets " .. tostring(name) .. ", which no worker does" end
  end
  local given, wanted = type(past.start.args) == "table" and past.start.args or {}, record.args or {}
  local same = #given == #wanted
  for i, argument in ipairs(wanted) do same = same and given[i] == argument end
  if not same then return "its journal has other parameters" end
end

local function read(folder, record, cut_off)
  local past, err = resume.read(folder)
  if not past then return { anew = "its journal cannot be gone on with: " .. tostring(err) } end
  local why = foreign(past, record)
  if why then return { anew = why } end
  local config = type(past.start.config) == "table" and past.start.config or {}
  local status = past.outcome and decided[past.outcome.status]
  if past.outcome and past.outcome.status == "claimed" then status = config.accept_claims and 0 or 1 end
  if status and cut_off then
    return { outcome = { status = status, result = { status = past.outcome.status, reason = past.outcome.reason,
      run_dir = folder } } }
  end
  return { turn = past.turn }
end

--- Finds it, and brings what is missing of it here.
---@param store deskpilot.fleet.store
---@param id string
---@param record table of the mission; its present attempt has begun
---@param options { runs: string, mission: string, cut_off: boolean, trusts: boolean, key: string? } runs: where the
---  mission's runs are; mission: the text of its file; cut_off: the worker of the attempt before has vanished, and may
---  have had no time to write down how the run ended; trusts: journals of the server are gone on with; key: those of
---  its holders
---@return deskpilot.fleet.continuation? continuation nil: no attempt before has written a journal
---@return deskpilot.error? err refused: that run still goes on here; the world's
function continuation.of(store, id, record, options)
  local attempt, kept = latest(store, id, record.attempts - 1)
  if not attempt then
    if kept and kept.code == "protocol" then return { anew = tostring(kept) } end
    return nil, kept
  end
  local folder = files.join(options.runs, kept.run)
  local journal = files.join(folder, "journal.jsonl")
  if old_runs.is_held(folder) then return errors.fail("refused", "%s still goes on", folder) end
  if files.size(journal) < kept.size then
    if not (options.trusts or options.key) then
      return { anew = "its worker does not trust journals of the server (--journal-key)" }
    end
    local ok, err = run_journal.fetch(store, id, attempt, folder, options.key)
    if ok then ok, err = files.write(files.join(folder, "mission.lua"), options.mission, { private = true }) end
    if not ok and err.code == "protocol" then return { anew = tostring(err) } end
    if not ok then return nil, err end
  end
  local found = read(folder, record, options.cut_off)
  found.attempt, found.run, found.folder = attempt, kept.run, folder
  return found
end

return continuation
