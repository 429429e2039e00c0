--- What a data file may hold: a table of fields, each with a check or with a table of fields of its own. A check is
--- given the value and returns what it must be, in words ("a text"), or nil where it is that.
local problems = require "deskpilot.base.problems"
local text = require "deskpilot.base.text"

local data_fields = {}

--- A text that is not blank.
---@param value any
---@return string? wanted
function data_fields.text(value)
  if type(value) ~= "string" or not value:find("%S") then return "a text" end
end

--- True or false.
---@param value any
---@return string? wanted
function data_fields.flag(value)
  if type(value) ~= "boolean" then return "true or false" end
end

--- A number within bounds.
---@param least number
---@param most number
---@param what string? in place of "a number from ... to ..."
---@return fun(value: any): string?
function data_fields.number(least, most, what)
  what = what or ("a number from %d to %d"):format(least, most)
  return function(value)
    if type(value) ~= "number" or not (value >= least and value <= most) then return what end
  end
end

--- A whole number within bounds.
---@param least integer
---@param most integer
---@return fun(value: any): string?
function data_fields.whole(least, most)
  return function(value)
    if math.type(value) ~= "integer" or value < least or value > most then
      return ("a whole number from %d to %d"):format(least, most)
    end
  end
end

--- One of some words.
---@param ... string
---@return fun(value: any): string?
function data_fields.one_of(...)
  local choices = { ... }
  return function(value)
    for _, choice in ipairs(choices) do
      if value == choice then return nil end
    end
    return table.concat(choices, " or ")
  end
end

--- A list of texts, which may be empty.
---@param value any
---@return string? wanted
function data_fields.texts(value)
  if type(value) ~= "table" then return "a list of texts" end
  local count = 0
  for _, item in pairs(value) do
    count = count + 1
    if data_fields.text(item) then return "a list of texts" end
  end
  if count ~= #value then return "a list of texts" end
end

--- A table whose keys the file chooses.
---@param check fun(value: any): string? of its values
---@param what string that it must be
---@return fun(value: any): string?
function data_fields.map(check, what)
  return function(value)
    if type(value) ~= "table" then return what end
    for name, item in pairs(value) do
      if type(name) ~= "string" or check(item) then return what .. ", which '" .. tostring(name) .. "' is not" end
    end
  end
end

local function shown(value)
  if type(value) == "string" then return "'" .. text.cut(text.one_line(value), 60) .. "'" end
  return type(value) == "table" and "a table" or tostring(value)
end

local function collect(list, values, known, path)
  for _, key in ipairs(text.keys(values)) do
    local check, value, name = known[key], values[key], path .. tostring(key)
    local is_table = type(check) == "table"
    local wanted = is_table and type(value) ~= "table" and "a table" or check and not is_table and check(value)
    if not check then
      list:add(name, "%s is not known here%s", name, text.did_you_mean(tostring(key), text.keys(known),
        ("'%s%%s'"):format(path)))
    elseif wanted then
      list:add(name, "%s is %s, but must be %s", name, shown(value), wanted)
    elseif is_table then
      collect(list, value, check, name .. ".")
    end
  end
end

--- The mistakes in a table, in the order of the keys.
---@param values table
---@param known table<string, table|fun(value: any): string?>
---@return deskpilot.problems
function data_fields.problems(values, known)
  local list = problems.new()
  collect(list, values, known, "")
  return list
end

--- The first of them.
---@param values table
---@param known table<string, table|fun(value: any): string?>
---@return string? sentence nil if there is none
function data_fields.problem(values, known)
  return data_fields.problems(values, known):first()
end

return data_fields
