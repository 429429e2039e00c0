--- Collects the texts that are on the screen now, to judge a step or a claim: of the active window, of its page, and of
--- the elements of the desktop. Reading pixels (OCR) is slow: it is a function of its own, which the caller uses last.
local observation = require "deskpilot.agent.observation"
local text = require "deskpilot.base.text"

local visible_texts = {}
local fold = text.fold

-- More than a model is sent: the text that is looked for may be at the end of a long page.
local most_elements, most_text = 2000, 400000

---@class deskpilot.visible_texts
---@field window deskpilot.window? the active one
---@field applications string[] names of its application: window class, executable, profile
---@field page deskpilot.page? that it shows, where it is a browser
---@field on_page string[] texts of the page, folded (text.fold)
---@field elsewhere string[] the window's title and the texts of the desktop's elements, folded
local VisibleTexts = {}
VisibleTexts.__index = VisibleTexts

local function add(list, value)
  if value ~= nil and value ~= "" then list[#list + 1] = fold(value) end
end

-- Adds nothing where the window shows no page.
local function collect_page(self, desk)
  local tab = observation.tab(desk, self.window)
  local page = tab and tab:observe { max_elements = most_elements, max_text = most_text, keep = false }
  if not page then return end
  self.page = page
  add(self.on_page, page.title)
  add(self.on_page, page.text)
  local function add_thing(thing)
    for _, part in ipairs { "name", "value", "message" } do add(self.on_page, thing[part]) end
  end
  for _, element in ipairs(page.elements) do add_thing(element) end
  if page.popup then add_thing(page.popup) end
  if page.dialog then add_thing(page.dialog) end
end

local function collect_elements(self)
  self.has_elements = true
  for _, element in ipairs(self.run.desk.elements.list {} or {}) do
    add(self.elsewhere, element.name)
    add(self.elsewhere, element.text)
    add(self.elsewhere, element.value)
    if self.window and element.pid == self.window.pid then self.told = true end
  end
end

--- Collects the texts of the active window and its page. Those of the desktop's elements are read by the first `shows`
--- that needs them, because reading them takes longer.
---@param run deskpilot.run
---@return deskpilot.visible_texts
function visible_texts.collect(run)
  local self = setmetatable({ run = run, on_page = {}, elsewhere = {}, applications = {} }, VisibleTexts)
  self.window = run.desk.windows.active()
  if self.window then
    add(self.elsewhere, self.window.title)
    local profile = run.desk.apps.profile_of(self.window)
    self.applications = { self.window.class, (text.after_last(self.window.executable, "/\\"):gsub("%.exe$", "")),
      profile and profile.name }
    collect_page(self, run.desk)
  end
  return self
end

local function holds(texts, wanted)
  for _, folded in ipairs(texts) do
    if folded:find(wanted, 1, true) then return true end
  end
  return false
end

--- Whether a text is on the page.
---@param wanted string
---@return boolean
function VisibleTexts:page_shows(wanted)
  return holds(self.on_page, fold(wanted))
end

--- Whether a text is anywhere on the screen: on the page, in the title, or in the desktop's elements.
---@param wanted string
---@return boolean
function VisibleTexts:shows(wanted)
  wanted = fold(wanted)
  if holds(self.on_page, wanted) or holds(self.elsewhere, wanted) then return true end
  if self.has_elements then return false end
  collect_elements(self)
  return holds(self.elsewhere, wanted)
end

--- Whether the active window tells of itself in words, by a page or by elements: what `shows` does not find there is
--- then not there.
---@return boolean
function VisibleTexts:is_readable()
  if not self.has_elements then collect_elements(self) end
  return self.page ~= nil or self.told == true
end

--- Those of the texts that `shows` does not find.
---@param wanted string[]
---@return string[] missing
function VisibleTexts:missing(wanted)
  local missing = {}
  for _, phrase in ipairs(wanted) do
    if not self:shows(phrase) then missing[#missing + 1] = phrase end
  end
  return missing
end

--- Those of the texts that OCR does not find in the active window either; all of them where OCR is not available.
---@param wanted string[]
---@return string[] missing
function VisibleTexts:unread(wanted)
  local missing = {}
  for _, phrase in ipairs(wanted) do
    if not (self.window and self.run.desk.screen.find_text(phrase, { window = self.window })) then
      missing[#missing + 1] = phrase
    end
  end
  return missing
end

return visible_texts
