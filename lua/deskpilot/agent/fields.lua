--- What several tools share: parameters, so that one wording serves the schema sent to the model, the
--- validation and the reference; and the tools that differ in one word.
local errors = require "deskpilot.base.errors"
local parameters = require "deskpilot.agent.parameters"
local schema = require "deskpilot.base.schema"

local fields = {}

--- Why the action is taken. Every tool that acts has it, as the first of its parameters, whether declared or not.
fields.justification = parameters.justification

--- What is acted on, in the words that the screen uses.
fields.label = { type = "string", minLength = 1, maxLength = 200,
  description = "Name of the element as the screen shows it, for example 'Save' or 'Search field'." }

--- A point of the picture as the model sees it.
---@param what string
function fields.position(what)
  return {
    type = "array", minItems = 2, maxItems = 2,
    items = { type = "number", minimum = 0, maximum = 1000 },
    description = what .. " as [x, y], 0 to 1000 from the left and from the top of the screenshot.",
  }
end

--- The schema of a tool's arguments, and of objects in them: nothing else is allowed. The properties keep their order:
---
---   fields.object { { name = "title", type = "string", minLength = 1 }, { name = "seconds", type = "number",
---     optional = true } }
---
---@param properties table[]|table<string, table> each with its `name`, and `optional = true` where it may be left out;
---  or a table by name
---@param required string[]? where `properties` is a table by name: the names that are required, in their order
---@return table
function fields.object(properties, required)
  local object, why = schema.declare { type = "object", properties = properties, required = required,
    additionalProperties = false }
  return object or error(why, 2)
end

--- The same property, which may be left out.
---@param property table
---@return table
function fields.optional(property)
  local copy = { optional = true }
  for key, value in pairs(property) do copy[key] = value end
  return copy
end

--- A position that a model gives: a point of the picture that it was shown.
---@param ctx deskpilot.tool_context
---@param position number[] x and y, 0..1000
---@return deskpilot.point? point for desk.mouse
---@return deskpilot.error? err where no picture was shown yet
function fields.point(ctx, position)
  if ctx.observation then return ctx.observation.shot:norm_point(position[1], position[2]) end
  return errors.fail("unavailable", "no screenshot has been taken yet that a position could be of: look first")
end

--- "[512, 300]" as people and models read it.
function fields.show(position)
  return ("[%g, %g]"):format(position[1], position[2])
end

--- A tool that is built from a few words, with what its file says of itself (deskpilot.plugin).
---@param how deskpilot.plugin what the file has given to the builder
---@param tool deskpilot.tool
---@return deskpilot.tool tool
function fields.built(how, tool)
  for _, field in ipairs { "api", "section", "options", "group", "timeout" } do
    if how[field] ~= nil then tool[field] = how[field] end
  end
  return tool
end

--- A tool that clicks one element in some way.
---@param how { api: integer?, section: string?, options: table?, name: string, description: string, done: string,
---  act: (fun(mouse: deskpilot.desk.mouse, point: deskpilot.point): boolean?, deskpilot.error?) } done: the past tense
---@return deskpilot.tool
function fields.click_tool(how)
  return fields.built(how, {
    name = how.name,
    description = how.description,
    parameters = fields.object({
      justification = fields.justification,
      label = fields.label,
      position = fields.position("Centre of the element"),
    }, { "justification", "label", "position" }),
    run = function(ctx, args)
      local point, why = fields.point(ctx, args.position)
      if not point then return nil, why end
      local ok, err = how.act(ctx.desk.mouse, point)
      if not ok then return nil, err end
      return ('%s "%s" at %s'):format(how.done, args.label, fields.show(args.position))
    end,
  })
end

local scroll_options = {
  notches = { type = "integer", default = 5, min = 1, max = 100, about = "how far scroll_up and scroll_down turn the "
    .. "wheel, in notches" },
}

--- A tool that turns the wheel.
---@param how { api: integer?, name: string, description: string, direction: integer, done: string } direction: 1 is
---  down and -1 up; done: the past tense
---@return deskpilot.tool
function fields.scroll_tool(how)
  return fields.built(how, {
    section = "scroll",
    options = scroll_options,
    name = how.name,
    description = how.description,
    parameters = fields.object({
      justification = fields.justification,
      position = fields.position("Where to scroll; the middle of the screen when left out"),
    }, { "justification" }),
    run = function(ctx, args)
      local at, why = { x = 500, y = 500, frame = "norm" }, nil -- of the screen as it is now: nobody pointed at it
      if args.position then at, why = fields.point(ctx, args.position) end
      if not at then return nil, why end
      local notches = how.direction * ctx.config:get("scroll.notches")
      local ok, err = ctx.desk.mouse.scroll { dy = notches, at = at }
      if not ok then return nil, err end
      return ("%s at %s"):format(how.done, fields.show { at.x, at.y })
    end,
  })
end

return fields
