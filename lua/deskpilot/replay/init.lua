--- What an exported mission is made of (deskpilot export --lua): steps that a run has done, done again with no model.
--- Each waits for what it acts on, acts by the tool that the run has used, and waits for what changed then.
---
---     local replay = require "deskpilot.replay"
---     local original = replay.of "calculator"
---
---     return original:repeats { steps = function(step)
---       step { "click the 7", act = "click_element", with = { label = "7" },
---         on = { app = "galculator", window = "frame", role = "toggle button", name = "7" } }
---     end }
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local mission_file = require "deskpilot.agent.mission"
local replay_step = require "deskpilot.replay.step"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"
local trust = require "deskpilot.base.trust"
local verdict = require "deskpilot.agent.verdict"

local replay = {}

---@class deskpilot.replay.original
---@field mission deskpilot.mission the mission that was run
---@field file string of the exported mission
local Original = {}
Original.__index = Original

-- The file that calls, as it was loaded.
local function calling_file()
  local level = 3
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return "?" end
    if info.source:sub(1, 1) == "@" and not text.ends(info.source, "deskpilot/replay/init.lua") then
      return info.source:sub(2)
    end
    level = level + 1
  end
end

-- The original's own modules are found beside it, where this file lies elsewhere.
local function search_beside(folder)
  table.insert(package.searchers, function(name)
    if not name:find "^[%w_][%w_.]*$" then return nil end
    local path = files.join(folder, (name:gsub("%.", "/")) .. ".lua")
    if not files.exists(path) then return nil end
    local ok, err = trust.check(path, folder)
    if not ok then error(tostring(err), 0) end
    return assert(load(assert(files.read(path)), "@" .. path, "t")), path
  end)
end

--- The mission whose run is repeated: its applications, its hooks and its verify are used, and its task is not.
---@param name string its file, from the folder of the exported one, or the name of one that ships
---@return deskpilot.replay.original
function replay.of(name)
  local file = calling_file()
  local folder = files.split(file)
  local path = files.join(folder, name)
  local source, where, own = lookup.mission(files.exists(path) and path or name)
  if not source then errors.mistake("the mission that this one repeats is not there: %s", tostring(where)) end
  if own and own ~= files.absolute(folder) then search_beside(own) end
  local mission, err = mission_file.read(source, where)
  if not mission then errors.mistake("the mission that this one repeats cannot be read: %s", tostring(err)) end
  return setmetatable({ mission = mission, file = file, folder = folder }, Original)
end

--- What a recording (deskpilot record) has in place of a mission before it: nothing. It has succeeded when all steps
--- are done and what they expect is true.
---@return deskpilot.replay.original
function replay.recording()
  local file = calling_file()
  return setmetatable({ mission = {}, file = file, folder = files.split(file) }, Original)
end

--- A text of the original's task, which is another one in each run: what stands between two others.
---@param before string
---@param after string
---@return string
function Original:in_task(before, after)
  local task = self.mission.task or ""
  local _, from = task:find(before, 1, true)
  local to = from and (after == "" and #task + 1 or task:find(after, from + 1, true))
  if not to then errors.mistake("the task of the mission that is repeated has no %q any more", before) end
  return task:sub(from + 1, to - 1)
end

--- A text that is never written down: the value of an environment variable.
---@param variable string
---@return function for `given`
function replay.secret(variable)
  return function(name)
    local value = os.getenv(variable)
    if not value or value == "" then
      error(errors.new("invalid", "the step needs %s, which is secret and in no file: set the environment variable %s",
        name, variable), 0)
    end
    secrets.register(value)
    return value
  end
end

-- What was given on the command line: NAME=VALUE behind `--`.
local function from_command_line(given, args)
  local said = {}
  for _, word in ipairs(args or {}) do
    local name, value = word:match "^([%a_][%w_]*)=(.*)$"
    if not name or given[name] == nil then
      return errors.fail("invalid", "%q is no parameter of this mission; %s", word, next(given)
        and "what may be given is NAME=VALUE, of " .. text.join(text.keys(given)) or "it has none")
    end
    said[name] = value
  end
  return said
end

-- The parameters with their values. Secret ones are asked for before anything is done.
local function fill(given, args)
  local said, err = from_command_line(given, args)
  if not said then return nil, err end
  for name, value in pairs(given) do
    if said[name] then given[name] = said[name]
    elseif type(value) == "function" then
      local ok, known = pcall(value, name)
      if not ok then return nil, known end
      given[name] = known
    end
  end
  return true
end

-- The mission's `m` with steps in place of the agent that its script asks: the first goal gets the steps of the first.
local function with_steps(m, play)
  local count = 0
  local function achieve(options, more)
    if type(options) ~= "table" then options = more or {} end
    count = count + 1
    play(count)
    if not options.verify then return true, "the steps were done" end
    local stop = m.config:get "replay.seconds"
    local ok, why = m.desk.wait_until(function() return verdict.of(options.verify(m)).answer == "yes" end,
      { timeout = stop })
    return ok and true or false, ok and "the steps were done" or tostring(why)
  end
  local view = { achieve = function(_, ...) return achieve(...) end }
  return setmetatable(view, { __newindex = m, __index = function(_, key)
    local value = m[key]
    if type(value) ~= "function" then return value end
    return function(self, ...)
      if self == view then return value(m, ...) end
      return value(self, ...)
    end
  end })
end

---@class deskpilot.replay.options
---@field steps fun(step: fun(step: deskpilot.replay.step)) what is done
---@field goals (fun(step: fun(step: deskpilot.replay.step), goal: integer))? in place of `steps` where the original is
---  a script: what is done for each goal that it hands to an agent, from 1
---@field given table<string, any>? parameters: texts, and replay.secret
---@field pictures string? the folder of pictures, from the file's own
---@field heal boolean? whether a step whose target is gone asks a model (or: deskpilot run --heal)
---@field policy string? that the run was given on the command line
---@field args string[]? what stood behind `--` in the run, for the original's script
---@field desktop table? as in a mission, in place of what the original says

--- The mission that does the steps.
---@param options deskpilot.replay.options
---@return deskpilot.mission
function Original:repeats(options)
  local original, copy = self.mission, {}
  for key, value in pairs(original) do copy[key] = value end
  copy.task, copy.goals, copy.indicators = nil, nil, nil
  copy.policy = options.policy or original.policy
  if options.desktop then
    copy.desktop = {}
    for _, from in ipairs { original.desktop or {}, options.desktop } do
      for key, value in pairs(from) do copy.desktop[key] = value end
    end
  end
  if not original.run then copy.strict = false end -- what fails is told by the step
  if options.heal then copy.replay = { heal = true } end
  copy.run = function(m)
    local ok, why = fill(options.given or {}, m.args)
    if not ok then return false, tostring(why) end
    if options.args then m.args = options.args end
    local player = replay_step.new(m, { file = self.file,
      pictures = files.join(self.folder, options.pictures or ".") })
    if original.run then
      return original.run(with_steps(m, function(goal) options.goals(player, goal) end))
    end
    local done, failure = pcall(options.steps, player)
    if done then return true end
    if errors.interrupts(failure) or not errors.is(failure) then error(failure, 0) end
    return false, tostring(failure)
  end
  return copy
end

return replay
