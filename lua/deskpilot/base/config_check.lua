--- What can be wrong with options as somebody declares them. Only needed for the files of users: what ships is checked
--- by the project's tests.
local option = require "deskpilot.base.config_option"
local text = require "deskpilot.base.text"

local check = {}

-- The fields of a declaration, and for which types each of them is.
local one_value = { string = true, number = true, integer = true, boolean = true, list = true, secret_file = true }
local numbers = { number = true, integer = true }
local declared_fields = {
  type = true, about = true, section = true, default = one_value, min = numbers, max = numbers,
  choices = { string = true, number = true, integer = true, list = true }, off = { string = true },
  environment = one_value, personal = one_value, fields = { entries = true }, keys = { keys = true },
  check = one_value, sets = one_value, with = one_value, whole = { secret_file = true },
}
local field_types = { about = "string", section = "string", min = "number", max = "number", choices = "table",
  off = "boolean", personal = "boolean", fields = "table", keys = "table", check = "function", with = "table",
  whole = "boolean" }

local function is_name_list(value)
  return option.types.string.holds(value) or option.types.list.holds(value)
end

local function field_problem(declared)
  for _, field in ipairs(text.keys(declared)) do
    local fits = declared_fields[field]
    if not fits then
      return ("has '%s', which options do not know%s"):format(tostring(field),
        text.did_you_mean(tostring(field), text.keys(declared_fields)))
    end
    if fits ~= true and not fits[declared.type] then
      return ("has '%s', which is not for the type %s"):format(field, declared.type)
    end
    local wanted = field_types[field]
    if wanted and type(declared[field]) ~= wanted then
      return ("has a '%s' that is no %s"):format(field, wanted)
    end
  end
  if declared.environment ~= nil and not is_name_list(declared.environment) then
    return "has an 'environment' that names no variables"
  end
  if declared.sets ~= nil and not is_name_list(declared.sets) then return "has a 'sets' that names no keys" end
end

local function default_problem(declared)
  if declared.default == nil then return nil end
  if not option.types[declared.type].holds(declared.default) then
    return ("has the default %s, but its type is %s"):format(option.shown(declared.default), declared.type)
  end
  local problem = option.range_problem(declared, declared.default)
  if problem then return ("has the default %s, but %s"):format(option.shown(declared.default), problem) end
end

local function fields_problem(declared)
  if declared.type ~= "entries" then return nil end
  if not declared.fields or next(declared.fields) == nil then return "has no fields" end
  for _, name in ipairs(text.keys(declared.fields)) do
    local field = declared.fields[name]
    local problem = check.option(name, field)
      or not one_value[field.type] and ("has the type %s, which a field cannot have"):format(field.type)
    if problem then return ("has a field '%s' that %s"):format(tostring(name), problem) end
  end
end

--- What is wrong with a declaration, nil where nothing is.
---@param name any its name in the table of options
---@param declared any
---@return string? problem the rest of a sentence: "has no type ..."
function check.option(name, declared)
  if type(name) ~= "string" or not name:find("^%l[%l%d_]*$") then
    return "has a name that is not of small letters, digits and '_'"
  end
  if type(declared) ~= "table" then
    return ("is %s, but must be a table such as { type = \"integer\", default = 5 }"):format(option.shown(declared))
  end
  if not option.types[declared.type] then
    return ("has %s; types are %s"):format(declared.type == nil and "no type" or "the type "
      .. option.shown(declared.type) .. ", which does not exist", text.join(text.keys(option.types)))
  end
  return field_problem(declared) or default_problem(declared) or fields_problem(declared)
    or declared.type == "keys" and not option.types.list.holds(declared.keys) and "has no keys" or nil
end

--- Adds what is wrong with a declaration, in sentences without who declares.
---@param declaration deskpilot.config_declaration
---@param wrong deskpilot.problems
function check.declaration(declaration, wrong)
  local section, options = declaration.section, declaration.options
  if section ~= nil and (type(section) ~= "string" or not section:find("^[%w_]+$")) then
    wrong:add("section", "its section is %s, but must be one word", option.shown(section))
  end
  if type(options) ~= "table" then
    return wrong:add("options", "its options are %s, but must be a table", option.shown(options))
  end
  for _, name in ipairs(text.keys(options)) do
    local problem = check.option(name, options[name])
    for _, other in ipairs(not problem and options[name].keys or {}) do
      if not options[other] then problem = ("stands for '%s', which is no option beside it"):format(other) end
    end
    if problem then wrong:add("options." .. tostring(name), "the option '%s' %s", tostring(name), problem) end
  end
end

return check
