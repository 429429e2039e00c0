--- What stands on the desktop now and may be meant by a text at the prompt: titles of windows, names of elements.
local invisible = require "deskpilot.base.invisible"
local task = require "deskpilot.base.task"

local seen_names = {}

local most_seconds = 2 -- a person waits for Tab
local longest = 80 -- bytes of a name that is worth completing

-- The fields of desk, and its own functions, whose texts name windows or elements.
local of_windows = { windows = true, wait_for_window = true }
local of_elements = { elements = true, wait_for_element = true }

local readers = {}

local function fields(list, name)
  local found = {}
  for _, each in ipairs(list or {}) do found[#found + 1] = each[name] end
  return found
end

function readers.titles(desk) return fields(desk.windows.list(), "title") end

-- Of the window in front: those of all applications would take seconds.
function readers.names(desk)
  local window = desk.windows.active()
  return fields(desk.elements.list { window = window and window.id, bare = true }, "name")
end

local function reader_of(place)
  if place.key == "title" then return readers.titles end
  if place.key and place.key ~= "name" then return nil end
  for _, step in ipairs(place.call and place.call.path and place.call.path.steps or {}) do
    if of_windows[step.name] then return not place.key and readers.titles or nil end
    if of_elements[step.name] then return readers.names end
  end
end

-- Nothing that a line of the prompt could not hold as it is.
local function is_plain(name)
  return type(name) == "string" and name ~= "" and #name <= longest and utf8.len(name) and not name:find "%c"
    and invisible.remove(name) == name
end

--- The names that a text of a call may become, without what could not be typed.
---@param desk deskpilot.desk
---@param place deskpilot.tokens.place of kind "text"
---@return string[]
function seen_names.of(desk, place)
  local read = reader_of(place)
  if not read then return {} end
  local in_time, list = task.limit(most_seconds, function()
    task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
    return read(desk)
  end)
  local found = {}
  for _, name in ipairs(in_time and list or {}) do
    if is_plain(name) then found[#found + 1] = name end
  end
  return found
end

return seen_names
