--- Whether a run that was tortured ended as it is documented (docs/missions.md): within its time, with a documented
--- status, with a journal and a result that readers accept, with a sentence where it failed, and nothing left of it.
local uv = require "luv"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local journals = require "journals"
local json = require "deskpilot.base.json"

local judge = {}

local statuses = { [0] = true, [1] = true, [2] = true, [3] = true, [130] = true }
local outcomes = { succeeded = 0, claimed = 0, failed = 1, incomplete = 1, error = 1, interrupted = 130 }
local good = { succeeded = true, claimed = true } -- the missions accept claims

-- What no sentence for a user has in it.
local crashes = { "stack traceback", "Sanitizer", "runtime error:", "Assertion", "assertion failed", "PANIC",
  "attempt to %a+ a ", "core dumped", "double free", "malloc%(%)", "%[string " }

local function check_end(run, add)
  if run.hung then return add("hung: " .. run.hung) end
  if run.signal and run.signal ~= 0 then
    if run.signal ~= run.sent then add("killed by signal " .. run.signal .. (run.crash or "")) end
  elseif not statuses[run.status] then
    add("exit status " .. tostring(run.status))
  end
end

local function check_words(run, add)
  for _, pattern in ipairs(crashes) do
    local line = run.stderr:match("[^\n]*" .. pattern .. "[^\n]*")
    if line then add("standard error: " .. line) break end
  end
  local failed = run.status ~= 0 and run.signal == 0 and not run.hung and not run.again -- then it ends at once
  if failed and not run.stderr:find "%a%a" then add "no sentence on standard error" end
  if run.stdout ~= "" and type(json.decode(run.stdout)) ~= "table" and run.signal == 0 then
    add("standard output is no JSON: " .. run.stdout:sub(1, 80))
  end
end

-- The last event of its journal, nil where there is none.
local function check_journal(folder, add)
  local path = files.join(folder, "journal.jsonl")
  if not files.exists(path) then return nil end
  for _, problem in ipairs(journals.problems(path)) do add("journal: " .. problem) end
  local events, reading = journal.read(folder)
  if not events then add("journal: " .. tostring(reading)) return nil end
  if reading.skipped > 0 then add(("journal: %d lines are no events"):format(reading.skipped)) end
  return events[#events]
end

local function check_result(folder, add)
  local path = files.join(folder, "result.json")
  if not files.exists(path) then return nil end
  local result = json.decode(files.read(path) or "")
  if type(result) ~= "table" then add "result.json is not whole" return nil end
  if not outcomes[result.status] then add("result.json has the status " .. tostring(result.status)) end
  return result
end

-- It is replaced as a whole, so that it is one, of whatever moment.
local function check_trajectory(folder, add)
  local words = files.read(files.join(folder, "trajectory.json"))
  local value = words and json.decode(words)
  if words and (type(value) ~= "table" or type(value.steps) ~= "table") then add "trajectory.json is not whole" end
end

-- What the program, the journal and the result say agrees, as far as each could be written.
local function check_agreement(run, last, result, add)
  -- Of a file that the disk may not have, the sentence is what counts; a signal may come after the end.
  if run.signal ~= 0 or run.hung or run.stderr:find "result%.json: " then return end
  if run.status == 0 then
    if not result or not good[result.status] then
      add("exit status 0, but the result is " .. tostring(result and result.status))
    end
    if not last or last.event ~= "run_end" or not good[last.status] then
      add("exit status 0, but the journal ends with " .. tostring(last and last.event))
    end
  elseif result and good[result.status] and not (run.sent and run.status == 130) then
    add(("exit status %d, but the result is %s"):format(run.status, result.status))
  end
end

local function check_leftovers(run, folder, add)
  for _, one in ipairs(run.left) do add("left: " .. one) end
  for _, name in ipairs(files.list(folder) or {}) do
    if name:find "%.part$" and run.signal == 0 then add("left: " .. name .. " in the run's folder") end
  end
end

---@class torture.run
---@field status integer? its exit status
---@field signal integer? 0, or what it was killed by
---@field sent integer? the signal that it was sent
---@field again boolean? and once more
---@field hung string? where it did not end: its stack
---@field crash string? where it was killed by a signal that nobody has sent: its stack
---@field stdout string
---@field stderr string
---@field runs string the folder of its runs
---@field left string[] what was still there afterwards
---@field seen string[]? what another user could see

--- What is wrong with a run.
---@param run torture.run
---@return string[] problems, string ending in a word or two
function judge.problems(run)
  local problems = {}
  local function add(words) problems[#problems + 1] = words end
  check_end(run, add)
  check_words(run, add)
  local last, result
  for _, name in ipairs(uv.fs_stat(run.runs) and files.list(run.runs) or {}) do
    local folder = files.join(run.runs, name)
    if (uv.fs_stat(folder) or {}).type == "directory" then
      last, result = check_journal(folder, add), check_result(folder, add)
      check_trajectory(folder, add)
      check_leftovers(run, folder, add)
    end
  end
  if not last and not result then check_leftovers(run, run.runs, add) end
  check_agreement(run, last, result, add)
  for _, path in ipairs(run.seen or {}) do add("another user sees " .. path) end
  local ending = run.hung and "hung" or run.signal and run.signal ~= 0 and "signal " .. run.signal
    or ("%s %s"):format(run.status, result and result.status or "-")
  return problems, ending
end

return judge
