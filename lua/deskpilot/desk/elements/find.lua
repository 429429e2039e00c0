--- Finds elements by criteria, and describes what there is instead where none matches.
local errors = require "deskpilot.base.errors"
local rects = require "deskpilot.desk.picture.rect"
local signature = require "deskpilot.base.signature"
local text = require "deskpilot.base.text"

local find = {}

---@class deskpilot.element_criteria
---@field role string?
---@field name string?
---@field text string?
---@field contains string? a part of the name or text, whatever the case
---@field matching string? a Lua pattern that the name or text matches
---@field app string?
---@field pid integer?
---@field window deskpilot.window|integer|deskpilot.window_criteria|nil a window, its id, or criteria for one
---@field within deskpilot.element|deskpilot.element_criteria|nil an ancestor, or criteria for one
---@field states string|string[]|table<string, boolean>|nil
---@field nth integer? which of the matching ones: 1 is the first, -1 the last (find)
---@field all boolean? also elements that are not showing
---@field bare boolean? without texts, values and actions (list)
---@field max integer? the most elements to read (list)
---@field timeout number? seconds to wait for a match (find)

local keys = { role = "string", name = "string", text = "string", app = "string", pid = "number", states = "any",
  contains = "string", matching = "string", window = "any", within = "any", nth = "any", all = "boolean",
  timeout = "number", max = "number", bare = "boolean", index = "any" }

local function is_table(value)
  return type(value) == "table" and not errors.is(value)
end

signature.kind("element_criteria", { what = 'a name or criteria such as { role = "push button", name = "OK" }',
  fits = is_table, take = signature.text_as("name", true) })

signature.kind("element", { what = 'an element, its name or criteria such as { role = "push button", name = "OK" }',
  fits = is_table, take = signature.text_as "name" })

--- Raises an error for invalid criteria.
---@param criteria table
function find.check(criteria)
  for key, value in pairs(criteria) do
    local kind = keys[key]
    if not kind then
      errors.mistake("elements are found by role, name, text, contains, matching, app, pid, window, within and states, "
        .. "not %s", tostring(key))
    elseif kind ~= "any" and type(value) ~= kind then
      errors.mistake("elements are found by criteria of which %s is a %s, not a %s", key, kind, type(value))
    end
  end
  if criteria.matching ~= nil and not pcall(string.find, "", criteria.matching) then
    errors.mistake("matching is not a Lua pattern: %s", criteria.matching)
  end
  local nth = criteria.nth
  if nth ~= nil and (math.type(nth) ~= "integer" or nth == 0) then
    errors.mistake "nth counts from 1, or from -1 for the last"
  end
  if type(criteria.within) == "table" and not criteria.within.handle then find.check(criteria.within) end
end

local trim = text.trim

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

local function contains(element, part)
  if part == nil then return true end
  part = part:lower()
  return element.name:lower():find(part, 1, true) ~= nil
    or (element.text ~= nil and element.text:lower():find(part, 1, true) ~= nil)
end

local function matching(element, pattern)
  return pattern == nil or element.name:find(pattern) ~= nil -- pattern: the script's own
    or (element.text ~= nil and element.text:find(pattern) ~= nil) -- pattern: the script's own
end

-- Whether fits(ancestor) holds for one of the element's ancestors.
local function has_ancestor(list, element, fits)
  local above = element.parent and list[element.parent]
  while above do
    if fits(above) then return true end
    above = above.parent and list[above.parent]
  end
  return false
end

local function is_within(list, element, within)
  if within == nil then return true end
  return has_ancestor(list, element, function(above)
    if within.handle then return above.handle == within.handle end
    return find.matches(list, above, within)
  end)
end

--- Whether an element of a complete list meets all criteria except `nth`. With a window, it must be the window's frame
--- or below that.
---@param list deskpilot.element[]
---@param element deskpilot.element
---@param criteria deskpilot.element_criteria
---@param frame deskpilot.element? the window's element, where criteria.window is given
---@return boolean
function find.matches(list, element, criteria, frame)
  return same(element.role, criteria.role) and same(element.name, criteria.name)
    and same(element.app, criteria.app) and same(element.text, criteria.text)
    and contains(element, criteria.contains) and matching(element, criteria.matching)
    and has_states(element, criteria.states) and is_within(list, element, criteria.within)
    and (frame == nil or element == frame or is_within(list, element, frame))
end

--- All elements of a complete list that meet the criteria.
---@return deskpilot.element[]
function find.all(list, criteria, frame)
  local found = {}
  for _, element in ipairs(list) do
    if find.matches(list, element, criteria, frame) then found[#found + 1] = element end
  end
  return found
end

--- The element of a window: of its process, with its title; else the one that covers most of the window's area.
---@param list deskpilot.element[]
---@param window deskpilot.window
---@return deskpilot.element?
function find.frame(list, window)
  local best, best_area
  for _, element in ipairs(list) do
    if element.depth == 1 and (element.pid == window.pid or element.pid == 0 or window.pid == 0) then
      local area = rects.overlap(element, window)
      if element.name == window.title and window.title ~= "" then area = area + 1e12 end
      if area > 0 and (not best or area > best_area) then best, best_area = element, area end
    end
  end
  return best
end

-- Messages --------------------------------------------------------------------------------------------

local function quoted(s)
  return "'" .. text.cut(text.one_line(s), 80) .. "'"
end

--- Describes an element for a message: "push button 'Save'"; only the role where it has no name.
---@param element deskpilot.element
---@return string
function find.label(element)
  return element.name ~= "" and element.role .. " " .. quoted(element.name) or element.role
end

--- Describes criteria for a message.
---@param criteria deskpilot.element_criteria
---@return string
function find.describe(criteria)
  local parts = {}
  for _, key in ipairs { "role", "name", "text", "contains", "matching", "app", "pid" } do
    if criteria[key] ~= nil then parts[#parts + 1] = ("%s %s"):format(key, quoted(tostring(criteria[key]))) end
  end
  if criteria.states then parts[#parts + 1] = "those states" end
  local described = #parts > 0 and text.join(parts) or "anything"
  if not criteria.within then return described end
  return described .. " within " .. (criteria.within.handle and find.label(criteria.within)
    or "an element with " .. find.describe(criteria.within))
end

-- At most three names, those that are nearest to the name that was not found.
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
  for i, name in ipairs(names) do names[i] = i <= 3 and quoted(name) or nil end
  return names
end

-- The roles of the elements that have the name that is looked for.
local function roles_of_name(list, criteria)
  local roles, seen = {}, {}
  for _, element in ipairs(list) do
    if same(element.name, criteria.name) and same(element.app, criteria.app) and not seen[element.role] then
      seen[element.role] = true
      roles[#roles + 1] = element.role
    end
  end
  return roles
end

local function about_name(list, criteria)
  local roles = roles_of_name(list, criteria)
  if #roles > 0 then return ("; with that name there is: %s"):format(table.concat(roles, ", ")) end
  local names = nearest_names(list, criteria)
  return #names > 0 and "; the nearest names are " .. text.join(names) or ""
end

-- Which applications were searched, and which did not answer, or not with everything.
local function describe_apps(list, criteria)
  local there, parts, known = {}, {}, criteria.app == nil
  for _, app in ipairs(list.apps) do
    local name = app.name ~= "" and text.cut(text.one_line(app.name), 40) or "process " .. app.pid
    known = known or same(app.name, criteria.app)
    if app.note then
      parts[#parts + 1] = name .. " " .. app.note
    elseif criteria.pid == nil or app.pid == criteria.pid then
      there[#there + 1] = name
    end
  end
  if #there > 0 then
    table.insert(parts, 1, (known and "looked in " or "no application has that name, there are ") .. text.join(there))
  elseif #parts == 0 then
    parts[1] = "no application reports its elements (a browser does where desk.browser.start has accessibility = true)"
  end
  return "; " .. table.concat(parts, "; ")
end

--- nil and an error of code "not_found" that says what there is instead.
---@param list deskpilot.element[] all elements that were read
---@param criteria deskpilot.element_criteria
---@param count integer how many match, where `nth` wants more
---@return nil, deskpilot.error
function find.missing(list, criteria, count)
  if count > 0 then
    return errors.fail("not_found", "%s", ("there are only %d elements with %s, not %d"):format(count,
      find.describe(criteria), math.abs(criteria.nth)))
  end
  return errors.fail("not_found", "%s", "no element with " .. find.describe(criteria)
    .. (criteria.name and about_name(list, criteria) or "") .. describe_apps(list, criteria))
end

return find
