-- How long settling takes after an act, and whether anything changes afterwards: real applications on a private
-- desktop. The fixed quiet time and settling by cause take turns, act by act, so that the load of the machine is the
-- same for both.
--
--   deskpilot-test tests/bench/settling.lua          all applications
--   ROUNDS=20 APPS=xterm,mousepad deskpilot-test tests/bench/settling.lua
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.wait.timing"

local ROUNDS = tonumber(os.getenv "ROUNDS") or 10
local AFTER = tonumber(os.getenv "AFTER") or 1.0 -- seconds that are watched after an act has settled

local function press(keys) return function(desk) assert(desk.keyboard.press(keys)) end end
local function write(words) return function(desk) assert(desk.keyboard.type(words)) end end
local function click(x, y) -- of the active window, as shares of its size
  return function(desk)
    local window = assert(desk.windows.active())
    assert(desk.mouse.click { x = window.x + math.floor(x * window.width),
      y = window.y + math.floor(y * window.height) })
  end
end

-- In the middle of an element of the page, whatever it is called in the end.
local function element(name)
  local place
  return function(desk)
    if not place then
      for _, each in ipairs(assert(desk.browser.current():tab():observe()).elements) do
        if each.name:find(name, 1, true) then place = each.box break end
      end
    end
    assert(desk.mouse.click { x = place.x + place.width // 2, y = place.y + place.height // 2 })
  end
end

local applications = {
  { name = "xterm", argv = { "xterm", "-fa", "DejaVuSansMono", "-e", "cat" },
    acts = { { "type", write "word " }, { "key", press "Return" } } },
  { name = "galculator", argv = { "galculator" }, acts = { { "key", press "7" }, { "click", click(0.5, 0.7) } } },
  { name = "mousepad", argv = { "mousepad", "--disable-server" },
    acts = { { "type", write "word " }, { "menu", press "alt+f" }, { "close menu", press "Escape" },
      { "dialog", press "ctrl+f" }, { "close", press "Escape" } } },
  { name = "gnumeric", argv = { "gnumeric" }, acts = { { "type", write "12" }, { "key", press "Return" },
    { "click", click(0.5, 0.5) } } },
  { name = "pcmanfm", argv = { "pcmanfm", "/usr" }, acts = { { "key", press "Down" }, { "click", click(0.6, 0.6) },
    { "reload", press "F5" } } },
  { name = "mtpaint", argv = { "mtpaint" }, acts = { { "click", click(0.4, 0.4) }, { "menu", press "alt+f" },
    { "close menu", press "Escape" } } },
  { name = "zenity", argv = { "zenity", "--entry", "--text=Words" }, acts = { { "type", write "a" },
    { "key", press "BackSpace" } } },
  { name = "gtk3-demo", argv = { "gtk3-demo" }, acts = { { "key", press "Down" }, { "click", click(0.2, 0.6) } } },
  { name = "chromium", browser = true, acts = { { "focus", element "Field" }, { "type", write "a" },
    { "click", element "At once" }, { "timer 200", element "Later" }, { "key", press "Tab" },
    { "scroll", function(desk) assert(desk.mouse.scroll { dy = 3 }) end } } },
}

local function wanted(name)
  local list = os.getenv "APPS"
  return not list or ("," .. list .. ","):find("," .. name .. ",", 1, true) ~= nil
end

local function median(list, share)
  table.sort(list)
  return #list > 0 and list[math.max(1, math.ceil(#list * (share or 0.5)))] or 0 / 0
end

local function load_average()
  local file <close> = io.open "/proc/loadavg"
  return file and file:read "a":match "^%S+" or "?"
end

-- Whether, and when, the screen changes after the act has settled; seconds after the settle.
local function late_change(desk)
  local settled = task.now()
  desk.wait_until(function() assert(desk.native:pump()) return false end, { timeout = AFTER, every = 0.02 })
  local changed = desk.native:last_change() / 1e9
  return changed > settled and changed - settled or nil
end

local function measure(desk, act)
  desk.timing.settle_by_cause = true
  local ways = { new = { times = {}, late = {}, reasons = {} }, old = { times = {}, late = {}, reasons = {} } }
  for round = 1, 2 * ROUNDS do
    local way = ways[round % 2 == 0 and "new" or "old"]
    local quiet = round % 2 == 1 and timing.of(desk, "settle_quiet") or nil
    act(desk)
    local settled = assert(desk.settle { quiet = quiet })
    table.insert(way.times, settled.seconds * 1000)
    way.reasons[settled.reason] = (way.reasons[settled.reason] or 0) + 1
    local why = settled.reason ~= "idle" and desk.pending_work.unknown
    if why then way.reasons[why] = (way.reasons[why] or 0) + 1 end
    local late = late_change(desk)
    if late then table.insert(way.late, ("%.0f"):format(late * 1000)) end
  end
  local function words(way)
    local reasons = {}
    for reason, count in pairs(way.reasons) do reasons[#reasons + 1] = reason .. " " .. count end
    table.sort(reasons)
    return ("%6.0f %6.0f  late %d/%d (%s)  %s"):format(median(way.times), median(way.times, 0.9), #way.late, ROUNDS,
      table.concat(way.late, " "), table.concat(reasons, ", "))
  end
  print("  fixed " .. words(ways.old))
  print("  cause " .. words(ways.new))
  if (ways.new.reasons.idle or 0) > 0 then
    harness.ok(math.min(table.unpack(ways.new.times)) < math.min(table.unpack(ways.old.times)),
      "what settles by its cause does so before the quiet time is over")
  end
end

local function open_application(desk, session, application)
  local page = "file://" .. files.absolute "tests/pages/settling.html"
  if application.browser then return assert(desk.browser.start { url = page }) end
  assert(session:start_app(application.argv))
  assert(session:wait_for_windows())
end

if ... == nil then harness.time_limit(10 * 3600) end -- 200 rounds of all applications take hours

local tests = {}

function tests.settling()
  for _, application in ipairs(applications) do
    if wanted(application.name) then
      local session = assert(private.start { size = { 1280, 800 } })
      local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
      open_application(desk, session, application)
      assert(desk:watch())
      desk.settle { quiet = 1.5, cap = 8 }
      for _, act in ipairs(application.acts) do
        print(("%s: %s (load %s)"):format(application.name, act[1], load_average()))
        measure(desk, act[2])
      end
      desk:close()
      session:stop()
    end
  end
end

return tests
