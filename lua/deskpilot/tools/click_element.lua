local given = require "deskpilot.agent.targets".given

local done = { [0] = "pointed at", "clicked", "double-clicked", "triple-clicked" }

return require "deskpilot.agent.fields".click_tool {
  api = 1,
  name = "click_element",
  group = "pointing",
  description = "Click one element with the left mouse button.",
  more = {
    { name = "clicks", optional = true, type = "integer", minimum = 0, maximum = 3,
      description = "1 if left out; 3 marks a line; 0 only moves the pointer there." },
    { name = "button", optional = true, type = "string", enum = { "left", "middle", "right" },
      description = "left if left out." },
    { name = "keys", optional = true, type = "string", minLength = 1, maxLength = 60,
      description = "Keys that are held meanwhile, such as ctrl or ctrl+shift." },
  },
  act = function(mouse, point, args)
    local clicks = given(args.clicks) or 1
    if clicks == 0 then return mouse.hover(point) end
    return mouse.click(point, { count = clicks, button = given(args.button), modifiers = given(args.keys) })
  end,
  done = function(args)
    local button, keys = given(args.button) or "left", given(args.keys)
    return (keys and "with " .. keys .. " " or "") .. done[given(args.clicks) or 1]
      .. (button ~= "left" and " with the " .. button .. " button" or "")
  end,
}
