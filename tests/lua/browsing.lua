--- A private desktop with a real browser on it, and a server of pages beside, for tests.
local desk_module = require "deskpilot.desk"
local page_server = require "page_server"
local private = require "deskpilot.desk.private.session"

local browsing = {}

local function finally(fn) return setmetatable({}, { __close = fn }) end

-- Times for a machine that does many things at once.
local patient = { browser_start = 60, browser_answer = 20, browser_stop = 20, wait = 30, focus = 10 }

--- A page of HTML.
---@param title string
---@param body string?
---@return string
function browsing.page(title, body)
  return ("<!doctype html><title>%s</title><body>%s"):format(title, body or "")
end

--- Runs fn(desk, session) on a private desktop of its own.
function browsing.on_desktop(fn)
  local session = assert(private.start { size = { 1200, 800 } })
  local guard <close> = finally(function() session:abandon() end)
  assert(guard)
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session,
    timing = patient })
  fn(desk, session)
  desk:close()
  session:stop()
end

--- Runs fn(browser, server, desk) with a browser that has one empty tab, and a server of these routes.
function browsing.with(routes, fn, options)
  local server = page_server.start(routes)
  local guard <close> = finally(function() server:stop() end)
  assert(guard)
  browsing.on_desktop(function(desk)
    fn(assert(desk.browser.start(options)), server, desk)
  end)
end

return browsing
