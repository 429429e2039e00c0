--- The times of a run: how long it rests and settles, and how fast it points and types. The configuration has them
--- for the whole run (`timing.NAME`) and for a phase of the policy (`timing.phases.PHASE.NAME`); what neither says is
--- as the profile of the active application has it, or the default.
local timing = require "deskpilot.desk.wait.timing"

local pace = {}

-- "Execution: save", "ExecutionSave" -> { "EXECUTION", "SAVE" }
local function words_of(phase)
  local words = {}
  phase = tostring(phase):gsub("(%l)(%u)", "%1 %2")
  for word in phase:upper():gmatch("[%w\128-\255]+") do words[#words + 1] = word end
  return words
end

local function begins_with(words, start)
  for i, word in ipairs(start) do
    if words[i] ~= word then return false end
  end
  return #start > 0
end

--- Whether a phase is one of some: of that name, or one whose name begins with those words.
---@param phase string?
---@param list string[]
---@return boolean
function pace.is_phase(phase, list)
  local words = words_of(phase or "")
  for _, name in ipairs(list) do
    if begins_with(words, words_of(name)) then return true end
  end
  return false
end

--- What is configured for a phase: for its name, or for the most words that its name begins with (EXECUTION for
--- EXECUTION_SAVE), whatever their case and what stands between them.
---@param config deskpilot.config
---@param phase string?
---@return table<string, number> times empty for none
function pace.of_phase(config, phase)
  local phases = config:get "timing.phases"
  if not next(phases) then return phases end
  local words, best, most = words_of(phase or ""), {}, 0
  for name, times in pairs(phases) do
    local start = words_of(name)
    if #start > most and begins_with(words, start) then best, most = times, #start end
  end
  return best
end

--- A time of a run now, if somebody has set it: for the phase that the policy has announced last, or for the run.
---@param run deskpilot.run
---@param name string
---@param times table<string, number>? those of the phase, where they are known
---@return number? seconds
function pace.set(run, name, times)
  local value = (times or pace.of_phase(run.config, run.phase))[name]
  if value ~= nil then return value end
  local key = "timing." .. name
  return run.config.sources[key] ~= "default" and run.config:get(key) or nil
end

--- A time of a run now.
---@param run deskpilot.run
---@param name string one that has a default
---@return number seconds
function pace.get(run, name)
  return pace.set(run, name) or run.config:get("timing." .. name)
end

--- Gives the desk the times of pointer, keys and typing that are set for the run's phase, and takes back what was set
--- for the phase before. What the mission itself has set there stays.
---@param run deskpilot.run
function pace.apply(run)
  local paced = run.paced or {}
  run.paced = paced
  local times = pace.of_phase(run.config, run.phase)
  for _, name in ipairs(timing.input) do
    local value, before = pace.set(run, name, times), paced[name]
    if value ~= nil then
      if not before then paced[name] = { own = rawget(run.desk.timing, name) } end
      run.desk.timing[name] = value
    elseif before then
      run.desk.timing[name], paced[name] = before.own, nil
    end
  end
end

return pace
