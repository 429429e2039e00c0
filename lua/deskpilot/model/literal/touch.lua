--- A deed as one who operates by a finger does it: the actions of a touch screen in place of those of mouse, keyboard
--- and pages.
local touch = {}

local function pointing(args, more)
  local own = { label = args.label, position = args.position, element = args.index }
  for key, value in pairs(more or {}) do own[key] = value end
  return own
end

local actions = {
  click_element = function(args) return "tap", pointing(args) end,
  double_click_element = function(args) return "tap", pointing(args, { clicks = 2 }) end,
  right_click_element = function(args) return "tap", pointing(args, { button = "right" }) end,
  drag_element = function(args) return "swipe", { start = args.start, ["end"] = args["end"], drag = true } end,
  type_text = function(args) return "type", { text = args.text } end,
  browser_click = function(args) return "tap", { element = args.index } end,
  browser_type = function(args) return "type", { element = args.index, text = args.text, replace = args.replace } end,
  browser_back = function() return "back", {} end,
  report_completion = function(args) return "finish", { reason = args.evidence } end,
}

--- The tool and its arguments for a deed.
---@param deed deskpilot.literal.deed
---@return string tool, table args
function touch.of(deed)
  local action = actions[deed.tool]
  if action then return action(deed.args) end
  return deed.tool, deed.args
end

return touch
