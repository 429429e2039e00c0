--- What was picked, in words for a terminal and as data for programs. Titles and names are anybody's words, so each is
--- made safe and short before it is shown.
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local words = {}

local longest = 100 -- characters of a title, a name or a value

words.indent = (" "):rep(9) -- of what stands beside the labels of a block

local function quoted(value)
  return '"' .. text.cut(terminal.line(value), longest) .. '"'
end

local function states_of(picked)
  local states = { table.unpack(picked.hit.element.states or {}) }
  local now = picked.element.states
  if now.disabled or now.enabled == false and now.focusable then states[#states + 1] = "disabled" end
  return states
end

--- The window, and whose it is.
---@param picked deskpilot.picked
---@return string
function words.window(picked)
  local window = picked.window
  if not window then return "no window here" end
  return quoted(window.title) .. (picked.application and (" (%s)"):format(terminal.line(picked.application)) or "")
end

--- The element: role, name, value, states; or why there is none.
---@param picked deskpilot.picked
---@return string
function words.element(picked)
  local element = picked.element
  if not element then return "no element here" .. (picked.missing and ": " .. terminal.line(picked.missing) or "") end
  local parts = { terminal.line(element.role) }
  if terminal.line(element.name) ~= "" then parts[2] = quoted(element.name) end
  local value = picked.hit.element.value
  if value and value ~= "" and value ~= element.name then parts[#parts + 1] = "= " .. quoted(value) end
  local states = states_of(picked)
  if #states > 0 then parts[#parts + 1] = "[" .. table.concat(states, ", ") .. "]" end
  return table.concat(parts, " ")
end

local function point(picked)
  return ("%d,%d  (%d,%d of 1000)  %s"):format(picked.point.x, picked.point.y, picked.norm[1], picked.norm[2],
    picked.colour)
end

--- As a block of lines, for people.
---@param picked deskpilot.picked
---@return string[]
function words.block(picked)
  return { "window   " .. words.window(picked), "element  " .. words.element(picked), "point    " .. point(picked),
    "line     " .. terminal.line(picked.line) }
end

--- As one line, for files.
---@param picked deskpilot.picked
---@return string
function words.line(picked)
  return table.concat({ point(picked), words.window(picked), words.element(picked), terminal.line(picked.line) }, "  ")
end

local function place_of(thing)
  return { x = thing.x, y = thing.y, width = thing.width, height = thing.height }
end

--- As data, for programs.
---@param picked deskpilot.picked
---@return table
function words.data(picked)
  local window, element, told = picked.window, picked.element, picked.hit.element
  return { point = picked.point, norm = picked.norm, colour = picked.colour, line = picked.line,
    on = picked.target, missing = picked.missing,
    window = window and { id = window.id, title = window.title, class = window.class, pid = window.pid,
      application = picked.application, place = place_of(window) },
    element = element and { role = element.role, name = element.name, value = told.value, app = element.app,
      states = states_of(picked)[1] and states_of(picked) or nil, place = place_of(element) } }
end

return words
