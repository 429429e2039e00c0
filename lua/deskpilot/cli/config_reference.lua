--- The tables of docs/configuration.md, made of what everything that ships declares: the program's own floors, and
--- the policies, guards and tools.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lookup = require "deskpilot.base.lookup"
local settings_module = require "deskpilot.cli.settings"
local text = require "deskpilot.base.text"

local config_reference = {}

local first_line = "<!-- Made by `./dev docs` from the options where they are declared: change those. -->"
local last_line = "<!-- The end of what is made. -->"

--- Settings that know every key that ships, and no other: the user's folders are out of sight from then on.
---@return deskpilot.settings
function config_reference.shipped()
  lookup.set_roots {}
  local settings = settings_module.new()
  for _, kind in ipairs { "guards", "policies", "tools" } do assert(settings:load_all(kind)) end
  return settings
end

local function default_words(value)
  if value == nil then return "" end
  if type(value) ~= "table" then return ("`%s`"):format(tostring(value)) end
  return #value == 0 and "`{}`" or ("`{ %s }`"):format(table.concat(value, ", "))
end

-- "1 or more", "0 to 1"; nothing where everything goes.
local function range_words(declared)
  local low, high = declared.min, declared.max
  if low and high then return ("%.14g to %.14g"):format(low, high) end
  return low and ("%.14g or more"):format(low) or high and ("%.14g or less"):format(high)
end

-- The type and what limits it: "integer, 1 or more".
local function type_words(declared)
  if declared.type == "secret_file" then return "file" end
  if declared.type == "keys" then return "{ " .. table.concat(declared.keys, ", ") .. " }" end
  local words = {}
  for i, choice in ipairs(declared.choices or {}) do words[i] = "`" .. tostring(choice) .. "`" end
  if #words > 0 then return table.concat(words, " or ") end
  local range = range_words(declared)
  return range and declared.type .. ", " .. range or declared.type
end

local function row(name, declared, whose)
  return ("| `%s` | %s | %s | %s | %s |"):format(name, type_words(declared), default_words(declared.default),
    declared.about or "", whose)
end

-- "guard `budgets`"; nothing for the program's own.
local function whose(key)
  local words = {}
  for _, owner in ipairs(text.keys(key.declarers)) do
    local kind, name = owner:match("^(.-)/(.*)$")
    if kind then words[#words + 1] = ("%s `%s`"):format(lookup.singular(kind), name) end
  end
  return text.join(words)
end

local function key_rows(key, rows)
  if key.option.type ~= "entries" then
    rows[#rows + 1] = row(key.name, key.option, whose(key))
    return
  end
  rows[#rows + 1] = row(key.name, { type = "table of tables", about = key.option.about }, whose(key))
  for _, field in ipairs(text.keys(key.option.fields)) do
    rows[#rows + 1] = row(key.name .. ".NAME." .. field, key.option.fields[field], whose(key))
  end
end

local function section_of(key)
  return key.name:match("^(.-)%.") or ""
end

local function sections(settings)
  local rows, names = {}, {}
  for _, key in ipairs(settings.keys:list()) do
    local section = section_of(key)
    if not rows[section] then
      rows[section] = { "| key | type | default | what it is | declared by |", "| --- | --- | --- | --- | --- |" }
      names[#names + 1] = section
    end
    key_rows(key, rows[section])
  end
  table.sort(names)
  return names, rows
end

-- What the personas of each policy spend unless told.
local function personas(settings)
  local lines = { "| persona | of the policy | `temperature` | `max_tokens` |", "| --- | --- | --- | --- |" }
  for _, id in ipairs(text.keys(settings.loaded)) do
    local spend = settings.loaded[id].personas or {}
    for _, name in ipairs(text.keys(spend)) do
      lines[#lines + 1] = ("| `%s` | `%s` | %s | %s |"):format(name, text.after_last(id, "/"),
        tostring(spend[name].temperature or ""), tostring(spend[name].max_tokens or ""))
    end
  end
  return table.concat(lines, "\n")
end

--- The part of the page that is made.
---@return string
function config_reference.tables()
  local settings = config_reference.shipped()
  local out = { first_line }
  local names, rows = sections(settings)
  for _, name in ipairs(names) do
    out[#out + 1] = name == "" and "### Without a section" or ("### `%s`"):format(name)
    out[#out + 1] = table.concat(rows[name], "\n")
    if name == "" then out[#out + 1] = personas(settings) end
  end
  out[#out + 1] = last_line
  return table.concat(out, "\n\n")
end

--- The page with its tables made anew.
---@param page string as it is
---@return string? page, deskpilot.error? err where the page has no place for them
function config_reference.renewed(page)
  local first, _ = page:find(first_line, 1, true)
  local _, last = page:find(last_line, 1, true)
  if not first or not last or last < first then
    return errors.fail("invalid", "the page has no place for the tables, which is between %s and %s", first_line,
      last_line)
  end
  return page:sub(1, first - 1) .. config_reference.tables() .. page:sub(last + 1)
end

--- Makes the tables of the page anew.
---@param path string docs/configuration.md
---@return boolean? ok, deskpilot.error? err
function config_reference.write(path)
  local page, err = files.read(path)
  if not page then return nil, err end
  local renewed, why = config_reference.renewed(page)
  if not renewed then return nil, why end
  return files.write(path, renewed)
end

return config_reference
