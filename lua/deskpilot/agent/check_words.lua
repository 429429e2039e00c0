--- What the ready-made checks (agent/checks.lua) have in common: their words.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local verdict = require "deskpilot.agent.verdict"

local check_words = {}

--- A value in a sentence. Evidence is read by people and by models: a page of it helps nobody.
---@param value any
---@return string
function check_words.shown(value)
  if type(value) == "string" then return (("%q"):format(text.cut(value, 200)):gsub("\\\n", "\\n")) end
  return tostring(value)
end

-- How a text may be compared: the words for yes and no, and the comparison.
local comparisons = {
  equals = { "is", "not", function(value, wanted) return value == wanted end },
  contains = { "contains", "which does not contain", function(value, wanted)
    return value:find(wanted, 1, true) ~= nil
  end },
  matching = { "matches", "which does not match", function(value, wanted)
    return value:find(wanted) ~= nil -- pattern: the script's own
  end },
}
local comparison_order = { "equals", "contains", "matching" }

--- Compares a text with what is wanted of it: "the page's text" and so on is what it is.
---@param what string
---@param value string
---@param wanted { equals: string?, contains: string?, matching: string? }
---@return deskpilot.verdict
function check_words.compare(what, value, wanted)
  local asked = {}
  for _, name in ipairs(comparison_order) do
    local how = comparisons[name]
    if wanted[name] ~= nil then
      if not how[3](value, wanted[name]) then
        return verdict.no(("%s is %s, %s %s"):format(what, check_words.shown(value), how[2],
          check_words.shown(wanted[name])))
      end
      asked[#asked + 1] = ("%s %s"):format(how[1], check_words.shown(wanted[name]))
    end
  end
  if #asked == 0 then asked[1] = "is " .. check_words.shown(value) end
  return verdict.yes(("%s %s"):format(what, table.concat(asked, " and ")))
end

--- Raises an error about a field that a check does not know.
---@param how table
---@param fields table<string, boolean>
---@param name string the check's
function check_words.known(how, fields, name)
  if type(how) ~= "table" then errors.mistake("checks.%s wants a table", name) end
  for key in pairs(how) do
    if not fields[key] then
      errors.mistake("checks.%s knows no %q%s", name, tostring(key), text.did_you_mean(tostring(key),
        text.keys(fields)))
    end
  end
end

--- The verdict on something that should be there, or with `gone` should not be.
---@param there boolean
---@param gone boolean?
---@param seen string
---@return deskpilot.verdict
function check_words.presence(there, gone, seen)
  if there == not gone then return verdict.yes(seen) end
  return verdict.no(seen)
end

return check_words
