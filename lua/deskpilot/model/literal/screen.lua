--- Finding things by what people call them, among what the run has seen: elements of the desktop, and those of a
--- browser's page. Only the desktop's have `norm`, a place on the screen; the page's are known by their index.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local screen = {}

---@class deskpilot.literal.facts what a run knows, as plain data
---@field task string
---@field phase string? of the policy
---@field window { title: string, class: string }? the active one
---@field elements deskpilot.element[] of the desktop, each with norm = { x, y }, its centre in 0..1000
---@field page deskpilot.page? what a browser in front shows
---@field actions { tool: string, args: table, ok: boolean, text: string, why: string? }[] all that was done for this
--- task, in order

local function plain(words)
  return (text.one_line(words:gsub("\u{2026}", "...")):lower():gsub("%.%.%.$", ""))
end

-- Roles by the words that people have for them, where these are not a part of the role's own name.
local inputs = { "text", "entry", "spin", "edit", "combo", "search", "box" }
local meant_by = { field = inputs, entry = inputs, box = inputs, checkbox = { "check" },
  option = { "option", "radio", "item" }, row = { "row", "cell" } }
local inert = { "^label", "^static", "^panel", "^filler", "^frame", "^window", "^heading", "^paragraph" }

-- 1 for the kind that was named, 3 for what only shows something.
local function rank(element, role)
  for _, part in ipairs(meant_by[role] or { role }) do
    if element.role:find(part, 1, true) then return 1 end
  end
  for _, part in ipairs(inert) do
    if element.role:find(part) then return 3 end -- pattern: one of `inert`
  end
  return 2
end

-- The first of those that rank best, and how many these are.
local function best(elements, role, is_meant)
  local least, first, count = 4, nil, 0
  for _, element in ipairs(elements) do
    local its = is_meant(element) and rank(element, role)
    if its and its < least then least, first, count = its, element, 0 end
    if its == least then count = count + 1 end
  end
  return first, count
end

-- The element of that name: exactly, else whatever the case, else the only one that contains it, else the only one
-- of a role that has that name ("text area" is a text).
local function find(elements, name, role)
  local wanted = plain(name)
  local of_role = wanted:gsub(" area$", "")
  local ways = {
    function(element) return element.name == name end,
    function(element) return plain(element.name) == wanted end,
    function(element) return plain(element.name):find(wanted, 1, true) end,
    function(element) return element.role == of_role end,
  }
  for i, way in ipairs(ways) do
    local element, count = best(elements, role, way)
    if element then return (i <= 2 or count == 1) and element or nil end
  end
end

--- What lies open of the page's elements; nothing where no page is in front.
---@param facts deskpilot.literal.facts
---@return deskpilot.page_element[]
function screen.uncovered(facts)
  local list = {}
  for _, element in ipairs(facts.page and facts.page.elements or {}) do
    if not element.states.blocked then table.insert(list, element) end
  end
  return list
end

--- The element of that name: of the desktop, or of the page in front.
---@param facts deskpilot.literal.facts
---@param name string
---@param role string? the word for its kind
---@param on_page boolean?
---@return table? element
function screen.find(facts, name, role, on_page)
  return find(on_page and screen.uncovered(facts) or facts.elements, name, role)
end

--- The name on screen that is most like one, as the end of a sentence: of the page's where one is listed.
---@param facts deskpilot.literal.facts
---@param name string
---@return string
function screen.nearest(facts, name)
  local names = {}
  for _, element in ipairs(facts.page and #facts.page.elements > 0 and facts.page.elements or facts.elements) do
    if element.name ~= "" then table.insert(names, text.cut(element.name, 40)) end
  end
  local nearest = text.nearest(text.cut(name, 40), names, true)
  return nearest and "the nearest name listed is " .. json.encode(nearest) or "no element is listed at all"
end

--- What covers the page, in words.
---@param facts deskpilot.literal.facts
---@return string?
function screen.popup(facts)
  local popup = facts.page and facts.page.popup
  return popup and ("%s %s covers the page"):format(popup.role, json.encode(popup.name))
end

--- Where a text is seen, in words: in an element's value or name, the page's text, a title; nil if nowhere.
---@param facts deskpilot.literal.facts
---@param wanted string
---@return string?
function screen.seen(facts, wanted)
  local needle = plain(wanted) ~= "" and plain(wanted) or wanted
  local function holds(words) return words and plain(words):find(needle, 1, true) end
  local page, window = facts.page or { elements = {} }, facts.window or {}
  for _, elements in ipairs { page.elements, facts.elements } do
    for _, element in ipairs(elements) do
      if holds(element.norm and element.text or not element.norm and element.value) then
        return ("the value of %s %s"):format(element.role, json.encode(element.name))
      end
      if holds(element.name) then return "the name of a " .. element.role end
    end
  end
  return holds(page.text) and "the page's text" or holds(page.title) and "the page's title"
    or holds(window.title) and "the window's title" or nil
end

return screen
