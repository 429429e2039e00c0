--- Search criteria for windows, for desk.windows and desk.wait_for_window.
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local window_criteria = {}

---@class deskpilot.window_criteria
---@field title string? a part of the title, whatever the case
---@field matching string? a Lua pattern that the title matches, with its case
---@field class string? a part, whatever the case
---@field executable string? a part of its program's path, whatever the case
---@field pid integer?
---@field id integer?
---@field active boolean?
---@field visible boolean?

local known = { title = true, matching = true, class = true, executable = true, pid = true, id = true,
  active = true, visible = true }

local function is_table(value)
  return type(value) == "table" and not errors.is(value)
end

signature.kind("window_criteria", { what = 'a part of the title or criteria such as { title = "Notes" }',
  fits = is_table, take = signature.text_as("title", true) })

signature.kind("window", { what = 'a window, its id, a part of its title or criteria such as { title = "Notes" }',
  take = signature.text_as "title",
  fits = function(value) return is_table(value) or math.type(value) == "integer" end })

--- Raises an error for an unknown criterion or a malformed pattern.
---@param criteria deskpilot.window_criteria
function window_criteria.check(criteria)
  if type(criteria) ~= "table" then
    errors.mistake 'windows are found by a table of criteria, such as { title = "Notes" }'
  end
  for key in pairs(criteria) do
    if not known[key] then
      errors.mistake("windows are found by title, matching, class, executable, pid, id, active or visible, not %s",
        tostring(key))
    end
  end
  local pattern = criteria.matching
  if pattern == nil then return end
  local sound, why = pcall(string.find, "", pattern)
  if not sound then errors.mistake("matching is not a valid Lua pattern: %s", tostring(why)) end
end

-- Whether a title, class or executable contains the part, whatever the case; true without a part.
local function has(value, part)
  return part == nil or value:lower():find(tostring(part):lower(), 1, true) ~= nil
end

--- Whether a window meets all criteria.
---@param window deskpilot.window
---@param criteria deskpilot.window_criteria
---@return boolean
function window_criteria.matches(window, criteria)
  return has(window.title, criteria.title) and has(window.class, criteria.class)
    and has(window.executable, criteria.executable)
    and (criteria.matching == nil or window.title:find(criteria.matching) ~= nil) -- pattern: the script's own
    and (criteria.pid == nil or window.pid == criteria.pid) and (criteria.id == nil or window.id == criteria.id)
    and (criteria.active == nil or window.active == criteria.active)
    and (criteria.visible == nil or window.visible == criteria.visible)
end

--- The topmost window that meets all criteria.
---@param list deskpilot.window[] bottom to top
---@param criteria deskpilot.window_criteria
---@return deskpilot.window?
function window_criteria.topmost(list, criteria)
  for i = #list, 1, -1 do
    if window_criteria.matches(list[i], criteria) then return list[i] end
  end
end

--- Describes criteria for a message: "title Notes and class Editor".
---@param criteria deskpilot.window_criteria
---@return string
function window_criteria.describe(criteria)
  local parts = {}
  for _, key in ipairs(text.keys(criteria)) do
    parts[#parts + 1] = ("%s %s"):format(key, tostring(criteria[key]))
  end
  return #parts > 0 and text.join(parts) or "anything"
end

--- A window's title for a message: quoted, on one line and shortened, since titles are untrusted.
---@param window deskpilot.window
---@return string
function window_criteria.describe_title(window)
  local title = text.cut(text.one_line(window.title), 80)
  return title ~= "" and "'" .. title .. "'" or "one without a title"
end

--- Describes which windows exist, for a message: their titles, shortened.
---@param list deskpilot.window[]
---@return string
function window_criteria.describe_list(list)
  local titles = {}
  for _, window in ipairs(list) do titles[#titles + 1] = text.cut(text.one_line(window.title), 80) end
  if #titles == 0 then return "there are no windows" end
  return "there are: " .. text.cut(table.concat(titles, "; "), 400)
end

--- nil and an error that says which windows exist, where none meets the criteria.
---@param criteria deskpilot.window_criteria
---@param list deskpilot.window[]
---@return nil, deskpilot.error
function window_criteria.not_found(criteria, list)
  return errors.fail("not_found", "%s", ("no window with %s; %s"):format(window_criteria.describe(criteria),
    window_criteria.describe_list(list)))
end

return window_criteria
