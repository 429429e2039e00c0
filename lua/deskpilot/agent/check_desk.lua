--- Ready-made checks of what a desktop shows; what each takes and says is in agent/checks.lua.
local errors = require "deskpilot.base.errors"
local observation = require "deskpilot.agent.observation"
local words = require "deskpilot.agent.check_words"
local verdict = require "deskpilot.agent.verdict"

local check_desk = {}

-- Applications that were looked at in vain because they did not answer.
local function silent(desk, how)
  local list = desk.elements.list { app = how.app, pid = how.pid, window = how.window, bare = true }
  for _, app in ipairs(list and list.apps or {}) do
    if app.note then return ("%s: %s"):format(app.name, app.note) end
  end
end

---@param desk deskpilot.desk
---@param how table
---@return deskpilot.verdict
function check_desk.element(desk, how)
  local criteria = {}
  for key, value in pairs(how) do criteria[key] = value end
  criteria.shows, criteria.value, criteria.gone = nil, nil, nil
  local found, err = desk.elements.find(criteria)
  if not found then
    if not errors.is(err, "not_found") then
      return verdict.unknown("the elements could not be read: " .. tostring(err))
    end
    local quiet = silent(desk, how)
    if quiet then return verdict.unknown(("%s; %s"):format(tostring(err), quiet)) end
    return words.presence(false, how.gone, tostring(err))
  end
  local what = ("the %s %s"):format(found.role, words.shown(found.name ~= "" and found.name or found.text or ""))
  if how.gone then return verdict.no(what .. " is there") end
  if how.value ~= nil then
    if found.value == nil then return verdict.unknown(what .. " tells no value") end
    local seen = ("the value of %s is %g"):format(what, found.value)
    return found.value == how.value and verdict.yes(seen) or verdict.no(("%s, not %g"):format(seen, how.value))
  end
  if how.shows == nil then return verdict.yes(what .. " is there") end
  if found.text == nil then return verdict.unknown(what .. " tells no text") end
  return words.compare("the text of " .. what, found.text, { equals = how.shows })
end

---@param desk deskpilot.desk
---@param how table
---@return deskpilot.verdict
function check_desk.window(desk, how)
  local criteria = {}
  for key, value in pairs(how) do criteria[key] = value end
  criteria.gone = nil
  local found, err = desk.windows.find(criteria)
  if found then return words.presence(true, how.gone, ("there is the window %s"):format(words.shown(found.title))) end
  if not errors.is(err, "not_found") then return verdict.unknown("the windows could not be read: " .. tostring(err)) end
  return words.presence(false, how.gone, tostring(err))
end

local page_fields = { url = true, title = true, contains = true, matching = true, tab = true }

local function active_tab(desk)
  local window, err = desk.windows.active()
  if not window then return nil, err end
  local tab
  tab, err = observation.tab(desk, window)
  return tab, err or ("the active window %s shows no page"):format(words.shown(window.title))
end

---@param desk deskpilot.desk
---@param how table
---@return deskpilot.verdict
function check_desk.page(desk, how)
  words.known(how, page_fields, "page")
  local tab, err = how.tab, nil
  if not tab then tab, err = active_tab(desk) end
  if not tab then return verdict.unknown(err) end
  local page, failure = tab:observe { max_elements = 0, max_text = 1000000, screen = false, keep = false }
  if not page then return verdict.unknown("the page could not be read: " .. tostring(failure)) end
  return verdict.all {
    words.compare("the page's address", page.url or "", { contains = how.url }),
    words.compare("the page's title", page.title or "", { contains = how.title }),
    how.contains == nil and how.matching == nil and verdict.yes "nothing was asked of its text"
      or words.compare("the page's text", page.text or "", { contains = how.contains, matching = how.matching }),
  }
end

local function color_of(word)
  local red, green, blue = tostring(word):match "^#(%x%x)(%x%x)(%x%x)$"
  if not red then error(("a colour is written as #rrggbb, not %s"):format(tostring(word)), 3) end
  return tonumber(red, 16), tonumber(green, 16), tonumber(blue, 16)
end

-- How much of a picture has a colour.
local function share_of(shot, color, tolerance)
  local red, green, blue = color_of(color)
  local count = 0
  for y = 0, shot.height - 1 do
    for x = 0, shot.width - 1 do
      local r, g, b = shot:pixel(x, y)
      if math.abs(r - red) <= tolerance and math.abs(g - green) <= tolerance and math.abs(b - blue) <= tolerance then
        count = count + 1
      end
    end
  end
  return count / (shot.width * shot.height)
end

local pixel_fields = { region = true, window = true, monitor = true, color = true, equals = true, tolerance = true,
  share = true }

---@param desk deskpilot.desk
---@param how table
---@return deskpilot.verdict
function check_desk.pixels(desk, how)
  words.known(how, pixel_fields, "pixels")
  local wanted, err = how.equals, nil
  if type(wanted) == "string" then wanted, err = desk.screen.load(wanted) end
  if err then return verdict.unknown(err) end
  local shot, failure = desk.screen.shot { region = how.region, window = how.window, monitor = how.monitor,
    cursor = false }
  if not shot then return verdict.unknown("the pixels could not be read: " .. tostring(failure)) end
  local enough, share, what = how.share or 1
  if wanted then
    local change = shot:difference(wanted, { tolerance = how.tolerance or 0 })
    share, what = 1 - (change and change.share or 0), "are as in the picture"
  else
    share, what = share_of(shot, how.color, how.tolerance or 0), "are " .. tostring(how.color)
  end
  local seen = ("%.4g %% of the %d x %d pixels %s"):format(share * 100, shot.width, shot.height, what)
  return share >= enough and verdict.yes(seen) or verdict.no(("%s, not %.4g %%"):format(seen, enough * 100))
end

return check_desk
