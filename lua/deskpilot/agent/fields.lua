--- What several tools share: parameters, so that one wording serves the schema sent to the model, the
--- validation and the reference; and the tools that differ in one word.
local parameters = require "deskpilot.agent.parameters"
local schema = require "deskpilot.base.schema"
local targets = require "deskpilot.agent.targets"

local fields = {}

--- Why the action is taken. Every tool that acts has it, as the first of its parameters, whether declared or not.
fields.justification = parameters.justification

--- What is acted on, in the words that the screen uses.
fields.label = { name = "label", type = "string", minLength = 1, maxLength = 200,
  description = "Its name as the screen shows it." }

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

local pointing = { element = "element", position = "position" }
local pointing_or_not = { element = "element", position = "position", optional = true }

--- A tool that clicks one element in some way.
---@param how { api: integer?, section: string?, options: table?, name: string, description: string, done: string,
---  act: (fun(mouse: deskpilot.desk.mouse, target: deskpilot.target, args: table): boolean?, deskpilot.error?),
---  done: string|fun(args: table): string), more: table[]? } done: the past tense; more: properties of its own
---@return deskpilot.tool
function fields.click_tool(how)
  return fields.built(how, {
    name = how.name,
    description = how.description .. " Give `element` or `position`.",
    parameters = fields.object {
      fields.label,
      targets.element("element", "The element"),
      targets.position("position", "Or else the centre of the element"),
      table.unpack(how.more or {}),
    },
    check = function(ctx, args) return targets.check(ctx, how.name, args, pointing) end,
    run = function(ctx, args)
      local target, words = targets.find(ctx, args.element, args.position)
      if not target then return nil, words end
      local ok, err = how.act(ctx.desk.mouse, target, args)
      if not ok then return nil, err end
      return ('%s "%s" at %s'):format(type(how.done) == "function" and how.done(args) or how.done, args.label, words)
    end,
  })
end

local scroll_options = {
  notches = { type = "integer", default = 5, min = 1, max = 100, about = "how far scroll_up and scroll_down turn the "
    .. "wheel, in notches, where the model does not say it" },
}

--- A tool that turns the wheel.
---@param how { api: integer?, name: string, description: string, direction: integer, done: string, side: string }
---  direction: 1 is down and -1 up; done: the past tense; side: where to with `sideways`
---@return deskpilot.tool
function fields.scroll_tool(how)
  return fields.built(how, {
    section = "scroll",
    options = scroll_options,
    name = how.name,
    description = how.description,
    parameters = fields.object {
      targets.element("element", "Where to scroll"),
      targets.position("position", "Or else the place; the middle of the screen when both are left out"),
      { name = "notches", optional = true, type = "integer", minimum = 1, maximum = 100,
        description = "How far, in notches of the wheel." },
      { name = "sideways", optional = true, type = "boolean", description = ("true: to the %s instead."):format(
        how.side) },
    },
    check = function(ctx, args) return targets.check(ctx, how.name, args, pointing_or_not) end,
    run = function(ctx, args)
      local at, words = targets.find(ctx, args.element, args.position)
      if not at and words then return nil, words end
      at = at or targets.middle() -- nobody pointed at it
      local notches = how.direction * (targets.given(args.notches) or ctx.config:get("scroll.notches"))
      local sideways = args.sideways == true
      local ok, err = ctx.desk.mouse.scroll { dx = sideways and notches or nil, dy = not sideways and notches or nil,
        at = at }
      if not ok then return nil, err end
      return ("%s at %s"):format(sideways and "scrolled to the " .. how.side or how.done,
        words or "the middle of the screen")
    end,
  })
end

return fields
