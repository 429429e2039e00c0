--- Compares the screen with a plan's anchor { application?, title?, url?, keywords? }. Every part that is given must
--- hold, but of the keywords a share is enough. The parts are checked in that order, so that the first mismatch is the
--- one that is easiest to explain. An empty anchor always holds: then only the success indicators decide.
local text = require "deskpilot.base.text"

local anchor = {}

local fold = text.fold

local function letters_of(name)
  return (fold(name):gsub("[^%w\128-\255]", ""))
end

-- "Chromium-browser" and "chromium" are one application. Names of fewer than three letters must be equal, since they
-- are part of too many others.
local function same_application(wanted, have)
  local a, b = letters_of(wanted), letters_of(have)
  if a == b then return a ~= "" end
  if #a < 3 or #b < 3 then return false end
  return a:find(b, 1, true) ~= nil or b:find(a, 1, true) ~= nil
end

local function address(url)
  return text.without_end(fold(url):gsub("^%a[%w+.-]*://", ""):gsub("^www%.", ""), "/")
end

local checks = {}

function checks.application(wanted, seen)
  if not seen.window then return "no window is active, so it is not " .. wanted end
  for _, name in ipairs(seen.applications) do
    if same_application(wanted, name) then return nil end
  end
  return ("the active application is %q, not %q"):format(seen.window.class, wanted)
end

function checks.title(wanted, seen)
  local titles = { seen.window and seen.window.title, seen.page and seen.page.title }
  for i = 1, 2 do
    if titles[i] and fold(titles[i]):find(fold(wanted), 1, true) then return nil end
  end
  return ("the title is %q and does not contain %q"):format(titles[1] or titles[2] or "", wanted)
end

function checks.url(wanted, seen)
  if not seen.page then return ("no page is in front, so its URL is not %q"):format(wanted) end
  if address(seen.page.url):find(address(wanted), 1, true) then return nil end
  return ("the URL is %q and does not contain %q"):format(seen.page.url, wanted)
end

function checks.keywords(wanted, seen, share)
  local missing = {}
  for _, word in ipairs(wanted) do
    if not seen:shows(word) then missing[#missing + 1] = ("%q"):format(word) end
  end
  local found = #wanted - #missing
  if #wanted == 0 or found >= #wanted * share then return nil end
  return ("only %d of the %d keywords are seen; missing are %s"):format(found, #wanted, text.join(missing))
end

local order = { "application", "title", "url", "keywords" }

--- Whether the anchor has no part that could fail.
---@param wanted table
---@return boolean
function anchor.is_empty(wanted)
  for _, part in ipairs(order) do
    local value = wanted[part]
    if value and value ~= "" and not (type(value) == "table" and #value == 0) then return false end
  end
  return true
end

--- The first part that does not hold, as a sentence; nil where all hold.
---@param wanted table the anchor
---@param seen deskpilot.visible_texts what is on the screen
---@param share number how many of the keywords are enough, 0..1
---@return string? why
function anchor.mismatch(wanted, seen, share)
  for _, part in ipairs(order) do
    local value = wanted[part]
    if value and value ~= "" then
      local why = checks[part](value, seen, share)
      if why then return why end
    end
  end
end

return anchor
