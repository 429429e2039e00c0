--- The desktop as scripts use it. `desk.open` gives a desk whose parts are desk.screen, desk.mouse,
--- desk.keyboard, desk.input, desk.windows, desk.elements, desk.clipboard, desk.apps and desk.browser. Times are
--- seconds, options are tables; a caller's mistake raises an error, a failure of the world is nil and an error value.
--- Calls that wait suspend the task that makes them (base/task.lua). What waits for the world is in waits.lua and
--- wait_for.lua.
local native = require "native.desk"
local apps = require "deskpilot.desk.app.apps"
local browser = require "deskpilot.desk.browser"
local clipboard = require "deskpilot.desk.input.clipboard"
local elements = require "deskpilot.desk.elements"
local activity = require "deskpilot.desk.input.activity"
local errors = require "deskpilot.base.errors"
local event_pump = require "deskpilot.desk.wait.event_pump"
local filter = require "deskpilot.desk.input.filter"
local pending_work = require "deskpilot.desk.pending_work"
local keyboard = require "deskpilot.desk.input.keyboard"
local mouse = require "deskpilot.desk.input.mouse"
local points = require "deskpilot.desk.picture.points"
local reading = require "deskpilot.desk.ocr.reading"
local signature = require "deskpilot.base.signature"
local screen = require "deskpilot.desk.picture.screen"
local task = require "deskpilot.base.task"
local timing = require "deskpilot.desk.wait.timing"
local wait_for = require "deskpilot.desk.wait_for"
local waits = require "deskpilot.desk.wait.waits"
local windows = require "deskpilot.desk.window.windows"

local desk = {}

---@class deskpilot.desk
---@field native native.Desk one step at a time, without waits
---@field display string? as given to open
---@field bus string? address of the session bus, as given to open
---@field env table<string, string>? variables for programs that are started, beside the harmless ones
---@field session deskpilot.private_session? set by whoever started it
---@field timing table<string, number> seconds, by the names of wait/timing.lua
---@field screen deskpilot.desk.screen pictures of the screen, and what is on them
---@field mouse deskpilot.desk.mouse moving, clicking, dragging, scrolling
---@field keyboard deskpilot.desk.keyboard typing and pressing keys
---@field input deskpilot.desk.input what may be pressed and typed
---@field windows deskpilot.desk.windows the windows of applications
---@field elements deskpilot.desk.elements what applications say about themselves
---@field clipboard deskpilot.desk.clipboard what applications copy and paste
---@field apps deskpilot.desk.apps starting programs
---@field browser deskpilot.desk.browser browsers that are started or attached to
---@field activity deskpilot.desk.activity people at the desktop, and giving way to them
---@field hotkeys deskpilot.desk.hotkeys keys that work in any window
---@field event_pump deskpilot.event_pump
---@field elements_ahead deskpilot.elements_ahead a reading of the elements that a settle has begun
---@field pending_work deskpilot.pending_work whether anything that an act has begun is still on its way
---@field act any? whose act this is: changed for each act of an agent; a script has none
---@field last_press deskpilot.last_press? when a button went down last
---@field closers (fun())[]
---@field settled number? when settle said so last (task.now)
---@field watching number? since when it tells of changes of the screen (task.now)
---@field known_monitors { screen: deskpilot.rect, list: deskpilot.monitor[] }? as they were last looked at
---@field closed boolean?
---@field how deskpilot.desk_options it was opened with
---@field reconnected (fun(): boolean?, deskpilot.error?)? is called when a lost display is connected to again; nil and
---  an error: it is not to be used yet
---@field before_act fun()? is called before each act; what it raises is raised in place of the act
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
---@field env table<string, string>? variables for programs that are started on a desktop that is not private
---@field session deskpilot.private_session?

local opened = {} -- those not closed yet, the newest last

---@type table<deskpilot.desk, fun(): boolean?, deskpilot.error?> what watches a display again that was lost
local reopeners = setmetatable({}, { __mode = "k" })

local function open_native(options)
  return native.open { backend = options.backend, display = options.display, width = options.width,
    height = options.height, x = options.x, y = options.y, monitors = options.monitors,
    cookie = options.session and options.session.cookie }
end

--- Starts telling of changes of the screen, which goes on until the desk is closed: changes between
--- an action and the settle after it must count.
---@return boolean? ok, deskpilot.error? err
function Desk:watch()
  if self.watching then return true end
  local ok, err = self.native:watch_start()
  if not ok then return nil, err end
  self.watching = task.now()
  return true
end

--- Why the desktop is not there any more: the connection to its display has broken. Nil while it is there.
---@return deskpilot.error?
function Desk:lost()
  local size, err = self.native:screen()
  if size or not errors.is(err, "unavailable") then return nil end
  return err
end

--- Connects again to a display that was lost and is back, with what was watched before. What lasts of a desk's parts
--- stays as it is: windows, elements and pictures of before mean nothing on the new display.
---@return boolean? ok, deskpilot.error? err nothing has changed then
function Desk:reconnect()
  local handle, err = open_native(self.how)
  if not handle then return nil, err end
  local old, old_pump = self.native, self.event_pump
  self.native = handle
  local ok, why = reopeners[self]()
  if ok and self.reconnected then ok, why = self.reconnected() end
  if ok and self.watching then ok, why = handle:watch_start() end
  if not ok then
    self.native = old
    handle:close()
    return nil, why
  end
  self.event_pump = event_pump.new(handle)
  self.watching = self.watching and task.now()
  old_pump:close()
  self.elements.stop()
  old:close()
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
  self.event_pump:close()
  self.native:close()
end

local signatures = signature.of("desk", {
  settle = { { quiet = "number", floor = "number", cap = "number", past = "boolean", elements = "boolean" } },
  wait_for_change = { { region = "any", window = "any", monitor = "any", action = "function", timeout = "number" } },
  wait_for_window = { "window_criteria" }, wait_for_element = { "element_criteria" },
  wait_for_text = { "text", "options?" }, wait_for_image = { "picture", "options?" },
  wait_until = { "function", { timeout = "number", every = "number" } }, point = { "target" },
})

signature.methods("desk", Desk, { watch = {}, lost = {}, reconnect = {}, close = {} })

-- What a desk itself can do, beside its parts.
local function add_functions(opened_desk)
  ---@class deskpilot.desk
  local self = opened_desk

  --- Waits until the screen has not changed for `quiet` seconds (blinking carets do not count), at least `floor` and
  --- at most `cap` seconds. What is not given is as desk.timing has it, or as the profile of the active application
  --- says where nobody has changed that. With desk.timing.settle_by_cause, on a private desktop of Linux, it ends
  --- before that once nothing that the last act has begun is on its way. After an act, what moved by itself for a
  --- second before it (a video, a clock) does not count either, for as long as it goes on at its pace.
  ---@param options deskpilot.settle_options?
  ---@return deskpilot.settled? settled, deskpilot.error? err
  function self.settle(options) return waits.settle(self, options) end

  --- Waits until the screen changes (a blinking caret does not count), or a part of it: a region (of the window
  --- or monitor where both are given), a monitor, or where a window is now. What is to change it can be given as
  --- `action`, which is called when everything is ready, so that no change is missed.
  ---@param options deskpilot.change_options?
  ---@return boolean? changed, deskpilot.error? err code "timed_out" if nothing changed
  function self.wait_for_change(options) return waits.wait_for_change(self, options) end

  --- Waits until there is a window that desk.windows.find would find, or with `gone` until there is none.
  ---@param criteria deskpilot.window_wait|string a text is a part of the title; more criteria may follow it
  ---@overload fun(title: string, more: deskpilot.window_wait): deskpilot.window?, deskpilot.error?
  ---@return deskpilot.window? window true where it is to be gone
  ---@return deskpilot.error? err code "timed_out": which windows there are
  function self.wait_for_window(criteria) return wait_for.window(self, criteria) end

  --- Waits until there is an element that desk.elements.find would find, or with `gone` until there is none.
  ---@param criteria deskpilot.element_wait|string a text is a name; more criteria may follow it
  ---@overload fun(name: string, more: deskpilot.element_wait): deskpilot.element?, deskpilot.error?
  ---@return deskpilot.element? element true where it is to be gone
  ---@return deskpilot.error? err code "timed_out": the nearest names
  function self.wait_for_element(criteria) return wait_for.element(self, criteria) end

  --- Waits until a text can be read on the screen, or with `gone` until it cannot any more. Elements and windows
  --- are found much faster: reading is for what has neither.
  ---@param wanted string
  ---@param options deskpilot.text_wait?
  ---@return deskpilot.text_hit? hit true where it is to be gone
  ---@return deskpilot.error? err code "timed_out": what was read instead
  function self.wait_for_text(wanted, options) return wait_for.text(self, wanted, options) end

  --- Waits until a picture can be seen on the screen, or with `gone` until it cannot any more.
  ---@param picture deskpilot.shot|string a shot, or the path of a PNG or JPEG file, which is read once
  ---@param options deskpilot.image_wait?
  ---@return deskpilot.hit? hit true where it is to be gone
  ---@return deskpilot.error? err code "timed_out": the best score there was
  function self.wait_for_image(picture, options) return wait_for.image(self, picture, options) end

  --- Asks fn() again and again until it gives something that is not nil or false.
  ---@generic T
  ---@param fn fun(): T?, any
  ---@param options deskpilot.until_options?
  ---@return T? value, deskpilot.error? err
  function self.wait_until(fn, options) return waits.wait_until(self, fn, options) end

  --- The pixel of the screen that is meant.
  ---@param target deskpilot.target
  ---@overload fun(x: number, y: number): integer?, integer|deskpilot.error
  ---@return integer? x, integer|deskpilot.error y
  function self.point(target) return points.resolve(self, target) end

  signatures(self)
end

--- Opens a desktop: $DISPLAY's if not told otherwise. Does not wait.
---@param options deskpilot.desk_options?
---@return deskpilot.desk? desk, deskpilot.error? err
function desk.open(options)
  options = options or {}
  local handle, err = open_native(options)
  if not handle then return nil, err end
  local self = setmetatable({ native = handle, how = options,
    display = options.display, bus = options.bus, env = options.env,
    session = options.session, timing = timing.new(options.timing), event_pump = event_pump.new(handle) }, Desk)
  self.input = filter.new(self)
  self.screen, self.mouse, self.keyboard = screen.new(self), mouse.new(self), keyboard.new(self)
  self.windows, self.elements, self.apps = windows.new(self), elements.new(self), apps.new(self)
  self.clipboard = clipboard.new(self)
  local stop_browser, attached, stop_activity, stop_reading, reopen_activity
  self.browser, stop_browser, attached = browser.new(self)
  self.activity, self.hotkeys, stop_activity, reopen_activity = activity.new(self)
  stop_reading = reading.extend(self)
  reopeners[self] = reopen_activity
  self.pending_work = pending_work.new(self, attached)
  self.closers = { stop_browser, self.elements.stop, stop_activity, stop_reading,
    function() self.pending_work:close() end }
  add_functions(self)
  opened[#opened + 1] = self
  return self
end

--- The desk that was opened last and is not closed, or nil.
---@return deskpilot.desk?
function desk.current()
  return opened[#opened]
end

return desk
