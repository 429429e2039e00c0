--- What a person does by a live page while the desktop is theirs: looks at it, clicks, scrolls, types. On a private
--- desktop, which has no screen and no keyboard, there is no other way.
local errors = require "deskpilot.base.errors"
local keys = require "native.desk"

local hands = {}

local notches, most_text = 3, 1000

---@class deskpilot.live_hands
---@field desk deskpilot.desk
---@field control deskpilot.control
local Hands = {}
Hands.__index = Hands

--- The hands on a desk; they do nothing unless a person has taken over.
---@param desk deskpilot.desk
---@param control deskpilot.control
---@return deskpilot.live_hands
function hands.new(desk, control)
  return setmetatable({ desk = desk, control = control }, Hands)
end

-- Shares of the screen's width and height as a point of the desktop.
local function point(desk, said)
  local x, y = tonumber(said.x), tonumber(said.y)
  if not (x and y and x >= 0 and x <= 1 and y >= 0 and y <= 1) then
    return errors.fail("invalid", "x and y are shares of the screen, 0 to 1")
  end
  local shot, err = desk.screen.shot { lend = true }
  if not shot then return nil, err end
  local frame = shot.frame
  return { frame.x + math.min(frame.width - 1, x * frame.width // 1),
    frame.y + math.min(frame.height - 1, y * frame.height // 1) }
end

-- What browsers call keys that have another name here.
local names = { ArrowLeft = "left", ArrowRight = "right", ArrowUp = "up", ArrowDown = "down" }

local acts = {}

function acts.click(desk, said)
  local at, err = point(desk, said)
  if not at then return nil, err end
  return desk.mouse.click(at, { button = said.button == "right" and "right" or "left" })
end

function acts.scroll(desk, said)
  local at, err = point(desk, said)
  if not at then return nil, err end
  return desk.mouse.scroll { at = at, dy = (tonumber(said.by) or 0) > 0 and notches or -notches }
end

function acts.type(desk, said)
  if type(said.text) ~= "string" or #said.text > most_text or not utf8.len(said.text) then
    return errors.fail("invalid", "what is typed is a text of at most %d bytes", most_text)
  end
  return desk.keyboard.type(said.text)
end

function acts.key(desk, said)
  local key = tostring(said.key)
  local combo = (said.ctrl == true and "ctrl+" or "") .. (said.alt == true and "alt+" or "")
    .. (said.shift == true and "shift+" or "") .. (names[key] or key:lower())
  if not keys.canonical(combo) then return errors.fail("invalid", "there is no such key here") end
  return desk.keyboard.press(combo)
end

--- Does one thing.
---@param said table as the page has sent it: act, and what belongs to it
---@return boolean? ok, deskpilot.error? err
function Hands:act(said)
  local control = self.control
  if control.state ~= "taken" or not control.waiting then
    return errors.fail("refused", "the desktop is the agent's: take over first")
  end
  local act = acts[said.act]
  if not act then return errors.fail("invalid", "there is no such act") end
  local ok, err = act(self.desk, said)
  if not ok then return nil, err end
  control.inputs = control.inputs + 1
  return true
end

--- The desktop as it looks now, as JPEG.
---@return string? bytes, deskpilot.error? err
function Hands:picture()
  local shot, err = self.desk.screen.shot { cursor = true }
  if not shot then return nil, err end
  return shot:encode { format = "jpeg" }
end

return hands
