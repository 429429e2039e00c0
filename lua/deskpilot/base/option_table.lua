--- Checks tables of options before anything is done: an unknown name or a wrong type is the caller's mistake.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local options = {}

--- The options given; {} for nil. Raises an error for an unknown name or a wrong type. An error value in place of the
--- options is raised unchanged, so that mouse.click(screen.find_image(...)) reports why the picture was not found.
---@param given table?
---@param known table<string, string> name to type: "number", "whole" (a whole number of at least 1), "boolean",
---  "string" or "any"
---@param who string such as "mouse.click"
---@return table
function options.check(given, known, who)
  if given == nil then return {} end
  if errors.is(given) then
    given.where = given.where or errors.caller()
    error(given, 0)
  end
  if type(given) ~= "table" then
    errors.mistake("%s", ("%s wants a table of options (%s), not a %s"):format(who, text.join(text.keys(known)),
      type(given)))
  end
  for name, value in pairs(given) do
    local kind = known[name]
    if not kind then
      errors.mistake("%s", ("%s has the options %s, not %s"):format(who, text.join(text.keys(known)), tostring(name)))
    end
    local fits = kind == "any" or type(value) == kind and value == value
      or kind == "whole" and math.type(value) == "integer" and value >= 1
    if not fits then
      errors.mistake("%s", ("%s: %s must be %s"):format(who, name, kind == "whole" and "a whole number from 1 on"
        or "a " .. kind))
    end
  end
  return given
end

return options
