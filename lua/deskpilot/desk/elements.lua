--- desk.elements: what applications say about themselves, by their accessibility interface.
local native = require "native.elements"
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local elements = {}

---@class deskpilot.element
---@field index integer in its list
---@field parent integer? index of its parent, which comes before it; nil for an application
---@field depth integer
---@field role string such as "push button"
---@field name string
---@field description string?
---@field text string? what a text, a field or a label holds
---@field value number? of a slider and the like
---@field states table<string, boolean> such as focused, checked, showing; enabled is always there
---@field x integer pixels of the screen; all four are 0 where it has no place
---@field y integer
---@field width integer
---@field height integer
---@field actions integer how many it has
---@field app string
---@field pid integer
---@field handle string

---@class deskpilot.element_criteria
---@field role string?
---@field name string?
---@field text string?
---@field contains string? a part of the name or text
---@field app string?
---@field pid integer?
---@field states string|string[]|table<string, boolean>|nil
---@field all boolean? also what is not showing
---@field bare boolean? without texts, values and actions (list)
---@field max integer? most elements to read (list)
---@field timeout number? seconds to wait for it (find)

local criteria_keys = { role = true, name = true, text = true, app = true, pid = true, states = true,
  contains = true, all = true, timeout = true, max = true, bare = true, index = true }

local function check(criteria)
  for key in pairs(criteria) do
    if not criteria_keys[key] then
      error(("elements are found by role, name, text, contains, app, pid and states, not %s"):format(tostring(key)), 3)
    end
  end
end

local function trim(s)
  return s:match("^%s*(.-)%s*$")
end

local function same(value, wanted)
  return wanted == nil or (value ~= nil and trim(value):lower() == trim(wanted):lower())
end

local function has_states(element, states)
  if type(states) == "string" then states = { states } end
  for key, value in pairs(states or {}) do
    if type(key) == "number" then key, value = value, true end
    if (element.states[key] or false) ~= value then return false end
  end
  return true
end

-- A part of its name or text, whatever the case.
local function contains(element, part)
  if part == nil then return true end
  part = part:lower()
  return element.name:lower():find(part, 1, true) ~= nil
    or (element.text ~= nil and element.text:lower():find(part, 1, true) ~= nil)
end

local function matches(element, criteria)
  return same(element.role, criteria.role) and same(element.name, criteria.name)
    and same(element.app, criteria.app) and same(element.text, criteria.text)
    and contains(element, criteria.contains) and has_states(element, criteria.states)
end

local function describe(criteria)
  local parts = {}
  for _, key in ipairs { "role", "name", "text", "contains", "app", "pid" } do
    if criteria[key] ~= nil then parts[#parts + 1] = ("%s '%s'"):format(key, tostring(criteria[key])) end
  end
  if criteria.states then parts[#parts + 1] = "those states" end
  return #parts > 0 and text.join(parts) or "anything"
end

-- The names that come nearest to the one that is not there, at most three.
local function nearest_names(list, criteria)
  local distances, names = {}, {}
  for _, element in ipairs(list) do
    local fits = same(element.app, criteria.app)
    if fits and element.name ~= "" and #element.name < 100 and not distances[element.name] then
      distances[element.name] = text.distance(criteria.name:lower(), element.name:lower())
        + (same(element.role, criteria.role) and 0 or 2)
      names[#names + 1] = element.name
    end
  end
  table.sort(names, function(a, b)
    if distances[a] ~= distances[b] then return distances[a] < distances[b] end
    return a < b
  end)
  return { table.unpack(names, 1, 3) }
end

local function silent_apps(list)
  local names = {}
  for _, app in ipairs(list.apps) do
    if app.note then names[#names + 1] = (app.name ~= "" and app.name or "process " .. app.pid) end
  end
  return names
end

local function not_found(list, criteria)
  local message = "no element with " .. describe(criteria)
  if criteria.name then
    local quoted = {}
    for _, name in ipairs(nearest_names(list, criteria)) do quoted[#quoted + 1] = "'" .. text.one_line(name) .. "'" end
    if #quoted > 0 then message = message .. "; the nearest names are " .. text.join(quoted) end
  end
  local silent = silent_apps(list)
  if #silent > 0 then message = message .. "; " .. text.join(silent) .. " did not answer" end
  return errors.fail("not_found", "%s", message)
end

-- The list with what is known about it, which is not part of the list itself.
local function make_list(answer)
  return setmetatable(answer.elements, { __index = { apps = answer.apps, truncated = answer.truncated } })
end

---@param desk deskpilot.desk
function elements.new(desk)
  local api = {}
  local reader

  local function open()
    if desk.native:backend() == "null" then
      return errors.fail("unsupported", "the null desktop has no elements")
    end
    if reader then return reader end
    local err
    reader, err = native.open { bus = desk.bus, display = desk.display }
    return reader, err
  end

  --- Elements on the screen now, parents before children: all of them, or those that match. With
  --- `all` also what is not showing (closed menus, hidden pages); `bare` leaves out texts, values and
  --- actions. An application that does not answer is named in list.apps[i].note.
  ---@param criteria deskpilot.element_criteria?
  ---@return deskpilot.element[]? list, deskpilot.error? err
  function api.list(criteria)
    criteria = criteria or {}
    check(criteria)
    local source, err = open()
    if not source then return nil, err end
    local answer, failure = task.await(function(done)
      return source:read({ timeout = desk.timing.elements, pid = criteria.pid, all = criteria.all,
        bare = criteria.bare, max = criteria.max }, done)
    end)
    if not answer then return nil, failure end
    local list = make_list(answer)
    local filtered = {}
    for _, element in ipairs(list) do
      if matches(element, criteria) then filtered[#filtered + 1] = element end
    end
    if #filtered == #list then return list end
    return setmetatable(filtered, getmetatable(list))
  end

  --- The first element that matches. Role, name, text and app must be the same but for case and
  --- space around them; `contains` is a part of the name or text. With `timeout`, waits for it.
  ---@param criteria deskpilot.element_criteria
  ---@return deskpilot.element? element, deskpilot.error? err
  function api.find(criteria)
    check(criteria)
    local limit = task.now() + (criteria.timeout or 0)
    while true do
      local list, err = api.list { pid = criteria.pid, all = criteria.all }
      if not list then return nil, err end
      for _, element in ipairs(list) do
        if matches(element, criteria) then return element end
      end
      if task.now() >= limit then return not_found(list, criteria) end
      task.sleep(desk.timing.wait_every)
    end
  end

  local function handle_of(element)
    assert(type(element) == "table", "an element, or what to find it by, is wanted")
    if element.handle then return element end
    return api.find(element)
  end

  --- Does what a click on the element does, without the mouse: its first action, or the one of that
  --- name (or number, from 0). The application has been told when this returns, and may take a moment
  --- to do it (GTK shows a button pressed for 250 ms first, and forgets it if the next comes earlier).
  ---@param element deskpilot.element|table
  ---@param action string|integer|nil
  ---@return boolean? ok, deskpilot.error? err
  function api.press(element, action)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local found, err = handle_of(element)
    if not found then return nil, err end
    local source, failure = open()
    if not source then return nil, failure end
    return task.await(function(done)
      return source:act(found.handle, action or 0, { timeout = desk.timing.element_action }, done)
    end)
  end

  --- Replaces the text of a field.
  ---@param element deskpilot.element|table
  ---@param value string
  ---@return boolean? ok, deskpilot.error? err
  function api.set_text(element, value)
    local free, busy = desk.human.give_way()
    if not free then return nil, busy end
    local found, err = handle_of(element)
    if not found then return nil, err end
    local source, failure = open()
    if not source then return nil, failure end
    return task.await(function(done)
      return source:set_text(found.handle, value, { timeout = desk.timing.element_action }, done)
    end)
  end

  --- What an element holds now: its text, else its value, else its name.
  ---@param element deskpilot.element|table
  ---@return string? text, deskpilot.error? err
  function api.text(element)
    local found, err = handle_of(element)
    if not found then return nil, err end
    local list, failure = api.list { pid = found.pid ~= 0 and found.pid or nil, all = true }
    if not list then return nil, failure end
    for _, now in ipairs(list) do
      if now.handle == found.handle then
        return now.text or (now.value and ("%.14g"):format(now.value)) or now.name
      end
    end
    return errors.fail("not_found", "the element '%s' is gone", text.cut(text.one_line(found.name), 80))
  end

  --- Ends the connection.
  function api.stop()
    if reader then reader:close() end
    reader = nil
  end

  return api
end

return elements
