--- What there is to be seen right now, for judging a step: the active window, its page, and every text that
--- elements and the page tell of. Reading pixels is the last resort, and the caller's decision.
local observation = require "deskpilot.agent.observation"
local fold = require("deskpilot.policies.odev.anchor").fold

local sight = {}

-- More than a model is told: what is looked for may stand at the end of a long page.
local most_elements, most_text = 2000, 400000

---@class deskpilot.odev.sight
---@field window deskpilot.window? the active one
---@field applications string[] what its application is called
---@field page deskpilot.page? what it shows, where it is a browser
---@field on_page string[] what the page says, folded
---@field elsewhere string[] what the window's title and the elements of the desktop say, folded
local Sight = {}
Sight.__index = Sight

local function add(list, words)
  if words ~= nil and words ~= "" then list[#list + 1] = fold(words) end
end

-- The page, or nothing where there is none.
local function look_at_page(self, desk)
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

local function look_at_elements(self)
  self.looked = true
  for _, element in ipairs(self.run.desk.elements.list {} or {}) do
    add(self.elsewhere, element.name)
    add(self.elsewhere, element.text)
    add(self.elsewhere, element.value)
  end
end

--- Looks. The elements of the desktop are read when they are first asked for.
---@param run deskpilot.run
---@return deskpilot.odev.sight
function sight.take(run)
  local self = setmetatable({ run = run, on_page = {}, elsewhere = {}, applications = {} }, Sight)
  self.window = run.desk.windows.active()
  if self.window then
    add(self.elsewhere, self.window.title)
    local profile = run.desk.apps.profile_of(self.window)
    self.applications = { self.window.class, (self.window.executable:match("[^/\\]*$"):gsub("%.exe$", "")),
      profile and profile.name }
    look_at_page(self, run.desk)
  end
  return self
end

local function holds(texts, wanted)
  for _, words in ipairs(texts) do
    if words:find(wanted, 1, true) then return true end
  end
  return false
end

--- Whether the page itself shows that text.
---@param wanted string
---@return boolean
function Sight:page_shows(wanted)
  return holds(self.on_page, fold(wanted))
end

--- Whether that text is told of anywhere: by the page first, then by the elements of the desktop.
---@param wanted string
---@return boolean
function Sight:shows(wanted)
  wanted = fold(wanted)
  if holds(self.on_page, wanted) or holds(self.elsewhere, wanted) then return true end
  if self.looked then return false end
  look_at_elements(self)
  return holds(self.elsewhere, wanted)
end

--- Those of the texts that are not told of.
---@param wanted string[]
---@return string[] missing
function Sight:missing(wanted)
  local missing = {}
  for _, words in ipairs(wanted) do
    if not self:shows(words) then missing[#missing + 1] = words end
  end
  return missing
end

--- Those of the texts that cannot be read off the active window's pixels either; all of them where nothing can
--- be read here.
---@param wanted string[]
---@return string[] missing
function Sight:unread(wanted)
  local missing = {}
  for _, words in ipairs(wanted) do
    if not (self.window and self.run.desk.screen.find_text(words, { window = self.window })) then
      missing[#missing + 1] = words
    end
  end
  return missing
end

return sight
