local errors = require "deskpilot.base.errors"
local information = require "deskpilot.agent.information"
local observation = require "deskpilot.agent.observation"

-- The whole page, also what is scrolled out of view.
local function of_page(ctx)
  local tab, err = observation.tab(ctx.desk, ctx.desk.windows.active())
  if not tab then return nil, err or errors.new("unavailable", "no page is in front, so there is no whole page") end
  return tab:screenshot { full_page = true }
end

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "take_screenshot",
  picture = true,
  description = "See the screen as a picture. `position` of the tools is a point of it.",
  properties = {
    { name = "whole_page", optional = true, type = "boolean",
      description = "true: the whole page in the browser, which cannot be pointed at." },
  },
  run = function(ctx, args)
    local shot, err
    if args.whole_page then shot, err = of_page(ctx)
    else
      local seen, why = information.seen(ctx)
      shot, err = seen and seen.shot, why
    end
    if not shot then return nil, err end
    return information.picture(ctx, shot, args.whole_page and "the whole page" or "the screen")
  end,
}
