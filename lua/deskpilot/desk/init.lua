--- The desktop as scripts use it. `desk.open` gives a desk whose parts are desk.screen, desk.mouse,
--- desk.keyboard, desk.windows, desk.elements, desk.clipboard, desk.apps and desk.browser. Times are seconds, options
--- are tables; a caller's mistake raises an error, a failure of the world is nil and an error value.
--- Calls that wait suspend the task that makes them (base/task.lua). What waits for the world is in waits.lua and
--- wait_for.lua.
local native = require "native.desk"
local apps = require "deskpilot.desk.app.apps"
local browser = require "deskpilot.desk.browser"
local clipboard = require "deskpilot.desk.input.clipboard"
local elements = require "deskpilot.desk.elements"
local human = require "deskpilot.desk.input.human"
local inbox = require "deskpilot.desk.wait.inbox"
local keyboard = require "deskpilot.desk.input.keyboard"
local mouse = require "deskpilot.desk.input.mouse"
local points = require "deskpilot.desk.picture.points"
local reading = require "deskpilot.desk.ocr.reading"
local screen = require "deskpilot.desk.picture.screen"
local timing = require "deskpilot.desk.wait.timing"
local wait_for = require "deskpilot.desk.wait_for"
local waits = require "deskpilot.desk.wait.waits"
local windows = require "deskpilot.desk.window.windows"

local desk = {}

---@class deskpilot.desk
---@field native userdata native.desk: one step at a time, without waits
---@field display string? as given to open
---@field bus string? address of the session bus, as given to open
---@field session deskpilot.private_session? set by whoever started it
---@field timing table<string, number>
---@field screen table
---@field mouse table
---@field keyboard table
---@field windows table
---@field elements table
---@field clipboard table
---@field apps table
---@field browser table
---@field human table
---@field hotkeys table
local Desk = {}
Desk.__index = Desk

---@class deskpilot.desk_options
---@field display string? X11: such as ":1"; $DISPLAY if not given
---@field bus string? address of the session bus; the environment's if not given
---@field backend string? "null" for a desktop that is only imagined, of width x height
---@field width integer?
---@field height integer?
---@field x integer? of the null desktop's corner
---@field y integer?
---@field monitors integer? of the null desktop, side by side
---@field timing table<string, number>? what differs from timing.lua
---@field session deskpilot.private_session?

local opened = {} -- those not closed yet, the newest last

--- Starts telling of changes of the screen, which goes on until the desk is closed: changes between
--- an action and the settle after it must count.
---@return boolean? ok, deskpilot.error? err
function Desk:watch()
  if self.watching then return true end
  local ok, err = self.native:watch_start()
  if not ok then return nil, err end
  self.watching = true
  return true
end

--- Lets go of everything that is held, and closes the connection. A second call does nothing.
function Desk:close()
  if self.closed then return end
  self.closed = true
  for i = #opened, 1, -1 do
    if opened[i] == self then table.remove(opened, i) end
  end
  for _, close in ipairs(self.closers) do close() end
  self.inbox:close()
  self.native:close()
end

--- Opens a desktop: $DISPLAY's if not told otherwise. Does not wait.
---@param options deskpilot.desk_options?
---@return deskpilot.desk? desk, deskpilot.error? err
function desk.open(options)
  options = options or {}
  local handle, err = native.open { backend = options.backend, display = options.display, width = options.width,
    height = options.height, x = options.x, y = options.y, monitors = options.monitors,
    cookie = options.session and options.session.cookie }
  if not handle then return nil, err end
  local self = setmetatable({ native = handle, display = options.display, bus = options.bus,
    session = options.session, timing = timing.new(options.timing), inbox = inbox.new(handle) }, Desk)
  self.screen, self.mouse, self.keyboard = screen.new(self), mouse.new(self), keyboard.new(self)
  self.windows, self.elements, self.apps = windows.new(self), elements.new(self), apps.new(self)
  self.clipboard = clipboard.new(self)
  local stop_browser, stop_human, stop_reading
  self.browser, stop_browser = browser.new(self)
  self.human, self.hotkeys, stop_human = human.new(self)
  stop_reading = reading.extend(self)
  self.closers = { stop_browser, self.elements.stop, stop_human, stop_reading }

  --- Waits until the screen is quiet; see wait.waits.settle.
  function self.settle(how) return waits.settle(self, how) end

  --- Waits until the screen changes; see wait.waits.wait_for_change.
  function self.wait_for_change(how) return waits.wait_for_change(self, how) end

  --- Waits until there is such a window; see wait_for.window.
  function self.wait_for_window(criteria) return wait_for.window(self, criteria) end

  --- Waits until there is such an element; see wait_for.element.
  function self.wait_for_element(criteria) return wait_for.element(self, criteria) end

  --- Waits until a text can be read on the screen; see wait_for.text.
  function self.wait_for_text(wanted, how) return wait_for.text(self, wanted, how) end

  --- Waits until a picture can be seen on the screen; see wait_for.image.
  function self.wait_for_image(picture, how) return wait_for.image(self, picture, how) end

  --- Waits until fn() gives something; see wait.waits.wait_until.
  function self.wait_until(fn, how) return waits.wait_until(self, fn, how) end

  --- The pixel of the screen that a point or an element means; see picture.points.resolve.
  function self.point(target) return points.resolve(self, target) end

  opened[#opened + 1] = self
  return self
end

--- The desk that was opened last and is not closed, or nil.
---@return deskpilot.desk?
function desk.current()
  return opened[#opened]
end

return desk
