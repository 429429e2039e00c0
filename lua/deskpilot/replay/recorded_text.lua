--- What a person types, put together from single keys, and whether it may be written down. A password must never be,
--- so a text is kept only where it was seen that it went into no password field: by what had the keyboard's focus
--- between the acts that may have moved it, and where that shows what it holds, by the text standing in it.
local act_record = require "deskpilot.agent.act_record"
local hit_test = require "deskpilot.agent.hit_test"
local secrets = require "deskpilot.model.secrets"

local recorded_text = {}

local arrives = 0.05 -- seconds that a key has to reach its field before a look tells anything of it
local whole = 2000 -- characters: of a longer text applications are asked for the beginning only

---@class deskpilot.recorded_text
---@field began number of the first key (task.now)
---@field last number of the latest
---@field keys { at: number, text: string }[] characters, without those that Backspace has taken back
---@field moved number when something was done last that may have moved the focus
---@field composed boolean? a part of it cannot be told from the keys
---@field secret boolean? it went into a password field, or may have
---@field hidden deskpilot.element? that password field
---@field into deskpilot.element? where it was seen to go
---@field seen deskpilot.observation? that tells so
local Text = {}
Text.__index = Text

--- Whether an event is of a key that types something.
---@param event deskpilot.input_event
---@return boolean
function recorded_text.types(event)
  return not event.button and (event.text ~= nil or event.composes == true) and not (event.ctrl or event.alt
    or event.win)
end

--- A text that begins.
---@param event deskpilot.input_event of its first key
---@param moved number when something was done last that may have moved the focus
---@return deskpilot.recorded_text
function recorded_text.new(event, moved)
  local self = setmetatable({ began = event.at, keys = {}, moved = moved }, Text)
  self:add(event)
  return self
end

--- One more key.
---@param event deskpilot.input_event
function Text:add(event)
  self.last = event.at
  if event.composes then self.composed = true end
  if event.text then self.keys[#self.keys + 1] = { at = event.at, text = event.text } end
end

--- Backspace: takes back the last character. False where there is none, so that it is a key of its own.
---@param event deskpilot.input_event
---@return boolean
function Text:take_back(event)
  if #self.keys == 0 or self.composed then return false end
  self.last = event.at
  table.remove(self.keys)
  return true
end

-- What was typed up to a moment.
local function words(self, until_)
  local parts = {}
  for _, key in ipairs(self.keys) do
    if not until_ or key.at <= until_ then parts[#parts + 1] = key.text end
  end
  return table.concat(parts)
end

-- Whether the field shows what had arrived in it by then. Of a list or a button the role alone has to do; a terminal
-- asks for passwords too, and shows everything else.
local function shows(self, element, moment)
  local held = element.text
  if element.role ~= "terminal" and (not held or utf8.len(held) and utf8.len(held) >= whole) then return true end
  if not held then return false end
  local typed = words(self, moment - arrives)
  return typed ~= "" and (self.composed or held:find(typed, 1, true) ~= nil)
end

--- A look at the screen tells where the keys go.
---@param seen deskpilot.observation
---@param began number when the look began
---@param alone boolean nothing that may move the focus was done until it had ended
function Text:witness(seen, began, alone)
  local window = seen.window
  local focus = window and hit_test.focused_in(seen.tree or {}, window.pid)
  if not focus or began < self.moved then return end
  if act_record.is_secret(focus) then
    self.secret, self.hidden, self.seen = true, focus, seen
  elseif alone and began > self.began + arrives and shows(self, focus, began) then
    self.into = focus
    if not self.secret then self.seen = seen end
  end
end

--- Whether it is known by now where it goes.
---@return boolean
function Text:is_known()
  return self.secret or self.into ~= nil
end

-- What stands in the field now and did not before: for what keys alone do not tell.
local function inserted(before, after)
  if not (before and after) then return nil end
  local from = 1
  while from <= #before and before:byte(from) == after:byte(from) do from = from + 1 end
  local left = 0
  while left < #before - from + 1 and before:byte(#before - left) == after:byte(#after - left) do left = left + 1 end
  local part = after:sub(from, #after - left)
  return part ~= "" and utf8.len(part) and part or nil
end

--- The text as it may be kept. A secret one is masked in everything that is written from now on.
---@param before deskpilot.element? the field as it was before
---@return string? words nil where it must not be kept
---@return string? why "secret", or "unknown" where it cannot be known whether it is
function Text:result(before)
  local typed = words(self)
  if self.secret then
    secrets.register(typed)
    return nil, "secret"
  end
  if not self.into then return nil, "unknown" end
  if not self.composed then return typed end
  local told = inserted(before and before.text, self.into.text)
  return told, not told and "unknown" or nil
end

return recorded_text
