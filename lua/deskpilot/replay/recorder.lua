--- A person's work as a run: what they click, press, type and scroll is told in the journal like an agent's acts, with
--- what each has hit (act_record.lua), so that an exported mission is made of it as of any run. The screen is looked at
--- whenever it has come to rest, because what an act hits is what was there before it.
local act_record = require "deskpilot.agent.act_record"
local errors = require "deskpilot.base.errors"
local keys = require "native.desk"
local recorded_looks = require "deskpilot.replay.recorded_looks"
local recorded_acts = require "deskpilot.replay.recorded_acts"
local recorded_text = require "deskpilot.replay.recorded_text"
local task = require "deskpilot.base.task"

local recorder = {}

-- Seconds.
local every = 0.02 -- between two looks at what was pressed
local quiet, cap = 0.15, 1.5 -- a screen that was quiet for so long has come to rest after an act; the longest wait
local pause = 0.25 -- between two looks at a screen that keeps changing
local typing_over = 0.7 -- after the last key a text is over
local held_back = 0.3 -- that Ctrl+C waits: in this command's own terminal it ends the recording
local shown = 5 -- that an application has to show what was typed, where keys alone do not tell it
local arrives = 0.06 -- that a key has to reach its field

---@class deskpilot.recorder
---@field run deskpilot.run
---@field looks deskpilot.recorded_looks
---@field queue deskpilot.input_event[] not worked on yet
---@field gesture table? of the mouse, that may go on (recorded_acts.lua)
---@field text deskpilot.recorded_text? that may go on
---@field moved number when something was done last that may have moved the focus
---@field own table<string, string> combinations that are ours: what they do, by their names
local Recorder = {}
Recorder.__index = Recorder

local function canonical(names)
  local list = { table.unpack(names) }
  table.sort(list)
  return table.concat(list, "+")
end

local modifiers = { ctrl = true, alt = true, shift = true, win = true, left_ctrl = true, right_ctrl = true,
  left_alt = true, right_alt = true, alt_gr = true, left_shift = true, right_shift = true, left_win = true,
  right_win = true, caps_lock = true, num_lock = true, scroll_lock = true }

--- The keys of an event, as a combination's name: "ctrl+shift+s".
---@param event deskpilot.input_event
---@return string? nil where a key has no name
function recorder.combo(event)
  if not event.key then return nil end
  local list = {}
  for _, name in ipairs { "ctrl", "alt", "shift", "win" } do
    if event[name] then list[#list + 1] = name end
  end
  list[#list + 1] = event.key
  return table.concat(list, "+")
end

-- --- what is seen ---------------------------------------------------------------------------------------------------

-- Looks at the screen. Whether nothing was pressed meanwhile.
local function look(self)
  local taken = self.looks:take()
  self:fetch()
  if not taken then return false end
  if self.text then
    local typing = true
    for _, event in ipairs(self.queue) do typing = typing and recorded_text.types(event) end
    self.text:witness(taken.seen, taken.began, typing)
  end
  return #self.queue == 0
end

-- While it is not known where a text goes, that is looked for as soon as a key has had the time to arrive.
local function is_due(self)
  local text, last = self.text, self.looks:latest()
  if not text or text:is_known() or not last then return self.looks:is_due(pause) end
  return last.began < text.last + arrives and task.now() > text.last + arrives or self.looks:is_due(pause)
end

-- --- what was pressed -----------------------------------------------------------------------------------------------

--- Takes what was pressed since the last call.
function Recorder:fetch()
  local list, lost = self.run.desk.activity.recorded()
  if not list then return end
  if lost > 0 then
    self.run:note(("%d keys and clicks came faster than they could be recorded and are missing"):format(lost))
  end
  for _, event in ipairs(list) do
    if event.button or event.down and not modifiers[event.key or ""] then
      self.alone = nil
      self.queue[#self.queue + 1] = event
    elseif event.down then
      self.alone = (event.key == "win" or event.key == "alt") and event.key or nil
    elseif self.alone and self.alone == event.key then -- pressed and let go alone, as for a menu
      self.alone = nil
      self.queue[#self.queue + 1] = { at = event.at, down = true, key = event.key, x = event.x, y = event.y }
    end
  end
end

-- Waits until the screen has come to rest; "input" where somebody does something before that.
local function rest(self)
  local began, native = task.now(), self.run.desk.native
  while true do
    native:pump()
    self:fetch()
    local now = task.now()
    for _, event in ipairs(self.queue) do
      if event.down then return now - began, "input" end
    end
    if now - math.max(began, native:last_change() / 1e9) >= quiet then return now - began, "quiet" end
    if now - began >= cap then return now - began, "cap" end
    task.sleep(every)
  end
end

-- --- acts -----------------------------------------------------------------------------------------------------------

--- Tells of an act.
---@param taken { seen: deskpilot.observation, began: number } the look that shows what it hits
---@param act { tool: string, args: table, at: { x: integer, y: integer }?, to: table?, into: deskpilot.element?,
---  withheld: string?, own_end: boolean? } at: for the pointer; own_end: what comes after it is another act's
function Recorder:tell(taken, act)
  local run = self.run
  self.looks:use(taken)
  run.actions = run.actions + 1
  local touched = recorded_acts.touched(run, taken.seen, act)
  touched.picture = taken.seen.shot
  local action = run:emit("action", setmetatable({ tool = act.tool, args = act.args, persona = "person" },
    { __index = touched }))
  local hit, element = act_record.before(run, action)
  local came = element and self.looks.first[element.handle or ""]
  if hit then
    hit.withheld, hit.waited = act.withheld, came and run.acted and came > run.acted and came - run.acted or nil
  end
  run:emit("action_result", { tool = act.tool, args = act.args, action = action, ok = true, hit = hit,
    text = recorded_acts.words(act, hit) })
  local seconds, reason = 0, "input"
  if not act.own_end then seconds, reason = rest(self) end
  local calm = reason ~= "input" and look(self)
  if not calm then reason = "input" end
  local after = calm and act_record.after(run, hit, element) or nil
  if act.own_end and act.into then -- the field keeps its text; the window may be another's doing
    after = act_record.after(run, hit, element)
    if after then after.window, after.states = nil, nil end
  end
  if after and act.withheld then after.value = nil end
  run:emit("settled", { seconds = seconds, reason = reason, after = after })
  run.acted = task.now()
  if calm then self.looks:use(self.looks:latest()) end
end

local function end_gesture(self)
  local gesture = self.gesture
  self.gesture = nil
  if gesture then
    for _, act in ipairs(recorded_acts.of_gesture(gesture)) do self:tell(gesture.look, act) end
  end
end

-- What had the focus, where nothing that may have moved it was done since.
local function focused(taken, moved)
  if taken.began < moved + 0.05 then return nil end
  return recorded_acts.focused(taken.seen)
end

-- What a text is by what was seen until now: its words, or why they are not kept; its field; the look that shows that.
local function result_of(self, text)
  local into, before = text.secret and text.hidden or text.into, nil
  local taken = self.looks:before(text.began)
  if into then
    before = self.looks:element_before(into, text.began)
    if not before then taken = { seen = text.seen, began = text.seen.at } end
  end
  local words, why = text:result(before)
  return words, why, into or taken and focused(taken, text.moved), taken
end

-- `event`: the one that ends it, nil where nothing was pressed for a while.
local function end_text(self, event)
  local text = self.text
  if not text then return end
  if not event and not text.secret then look(self) end
  local words, why, into, taken = result_of(self, text)
  local limit = task.now() + shown
  while text.composed and why == "unknown" and not event and #self.queue == 0 and task.now() < limit do
    task.sleep(arrives)
    look(self)
    words, why, into, taken = result_of(self, text)
  end
  self.text = nil
  if #text.keys == 0 and not text.composed then return end
  self:tell(taken, { tool = "type_text", args = { text = words or "" }, into = into, withheld = why,
    own_end = event ~= nil })
  if why == "unknown" then
    self.run:note "what was typed is not kept: it could not be seen whether it went into a password field"
  end
end

local function press(self, event)
  local moved = self.moved
  local combo = recorder.combo(event)
  local ours = combo and self.own[canonical(keys.combo(combo) or {})]
  if ours == "stop" then return end
  local taken = self.looks:before(event.at)
  if ours == "check" then
    self:tell(taken, { tool = "check", args = {}, at = { x = event.x, y = event.y } })
  elseif combo then
    self.moved = event.at
    self:tell(taken, { tool = "press_key", args = { key = combo }, into = focused(taken, moved) })
  elseif event.down then
    self.run:note "a key was pressed that has no name here, and is not in the recording"
  end
end

-- Whether an event has to wait: it may be what ends the recording.
local function waits(event)
  return event.key == "c" and event.ctrl and task.now() - event.at < held_back
end

local function take(self, event)
  if event.button then
    end_text(self, event)
    if self.gesture and not recorded_acts.goes_on(self.gesture, event) then end_gesture(self) end
    self.moved = event.at
    self.gesture = recorded_acts.gesture(self.gesture, event, function() return self.looks:before(event.at) end)
    return
  end
  end_gesture(self)
  if recorded_text.types(event) then
    if self.text then self.text:add(event) else self.text = recorded_text.new(event, self.moved) end
  elseif not (event.key == "backspace" and self.text and not event.ctrl and self.text:take_back(event)) then
    end_text(self, event)
    press(self, event)
  end
end

local function step(self)
  self:fetch()
  local event, now = self.queue[1], task.now()
  if event and not waits(event) then
    table.remove(self.queue, 1)
    take(self, event)
  elseif self.gesture and recorded_acts.is_over(self.gesture, now) then
    end_gesture(self)
  elseif self.text and now - self.text.last > typing_over then
    end_text(self)
  elseif is_due(self) then
    look(self)
  else
    task.sleep(every)
  end
end

-- What was under way when the recording was ended. The Ctrl+C that has ended it is none of it.
local function finish(self)
  self:fetch()
  for _, event in ipairs(self.queue) do
    if not (event.key == "c" and event.ctrl and self.stopped == "SIGINT") then take(self, event) end
  end
  self.queue = {}
  end_gesture(self)
  end_text(self)
end

-- --- life -----------------------------------------------------------------------------------------------------------

--- Ends the recording, from outside of it.
---@param signal string that was caught
function Recorder:stop(signal)
  self.stopped = self.stopped or signal
end

--- Records until it is stopped. The caller says what is worked on.
---@param desktop table as the event `recorded` tells it
---@return boolean? ok, deskpilot.error? err
function Recorder:work(desktop)
  local handle, err = self.run.desk.activity.record()
  if not handle then return nil, err end
  self.run:emit("recorded", { desktop = desktop })
  local ok, why = task.interruptible(function()
    look(self)
    if self.looks:latest() then self.looks:use(self.looks:latest()) end
    if self.ready then self.ready() end
    while not self.stopped do step(self) end
  end)
  if not ok and not errors.is(why, "cancelled") then error(why, 0) end
  finish(self)
  handle:remove()
  return true
end

--- Recording of a run's desktop.
---@param run deskpilot.run
---@param own table<string, string> combinations, and what they do: "stop", "check"
---@param ready fun() is called when it has begun
---@return deskpilot.recorder
function recorder.new(run, own, ready)
  local self = setmetatable({ run = run, looks = recorded_looks.new(run), queue = {}, moved = task.now(), own = {},
    ready = ready }, Recorder)
  for combo, what in pairs(own) do
    local names = keys.combo(combo)
    if names then self.own[canonical(names)] = what end
  end
  return self
end

return recorder
