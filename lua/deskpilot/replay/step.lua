--- One step of a replayed run: finds its target, does it by its tool, and checks what is to be true then.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local replay_aim = require "deskpilot.replay.aim"
local replay_check = require "deskpilot.replay.check"
local replay_target = require "deskpilot.replay.target"
local script = require "deskpilot.agent.script"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function replay_heal() return require "deskpilot.replay.heal" end

local replay_step = {}

local pause = 0.1 -- seconds between looks

---@class deskpilot.replay.step
---@field [1] string what it is, for people
---@field act string? the tool; without one it only checks what it expects
---@field with table? its arguments, without what it points at
---@field on deskpilot.replay.target? what it acts on
---@field to deskpilot.replay.target? of a drag: where it ends
---@field expect deskpilot.replay.expect? what is to be true afterwards
---@field looks string? a picture of the place as it was in the run
---@field seconds number? that it waits for its target and for what it expects, where replay.seconds is too short

---@class deskpilot.replay.player
---@field m deskpilot.mission_run
---@field file string of the exported mission
---@field pictures string the folder of its pictures
---@field count integer of the steps so far
---@field looked deskpilot.observation? the latest look of its own
---@field raised integer? the step for which a window was brought to the front
---@field otherwise boolean? whether a picture was found in other colours or another size
---@overload fun(step: deskpilot.replay.step)
local Player = {}
Player.__index = Player

local known = { act = "string", with = "table", on = "table", to = "table", expect = "table", looks = "string",
  seconds = "number" }

local function check_fields(fields, kinds, what)
  for key in pairs(fields) do
    if type(key) == "string" and not kinds[key] then
      errors.mistake("%s has %s, which does not exist%s", what, key, text.did_you_mean(key, text.keys(kinds)))
    end
  end
end

local function check(step)
  if type(step) ~= "table" or type(step[1]) ~= "string" then
    errors.mistake "a step is a table such as { \"what it is\", act = \"click_element\", on = { ... } }"
  end
  check_fields(step, known, ("the step %q"):format(step[1]))
  for key, kind in pairs(known) do
    if step[key] ~= nil and type(step[key]) ~= kind or key == "act" and not (step.act or step.expect) then
      errors.mistake("the step %q: %s must be a %s", step[1], key, kind)
    end
  end
  check_fields(step.expect or {}, replay_check.tests, ("`expect` of the step %q"):format(step[1]))
end

-- A look at the screen that was taken after everything that was done.
local function look(self, again)
  local m = self.m
  local seen = m.observation
  if not again and seen and seen == self.looked and not (m.acted and m.acted > seen.at) then return seen end
  local ok, err = m:observe()
  if not ok then error(err, 0) end
  self.looked = m.observation
  return self.looked
end

local function patience(self, step)
  return math.max(step.seconds or 0, self.m.config:get "replay.seconds")
end

-- Fails where what the fields say is not there in time; `fn` is asked after each look, and told whether so much time
-- has passed that what it looks for may have come already and look otherwise.
local function wait(self, step, fn)
  local began, again = task.now(), false
  local stop, late = began + patience(self, step), began + patience(self, step) / 4
  while true do
    local seen = look(self, again)
    local value, err = script.ask(self.m, true, fn, seen, task.now() > late)
    if value then return value end
    if task.now() > stop then return nil, err end
    again = true
    task.sleep(pause)
  end
end

local function path_of(self, name)
  return files.join(self.pictures, name)
end

-- All arguments of the step's call. `late`: a picture may look otherwise now; where one does, the others do as well.
local function arguments(self, step, seen, late)
  local tool = self.m.toolbox:get(step.act)
  if not tool then return errors.fail("refused", "there is no tool %q", step.act) end
  local args = {}
  for key, value in pairs(step.with or {}) do args[key] = value end
  for _, part in ipairs(replay_aim.parts(step)) do
    local more, err = replay_aim.at(self, tool, seen, part, late or self.otherwise)
    if not more then return nil, err end
    for key, value in pairs(more) do args[key] = value end
  end
  return args
end

-- Ends the run, which has failed at the step: what is to be said of it, and what its target looked like.
local function fail(self, step, line, why)
  local m = self.m
  local words = { ("the step '%s' (%s:%d): %s"):format(step[1], self.file, line, tostring(why)) }
  if step.looks or step.on and step.on.picture then
    words[#words + 1] = ("it looked like %s"):format(path_of(self, step.looks or step.on.picture))
  end
  if m.observation and m.observation.path then
    words[#words + 1] = ("the screen is %s now"):format(files.join(m.dir.path, m.observation.path))
  end
  words[#words + 1] = ("mend line %d, or let a model do it: deskpilot run %s --heal"):format(line, self.file)
  local err = errors.new("not_found", "%s", table.concat(words, "; "))
  m:stop("failed", err.message) -- also where the original's script would make something else of it
  error(err, 0)
end

-- What changed in the run has to change now.
local function verify(self, step, line)
  if not step.expect then return end
  local ok, why = wait(self, step, function(seen) return replay_check.holds(self.m.desk, seen, step) end)
  if not ok then fail(self, step, line, (step.act and "it was done, but then " or "") .. tostring(why)) end
end

-- Acts; what was found may be gone again by then, so it is looked for once more.
local function act(self, step)
  local stop = task.now() + patience(self, step)
  while true do
    local args, err = wait(self, step, function(seen, late) return arguments(self, step, seen, late) end)
    if not args then return nil, err end
    local result = self.m:act { tool = step.act, args = args, why = step[1] }
    if result.ok then return true end
    if result.code ~= "stale" or task.now() > stop then return nil, errors.new("refused", "%s", result.text), true end
    self.looked = nil
  end
end

function Player:__call(step)
  check(step)
  local m, line = self.m, debug.getinfo(2, "l").currentline
  if m.outcome then error(errors.new("cancelled", "%s", m.outcome.reason), 0) end
  self.count = self.count + 1
  if not step.act then
    verify(self, step, line)
    return true
  end
  local ok, err, tried = act(self, step)
  if not ok and not tried and m.config:get "replay.heal" and not m.outcome then
    ok, err = replay_heal().step(self, step, line, err)
  end
  if m.outcome then error(errors.new("refused", "%s", m.outcome.reason), 0) end
  if not ok then fail(self, step, line, err) end
  verify(self, step, line)
  return true
end

--- A value that the run has kept by now (extract_data).
---@param name string
---@return string
function Player:kept(name)
  local value = self.m.memory:get(name)
  if value then return value end
  error(errors.new("not_found", "no step has kept ${%s}", name), 0)
end

--- Which of several targets is there, where runs have gone different ways. They are looked for in their order until one
--- is there; where none comes, the run ends.
---@param targets deskpilot.replay.target[]
---@param seconds number? 0: they are looked for once, and nil is given where none is there
---@return integer? number
function Player:first_of(targets, seconds)
  local line = debug.getinfo(2, "l").currentline
  local step = { "which way to go", seconds = seconds }
  local function there(seen, late)
    local reasons = {}
    for i, target in ipairs(targets) do
      local found, err = replay_target.find(self.m.desk, seen, target, function(name) return path_of(self, name) end,
        late or self.otherwise)
      if found then return i end
      reasons[i] = tostring(err)
    end
    return errors.fail("not_found", "%s", table.concat(reasons, "; "))
  end
  if seconds == 0 then return (script.ask(self.m, true, there, look(self))) end
  local number, err = wait(self, step, there)
  if not number then fail(self, step, line, err) end
  return number
end

--- What calls itself with a step does it.
---@param m deskpilot.mission_run
---@param how { file: string, pictures: string }
---@return deskpilot.replay.player
function replay_step.new(m, how)
  return setmetatable({ m = m, file = how.file, pictures = how.pictures, count = 0 }, Player)
end

return replay_step
