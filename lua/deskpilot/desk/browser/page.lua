--- tab:observe: the elements and the text of a page. One script (page/*.js), which observing and acting share, numbers
--- the elements. It runs in an isolated world, so the page's scripts cannot change it; but the texts that it returns
--- are the page's and untrusted. Their sizes are limited in the script and checked again here.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local options = require "deskpilot.base.option_table"
local page_script = require "deskpilot.desk.browser.page_script"
local text = require "deskpilot.base.text"
local viewport = require "deskpilot.desk.browser.viewport"

local page = {}

local MOST_ELEMENTS, MOST_TEXT, MOST_ADDRESS = 5000, 1000000, 5000
local MOST_BYTES = 16 * 1024 * 1024 -- of an answer

---@class deskpilot.page
---@field url string
---@field title string
---@field ready "loading"|"interactive"|"complete"
---@field text string its visible text, with line breaks
---@field text_cut boolean whether the page has more text
---@field elements deskpilot.page_element[] in document order
---@field total integer the number of elements, including those that are not listed
---@field incomplete boolean? whether the page is too large to be searched completely
---@field popup deskpilot.page_popup? a part of the page that covers the rest and takes its clicks
---@field dialog { type: string, message: string }? of the browser: alert, confirm, prompt, beforeunload. While it is
---  open, the page cannot be observed
---@field focus integer? the index of the element that has the keyboard focus
---@field viewport deskpilot.rect? the visible part of the page, in pixels of the screen; nil where no window shows it
---@field scroll { x: number, y: number, max_x: number, max_y: number }

---@class deskpilot.page_element
---@field index integer from 0; models act on elements by this number
---@field role string ARIA role, such as "button", "textbox", "link"; "clickable" where there is none
---@field name string its accessible name
---@field value string? its contents; never those of a secret field
---@field states table<string, boolean> states that are true: focused, checked, pressed, disabled, expanded, selected,
---  required, editable, autocomplete (it offers suggestions), protected (a secret field), filled (a secret field that
---  is not empty), blocked (a popup takes its clicks)
---@field options string[]? the first options of a select
---@field box deskpilot.rect? in pixels of the screen; nil where no window shows it
---@field in_view boolean
---@field frame string? name of the frame that it is in

---@class deskpilot.page_popup
---@field role string
---@field name string
---@field elements integer[] indices of the elements in it
---@field box deskpilot.rect?

-- --- calls of the page's script -------------------------------------------------------------------------

local script = page_script.kept({ "later", "frames", "dom", "names", "walk", "popup", "observe", "pointing", "acts" },
  nil, "deskpilot.call")

local function decode(answer)
  if type(answer) ~= "string" or #answer > MOST_BYTES then
    return errors.fail("protocol", "the page's answer is not text, or is larger than %d bytes", MOST_BYTES)
  end
  local value = json.decode(answer)
  if type(value) ~= "table" then return errors.fail("protocol", "the page's answer is malformed") end
  return value
end

local function arguments_of(name, argument)
  return ("%s, %s"):format(json.encode(name), json.encode(argument))
end

-- Whether the error means that the document has been replaced.
local function was_replaced(err)
  return errors.is(err, "cancelled") or errors.is(err) and tostring(err):find("Promise was collected", 1, true) ~= nil
end

--- Calls a function of the script that page.ask has put into the page's document before. The answer is
--- `{ left = true }` if the document has been replaced since.
---@param tab deskpilot.tab
---@param name string
---@param argument table
---@param seconds number
---@return table? answer, deskpilot.error? err
function page.ask_again(tab, name, argument, seconds)
  local answer, err = script:call_again(tab, arguments_of(name, argument), seconds)
  if answer == nil and not err or was_replaced(err) then return { left = true } end
  if answer == nil then return nil, err end
  return decode(answer)
end

--- Calls a function of the script. The script is put into the document first if it is not there yet.
---@param tab deskpilot.tab
---@param name string
---@param argument table
---@param seconds number
---@return table? answer, deskpilot.error? err
function page.ask(tab, name, argument, seconds)
  local arguments = arguments_of(name, argument)
  local answer, err = script:call(tab, arguments, seconds)
  if was_replaced(err) then answer, err = script:call(tab, arguments, seconds) end -- in the new document
  if answer == nil then return nil, err or errors.new("protocol", "the page gave no answer") end
  return decode(answer)
end

--- Puts the script into the page where it is not there yet, for who observes it next.
---@param tab deskpilot.tab
function page.prepare(tab)
  if tab.attached == true and not tab:dialog() then script:prepare(tab, tab.browser.desk.timing.page_look) end
end

-- --- reading its answers --------------------------------------------------------------------------------

local function string_of(value, most)
  return type(value) == "string" and text.cut(value, most) or ""
end

local function whole(value)
  return math.tointeger(tonumber(value)) or 0
end

local function states_of(answer)
  local states = {}
  for name, value in pairs(type(answer) == "table" and answer or {}) do
    if value == true and type(name) == "string" then states[name] = true end
  end
  return states
end

local function strings(list, most)
  if type(list) ~= "table" then return nil end
  local copy = {}
  for i, value in ipairs(list) do
    if i > most then break end
    copy[i] = string_of(value, 300)
  end
  return copy
end

local function element_of(answer, place)
  return { index = whole(answer.index), role = string_of(answer.role, 40), name = string_of(answer.name, 400),
    value = type(answer.value) == "string" and string_of(answer.value, 2000) or nil, states = states_of(answer.states),
    options = strings(answer.options, 100), box = place and place:box(answer.box), in_view = answer.in_view == true,
    frame = type(answer.frame) == "string" and string_of(answer.frame, 200) or nil }
end

local function popup_of(answer, place)
  if type(answer) ~= "table" then return nil end
  local inside = {}
  for i, index in ipairs(type(answer.elements) == "table" and answer.elements or {}) do inside[i] = whole(index) end
  return { role = string_of(answer.role, 40), name = string_of(answer.name, 400), elements = inside,
    box = place and place:box(answer.box) }
end

local function scroll_of(answer)
  answer = type(answer) == "table" and answer or {}
  local scroll = {}
  for _, name in ipairs { "x", "y", "max_x", "max_y" } do scroll[name] = tonumber(answer[name]) or 0 end
  return scroll
end

page.scroll_of = scroll_of

local sources = setmetatable({}, { __mode = "k" }) -- element -> { tab, id }: the observation that it comes from

local function page_of(tab, answer, place)
  local url = string_of(answer.url, MOST_ADDRESS)
  if url:find "^chrome%-error:" then url = tab.url end -- shown instead of a page that could not be loaded
  local result = { url = url, title = string_of(answer.title, 1000), ready = string_of(answer.ready, 20),
    text = string_of(answer.text, MOST_TEXT * 4), text_cut = answer.text_cut == true, elements = {},
    total = whole(answer.total), incomplete = answer.incomplete == true or nil, popup = popup_of(answer.popup, place),
    focus = math.tointeger(tonumber(answer.focus)), viewport = place and place.rect, scroll = scroll_of(answer.scroll) }
  for i, each in ipairs(type(answer.elements) == "table" and answer.elements or {}) do
    if i > MOST_ELEMENTS or type(each) ~= "table" then break end
    local element = element_of(each, place)
    result.elements[i] = element
    if answer.id then sources[element] = { tab = tab, id = answer.id } end
  end
  return result
end

-- The observation while a dialog of the browser is open: the page itself does not answer then.
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

--- Observes the page: its text, and the elements that can be used, numbered in the order of the document. All elements
--- are counted; if there are more than max_elements, those in a popup, those in view and those nearest to the view are
--- listed. An index is valid until the page changes: each action checks that it still means the same element.
---@param how { max_elements: integer?, max_text: integer?, screen: boolean?, keep: boolean? }? max_elements: default
---  200; max_text: characters, default 8000; screen = false: without places on the screen; keep = false: the indices of
---  the observation before stay valid, and those of this one cannot be acted on
---@return deskpilot.page? page, deskpilot.error? err
function methods.observe(self, how)
  how = options.check(how, observe_options, "tab:observe")
  local dialog = self:dialog()
  if dialog then return behind_dialog(self, dialog) end
  local answer, err = page.ask(self, "observe", { elements = within(how.max_elements, 200, MOST_ELEMENTS),
    text = within(how.max_text, 8000, MOST_TEXT), keep = how.keep ~= false }, self.browser.desk.timing.page_look)
  if not answer then
    dialog = self:dialog()
    if dialog then return behind_dialog(self, dialog) end
    return nil, err
  end
  local place = how.screen ~= false and viewport.place(self, answer.metrics) or nil
  local result = page_of(self, answer, place)
  if answer.id then
    self.observed = { id = answer.id, page = result, milliseconds = tonumber(answer.milliseconds) or 0,
      metrics = answer.metrics }
  end
  return result
end

-- --- targets of actions ---------------------------------------------------------------------------------

--- Describes an element for messages: [3] button "Send".
---@param element { index: integer, role: string, name: string }
---@return string
function page.label(element)
  return ('[%d] %s "%s"'):format(element.index, element.role, text.cut(element.name, 80))
end

local reasons = {
  gone = "%s is no longer there; look again",
  moved = "%s has another number now, because the page has changed; look again",
  changed = "%s has become something else; look again",
  navigated = "%s was on a page that has since been left or reloaded; look again",
  old = "%s is from an observation that is too old; look again",
}

--- The error for an index that no longer means the same element.
---@param label string
---@param why string the script's reason: a key of `reasons`
---@return nil, deskpilot.error
function page.stale(label, why)
  return errors.fail("stale", "%s", (reasons[why] or reasons.gone):format(label))
end

local function listed(observed, index)
  for _, element in ipairs(observed.page.elements) do
    if element.index == index then return element end
  end
end

--- The target of an action: its reference for the script, and its label for messages. Raises an error for a value that
--- is neither an index nor an element.
---@param tab deskpilot.tab
---@param target integer|deskpilot.page_element
---@return { ref: table, label: string }? target, deskpilot.error? err code "stale" or "not_found"
function page.target(tab, target)
  local index = math.tointeger(type(target) == "table" and target.index or target)
  if not index or index < 0 then errors.mistake "expected an index of an observation, or an element of a page" end
  local origin = type(target) == "table" and sources[target]
  if origin then
    local label = page.label(target)
    if origin.tab ~= tab then return errors.fail("stale", "%s is on another tab; look again", label) end
    return { ref = { id = origin.id, index = index }, label = label }
  end
  local observed = tab.observed
  if not observed then return errors.fail("stale", "[%d] is unknown: the page has not been observed yet", index) end
  local element = listed(observed, index)
  if not element then
    return errors.fail("not_found", "[%d] is not among the %d listed elements", index, #observed.page.elements)
  end
  if type(target) == "table" and (target.role ~= element.role or target.name ~= element.name) then
    return page.stale(("[%d]"):format(index), "changed")
  end
  return { ref = { id = observed.id, index = index }, label = page.label(element) }
end

--- The element that an answer of the script is about, as its role and its name.
---@param answer table
---@return { role: string, name: string }
function page.told(answer)
  return { role = string_of(answer.role, 40), name = string_of(answer.name, 400) }
end

--- What an element of an observation holds and is now. Asks the page now.
---@param element deskpilot.page_element
---@return { role: string, name: string, value: string?, states: table<string, boolean> }? found nil where it is not
---  there any more, or has become something else
---@return deskpilot.error? err
function page.contents(element)
  local origin = sources[element]
  local tab = origin and origin.tab
  if not tab or tab:dialog() then return nil end
  local answer, err = page.ask_again(tab, "contents", { ref = { id = origin.id, index = element.index } },
    tab.browser.desk.timing.page_look)
  if not answer then return nil, err end
  if answer.left or answer.stale or answer.unknown then return nil end
  local found = page.told(answer)
  found.value, found.states = type(answer.value) == "string" and string_of(answer.value, 2000) or nil,
    states_of(answer.states)
  return found
end

--- What a page has just told of a press that is about to come: on which of its addresses, and what it would be for.
---@class deskpilot.page_words
---@field url string?
---@field element { role: string, name: string, submits: boolean }

--- That, in an answer of the script.
---@param answer table
---@return deskpilot.page_words? words nil where it does not tell, or the page is one of the browser's own
function page.said(answer)
  local url = answer.url
  if type(url) ~= "string" or #url > MOST_ADDRESS or url:find "^chrome%-error:" then return nil end
  local element = page.told(answer)
  element.submits = answer.submits == true
  return { url = url, element = element }
end

-- Whether two answers of the page's script tell of visible parts of the same size, and so of the same place.
local function same_size(one, other)
  local function size(metrics)
    local pixels = type(metrics) == "table" and type(metrics.pixels) == "table" and metrics.pixels or {}
    return tonumber(pixels[1]), tonumber(pixels[2])
  end
  local width, height = size(one)
  local other_width, other_height = size(other)
  return width ~= nil and width == other_width and height == other_height
end

local PLACES = 3 -- questions, where the page has another size each time

--- What a click at a pixel of the screen would be for, in the page of a tab. Asks the page now: it is taken to be where
--- it was when it was observed, and asked again where its answer says otherwise.
---@param tab deskpilot.tab
---@param x integer
---@param y integer
---@return { role: string, name: string, submits: boolean }? found nil where the page is not at that pixel
---@return deskpilot.error? err
function page.at(tab, x, y)
  local metrics = tab.observed and tab.observed.metrics
  for _ = 1, PLACES do
    local place = viewport.place(tab, metrics)
    local inside = place and place:contains(x, y)
    local answer, err = page.ask(tab, "at", inside and { x = x - place.rect.x, y = y - place.rect.y } or {},
      tab.browser.desk.timing.page_act)
    if not answer then return nil, err end
    if same_size(answer.metrics, metrics) then
      if not inside then return nil end
      local found = page.told(answer)
      found.submits = answer.submits == true
      return found
    end
    metrics = answer.metrics
  end
  return errors.fail("timed_out", "the page changes its size all the time")
end

--- What has the keyboard's focus in the page of a tab. Asks the page now.
---@param tab deskpilot.tab
---@return { role: string, name: string }? found, deskpilot.error? err
function page.focused(tab)
  local answer, err = page.ask(tab, "at", { focused = true }, tab.browser.desk.timing.page_act)
  if not answer then return nil, err end
  return page.told(answer)
end

--- The error that the script's answer about an element contains, if any.
---@param target { label: string }
---@param answer table
---@return deskpilot.error?
function page.failure(target, answer)
  if answer.left then return select(2, page.stale(target.label, "navigated")) end
  if answer.stale then return select(2, page.stale(target.label, answer.stale)) end
  if answer.unknown then return errors.new("not_found", "%s", target.label .. " was not listed") end
end

return page
