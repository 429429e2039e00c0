--- What is on a page: tab:observe. One script (page/*.js), which observing and acting share, numbers the elements in a
--- world of its own, where the page's scripts reach nothing. What it tells is the page's words all the same: sizes are
--- bounded there and looked at again here.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local options = require "deskpilot.base.option_table"
local shipped_files = require "native.shipped"
local text = require "deskpilot.base.text"
local viewport = require "deskpilot.desk.browser.viewport"

local page = {}

local MOST_ELEMENTS, MOST_TEXT = 5000, 1000000
local MOST_BYTES = 16 * 1024 * 1024 -- of an answer

---@class deskpilot.page
---@field url string
---@field title string
---@field ready "loading"|"interactive"|"complete"
---@field text string what can be read on it, by lines
---@field text_cut boolean whether there is more
---@field elements deskpilot.page_element[] in the order of the document
---@field total integer how many there are, also those that are not listed
---@field incomplete boolean? whether the page is too large to be looked through
---@field popup deskpilot.page_popup? what lies over the page and takes its clicks
---@field dialog { type: string, message: string }? of the browser: alert, confirm, prompt, beforeunload. While it is
---  open nothing else is known of the page
---@field focus integer? the index of the element that has the keyboard
---@field viewport deskpilot.rect? where it is shown, in pixels of the screen; nil where no window shows it
---@field scroll { x: number, y: number, max_x: number, max_y: number }

---@class deskpilot.page_element
---@field index integer from 0: what models are told
---@field role string ARIA's word, such as "button", "textbox", "link"; "clickable" for what has none
---@field name string what people call it
---@field value string? what it holds; never of a secret field
---@field states table<string, boolean> those that hold: focused, checked, pressed, disabled, expanded, selected,
---  required, editable, autocomplete (it offers suggestions), protected (secret), filled (of secret ones), blocked
---  (what lies over the page takes its clicks)
---@field options string[]? the first of a select's
---@field box deskpilot.rect? in pixels of the screen; nil where no window shows it
---@field in_view boolean
---@field frame string? name of the frame that it is in

---@class deskpilot.page_popup
---@field role string
---@field name string
---@field elements integer[] indices of those in it
---@field box deskpilot.rect?

-- --- asking ---------------------------------------------------------------------------------------------

local parts = { "dom", "names", "walk", "popup", "observe", "pointing", "acts" }
local source

local function script()
  if source then return source end
  local list = { '(() => {\n"use strict";\n' }
  for _, name in ipairs(parts) do
    list[#list + 1] = assert(shipped_files.read(("deskpilot/desk/browser/page/%s.js"):format(name)), name)
  end
  list[#list + 1] = "})()"
  source = table.concat(list, "\n")
  return source
end

local function decode(answer)
  if type(answer) ~= "string" or #answer > MOST_BYTES then
    return errors.fail("protocol", "the page told more than can be taken")
  end
  local value = json.decode(answer)
  if type(value) ~= "table" then return errors.fail("protocol", "the page told what makes no sense") end
  return value
end

local function call(tab, name, argument, seconds)
  local expression = ("typeof deskpilot === 'object' && deskpilot.call ? deskpilot.call(%s, %s) : ''"):format(
    json.encode(name), json.encode(argument))
  return tab:evaluate(expression, { world = "own", timeout = seconds })
end

-- Whether an answer did not come because the document is another one by now.
local function went(err)
  return errors.is(err, "cancelled") or errors.is(err) and tostring(err):find("Promise was collected", 1, true) ~= nil
end

--- Asks the script of the page's document, which must be there since an earlier call: `{ left = true }` when the
--- document is another one by now.
---@param tab deskpilot.tab
---@param name string
---@param argument table
---@param seconds number
---@return table? answer, deskpilot.error? err
function page.ask_again(tab, name, argument, seconds)
  local answer, err = call(tab, name, argument, seconds)
  if answer == "" or went(err) then return { left = true } end
  if answer == nil then return nil, err or errors.new("protocol", "the page told nothing") end
  return decode(answer)
end

--- Asks the script, which is put into the document first where it is not there.
---@param tab deskpilot.tab
---@param name string
---@param argument table
---@param seconds number
---@return table? answer, deskpilot.error? err
function page.ask(tab, name, argument, seconds)
  local answer, err = call(tab, name, argument, seconds)
  if went(err) then answer, err = call(tab, name, argument, seconds) end -- another document came
  if answer == "" then
    local _, failure = tab:evaluate(script(), { world = "own", timeout = seconds })
    if failure then return nil, failure end
    answer, err = call(tab, name, argument, seconds)
  end
  if answer == nil then return nil, err or errors.new("protocol", "the page told nothing") end
  return decode(answer)
end

-- --- what is told ---------------------------------------------------------------------------------------

local function words(value, most)
  return type(value) == "string" and text.cut(value, most) or ""
end

local function whole(value)
  return math.tointeger(tonumber(value)) or 0
end

local function states_of(told)
  local states = {}
  for name, value in pairs(type(told) == "table" and told or {}) do
    if value == true and type(name) == "string" then states[name] = true end
  end
  return states
end

local function strings(list, most)
  if type(list) ~= "table" then return nil end
  local copy = {}
  for i, value in ipairs(list) do
    if i > most then break end
    copy[i] = words(value, 300)
  end
  return copy
end

local function element_of(told, place)
  return { index = whole(told.index), role = words(told.role, 40), name = words(told.name, 400),
    value = type(told.value) == "string" and words(told.value, 2000) or nil, states = states_of(told.states),
    options = strings(told.options, 100), box = place and place:box(told.box), in_view = told.in_view == true,
    frame = type(told.frame) == "string" and words(told.frame, 200) or nil }
end

local function popup_of(told, place)
  if type(told) ~= "table" then return nil end
  local inside = {}
  for i, index in ipairs(type(told.elements) == "table" and told.elements or {}) do inside[i] = whole(index) end
  return { role = words(told.role, 40), name = words(told.name, 400), elements = inside,
    box = place and place:box(told.box) }
end

local function scroll_of(told)
  told = type(told) == "table" and told or {}
  local scroll = {}
  for _, name in ipairs { "x", "y", "max_x", "max_y" } do scroll[name] = tonumber(told[name]) or 0 end
  return scroll
end

page.scroll_of = scroll_of

local sources = setmetatable({}, { __mode = "k" }) -- element -> { tab, id } of its observation

local function page_of(tab, told, place)
  local url = words(told.url, 5000)
  if url:find "^chrome%-error:" then url = tab.url end -- in place of a page that could not be had
  local result = { url = url, title = words(told.title, 1000), ready = words(told.ready, 20),
    text = words(told.text, MOST_TEXT * 4), text_cut = told.text_cut == true, elements = {}, total = whole(told.total),
    incomplete = told.incomplete == true or nil, popup = popup_of(told.popup, place),
    focus = math.tointeger(tonumber(told.focus)), viewport = place and place.rect, scroll = scroll_of(told.scroll) }
  for i, each in ipairs(type(told.elements) == "table" and told.elements or {}) do
    if i > MOST_ELEMENTS or type(each) ~= "table" then break end
    local element = element_of(each, place)
    result.elements[i] = element
    if told.id then sources[element] = { tab = tab, id = told.id } end
  end
  return result
end

-- While a dialog of the browser's is open its page answers nothing.
local function behind_dialog(tab, dialog)
  local info, err = tab:info()
  if not info then return nil, err end
  return { url = info.url, title = info.title, ready = info.ready, text = "", text_cut = false, elements = {},
    total = 0, dialog = { type = dialog.type, message = dialog.message }, scroll = scroll_of() }
end

local observe_options = { max_elements = "number", max_text = "number", screen = "boolean", keep = "boolean" }

local function within(value, default, most)
  return math.max(0, math.min(value or default, most)) // 1
end

---@class deskpilot.tab
local methods = {}
page.methods = methods

--- What is on the page now: its text and what can be used on it, numbered in the order of the document. The
--- numbers count all elements; of more than max_elements those in a popup, in view and nearest to it are listed.
--- They hold until the page changes: what a number means is looked up again by whoever acts on it.
---@param how { max_elements: integer?, max_text: integer?, screen: boolean?, keep: boolean? }? 200 elements and 8000
---  characters of text unless told otherwise; screen = false: where things are on the screen is not wanted;
---  keep = false (and max_elements = 0): only a look, after which the numbers that were given before are still those
---  that acts go by
---@return deskpilot.page? page, deskpilot.error? err
function methods.observe(self, how)
  how = options.check(how, observe_options, "tab:observe")
  local dialog = self:dialog()
  if dialog then return behind_dialog(self, dialog) end
  local told, err = page.ask(self, "observe", { elements = within(how.max_elements, 200, MOST_ELEMENTS),
    text = within(how.max_text, 8000, MOST_TEXT), keep = how.keep ~= false }, self.browser.desk.timing.page_look)
  if not told then
    dialog = self:dialog()
    if dialog then return behind_dialog(self, dialog) end
    return nil, err
  end
  local place = how.screen ~= false and viewport.place(self, told.metrics) or nil
  local result = page_of(self, told, place)
  if told.id then
    self.observed = { id = told.id, page = result, milliseconds = tonumber(told.milliseconds) or 0 }
  end
  return result
end

-- --- what a target means --------------------------------------------------------------------------------

--- An element in words: [3] button "Send".
---@param element { index: integer, role: string, name: string }
---@return string
function page.label(element)
  return ('[%d] %s "%s"'):format(element.index, element.role, text.cut(element.name, 80))
end

local reasons = {
  gone = "%s is no longer there; look again",
  moved = "%s has another number by now, because the page has changed; look again",
  changed = "%s has become something else; look again",
  navigated = "%s was on a page that has been left or loaded anew since; look again",
  old = "%s was seen too long ago; look again",
}

--- The error for a number that no longer means what it did.
---@param label string
---@param why string what the script says
---@return nil, deskpilot.error
function page.stale(label, why)
  return errors.fail("stale", "%s", (reasons[why] or reasons.gone):format(label))
end

local function listed(observed, index)
  for _, element in ipairs(observed.page.elements) do
    if element.index == index then return element end
  end
end

--- What an act is to be done to, for the script, and its name in sentences. Raises for what is neither an index nor an
--- element.
---@param tab deskpilot.tab
---@param target integer|deskpilot.page_element
---@return { ref: table, label: string }? target, deskpilot.error? err code "stale" or "not_found"
function page.target(tab, target)
  local index = math.tointeger(type(target) == "table" and target.index or target)
  if not index or index < 0 then error("an index of an observation or an element of a page is wanted", 3) end
  local origin = type(target) == "table" and sources[target]
  if origin then
    local label = page.label(target)
    if origin.tab ~= tab then return errors.fail("stale", "%s is on another tab; look again", label) end
    return { ref = { id = origin.id, index = index }, label = label }
  end
  local observed = tab.observed
  if not observed then return errors.fail("stale", "[%d] is not known: the page has not been looked at yet", index) end
  local element = listed(observed, index)
  if not element then
    return errors.fail("not_found", "[%d] is none of the %d elements that were listed", index, #observed.page.elements)
  end
  if type(target) == "table" and (target.role ~= element.role or target.name ~= element.name) then
    return page.stale(("[%d]"):format(index), "changed")
  end
  return { ref = { id = observed.id, index = index }, label = page.label(element) }
end

--- The error in an answer about an element, if there is one.
---@param target { label: string }
---@param answer table
---@return deskpilot.error?
function page.failure(target, answer)
  if answer.left then return select(2, page.stale(target.label, "navigated")) end
  if answer.stale then return select(2, page.stale(target.label, answer.stale)) end
  if answer.unknown then return errors.new("not_found", "%s", target.label .. " was not listed") end
end

return page
