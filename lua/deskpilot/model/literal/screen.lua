--- Reads what a request says: the mission, the phase, what is on screen, and what was done so far.
--- It is the text that a vision model gets too; nothing else is looked at.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local screen = {}

---@class deskpilot.literal.element
---@field role string
---@field name string
---@field value string?
---@field states table<string, boolean>
---@field x integer? 0..1000
---@field y integer?
---@field index integer? of an element of a page

---@class deskpilot.literal.page what a browser shows
---@field title string
---@field url string
---@field dialog { type: string, message: string }? the question that it waits for an answer to
---@field popup string? what covers the page: its role and name
---@field elements deskpilot.literal.element[]
---@field text string

---@class deskpilot.literal.action
---@field tool string
---@field failed boolean
---@field result string
---@field why string
---@field step integer? of the task
---@field look integer how often it had been looked for

---@class deskpilot.literal.view
---@field mission string?
---@field phase string?
---@field turn integer?
---@field window string? the active window's title
---@field application string? its class
---@field elements deskpilot.literal.element[]
---@field page deskpilot.literal.page?
---@field actions deskpilot.literal.action[]

--- Reading ------------------------------------------------------------------------------------------

-- A JSON string that begins at `at`: its value and where it ends.
local function json_string(line, at)
  local from = at + 1
  while true do
    local stop = line:find('["\\]', from)
    if not stop then return nil end
    if line:byte(stop) == 34 then return json.decode(line:sub(at, stop)), stop end
    from = stop + 2
  end
end

-- [0] push button "7" [512,300] focused = "42"; with "-" for the number beside a page
local function read_element(line)
  local mark, role, at = line:match('^%s*(%S+) ([^"]-)%s*()"')
  local index = mark and mark:match("^%[(%d+)%]$")
  if not index and mark ~= "-" then return nil end
  local name, stop = json_string(line, at)
  if type(name) ~= "string" then return nil end
  local rest = line:sub(stop + 1)
  local x, y = rest:match("^%s*%[(%-?%d+%.?%d*),%s*(%-?%d+%.?%d*)%]")
  local value_at = rest:match('= ()"')
  local value, states = value_at and json_string(rest, value_at), {}
  for state in rest:match('^[^="]*'):gmatch("%a+") do states[state] = true end
  return { role = role, name = name, value = value, states = states, index = math.tointeger(tonumber(index)),
    x = x and math.floor(tonumber(x)), y = y and math.floor(tonumber(y)) }
end

-- The end of the arguments that begin after "tool(": strings in them may hold anything.
local function arguments_end(line, at)
  while at <= #line do
    local c = line:sub(at, at)
    if c == ")" then return at end
    if c == '"' then
      local _, stop = json_string(line, at)
      if not stop then return nil end
      at = stop
    end
    at = at + 1
  end
end

-- T3: click_element("7") -> clicked "7" at [512,300] | why: Step 1 of 6: click "7"
local function read_action(line)
  local tool, at = line:match("^%s*T%d+: ([%w_]+)%(()")
  if not tool then return nil end
  local after = line:sub((arguments_end(line, at) or #line) + 1)
  if not text.starts(after, " -> ") then -- the arguments were cut in the middle of a quotation
    after = line:sub((line:find(") -> ", at, true) or #line) + 1)
  end
  local why = after:match("| why: (.*)$") or ""
  return {
    tool = tool, failed = after:find("^%s*%->%s*ERROR") ~= nil, why = why,
    result = after:gsub("| why: .*$", ""):gsub("^%s*%->%s*", ""):gsub("%s+$", ""),
    step = math.tointeger(tonumber(why:match("^Step (%d+) of %d+"))),
    look = math.tointeger(tonumber(why:match("Look (%d+)%."))) or 0,
  }
end

local titles = {
  { "MISSION:", "mission" }, { "GOAL:", "mission" }, { "THE GOAL IS REACHED", "reached" },
  { "REPORT ON YOUR", "report" }, { "DOCTRINE:", "doctrine" }, { "CURRENT PHASE:", "phase" },
  { "TURN:", "turn" }, { "SCREEN:", "screen" }, { "ELEMENTS", "elements" },
  { "BROWSER:", "browser" }, { "DIALOG:", "dialog" }, { "POPUP:", "popup" },
  { "PAGE ELEMENTS", "page_elements" }, { "PAGE TEXT", "page_text" },
  { "EARLIER:", "earlier" }, { "RECENT ACTIONS:", "actions" },
}

local after_page_text = { earlier = true, actions = true }

-- Whether a line that begins like a title is one. A doctrine may speak of the mission again, and a page may say
-- anything: the first mission is the user's own, and in a page's text only what comes after it is looked for.
local function is_title(name, sections, current)
  if name == "mission" and sections.mission then return false end
  return current == nil or current ~= sections.page_text or after_page_text[name] or false
end

local function sections_of(source)
  local sections, current = {}, nil
  for line in (source .. "\n"):gmatch("(.-)\r?\n") do
    for _, title in ipairs(titles) do
      if text.starts(line, title[1]) and is_title(title[2], sections, current) then
        current = {}
        sections[title[2]] = current
        line = line:find("^%u+ ?%u* %(") and "" or line:sub(#title[1] + 1)
        break
      end
    end
    if current then table.insert(current, line) end
  end
  return sections
end

local function each(lines, read)
  local all = {}
  for _, line in ipairs(lines or {}) do
    local item = read(line)
    if item then table.insert(all, item) end
  end
  return all
end

local function joined(lines)
  return lines and table.concat(lines, "\n"):match("^%s*(.-)%s*$")
end

-- BROWSER: "Title" URL (complete)
local function read_page(sections)
  local about = joined(sections.browser)
  if not about then return nil end
  local title, stop = "", 0
  if about:find('^"') then title, stop = json_string(about, 1) end
  local dialog = joined(sections.dialog)
  local kind, at = (dialog or ""):match('^(%a+)%s*()')
  return { title = title or "", url = about:sub((stop or 0) + 1):match("%S+") or "",
    dialog = kind and { type = kind, message = dialog:sub(at) }, popup = joined(sections.popup),
    elements = each(sections.page_elements, read_element),
    text = (joined(sections.page_text) or ""):gsub("^| ", ""):gsub("\n| ", "\n") }
end

--- What a request's text says. Sections may be missing.
---@param source string
---@return deskpilot.literal.view
function screen.read(source)
  local sections = sections_of(source)
  local about = joined(sections.screen) or ""
  local title_at = about:match('active window: ()"')
  local title, title_end
  if title_at then title, title_end = json_string(about, title_at) end
  local phase = joined(sections.phase)
  return {
    mission = joined(sections.mission), phase = phase ~= "" and phase or nil,
    turn = math.tointeger(tonumber((joined(sections.turn) or ""):match("%d+"))),
    window = title, application = title_end and about:sub(title_end + 1):match("^%s*%((.-)%)%s*$"),
    page = read_page(sections),
    elements = each(sections.elements, read_element), actions = each(sections.actions, read_action),
  }
end

--- Finding ------------------------------------------------------------------------------------------

local meant_by = {
  button = { "button" }, item = { "item" }, menu = { "menu" }, tab = { "tab" }, link = { "link" },
  field = { "text", "entry", "spin", "edit", "combo", "search" }, entry = { "text", "entry", "edit", "search" },
  box = { "box", "text", "entry" }, checkbox = { "check" }, icon = { "icon", "image" },
  label = { "label" }, option = { "option", "radio", "item" }, cell = { "cell" }, row = { "row", "cell" },
}

local inert = { "^label", "^static", "^panel", "^filler", "^frame", "^window", "^heading", "^paragraph" }

local function rank(element, role)
  for _, part in ipairs(meant_by[role] or {}) do
    if element.role:find(part, 1, true) then return 0 end
  end
  for _, part in ipairs(inert) do
    if element.role:find(part) then return 2 end
  end
  return 1
end

-- Those of the list that rank best.
local function best(elements, role)
  local least, chosen = 3, {}
  for _, element in ipairs(elements) do
    local its = rank(element, role)
    if its < least then least, chosen = its, {} end
    if its == least then table.insert(chosen, element) end
  end
  return chosen
end

local function plain(s)
  return (s:lower():gsub("\226\128\166", "..."):gsub("%.%.%.$", ""):gsub("^%s+", ""):gsub("%s+$", ""))
end

local function matching(elements, test)
  local found = {}
  for _, element in ipairs(elements) do
    if element.name ~= "" and test(element.name) then table.insert(found, element) end
  end
  return found
end

-- Names by which people mean an element that has none of its own.
local nameless = {
  ["text area"] = "text", ["text field"] = "text", ["text box"] = "text", ["input field"] = "text",
  ["text"] = "text", ["document"] = "text", ["entry"] = "entry", ["combo box"] = "combo box",
  ["slider"] = "slider", ["table"] = "table", ["list"] = "list", ["terminal"] = "terminal",
}

local function only_one_of_role(elements, role)
  local found
  for _, element in ipairs(elements) do
    if role and element.role == role then
      if found then return nil end
      found = element
    end
  end
  return found
end

local function find(elements, name, role)
  local wanted = plain(name)
  local found = best(matching(elements, function(other) return other == name end), role)
  if #found == 0 then
    found = best(matching(elements, function(other) return plain(other) == wanted end), role)
  end
  if #found > 0 then return found[1] end
  if wanted == "" then return nil end
  found = best(matching(elements, function(other) return plain(other):find(wanted, 1, true) end), role)
  if #found > 0 then return #found == 1 and found[1] or nil end
  return only_one_of_role(elements, nameless[wanted])
end

local function those(elements, test)
  local list = {}
  for _, element in ipairs(elements) do
    if test(element) then table.insert(list, element) end
  end
  return list
end

--- The element of the desktop of that name: exactly, else whatever the case, else the only one that contains
--- it, else the only one of the role that the name means ("text area").
---@return deskpilot.literal.element?
function screen.find(view, name, role)
  return find(those(view.elements, function(element) return element.x end), name, role)
end

--- The same among what the browser's page lists and nothing covers.
---@return deskpilot.literal.element?
function screen.find_on_page(view, name, role)
  if not view.page then return nil end
  return find(those(view.page.elements, function(element) return not element.states.blocked end), name, role)
end

-- All that is listed, of the page first.
local function all_elements(view)
  local all = table.move(view.page and view.page.elements or {}, 1, view.page and #view.page.elements or 0, 1, {})
  return table.move(view.elements, 1, #view.elements, #all + 1, all)
end

--- Up to five of the names on screen, those most like `name` first; of the page's where there is one.
---@return string[]
function screen.nearest(view, name)
  local names, seen = {}, {}
  local elements = view.page and #view.page.elements > 0 and view.page.elements or view.elements
  for _, element in ipairs(elements) do
    if element.name ~= "" and not seen[element.name] then
      seen[element.name] = true
      table.insert(names, element.name)
    end
  end
  local wanted, distance = plain(text.cut(name, 60)), {}
  for _, other in ipairs(names) do
    local short = plain(text.cut(other, 60))
    local part = short:find(wanted, 1, true) and 0 or 1
    distance[other] = part * 100 + text.distance(short, wanted)
  end
  table.sort(names, function(a, b)
    if distance[a] ~= distance[b] then return distance[a] < distance[b] end
    return a < b
  end)
  return table.move(names, 1, math.min(5, #names), 1, {})
end

--- Where a text is seen: "the value of ...", "the name of ...", "the page's text", "the window's title"; nil if
--- nowhere.
---@return string?
function screen.seen(view, wanted)
  local needle = plain(wanted)
  if needle == "" then needle = wanted end
  local elements, page = all_elements(view), view.page
  for _, element in ipairs(elements) do
    if element.value and plain(element.value):find(needle, 1, true) then
      return "the value of " .. element.role .. " " .. json.encode(element.name)
    end
  end
  for _, element in ipairs(elements) do
    if plain(element.name):find(needle, 1, true) then return "the name of a " .. element.role end
  end
  if page and plain(page.text):find(needle, 1, true) then return "the page's text" end
  if page and plain(page.title):find(needle, 1, true) then return "the page's title" end
  if view.window and plain(view.window):find(needle, 1, true) then return "the window's title" end
end

return screen
