--- One option of the configuration as it is declared, and which values it takes. Which options there are is told by
--- those who use them (config_keys.lua collects them).
local text = require "deskpilot.base.text"

local option = {}

---@class deskpilot.config_option
---@field type "string"|"number"|"integer"|"boolean"|"list"|"secret_file"|"entries"|"keys"
---@field default any nil for one that has none
---@field about string one line
---@field section string? the first part of its key, where that is not the section of the file that declares it
---@field min number? the smallest value allowed
---@field max number? the largest value allowed
---@field choices any[]? the only values allowed; of a list, the only items
---@field check (fun(value: any): string?)? what else is wrong with a value, as the end of a sentence: "must be ..."
---@field off boolean? whether false stands for "", which turns it off
---@field environment string|string[]|nil variables that set it, the first one that is set; of a secret_file, that hold
---  the secret itself
---@field personal boolean? whether only the user may say it, and neither a mission nor a project's file
---@field whole boolean? of a secret_file: the whole file is the secret, not its first line alone
---@field fields table<string, deskpilot.config_option>? of `entries`: what each entry may hold
---@field keys string[]? of `keys`: the options of the same section that its values are for
---@field sets string|string[]|nil of a policy's option: the shared keys that it is a name for while that policy works
---@field with table<string, any>? what other shared keys are then, where somebody has set it

local booleans = {
  ["true"] = true, yes = true, on = true, ["1"] = true,
  ["false"] = false, no = false, off = false, ["0"] = false,
}

local function read_list(word)
  local list = {}
  for item in word:gmatch("[^,]+") do
    item = text.trim(item)
    if item ~= "" then list[#list + 1] = item end
  end
  return list
end

local function is_text(value) return type(value) == "string" end

local function is_list(value)
  if type(value) ~= "table" then return false end
  local count = 0
  for _, item in pairs(value) do
    count = count + 1
    if type(item) ~= "string" then return false end
  end
  return count == #value
end

local function is_finite(value)
  return type(value) == "number" and value == value and math.abs(value) ~= math.huge
end

-- What each type is called in a sentence, how a word of the command line is read, and which values it has. `entries`
-- and `keys` stand for several values: config.lua takes them apart before anything is converted.
option.types = {
  string = { words = "text", holds = is_text },
  secret_file = { words = "the path of a file", holds = is_text },
  number = { words = "a number", read = tonumber, holds = is_finite },
  integer = { words = "a whole number", read = function(word) return math.tointeger(tonumber(word)) end,
    holds = function(value) return type(value) == "number" and math.tointeger(value) ~= nil end },
  boolean = { words = "true or false", read = function(word) return booleans[word:lower()] end,
    holds = function(value) return type(value) == "boolean" end },
  list = { words = "a list of texts", read = read_list, holds = is_list },
  entries = { words = "a table of tables", holds = function() return false end },
  keys = { words = "a list of values", holds = function() return false end },
}

--- A value in a sentence: never long, on one line.
---@param value any
---@return string
function option.shown(value)
  if type(value) == "string" then return "'" .. text.cut(text.one_line(value), 60) .. "'" end
  return type(value) == "table" and "a table" or tostring(value)
end

local function choice_problem(declared, value)
  for _, item in ipairs(type(value) == "table" and value or { value }) do
    local known = false
    for _, choice in ipairs(declared.choices) do known = known or choice == item end
    if not known then
      local words = {}
      for i, choice in ipairs(declared.choices) do words[i] = tostring(choice) end
      return (declared.type == "list" and "may hold only " or "must be ") .. table.concat(words, " or ")
    end
  end
end

--- What is wrong with a value of the right type, nil where nothing is.
---@param declared deskpilot.config_option
---@param value any
---@return string? problem the end of a sentence: "must be at least 1"
function option.range_problem(declared, value)
  if declared.choices then return choice_problem(declared, value) end
  if declared.check then return declared.check(value) end
  if declared.min and value < declared.min then return ("must be at least %g"):format(declared.min) end
  if declared.max and value > declared.max then return ("must be at most %g"):format(declared.max) end
end

--- The value as the option holds it: a word of --set or of the environment becomes what the option is.
---@param declared deskpilot.config_option of one value
---@param name string its key, for the sentence
---@param value any
---@return any value, string? why nil and what is wrong with it
function option.convert(declared, name, value)
  local kind, typed = option.types[declared.type], value
  if declared.off and (value == false or booleans[value] == false) then typed = "" end
  if type(value) == "string" and kind.read then typed = kind.read(value) end
  if typed == nil or not kind.holds(typed) then
    return nil, ("%s is %s, but must be %s"):format(name, option.shown(value), kind.words)
  end
  if declared.type == "integer" then typed = math.tointeger(typed) end
  local problem = option.range_problem(declared, typed)
  if problem then return nil, ("%s is %s, but %s"):format(name, option.shown(value), problem) end
  return typed
end

return option
