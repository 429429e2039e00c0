--- Command-line options from one table, which the help text is made from as well.
local text = require "deskpilot.base.text"

local args = {}

---@class deskpilot.option
---@field name string the long name without its dashes; a result's key has "_" for "-"
---@field short string? one letter
---@field value string? what stands for the value in the help ("FILE"); a flag has none
---@field repeated boolean? may be given several times; the result is a list
---@field help string one line

local help_option = { name = "help", short = "h", help = "show this help" }

--- The options of a command, with the one that all have.
---@param options deskpilot.option[]?
---@return deskpilot.option[]
function args.options(options)
  local all = { table.unpack(options or {}) }
  for _, option in ipairs(all) do
    if option.name == "help" then return all end
  end
  all[#all + 1] = help_option
  return all
end

local function by_long(options, name)
  local names = {}
  for _, option in ipairs(options) do
    if option.name == name then return option end
    names[#names + 1] = "--" .. option.name
  end
  return nil, ("there is no option --%s%s (see --help)"):format(name, text.did_you_mean("--" .. name, names, "%s"))
end

local function by_short(options, letter)
  for _, option in ipairs(options) do
    if option.short == letter then return option end
  end
  return nil, ("there is no option -%s (see --help)"):format(letter)
end

--- The key of an option's value in the results: "max-size" -> "max_size".
local function key_of(option)
  return (option.name:gsub("%-", "_"))
end

local function keep(result, option, value)
  local key = key_of(option)
  if option.repeated then
    result[key] = result[key] or {}
    table.insert(result[key], value)
  else
    result[key] = value -- the last one counts, so that an alias's flag can be overruled
  end
end

-- A parser is { options, words, at, result, positional }.
local function next_value(self, option, spelled)
  self.at = self.at + 1
  local value = self.words[self.at]
  if value == nil then return nil, ("%s wants a value: %s %s"):format(spelled, spelled, option.value) end
  keep(self.result, option, value)
  return true
end

local function long(self, word)
  local name, value = word:match("^%-%-([^=]*)=(.*)$")
  name = name or word:sub(3)
  local option, why = by_long(self.options, name)
  if not option then return nil, why end
  if not option.value then
    if value then return nil, ("--%s takes no value"):format(name) end
    keep(self.result, option, true)
    return true
  end
  if not value then return next_value(self, option, "--" .. name) end
  keep(self.result, option, value)
  return true
end

-- -v, -vq, -oFILE or -o FILE
local function short(self, word)
  for i = 2, #word do
    local letter = word:sub(i, i)
    local option, why = by_short(self.options, letter)
    if not option then return nil, why end
    if option.value then
      if i == #word then return next_value(self, option, "-" .. letter) end
      keep(self.result, option, word:sub(i + 1))
      return true
    end
    keep(self.result, option, true)
  end
  return true
end

--- Takes a command's words apart. "--" ends the options; "-" alone is a positional.
---@param options deskpilot.option[]
---@param words string[]
---@param arguments boolean? what follows "--" is not the command's own: it is kept as `arguments`
---@return table? result
---@return string[]|string positional or why it failed
function args.parse(options, words, arguments)
  local self = { options = args.options(options), words = words, at = 1, result = {} }
  local positional, only_positional = {}, false
  while self.at <= #words do
    local word = words[self.at]
    local ok, why = true, nil
    if only_positional or word == "-" or word:sub(1, 1) ~= "-" then positional[#positional + 1] = word
    elseif word == "--" and arguments then
      self.result.arguments = table.move(words, self.at + 1, #words, 1, {})
      break
    elseif word == "--" then only_positional = true
    elseif word:sub(1, 2) == "--" then ok, why = long(self, word)
    else ok, why = short(self, word) end
    if not ok then return nil, why end
    self.at = self.at + 1
  end
  return self.result, positional
end

local function spelled(option)
  local word = (option.short and "-" .. option.short .. ", " or "    ") .. "--" .. option.name
  return option.value and word .. " " .. option.value or word
end

--- The help text of a command.
---@param name string
---@param command { summary: string, usage: string, options: deskpilot.option[], details: string? }
---@return string
function args.help(name, command)
  local options = args.options(command.options)
  local width = 0
  for _, option in ipairs(options) do width = math.max(width, #spelled(option)) end
  local lines = { ("usage: deskpilot %s"):format(command.usage or name), "", command.summary, "" }
  for _, option in ipairs(options) do
    lines[#lines + 1] = ("  %-" .. width .. "s  %s"):format(spelled(option), option.help)
  end
  if command.details then lines[#lines + 1] = "\n" .. command.details end
  return table.concat(lines, "\n") .. "\n"
end

return args
