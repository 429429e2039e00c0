--- Formats elements as compact text for models and people: one line each, indented by depth.
---
---     2 frame "Untitled 1 - Mousepad" (active)
---       3 menu "File"
---       4 text = "Dear Ada, ..." (focused)
local errors = require "deskpilot.base.errors"
local places = require "deskpilot.desk.elements.places"
local text = require "deskpilot.base.text"

local outline = {}

outline.defaults = { max = 200, depth = 30, name = 80, text = 120 }

local keys = { app = true, window = true, pid = true, within = true, all = true, max = true, depth = true }

--- Raises an error for invalid options of elements.outline.
---@param options table
function outline.check(options)
  for key in pairs(options) do
    if not keys[key] then
      errors.mistake("elements.outline has the options app, window, pid, within, all, max and depth, not %s",
        tostring(key))
    end
  end
  for _, key in ipairs { "max", "depth" } do
    local value = options[key]
    if value ~= nil and (math.type(value) ~= "integer" or value < 1) then
      errors.mistake("%s must be a whole number of at least 1", key)
    end
  end
end

-- Roles that only hold other elements if they have no name. Their children are shown in their place.
local wrappers = { panel = true, filler = true, section = true, viewport = true, ["scroll pane"] = true,
  ["split pane"] = true, ["layered pane"] = true, ["root pane"] = true, ["redundant object"] = true,
  grouping = true, unknown = true, form = true, paragraph = true, landmark = true, ["internal frame"] = true,
  static = true, label = true, invalid = true, embedded = true, ["option pane"] = true }
-- Roles that carry no information if they have no name.
local ornaments = { separator = true, ["scroll bar"] = true, ruler = true, image = true, icon = true,
  ["drawing area"] = true, canvas = true, ["table cell"] = true, animation = true }
local words_only = { static = true, label = true, ["redundant object"] = true }

-- The states that are shown, in this order.
local shown_states = { "active", "focused", "checked", "indeterminate", "selected", "expanded", "modal", "busy",
  "required", "read_only" }

-- Quotes a text as one line of at most `limit` characters.
local function quote(s, limit)
  return '"' .. text.cut(text.one_line(s), limit):gsub('[\\"]', "\\%0") .. '"'
end

local function states_of(element)
  local states = {}
  for _, state in ipairs(shown_states) do
    if element.states[state] then states[#states + 1] = (state:gsub("_", " ")) end
  end
  if element.states.pressed and not element.states.checked then states[#states + 1] = "pressed" end
  if element.states.expandable and not element.states.expanded then states[#states + 1] = "collapsed" end
  if element.states.enabled == false and element.depth > 0 then states[#states + 1] = "disabled" end
  return #states > 0 and " (" .. table.concat(states, ", ") .. ")" or ""
end

local function own_text(element)
  local words = element.text and text.one_line(element.text) or ""
  return words ~= "" and words ~= text.one_line(element.name) and words or nil
end

local function line(element, limits)
  local parts = { ("%s%d %s"):format(("  "):rep(element.depth), element.index, element.role) }
  local name = quote(element.name, limits.name)
  if name ~= '""' then parts[#parts + 1] = name end
  if element.value then parts[#parts + 1] = ("= %.6g"):format(element.value) end
  local words = own_text(element)
  if words and not (element.value and tonumber(words) == element.value) then
    parts[#parts + 1] = "= " .. quote(words, limits.text)
  end
  return table.concat(parts, " ") .. states_of(element)
end

-- Whether the element itself carries no information and does nothing.
local function is_empty(element)
  if text.one_line(element.name) ~= "" or own_text(element) or element.states.focused then return false end
  if ornaments[element.role] then return states_of(element) == "" or element.role == "scroll bar" end
  return wrappers[element.role] and not (element.states.focusable and element.actions > 0)
end

-- Whether a text only repeats the element above it, or is the label (the name) of the element after it.
local function is_repeated(element, above, after)
  if not words_only[element.role] then return false end
  if after and after.parent == element.parent and after.name == element.name and not words_only[after.role] then
    return true
  end
  if not above then return false end
  local words = text.one_line(element.name ~= "" and element.name or element.text or "")
  return words == text.one_line(above.name)
    or (above.text ~= nil and text.one_line(above.text):find(words, 1, true) ~= nil)
end

-- Counts of elements that are left out, by reason.
local function new_tally()
  return { over = 0, deep = 0, away = 0 }
end

local function tail(tally, limits, truncated)
  local parts = {}
  if tally.away > 0 then parts[#parts + 1] = tally.away .. " scrolled out of view" end
  if tally.deep > 0 then parts[#parts + 1] = ("%d deeper than %d"):format(tally.deep, limits.depth) end
  if tally.over > 0 then parts[#parts + 1] = ("%d over the limit of %d"):format(tally.over, limits.max) end
  if truncated then parts[#parts + 1] = "elements that were not read, because the applications have too many" end
  return #parts > 0 and "(left out: " .. text.join(parts) .. ")" or nil
end

local function copy_of(element, index, parent)
  local copy = {}
  for key, value in pairs(element) do copy[key] = value end
  copy.index, copy.parent, copy.depth = index, parent and parent.index, parent and parent.depth + 1 or 0
  return copy
end

-- The nearest ancestor that is shown, or nil.
local function shown_above(list, element, shown)
  local above = element.parent
  while above do
    if shown[above] then return shown[above] end
    above = list[above].parent
  end
end

local function with_defaults(options)
  local limits = {}
  for key, value in pairs(outline.defaults) do limits[key] = options[key] or value end
  return limits
end

--- The elements of a complete list that get a line, as a list of their own: index, parent and depth refer to the new
--- list.
---@param list deskpilot.element[]
---@param options { max: integer?, depth: integer?, all: boolean?, wanted: (fun(element): boolean)? }
---@return deskpilot.element[] kept, table tally
function outline.pick(list, options)
  local limits = with_defaults(options)
  local rects = options.all and {} or places.visible(list)
  local kept, shown, tally = {}, {}, new_tally()
  for i, element in ipairs(list) do
    local wanted = not options.wanted or options.wanted(element)
    local above = wanted and shown_above(list, element, shown)
    if not wanted or is_empty(element) or is_repeated(element, above, list[i + 1]) then
      goto next
    elseif not options.all and element.depth > 0 and not (element.states.showing and rects[i]) then
      tally.away = tally.away + (element.states.showing and element.width > 0 and 1 or 0)
    elseif (above and above.depth + 1 or 0) > limits.depth then
      tally.deep = tally.deep + 1
    elseif #kept >= limits.max then
      tally.over = tally.over + 1
    else
      shown[i] = copy_of(element, #kept + 1, above)
      kept[#kept + 1] = shown[i]
    end
    ::next::
  end
  return kept, tally
end

--- The outline, and the list that its indices refer to.
---@param list deskpilot.element[]
---@param options { max: integer?, depth: integer?, all: boolean?, wanted: (fun(element): boolean)? }?
---@return string text, deskpilot.element[] kept
function outline.make(list, options)
  options = options or {}
  local limits, lines = with_defaults(options), {}
  local kept, tally = outline.pick(list, options)
  for i, element in ipairs(kept) do lines[i] = line(element, limits) end
  lines[#lines + 1] = tail(tally, limits, list.truncated)
  return table.concat(lines, "\n"), kept
end

return outline
