--- Which tab of a browser is visible, and which window of the desktop shows a tab.
local errors = require "deskpilot.base.errors"
local process_tree = require "deskpilot.desk.platform.process_tree"
local text = require "deskpilot.base.text"

local active = {}

-- Updates the visibility of all tabs: "focus" (visible, with the keyboard focus), "visible" or "". A tab that does not
-- answer keeps its value. The tabs are asked in parallel.
local function update_visibility(browser, tabs)
  local seconds, asked = browser.desk.timing.browser_answer, {}
  for _, tab in ipairs(tabs) do
    if tab.attaching then
      tab.changed:wait_until(seconds, function() return not tab.attaching end)
    end
    asked[tab] = tab.attached and tab.session:begin("Runtime.evaluate", { returnByValue = true,
      expression = "document.visibilityState === 'visible' ? document.hasFocus() ? 'focus' : 'visible' : ''" })
  end
  for tab, call in pairs(asked) do
    local result = call and call:wait(seconds)
    local value = result and type(result.result) == "table" and result.result.value
    if type(value) == "string" then tab.visibility = value end
  end
end

local function visible_tabs(tabs)
  local list = {}
  for _, tab in ipairs(tabs) do
    if tab.visibility ~= "" then list[#list + 1] = tab end
  end
  return #list > 0 and list or tabs
end

local function bounds_of(tab)
  local result = tab.browser:call("Browser.getWindowForTarget", { targetId = tab.id })
  return result and type(result.bounds) == "table" and result.bounds or nil
end

-- A score for whether a window shows a tab: its title begins with the page's title, and its place is about the one that
-- the browser reports. The places may differ by a window frame, and by the scale on some screens.
local function likeness(window, title, bounds)
  local score = 0
  if title ~= "" and text.starts(window.title, title) then score = 4 end
  for side, name in pairs { x = "left", y = "top", width = "width", height = "height" } do
    local value = bounds and tonumber(bounds[name])
    if value and math.abs(window[side] - value) <= 40 then score = score + 1 end
  end
  return score
end

--- See tab:window.
---@param tab deskpilot.tab
---@return deskpilot.window? window, deskpilot.error? err
function active.window_of(tab)
  local browser = tab.browser
  local list, err = browser.desk.windows.list()
  if not list then return nil, err end
  local own = {}
  for _, window in ipairs(list) do
    if browser.pid and window.pid ~= 0 and not (window.width < 50 or window.height < 50)
      and (window.pid == browser.pid or process_tree.descends(window.pid, browser.pid)) then own[#own + 1] = window end
  end
  if #own == 0 then return errors.fail("not_found", "the browser shows no window on this desktop") end
  if #own == 1 then return own[1] end
  local info, bounds = tab:info(), bounds_of(tab)
  local best, most
  for _, window in ipairs(own) do -- of equal scores the topmost wins
    local score = likeness(window, info and info.title or "", bounds)
    if not most or score >= most then best, most = window, score end
  end
  return best
end

--- Whether the tab's window has the keyboard, by the desktop's word. That it shows another of its tabs is the page's to
--- say (document.hasFocus).
---@param tab deskpilot.tab
---@return boolean
function active.has_window(tab)
  local window = tab.attached and not tab:dialog() and active.window_of(tab)
  return window and window.active or false
end

-- The place of a tab's window in the stacking order; the active window is above all.
local function stacking_place(tab)
  local window = active.window_of(tab)
  for i, other in ipairs(window and tab.browser.desk.windows.list() or {}) do
    if other.id == window.id then return other.active and math.huge or i end
  end
  return 0
end

--- The visible tab; of several windows' the one with the keyboard focus, else that of the topmost window.
---@param browser deskpilot.browser
---@param tabs deskpilot.tab[]
---@return deskpilot.tab
function active.of(browser, tabs)
  if #tabs == 1 then return tabs[1] end
  update_visibility(browser, tabs)
  local list = visible_tabs(tabs)
  if #list == 1 then return list[1] end
  for _, tab in ipairs(list) do
    if tab.visibility == "focus" then return tab end
  end
  local best, height
  for _, tab in ipairs(list) do
    local its = stacking_place(tab)
    if not height or its > height then best, height = tab, its end
  end
  return best
end

return active
