--- What an agent gets to see: one screenshot, scaled for the model and encoded once, the active
--- window, the elements in words, and the page that the active window shows, if it is a browser's. A part
--- that cannot be had is left out and named, never a reason to stop.
local native = require "native.image"
local capture = require "deskpilot.desk.picture.capture"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local locate = require "deskpilot.desk.elements.locate"
local pointer = require "deskpilot.desk.picture.pointer"
local rects = require "deskpilot.desk.picture.rect"
local shots = require "deskpilot.desk.picture.shot"
local spaces = require "deskpilot.model.space"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local window_criteria = require "deskpilot.desk.window.criteria"
local desktop_dialog = require "deskpilot.agent.desktop_dialog"
local page_format = require "deskpilot.agent.page_format"
local ranking = require "deskpilot.agent.ranking"
local trim = require "deskpilot.agent.trim"
local viewpoint = require "deskpilot.agent.viewpoint"

-- What few runs need is loaded by those that do.
local function marks() return require "deskpilot.desk.picture.marks" end

local observation = {}

---@class deskpilot.seen_element: deskpilot.element
---@field number integer what it is called by, also in later observations; the elements of a page come before
---@field norm number[] its centre in 0..1000
---@field path string what it is inside of, by which it is recognised later (desk.elements.locate)

---@class deskpilot.observation
---@field shot deskpilot.shot the picture as the model is sent it; positions that it gives are points of this
---@field screen deskpilot.rect? the whole screen, where bare edges of it were left out of the picture
---@field bytes string the picture's file
---@field format "png"|"jpeg" of it
---@field mime string the same as requests call it
---@field base64 string the bytes as base64, made once
---@field path string? of the screenshot, in the run's folder
---@field window deskpilot.window? the active one
---@field pointer { x: integer, y: integer }? where the pointer is drawn in the picture, as a pixel of the screen
---@field windows deskpilot.window[] all that there were
---@field elements deskpilot.seen_element[] visible ones
---@field unlisted integer? how many more there are that could have been told of
---@field next_number integer? the first that no element has been called by yet
---@field tree deskpilot.element[]? everything that the applications reported, from which these were picked
---@field at number? when it was taken (task.now)
---@field dialog deskpilot.desktop_dialog? a modal dialog, which blocks the other windows of its application
---@field tab deskpilot.tab? what the active window shows, where it is a browser that lets us in
---@field page deskpilot.page? what is on it
---@field seconds number? that looking took
---@field parts table<string, number>? seconds of it: capture, encode, elements, page
---@field notices string[]? what is to be told beside the screen (run:inform)
---@field view string? what decides how the picture looks, beside what is on the screen
---@field drawn table? what was on the screen (deskpilot.shot)
---@field views table<string, deskpilot.picture>? the same picture in other sizes and formats (agent/viewpoint.lua)
---@field missing string[] what could not be had, one sentence each

local function pointer_of(desk, config)
  return config:get("screen.cursor") and pointer.shown(desk) or nil
end

-- What decides, beside what is on the screen, how the picture of a part of it looks and is encoded.
local function view_of(config, options, size, frame, cursor)
  local width, height = capture.size(frame.width, frame.height, size)
  local how = viewpoint.encoding(config, nil, options.format)
  return ("%dx%d %s %s %s %s"):format(width, height, how.format, how.max_bytes, cursor, config:get("screen.trim"))
end

-- The picture of what is to be looked at, and the whole screen where that shows only what is on it. Lent where nothing
-- is drawn into it: it is encoded before the next is taken. False where the look before has shown the same. `at`: where
-- the pointer is to be in it.
local function look(desk, config, options, at)
  local window = options.window == true and desk.windows.active() or options.window
  if options.window and not window then return errors.fail("not_found", "no window is active") end
  local size = options.size or { config:get("screen.image_width"), config:get("screen.image_height") }
  local wanted = { lend = true, cursor = at ~= nil, window = window or nil,
    region = options.region, size = size }
  local screen, before = nil, options.before
  local whole = not (window or options.region or options.whole)
  if whole and config:get("screen.trim") then
    wanted.part = function(image, area)
      local part = trim.part(image, area, before and before.screen and before.shot.frame)
      screen = part and area
      return part
    end
  end
  local same = whole and not options.marks and before and before.view
  if same and same == view_of(config, options, size, before.shot.frame, wanted.cursor) then
    wanted.since = before.drawn
  end
  local picture, err = desk.screen.shot(wanted)
  if picture == nil then return nil, err end
  local view = picture and whole and not options.marks
    and view_of(config, options, size, picture.frame, wanted.cursor) or nil
  return picture, screen, view
end

-- What was made of a look's picture, in a later one that shows the same.
local function share(self, before)
  for _, key in ipairs { "shot", "bytes", "base64", "format", "mime", "screen", "view", "drawn" } do
    self[key] = before[key]
  end
end

-- The picture as it is sent. Where it is `compared` with the next one its pixels are kept.
local function encode(self, picture, encoder, config, format, compared)
  local bytes, how = picture:encode(viewpoint.encoding(config, encoder, format))
  if not bytes then return nil, how end
  self.shot, self.bytes, self.base64 = shots.encoded(bytes, how, picture, compared), bytes, native.base64(bytes)
  self.format, self.mime = how.format, how.mime
  return true
end

--- A picture of the whole desktop, otherwise as a model is sent it. It is compared with none.
---@param desk deskpilot.desk
---@param config deskpilot.config
---@return deskpilot.observation? seen without what is more than the picture
---@return deskpilot.error? err
function observation.look(desk, config)
  local picture, err = look(desk, config, { whole = true }, pointer_of(desk, config))
  if not picture then return nil, err end
  local self = {}
  local ok, why = encode(self, picture, nil, config)
  if not ok then return nil, why end
  return self
end

-- Containers say nothing that their children do not say better.
local containers = {
  panel = true, filler = true, ["scroll pane"] = true, viewport = true, ["split pane"] = true,
  ["layered pane"] = true, ["root pane"] = true, section = true, separator = true, application = true,
  ["redundant object"] = true, grouping = true, unknown = true, ["scroll bar"] = true,
}

local function useful(element)
  if element.width <= 0 or element.height <= 0 then return false end
  if element.text and element.text ~= "" then return true end
  if containers[element.role] then return false end
  return element.name ~= "" or element.states.focusable
end

local function centre(element)
  return element.x + element.width // 2, element.y + element.height // 2
end

--- Picks what a model can use from a full element list, at most `cap`, each with its centre.
---@param elements deskpilot.element[] as desk.elements.list gives them
---@param picture deskpilot.shot the one that they are to be pointed at in
---@param cap integer
---@param about deskpilot.ranking.about? what matters most where there are more
---@return deskpilot.seen_element[] picked in the order of the list
---@return integer unlisted how many more there are
function observation.pick(elements, picture, cap, about)
  local usable = {}
  for _, element in ipairs(elements) do
    local cx, cy = centre(element)
    if rects.contains(picture.frame, cx, cy) and useful(element) then usable[#usable + 1] = element end
  end
  local picked, paths = ranking.best(usable, cap, about or {}), {}
  for _, element in ipairs(picked) do
    local x, y = picture:to_norm(centre(element))
    element.norm = { (x + 0.5) // 1, (y + 0.5) // 1 }
    element.path = locate.path(elements, element, paths)
  end
  return picked, #usable - #picked
end

local shown_states = { "focused", "checked", "selected", "expanded", "pressed" }

-- What is on of its states, and its value.
local function more_of(element)
  local parts = {}
  for _, state in ipairs(shown_states) do
    if element.states[state] then parts[#parts + 1] = state end
  end
  if element.states.focusable and element.states.enabled == false then parts[#parts + 1] = "disabled" end
  if element.text and element.text ~= "" and element.text ~= element.name then
    parts[#parts + 1] = "= " .. json.encode(text.cut(text.one_line(element.text), 200))
  end
  return table.concat(parts, " ")
end

-- What is said of an element wherever it is: its name, and what there is more. Nobody changes one that was observed,
-- and most stay the same from look to look (unchanged.lua), so it is put together once.
local said = setmetatable({}, { __mode = "k" })

local function words_of(element)
  local words = said[element]
  if not words then
    words = { name = json.encode(text.cut(text.one_line(element.name), 80)), more = more_of(element) }
    said[element] = words
  end
  return words
end

local function with_more(line, more)
  return more == "" and line or line .. " " .. more
end

-- The centre of an element in the model's space.
local function place_of(self, element, space)
  local x, y = element.norm[1], element.norm[2]
  if not space:is_canonical() then
    local finer, other = self.shot:to_norm(centre(element))
    if finer then x, y = finer, other end
  end
  return space:numbers(x, y)
end

--- The line of an element, by which it can be pointed at: `[5] push button "Save" [512,300] focused`.
---@param self deskpilot.observation that it is of
---@param element deskpilot.seen_element
---@param space deskpilot.model.space
---@param known deskpilot.seen_element? the same as it was told of before: its place is told again only where it is new
---@return string
function observation.element(self, element, space, known)
  local words = words_of(element)
  local line = ("[%d] %s %s"):format(element.number, element.role, words.name)
  local same = known and known.norm[1] == element.norm[1] and known.norm[2] == element.norm[2]
  if not same then line = ("%s [%s,%s]"):format(line, place_of(self, element, space)) end
  return with_more(line, words.more)
end

--- The same for who points at nothing, without its role: `"Save" focused`.
---@param element deskpilot.seen_element
---@return string
function observation.element_words(element)
  local words = words_of(element)
  return with_more(words.name, words.more)
end

-- The elements of a role in one line.
local function by_role(elements)
  local roles, of_role, lines = {}, {}, {}
  for _, element in ipairs(elements) do
    local role = element.role
    if not of_role[role] then
      roles[#roles + 1], of_role[role] = role, {}
    end
    table.insert(of_role[role], observation.element_words(element))
  end
  for i, role in ipairs(roles) do lines[i] = ("%s: %s"):format(role, table.concat(of_role[role], ", ")) end
  return lines
end

local function add_elements(lines, self, how, space)
  if #self.elements == 0 then return end
  if how == "words" then
    lines[#lines + 1] = "ELEMENTS by role:"
    table.move(by_role(self.elements), 1, #self.elements, #lines + 1, lines)
  else
    lines[#lines + 1] = ("ELEMENTS (number, role, name, centre %sin %s, states, value):"):format(
      space.order == "yx" and "[y,x] " or "", space:short())
    for _, element in ipairs(self.elements) do lines[#lines + 1] = observation.element(self, element, space) end
  end
  if (self.unlisted or 0) > 0 then
    lines[#lines + 1] = ("(%d more elements, which seem to matter less, are not listed)"):format(self.unlisted)
  end
end

--- What is to be told beside the screen (run:inform); nil where there is nothing.
---@param self deskpilot.observation
---@return string?
function observation.notices(self)
  local lines = {}
  for i, sentence in ipairs(self.notices or {}) do lines[i] = "NOTE: " .. text.one_line(sentence) end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

--- What an observation says of the screen as such, a line each: its size, the active window, a dialog on top.
---@param self deskpilot.observation
---@return string[] lines
function observation.head(self)
  local window = self.window and ("active window: %s (%s)"):format(json.encode(
    text.cut(text.one_line(self.window.title), 100)), text.one_line(self.window.class))
    or "no active window"
  local screen = self.screen or self.shot.frame
  local lines = { ("SCREEN: %dx%d%s; %s"):format(screen.width, screen.height,
    self.screen and ", bare around the screenshot" or "", window) }
  if self.dialog then lines[2] = "DIALOG ON TOP: " .. desktop_dialog.describe(self.dialog) end
  return lines
end

--- The observation as text for a request to a model. All of it comes from outside.
---@param self deskpilot.observation
---@param how true|"words"|nil "words": for who points at nothing, without numbers and places of elements
---@param space deskpilot.model.space? in which it is told where things are; the canonical one if not given
---@return string
function observation.describe(self, how, space)
  local lines = observation.head(self)
  add_elements(lines, self, how, space or spaces.canonical)
  if self.page then lines[#lines + 1] = page_format.page(self.page) end
  for _, sentence in ipairs(self.missing) do lines[#lines + 1] = "NOT AVAILABLE: " .. sentence end
  return table.concat(lines, "\n")
end

--- The tab that the window shows, where it is a browser's that lets us in.
---@param desk deskpilot.desk
---@param window deskpilot.window?
---@return deskpilot.tab? tab, deskpilot.error? err nothing at all for other windows
function observation.tab(desk, window)
  if not window then return nil end
  local browser, err = desk.browser.of_window(window)
  if browser then return browser:tab() end
  if err and err.code == "not_found" then return nil end
  return nil, err
end

-- What a task gives that was begun meanwhile; nothing where there is none.
local function outcome(begun)
  if not begun then return nil end
  local result = table.pack(begun:wait())
  if not result[1] then error(result[2], 0) end
  return table.unpack(result, 2, result.n)
end

-- The page on the active window, which its browser tells while the picture is taken.
local function begin_page(self, desk, config)
  if not (self.window and config:get("observe.page")) then return nil end
  return task.start(function()
    local tab, err = observation.tab(desk, self.window)
    if not tab then return nil, err end
    local page, why = tab:observe { max_elements = config:get("observe.max_page_elements"),
      max_text = config:get("observe.max_page_text") }
    return page, why, tab
  end)
end

-- Its elements are told of once: as the page's.
local function use_page(self, begun)
  local page, err, tab = outcome(begun)
  if not page then
    if err then self.missing[#self.missing + 1] = "page: " .. tostring(err) end
    return
  end
  self.tab, self.page = tab, page
  local kept, view = {}, page.viewport
  for _, element in ipairs(self.elements) do
    local inside = view and rects.contains(view, centre(element))
    if not inside or element.pid ~= self.window.pid then kept[#kept + 1] = element end
  end
  self.elements = kept
end

local most_numbers = 1000

-- No number means two things: those of a page are its own, and the desktop's begin behind them. An element keeps its
-- number from one look to the next, so that only what has changed need be told of.
local function number_elements(self, before)
  local first, had = self.page and self.page.total or 0, {}
  local reuse = before and before.next_number and before.next_number < most_numbers
  for _, element in ipairs(reuse and before.elements or {}) do had[element.handle or 0] = element.number end
  local free = reuse and next(had) and math.max(first, before.next_number) or first
  for _, element in ipairs(self.elements) do
    local number = had[element.handle]
    if number and number >= first then
      element.number, had[element.handle] = number, nil
    else
      element.number, free = free, free + 1
    end
  end
  self.next_number = free
end

--- The observation's elements as they are marked in a picture: with the numbers by which they are told of.
---@param self deskpilot.observation
---@return deskpilot.rect[]
function observation.marked(self)
  local list = {}
  for i, element in ipairs(self.elements) do
    list[i] = { x = element.x, y = element.y, width = element.width, height = element.height, index = element.number }
  end
  for _, element in ipairs(self.page and self.page.elements or {}) do
    local box = element.in_view and element.box
    if box then
      list[#list + 1] = { x = box.x, y = box.y, width = box.width, height = box.height, index = element.index }
    end
  end
  return list
end

-- The elements, which a thread of their own reads while the picture is taken.
local function begin_elements(desk, config)
  if not config:get("observe.elements") then return nil end
  return task.start(function() return desk.elements.list {} end)
end

local function use_elements(self, begun, picture, config, goal)
  local elements, failure = outcome(begun)
  if not elements then
    if failure then self.missing[1] = "elements: " .. tostring(failure) end
    return
  end
  self.tree = elements
  self.dialog = desktop_dialog.find(self.windows, elements)
  self.elements, self.unlisted = observation.pick(elements, picture, config:get("observe.max_elements"),
    { task = goal, pid = self.window and self.window.pid, near = self.pointer })
end

-- What the time goes to: each call gives what has passed since the one before to a part.
local function stopwatch()
  local parts, last = {}, task.now()
  return parts, function(name)
    local now = task.now()
    parts[name], last = (parts[name] or 0) + now - last, now
  end
end

--- Looks at the desktop.
---@param desk deskpilot.desk
---@param encoder native.PngEncoder
---@param config deskpilot.config
---@param options deskpilot.look_options?
---@return deskpilot.observation? observation, deskpilot.error? err only when there is no picture
function observation.take(desk, encoder, config, options)
  options = options or {}
  local parts, lap = stopwatch()
  local self, err = { elements = {}, missing = {}, windows = desk.windows.list() or {}, parts = parts }, nil
  self.window = window_criteria.topmost(self.windows, { active = true })
  local elements, page = begin_elements(desk, config), begin_page(self, desk, config)
  lap "elements"
  self.pointer = pointer_of(desk, config)
  local picture, screen, view = look(desk, config, options, self.pointer)
  if picture == nil then return nil, screen end
  self.screen, self.view = screen, view
  lap "capture"
  self.drawn = picture and picture.drawn
  if not picture then
    share(self, options.before)
    picture = self.shot
  elseif options.marks then -- needs the elements first, and they may take their time
    picture, err = picture:copy()
  else
    local ok, why = encode(self, picture, encoder, config, options.format, true)
    if not ok then return nil, why end
  end
  if not picture then return nil, err end
  lap "encode"
  use_elements(self, elements, picture, config, options.task)
  lap "elements"
  use_page(self, page)
  number_elements(self, options.before)
  lap "page"
  if options.marks then
    local marked, why = marks().draw(picture, observation.marked(self))
    picture.native:close() -- megabytes: not left to the collector
    if not marked then return nil, why end
    local ok, failure = encode(self, marked, encoder, config, options.format, true)
    marked.native:close()
    if not ok then return nil, failure end
    lap "encode"
  end
  return self
end

return observation
