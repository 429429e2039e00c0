--- What an agent gets to see: one screenshot, scaled for the model and encoded once, the active
--- window, the elements in words, and the page that the active window shows, if it is a browser's. A part
--- that cannot be had is left out and named, never a reason to stop.
local native = require "native.image"
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local locate = require "deskpilot.desk.elements.locate"
local marks = require "deskpilot.desk.picture.marks"
local rects = require "deskpilot.desk.picture.rect"
local shots = require "deskpilot.desk.picture.shot"
local text = require "deskpilot.base.text"
local desktop_dialog = require "deskpilot.agent.desktop_dialog"
local page_format = require "deskpilot.agent.page_format"
local pictures = require "deskpilot.agent.pictures"

local observation = {}

---@class deskpilot.seen_element: deskpilot.element
---@field number integer what it is called by in this observation; the elements of a page come before
---@field norm number[] its centre in 0..1000
---@field path string what it is inside of, by which it is recognised later (desk.elements.locate)

---@class deskpilot.observation
---@field shot deskpilot.shot the picture as the model is sent it; positions that it gives are points of this
---@field bytes string the picture's file
---@field format "png"|"jpeg" of it
---@field mime string the same as requests call it
---@field base64 string the bytes as base64, made once
---@field path string? of the screenshot, in the run's folder
---@field window deskpilot.window? the active one
---@field pointer { x: integer, y: integer }? where the pointer is drawn in the picture, as a pixel of the screen
---@field windows deskpilot.window[] all that there were
---@field elements deskpilot.seen_element[] visible ones
---@field tree deskpilot.element[]? everything that the applications reported, from which these were picked
---@field at number? when it was taken (task.now)
---@field dialog deskpilot.desktop_dialog? a modal dialog, which blocks the other windows of its application
---@field tab deskpilot.tab? what the active window shows, where it is a browser that lets us in
---@field page deskpilot.page? what is on it
---@field seconds number? that looking took
---@field notices string[]? what is to be told beside the screen (run:inform)
---@field missing string[] what could not be had, one sentence each

-- The picture of what is to be looked at. Lent where nothing is drawn into it: it is encoded before the next is taken.
local function look(desk, config, options)
  local window = options.window == true and desk.windows.active() or options.window
  if options.window and not window then return errors.fail("not_found", "no window is active") end
  return desk.screen.shot { lend = true, cursor = config:get("screen.cursor"), window = window or nil,
    region = options.region, size = { config:get("screen.image_width"), config:get("screen.image_height") } }
end

-- The picture as it is sent.
local function encode(self, picture, encoder, config)
  local bytes, how = picture:encode(pictures.encoding(config, encoder))
  if not bytes then return nil, how end
  self.shot, self.bytes, self.base64 = shots.encoded(bytes, how, picture), bytes, native.base64(bytes)
  self.format, self.mime = how.format, how.mime
  return true
end

--- A picture of the desktop as a model is sent it.
---@param desk deskpilot.desk
---@param encoder native.PngEncoder
---@param config deskpilot.config
---@return deskpilot.observation? seen without what is more than the picture
---@return deskpilot.error? err
function observation.look(desk, encoder, config)
  local picture, err = look(desk, config, {})
  if not picture then return nil, err end
  local self = {}
  local ok, why = encode(self, picture, encoder, config)
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
---@return deskpilot.seen_element[]
function observation.pick(elements, picture, cap)
  local picked = {}
  for _, element in ipairs(elements) do
    if #picked >= cap then break end
    local cx, cy = centre(element)
    if rects.contains(picture.frame, cx, cy) and useful(element) then
      local x, y = picture:to_norm(cx, cy)
      element.norm = { (x + 0.5) // 1, (y + 0.5) // 1 }
      element.path = locate.path(elements, element)
      picked[#picked + 1] = element
    end
  end
  return picked
end

local shown_states = { "focused", "checked", "selected", "expanded", "pressed" }

local function format_element(element)
  local parts = { ("[%d] %s %s [%d,%d]"):format(element.number, element.role,
    json.encode(text.cut(text.one_line(element.name), 80)), element.norm[1], element.norm[2]) }
  for _, state in ipairs(shown_states) do
    if element.states[state] then parts[#parts + 1] = state end
  end
  if element.states.focusable and element.states.enabled == false then parts[#parts + 1] = "disabled" end
  if element.text and element.text ~= "" and element.text ~= element.name then
    parts[#parts + 1] = "= " .. json.encode(text.cut(text.one_line(element.text), 200))
  end
  return table.concat(parts, " ")
end

--- What is to be told beside the screen (run:inform); nil where there is nothing.
---@param self deskpilot.observation
---@return string?
function observation.notices(self)
  local lines = {}
  for i, sentence in ipairs(self.notices or {}) do lines[i] = "NOTE: " .. text.one_line(sentence) end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

--- The observation as text for a request to a model. All of it comes from outside.
---@param self deskpilot.observation
---@return string
function observation.describe(self)
  local lines = {}
  local window = self.window and ("active window: %s (%s)"):format(json.encode(
    text.cut(text.one_line(self.window.title), 100)), text.one_line(self.window.class))
    or "no active window"
  lines[1] = ("SCREEN: %dx%d; %s"):format(self.shot.frame.width, self.shot.frame.height, window)
  if self.dialog then lines[#lines + 1] = "DIALOG ON TOP: " .. desktop_dialog.describe(self.dialog) end
  if #self.elements > 0 then
    lines[#lines + 1] = "ELEMENTS (number, role, name, centre in 0..1000, states, value):"
    for _, element in ipairs(self.elements) do lines[#lines + 1] = format_element(element) end
  end
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

-- The page on the active window. Its elements are told of once: as the page's.
local function look_at_page(self, desk, config)
  local tab, err = observation.tab(desk, self.window)
  local page
  if tab then
    page, err = tab:observe { max_elements = config:get("observe.max_page_elements"),
      max_text = config:get("observe.max_page_text") }
  end
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

-- No number means two things: those of a page are its own, and the desktop's begin behind them.
local function number_elements(self)
  local before = self.page and self.page.total or 0
  for i, element in ipairs(self.elements) do element.number = before + i - 1 end
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

local function look_at_elements(self, desk, picture, config)
  local elements, failure = desk.elements.list {}
  if not elements then
    self.missing[1] = "elements: " .. tostring(failure)
    return
  end
  self.tree = elements
  self.dialog = desktop_dialog.find(desk, elements)
  self.elements = observation.pick(elements, picture, config:get("observe.max_elements"))
end

--- Looks at the desktop.
---@param desk deskpilot.desk
---@param encoder native.PngEncoder
---@param config deskpilot.config
---@param options deskpilot.look_options?
---@return deskpilot.observation? observation, deskpilot.error? err only when there is no picture
function observation.take(desk, encoder, config, options)
  options = options or {}
  local picture, err = look(desk, config, options)
  if not picture then return nil, err end
  local self = { elements = {}, missing = {} }
  local x, y = desk.mouse.position()
  self.pointer = x and config:get("screen.cursor") and { x = x, y = y } or nil
  if options.marks then -- needs the elements first, and they may take their time
    picture, err = picture:copy()
  else
    local ok, why = encode(self, picture, encoder, config)
    if not ok then return nil, why end
  end
  if not picture then return nil, err end
  self.window = desk.windows.active()
  self.windows = desk.windows.list() or {}
  if config:get("observe.elements") then look_at_elements(self, desk, picture, config) end
  if self.window and config:get("observe.page") then look_at_page(self, desk, config) end
  number_elements(self)
  if options.marks then
    local marked, why = marks.draw(picture, observation.marked(self))
    picture.native:close() -- megabytes: not left to the collector
    if not marked then return nil, why end
    local ok, failure = encode(self, marked, encoder, config)
    marked.native:close()
    if not ok then return nil, failure end
  end
  return self
end

return observation
