local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local targets = require "deskpilot.agent.targets"

local smallest = 8 -- pixels: a region that is less shows nothing

-- The pixels of the screen under a part of the screenshot that the model was shown.
local function region_of(ctx, box)
  local seen = ctx.observation
  if not seen then return errors.fail("unavailable", "nothing has been observed yet that a region could be of") end
  local left, top = seen.shot:locate_norm(box[1], box[2])
  if not left then return nil, top end
  local right, bottom = seen.shot:locate_norm(box[3], box[4])
  if not right then return nil, bottom end
  if right - left < smallest or bottom - top < smallest then
    return errors.fail("invalid", "the region must be [left, top, right, bottom] and larger than %d pixels each way",
      smallest)
  end
  return { x = left, y = top, width = right - left, height = bottom - top }
end

---@type deskpilot.tool
return {
  api = 1,
  name = "look_closely",
  group = "looking",
  description = "See a part of the screenshot, or one window, in full detail, for example small text. Nothing is done: "
    .. "you get the picture and then act. Positions are still those of the screenshot.",
  parameters = fields.object {
    fields.optional(fields.justification),
    targets.box("region", "The part"),
    { name = "window", optional = true, type = "string", minLength = 1, maxLength = 200,
      description = "Or a part of the title of a window, which is shown even where others cover it." },
  },
  acts = false,
  looks = true,
  run = function(ctx, args)
    local region, window, err
    if args.region and args.window or not (args.region or args.window) then
      return errors.fail("invalid", "look_closely wants a region or a window, one of the two")
    end
    if args.window then
      window, err = ctx.desk.windows.find { title = args.window }
      if not window then return nil, err end
    else
      region, err = region_of(ctx, args.region)
      if not region then return nil, err end
    end
    local shot, failure = ctx.desk.screen.shot { window = window, region = region }
    if not shot then return nil, failure end
    local what = window and ("the window %q"):format(window.title)
      or ("the region %s of the screenshot"):format(targets.show(args.region))
    return { text = ("a picture of %s, %dx%d pixels"):format(what, shot.width, shot.height), pictures = { shot },
      data = { frame = shot.frame } }
  end,
}
