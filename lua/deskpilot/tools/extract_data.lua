local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local information = require "deskpilot.agent.information"
local page_tools = require "deskpilot.agent.page_tools"

-- The value or the name of an element of the page or the desktop.
local function of_element(ctx, number)
  local element = ctx.observation and page_tools.element(ctx, number)
  for _, other in ipairs(not element and ctx.observation and ctx.observation.elements or {}) do
    if other.number == number then element = other end
  end
  if not element then return errors.fail("not_found", "there is no element [%d] in the message", number) end
  for _, name in ipairs { "value", "text", "name" } do
    local words = element[name]
    if type(words) == "string" and words:find "%S" then return words end
  end
  return errors.fail("not_found", "the element [%d] says nothing", number)
end

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "extract_data",
  fresh = true,
  description = "Keep a value from the screen, exactly as it stands there, under a name. Give `after` or `number`. "
    .. "${name} in later commands and goals is that value.",
  properties = {
    { name = "name", type = "string", pattern = "^[A-Za-z_][A-Za-z0-9_.-]*$", maxLength = 64 },
    { name = "after", optional = true, type = "string", minLength = 1, maxLength = 200,
      description = "The words before it, such as 'Total:'." },
    fields.optional { name = "number", type = "integer", minimum = 0, maximum = 100000,
      description = "Or the number in brackets of the element that has it." },
  },
  run = function(ctx, args)
    if (args.after == nil) == (args.number == nil) then
      return errors.fail("invalid", "extract_data wants `after` or `number`, one of the two")
    end
    local value, err
    if args.after then value, err = information.text_after(ctx, args.after)
    else value, err = of_element(ctx, args.number) end
    if not value then return nil, err end
    local ok, why = ctx.run.memory:set(args.name, value)
    if not ok then return nil, why end
    return ("kept ${%s} = %s"):format(args.name, value)
  end,
}
