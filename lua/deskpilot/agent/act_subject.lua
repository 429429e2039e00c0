--- What an act of an agent is about, at the moment when it is to be done: the application, the page and the element.
--- What is only needed for some questions is found out when it is asked for.
local app_profiles = require "deskpilot.desk.app.profiles"
local glob = require "deskpilot.base.glob"
local hit_test = require "deskpilot.agent.hit_test"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function page() return require "deskpilot.desk.browser.page" end

local act_subject = {}

--- An act as desk.input tells of it, and keys and texts in the same form.
---@class deskpilot.permitted_act: deskpilot.desk_act
---@field act "keys"|"text"|string
---@field keys table<string, true>? of "keys": what is to be down together
---@field words string? of "text"

---@class deskpilot.act_subject
---@field window deskpilot.window? that gets it
---@field names string[]? what its application goes by; "desktop" where no window gets it
---@field profile deskpilot.app_profile? of that
---@field browser boolean? whether it is a web browser
---@field url string? of the page in front, where it is a browser that lets us in
---@field site string? of that page, without what follows the host
---@field tab deskpilot.tab?
---@field element { role: string, name: string, submits: boolean? }?

-- Browsers that there may be no way into, so that their page cannot be told.
local browsers = { "*chrom*", "*firefox*", "librewolf*", "*edge", "brave*", "vivaldi*", "opera*", "epiphany*",
  "falkon*", "*midori*", "*safari*", "seamonkey*", "iexplore", "palemoon*", "web browser" }

local function add(names, name)
  if type(name) == "string" and name ~= "" then names[#names + 1] = name end
end

local function program_name(path)
  local name = text.after_last(path, "/\\")
  return (name:gsub("%.[Ee][Xx][Ee]$", ""))
end

-- The names of a window's application, the usual one first.
local function names_of_window(window, profile)
  local names = {}
  for _, name in ipairs(profile and app_profiles.names(profile) or {}) do add(names, name) end
  add(names, window.class)
  add(names, program_name(window.executable or ""))
  if #names == 0 then names[1] = "unknown" end
  return names
end

local function names_of_start(act)
  local names, program = {}, program_name(act.program)
  local profile = act.profile or app_profiles.find(program)
  for _, name in ipairs(profile and app_profiles.names(profile) or {}) do add(names, name) end
  add(names, program)
  return names
end

local function topmost_of(windows, pid)
  for i = #windows, 1, -1 do
    if pid ~= 0 and windows[i].pid == pid then return windows[i] end
  end
end

-- The window that an act goes to.
local function window_of(run, act)
  if act.window then return act.window end
  if act.tab then return (act.tab:window()) end
  if act.act == "keys" or act.act == "text" then return (run.desk.windows.active()) end
  if act.act == "point" then return hit_test.window(run.desk.windows.list() or {}, act.x, act.y) end
  if act.act == "element" then return topmost_of(run.desk.windows.list() or {}, act.element.pid or 0) end
end

-- A menu that is open is no window: it reaches out of its application's, over others and over the desktop.
local function window_of_popup(run, act, window)
  local element = run.desk.elements.at { x = act.x, y = act.y }
  if not element or window and element.pid == window.pid then return window end
  return topmost_of(run.desk.windows.list() or {}, element.pid) or window
end

-- The page that a window shows now: what has been told of it by events may be a moment old.
local function look_at_tab(subject, tab, said)
  local url = said and said.url
  if not url then
    local info = tab:info()
    url = info and info.url or tab.url
  end
  subject.tab, subject.url = tab, url
  subject.site = subject.url:match("^%a[%w+.-]*://[^/?#]*") or subject.url:match("^%a[%w+.-]*:") or ""
  subject.browser = true
end

local function look_at_browser(run, subject)
  if not subject.browser or not subject.window or subject.window.pid == 0 then return end
  local browser = run.desk.browser.of_window(subject.window)
  local tab = browser and browser:tab()
  if tab then look_at_tab(subject, tab) end
end

-- What follows from a window's program, class and profile alone, as it was found last: most acts of a run are on one
-- application.
local last = {}

local function name_application(subject, window)
  local profile = app_profiles.of_window(window)
  if last.class ~= window.class or last.executable ~= window.executable or last.profile ~= profile then
    local names = names_of_window(window, profile)
    last = { class = window.class, executable = window.executable, profile = profile, names = names,
      browser = profile and profile.browser or glob.first(browsers, names) ~= nil or nil }
  end
  subject.window, subject.profile, subject.browser = window, profile, last.browser
  subject.names = { table.unpack(last.names) }
end

--- What an act is about: as the page has said a moment ago, or else as things are now.
---@param run deskpilot.run
---@param act deskpilot.permitted_act
---@param permitted fun(names: string[]): boolean whether these may be acted on: another look is worth it where not
---@param with_page boolean? whether it matters which page a browser's window shows
---@return deskpilot.act_subject
function act_subject.of(run, act, permitted, with_page)
  local subject = {}
  if act.act == "start" then
    subject.names, subject.profile = names_of_start(act), act.profile
    return subject
  elseif act.act == "open" or act.act == "navigate" or act.act == "upload" then
    if act.tab and act.act == "upload" then look_at_tab(subject, act.tab) end
    return subject
  end
  local window = window_of(run, act)
  if window then name_application(subject, window)
  elseif act.act ~= "close" then subject.names = { act.element and act.element.app or "desktop" } end
  if act.act == "point" and not permitted(subject.names) then
    window = window_of_popup(run, act, window)
    if window then name_application(subject, window) end
  end
  if act.tab then look_at_tab(subject, act.tab, act.said) elseif with_page then look_at_browser(run, subject) end
  return subject
end

-- A page's own word of what is at a pixel, or has the keyboard; else what the applications say.
local function element_of(run, act, subject)
  if act.element then return { role = act.element.role, name = act.element.name, submits = act.submits } end
  if act.said then return act.said.element end
  local seen, tab = run.observation, subject.tab
  if act.act == "point" then
    return tab and page().at(tab, act.x, act.y) or hit_test.element(run, seen, subject.window, act.x, act.y)
  end
  return tab and page().focused(tab) or hit_test.focused(run, seen, subject.window)
end

--- Finds out which element an act is about.
---@param run deskpilot.run
---@param act deskpilot.permitted_act
---@param subject deskpilot.act_subject
function act_subject.find_element(run, act, subject)
  subject.element = element_of(run, act, subject)
end

return act_subject
