--- Tables of options: a name that is not known is a caller's mistake, and found before anything is done.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local options = {}

--- The options given, or none. Raises for one that `known` does not have, and for one of another type
--- ("number", "whole": a whole number from 1 on, "boolean", "string", "any"). An error value in their place is
--- raised as it is.
---@param given table?
---@param known table<string, string> name to type
---@param who string such as "mouse.click"
---@return table
function options.check(given, known, who)
  if given == nil then return {} end
  if errors.is(given) then error(given, 0) end -- mouse.click(screen.find_image(...)) where there is none
  if type(given) ~= "table" then error(("%s wants a table of options, not a %s"):format(who, type(given)), 3) end
  for name, value in pairs(given) do
    local kind = known[name]
    if not kind then
      error(("%s has the options %s, not %s"):format(who, text.join(text.keys(known)), tostring(name)), 3)
    end
    local fits = kind == "any" or type(value) == kind and value == value
      or kind == "whole" and math.type(value) == "integer" and value >= 1
    if not fits then
      error(("%s: %s must be %s"):format(who, name, kind == "whole" and "a whole number from 1 on" or "a " .. kind), 3)
    end
  end
  return given
end

return options
