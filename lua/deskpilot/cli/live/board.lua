--- What a live page shows: the run's turns so far, and which of them have changed since a page has seen them. Each
--- change has a number; a page says up to which it has come, and is given the rest.
local drawings = require "deskpilot.cli.report.drawings"
local events = require "deskpilot.agent.run_events"
local figures = require "deskpilot.cli.report.figures"
local json = require "deskpilot.base.json"
local page = require "deskpilot.cli.report.page"
local secrets = require "deskpilot.model.secrets"
local signal = require "deskpilot.base.signal"
local summary = require "deskpilot.cli.report.summary"
local turns = require "deskpilot.cli.report.turns"

local board = {}

---@class deskpilot.live_board
---@field name string the run's folder
---@field number integer of the latest change
---@field turns deskpilot.report_turns
---@field touched table<deskpilot.report_turn, integer> the number of each turn's latest change
---@field changed deskpilot.signal
---@field context deskpilot.report_context
local Board = {}
Board.__index = Board

--- A board without events.
---@param name string the run's folder
---@param context deskpilot.report_context
---@return deskpilot.live_board
function board.new(name, context)
  return setmetatable({ name = name, context = context, number = 0, turns = turns.new(), touched = {},
    changed = signal.new() }, Board)
end

-- An event as a journal has it: data alone, secrets masked, each field as it is declared.
local function plain(event)
  local copy = {}
  for key, value in pairs(event) do
    local kind = type(value)
    if key ~= "action" and kind ~= "function" and kind ~= "userdata" then copy[key] = value end
  end
  local ok, written = pcall(secrets.encode, copy)
  local made = ok and json.decode(written) or { event = event.event, at = event.at, turn = event.turn }
  events.mend(made)
  return made
end

--- Takes in an event, and tells whoever waits.
---@param event table
function Board:add(event)
  self.number = self.number + 1
  local turn, earlier = self.turns:add(plain(event))
  self.touched[turn] = self.number
  if earlier then self.touched[earlier] = self.number end
  self.changed:notify()
end

local function about(self)
  local list = self.turns.events
  local last = list[#list]
  return { name = self.name, going = not (last and last.event == "run_end") }
end

--- The page as it is now.
---@return string html, integer number the change up to which it has come
function Board:body()
  return page.body(self.turns, about(self), self.context), self.number
end

--- What has changed after that number.
---@param from integer
---@return { id: string, before: string?, section: string, frames: string }[] turns before: the id of the turn that
---  comes next, where one does
---@return string? head where anything has changed
function Board:since(from)
  local list, is_script = {}, summary.is_script(self.turns.events)
  for i, turn in ipairs(self.turns.list) do
    if self.touched[turn] > from then
      local after = self.turns.list[i - 1]
      list[#list + 1] = { id = figures.anchor(turn), after = after and figures.anchor(after),
        section = page.section(turn, self.context, is_script), frames = drawings.frames(turn, self.context) }
    end
  end
  return list, self.number > from and page.head(self.turns, about(self)) or nil
end

return board
