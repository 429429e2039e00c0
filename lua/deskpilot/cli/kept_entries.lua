--- What was tried at the prompt as a mission: the entries that succeeded, in their order, as a script.
local errors = require "deskpilot.base.errors"
local new_entries = {}

-- Of the prompt alone: none of them means anything in a mission.
local prompt_words = { "keep", "help", "more", "reload", "show" }

local Entries = {}
Entries.__index = Entries

--- No entries yet.
function new_entries.new()
  return setmetatable({}, Entries)
end

--- Remembers an entry that was run, unless it failed or is for the prompt alone.
---@param source string
---@param result table what the task gave: true and the values, or false and the error
function Entries:add(source, result)
  if not result[1] or result[2] == nil and errors.is(result[3]) then return end
  if source:find "^%s*%." then return end -- a command of the prompt's
  for _, word in ipairs(prompt_words) do
    if source:find("^%s*" .. word .. "%f[^%w_]") then return end
  end
  self[#self + 1] = source
end

-- An entry as a statement. What was an expression sets `_`, as at the prompt.
local function statement(source)
  if load("return " .. source) then return "_ = " .. source end
  if source:find "%f[%w_]return%f[^%w_]" then return "(function()\n" .. source .. "\nend)()" end
  return source
end

--- The mission's text.
---@return string? words, string? why
function Entries:mission()
  if #self == 0 then return nil, "nothing that was tried here has succeeded yet" end
  local lines = { "-- Kept from the prompt: `deskpilot run` does it again, without a model.", "local _", "",
    "---@type deskpilot.mission", "return {", "  run = function(m)", "    local desk = m.desk" }
  for _, source in ipairs(self) do
    -- Lines of an entry stay as they are: a long text in it may not be indented.
    lines[#lines + 1] = "    " .. statement(source) .. ";"
  end
  lines[#lines + 1] = "  end,\n}\n"
  local words = table.concat(lines, "\n")
  local ok, why = load(words, "=kept")
  if not ok then return nil, "the entries do not go together: " .. tostring(why) end
  return words
end

return new_entries
