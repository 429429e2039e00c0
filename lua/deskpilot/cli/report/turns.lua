--- The events of a run by its turns, one event after the other, so that a page of a run that goes on can be kept up to
--- date: what was seen, what was done about it, and what was seen next.
local turns = {}

--- A picture of the desktop and what was done by it.
---@class deskpilot.report_look
---@field screenshot any its file, as the journal says
---@field image any its size, as the journal says
---@field acts table[] the events action_result that were decided on it
---@field window any its title
---@field url any of the page in front
---@field elements any how many were told of
---@field next deskpilot.report_look? what was seen next

---@class deskpilot.report_turn
---@field number integer 0 for what happens outside turns
---@field place integer counts the turns and what is between them, from 1
---@field goal string? the path of the goal within the run that it belongs to
---@field at number?
---@field seconds number?
---@field events table[]
---@field looks deskpilot.report_look[]

---@class deskpilot.report_turns
---@field list deskpilot.report_turn[] in their order
---@field events table[] all of them
---@field look deskpilot.report_look? the latest
local Turns = {}
Turns.__index = Turns

--- Nothing so far.
---@return deskpilot.report_turns
function turns.new()
  return setmetatable({ list = {}, at = {}, events = {} }, Turns)
end

--- All of a journal.
---@param events table[] oldest first
---@return deskpilot.report_turns
function turns.of(events)
  local self = turns.new()
  for _, event in ipairs(events) do self:add(event) end
  return self
end

-- Turn 0 is what happens outside turns: before the first, and in a script, which may ask agents in between.
local function turn_of(self, event)
  local number = math.tointeger(event.turn) or 0
  local turn = self.at[number]
  if not turn or number == 0 and self.list[#self.list] ~= turn then
    turn = { number = number, place = #self.list + 1, goal = type(event.goal) == "string" and event.goal or nil,
      events = {}, looks = {} }
    self.at[number] = turn
    self.list[#self.list + 1] = turn
  end
  return turn
end

local function field(value, name)
  if type(value) == "table" then return value[name] end
end

--- Takes in the next event.
---@param event table
---@return deskpilot.report_turn turn that it belongs to
---@return deskpilot.report_turn? earlier one that shows what was seen next, and has changed too
function Turns:add(event)
  local turn = turn_of(self, event)
  local earlier
  turn.events[#turn.events + 1] = event
  self.events[#self.events + 1] = event
  if event.event == "observed" or event.event == "picture" then
    local look = { screenshot = event.screenshot, image = event.image, acts = {},
      window = field(event.window, "title"), url = field(event.page, "url"), elements = event.elements, turn = turn }
    if self.look then
      self.look.next = look
      earlier = self.look.turn
    end
    turn.looks[#turn.looks + 1], self.look = look, look
  elseif event.event == "turn_start" then
    turn.at, turn.goal = event.at, event.goal
  elseif event.event == "turn_end" then
    turn.seconds = event.seconds
  elseif event.event == "action_result" and turn.looks[#turn.looks] then
    table.insert(turn.looks[#turn.looks].acts, event) -- what is done is shown where it was decided on
  end
  return turn, earlier ~= turn and earlier or nil
end

return turns
