local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local points = require "deskpilot.desk.picture.points"
local targets = require "deskpilot.agent.targets"
local task = require "deskpilot.base.task"

local NOTCH = 100  -- pixels of a swipe that are a notch of the wheel
local LEAST = 5    -- pixels: less is no way
local USUAL = 300  -- milliseconds

-- What goes along with a finger rather than being scrolled beneath it, by what applications call it.
local carried = { slider = true, ["scroll bar"] = true, canvas = true, ["drawing area"] = true, ["split pane"] = true,
  separator = true, thumb = true, dial = true, icon = true }

local function is_carried(ctx, x, y)
  local element = ctx.desk.elements.at { x = x, y = y }
  return element ~= nil and carried[element.role] ~= nil, element
end

-- What is shown follows the finger, so the wheel turns the other way; one notch after the other in the time.
local function scroll(ctx, from, dx, dy, seconds)
  local across = math.abs(dx) > math.abs(dy)
  local way = across and dx or dy
  local notches, turn = math.max(1, (math.abs(way) + NOTCH // 2) // NOTCH), way > 0 and -1 or 1
  for i = 1, notches do
    local ok, err = ctx.desk.mouse.scroll { dx = across and turn or nil, dy = not across and turn or nil, at = from }
    if not ok then return nil, err end
    if i < notches then task.sleep(seconds / notches) end
  end
  return across and (turn > 0 and "right" or "left") or turn > 0 and "down" or "up"
end

---@type deskpilot.tool
return {
  api = 1,
  name = "swipe",
  group = "touch",
  description = "Draw a finger from one place to another. What can be moved (a slider, a scroll bar, a drawing) goes "
    .. "along with it: it is dragged with the left mouse button. Everything else is scrolled, and what is shown "
    .. "follows the finger: to read on below, swipe up.",
  parameters = fields.object {
    { name = "start", type = "array", format = "position", minItems = 2, maxItems = 2,
      items = { type = "number", minimum = 0, maximum = 1000 }, description = targets.position("", "Where it begins")
        .description },
    { name = "end", type = "array", format = "position", minItems = 2, maxItems = 2,
      items = { type = "number", minimum = 0, maximum = 1000 }, description = targets.position("", "Where it ends")
        .description },
    { name = "duration", optional = true, type = "integer", minimum = 0, maximum = 10000,
      description = ("How long it takes, in milliseconds; %d if left out."):format(USUAL) },
    { name = "drag", optional = true, type = "boolean", description = "true: drag whatever is there; false: scroll. If "
      .. "left out, as described." },
  },
  repeatable = false,
  run = function(ctx, args)
    local from, why = targets.find(ctx, nil, args.start)
    if not from then return nil, why end
    local to, failure = targets.find(ctx, nil, args["end"])
    if not to then return nil, failure end
    local x, y = points.resolve(ctx.desk, from)
    if not x then return nil, y end
    local end_x, end_y = points.resolve(ctx.desk, to)
    if not end_x then return nil, end_y end
    local dx, dy = end_x - x, end_y - y
    if math.abs(dx) < LEAST and math.abs(dy) < LEAST then
      return errors.fail("invalid", "swipe begins where it ends: use tap")
    end
    local seconds, way = (targets.given(args.duration) or USUAL) / 1000, ("from %s to %s"):format(
      targets.show(args.start), targets.show(args["end"]))
    local drags, element = targets.given(args.drag), nil
    if drags == nil then drags, element = is_carried(ctx, x, y) end
    if not drags then
      local direction, err = scroll(ctx, from, dx, dy, seconds)
      if not direction then return nil, err end
      return ("swiped %s: scrolled %s"):format(way, direction)
    end
    local ok, err = ctx.desk.mouse.drag(from, to, { seconds = seconds })
    if not ok then return nil, err end
    return ("swiped %s: dragged %s"):format(way, element and "the " .. element.role or "what is there")
  end,
}
