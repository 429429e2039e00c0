--- desk.activity and desk.hotkeys: what people do at this desktop's mouse and keyboard, and giving way to them.
--- Input of this program's own never counts as a person's. A watch (a thread) is started by the first
--- question, and ends with the desk.
local native = require "native.activity"
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

local activity = {}

-- The desk's watch and what is to be told by it.
local Watch = {}
Watch.__index = Watch

local function tell(self, what, number)
  if what == "hotkey" then
    local listener = self.hotkeys[number]
    if listener then task.start_for(listener.owner, listener.fn) end
    return
  end
  local listeners = {} -- one of them may add or remove some
  for listener in pairs(self.listeners) do listeners[#listeners + 1] = listener end
  for _, listener in ipairs(listeners) do task.start_for(listener.owner, listener.fn) end
end

-- Opens the watch if it is not there.
local function open(self)
  if self.handle then return self.handle end
  if self.closed then return nil, errors.new("unavailable", "the desk has been closed") end
  local desk = self.desk
  local handle, err = native.open({ backend = desk.native:backend(), display = desk.display,
    cookie = desk.session and desk.session.cookie }, function(...) tell(self, ...) end)
  self.handle = handle
  return handle, err
end

-- A function that is to be called as a task, for the task that asks for it now. A failure is its author's to
-- see, and no reason for others not to be told.
local function new_listener(fn, what)
  return { owner = task.current(), fn = function()
    local ok, why = xpcall(fn, function(err) return errors.is(err) and err or debug.traceback(err, 2) end)
    if not ok and not errors.is(why, "cancelled") then
      warn("error in ", what, ": ", tostring(why))
    end
  end }
end

---@class deskpilot.handle
---@field remove fun(self: deskpilot.handle) ends what it stands for; a second call does nothing

local activity_signatures = signature.of("desk.activity", {
  idle = {}, on_input = { "function" }, wait_idle = { "number" },
  set_give_way = { { quiet = "number", paused = "function", resumed = "function" } }, give_way = {},
  record = {}, recorded = {},
})
local hotkey_signatures = signature.of("desk.hotkeys", { on = { "text", "function", { watch = "boolean" } } })

local function new_activity(self)
  ---@class deskpilot.desk.activity
  local api = {}

  --- How long ago a person last used mouse or keyboard, in seconds; since the first question where
  --- nobody has.
  ---@return number? seconds, deskpilot.error? err
  function api.idle()
    local handle, err = open(self)
    if not handle then return nil, err end
    return (handle:idle())
  end

  --- Calls fn() while a person uses mouse or keyboard, at most ten times a second: as a task, which ends
  --- with the one that asks for it here.
  ---@param fn fun()
  ---@return deskpilot.handle? handle, deskpilot.error? err
  function api.on_input(fn)
    local listener = new_listener(fn, "on_input")
    local handle, err = open(self)
    if not handle then return nil, err end
    self.listeners[listener] = true
    handle:report_input(true)
    return { remove = function()
      self.listeners[listener] = nil
      if self.handle and next(self.listeners) == nil then self.handle:report_input(false) end
    end }
  end

  -- How many seconds are missing until nobody has used anything for `quiet`; 0 where nobody ever has.
  local function missing(handle, quiet)
    local idle, used = handle:idle()
    return used and math.max(0, quiet - idle) or 0
  end

  --- Waits until nobody has used mouse and keyboard for that many seconds.
  ---@param quiet number seconds
  ---@return number? waited seconds
  ---@return deskpilot.error? err
  function api.wait_idle(quiet)
    local handle, err = open(self)
    if not handle then return nil, err end
    local began = task.now()
    local left = missing(handle, quiet)
    while left > 0 do
      task.sleep(left)
      if self.closed then return nil, errors.new("unavailable", "the desk has been closed") end
      left = missing(handle, quiet)
    end
    return task.now() - began
  end

  --- From now on desk.mouse, desk.keyboard, and what desk.elements and desk.windows do to applications, wait
  --- while a person is at this desktop, until `quiet` seconds after the last input; nil ends that.
  ---@param options { quiet: number, paused: fun()?, resumed: fun(seconds: number)? }?
  ---@return boolean? ok, deskpilot.error? err
  function api.set_give_way(options)
    if options then
      local handle, err = open(self)
      if not handle then return nil, err end
    end
    self.rule = options
    return true
  end

  --- Waits where set_give_way says so. Whatever acts on the desktop calls it before it begins.
  ---@return boolean waited
  function api.give_way()
    if self.desk.before_act then self.desk.before_act() end
    self.desk.pending_work:begin()
    local rule = self.rule
    if not rule or missing(self.handle, rule.quiet) == 0 then return false end
    if rule.paused then rule.paused() end
    local seconds = api.wait_idle(rule.quiet) -- nil where the desk is closed: the act itself says so then
    if seconds and rule.resumed then rule.resumed(seconds) end
    return true
  end

  --- What a person has pressed, or let go: one event of `recorded`.
  ---@class deskpilot.input_event
  ---@field at number when the watch heard of it (uv.hrtime, in seconds)
  ---@field down boolean
  ---@field x integer the pointer, in pixels of the screen
  ---@field y integer
  ---@field button integer? 1 left, 2 middle, 3 right; the wheel: 4 up, 5 down, 6 left, 7 right; nil for a key
  ---@field key string? its name, by its plain meaning
  ---@field text string? the character that it types
  ---@field composes boolean? it types something that cannot be told: a dead key, an input method's
  ---@field ctrl boolean? held meanwhile, as alt, shift and win
  ---@field alt boolean?
  ---@field shift boolean?
  ---@field win boolean?

  --- Keeps from now on what people press, this program's own input aside, for `recorded`. There may be passwords
  --- in it: it is in memory only, and overwritten when it is taken.
  ---@return deskpilot.handle? handle ends it
  ---@return deskpilot.error? err code "unsupported" on desktops that do not tell (Windows)
  function api.record()
    local handle, err = open(self)
    if not handle then return nil, err end
    local ok, why = handle:record(true)
    if not ok then return nil, why end
    self.recording = true
    return { remove = function()
      if self.handle and self.recording then self.handle:record(false) end
      self.recording = false
    end }
  end

  --- Takes what people have pressed since the last call, while `record` lasts.
  ---@return deskpilot.input_event[]? events the oldest first
  ---@return integer|deskpilot.error lost how many there were beside them: only so many are kept
  function api.recorded()
    local handle, err = open(self)
    if not handle then return nil, err end
    return handle:taken()
  end

  return activity_signatures(api)
end

local function new_hotkeys(self)
  ---@class deskpilot.desk.hotkeys
  local api = {}

  --- Calls fn() each time that a combination of keys is pressed, by whomever, in whatever window;
  --- applications do not get it. fn runs as a task, which ends with the one that asks for it here. With `watch`
  --- applications get it too, and it is noticed also while one of them has the keyboard to itself, as an open menu
  --- has; then this program's own keys do not count.
  ---@param combo string modifiers and one key: "ctrl+alt+f9"
  ---@param fn fun()
  ---@param options { watch: boolean? }?
  ---@return deskpilot.handle? handle, deskpilot.error? err code "refused" where another program has it
  function api.on(combo, fn, options)
    local listener = new_listener(fn, "the hotkey " .. combo)
    local handle, err = open(self)
    if not handle then return nil, err end
    local kind = options and options.watch and "watch" or "take"
    local number, why = handle:add(combo, kind)
    if not number then return nil, why end
    listener.combo, listener.number, listener.kind = combo, number, kind
    self.hotkeys[number] = listener
    return { remove = function()
      if self.handle and self.hotkeys[listener.number] == listener then self.handle:remove(listener.number) end
      self.hotkeys[listener.number] = nil
    end }
  end

  return hotkey_signatures(api)
end

-- Watches a display that was lost and is there again, for all that was asked of the watch before.
local function reopen(self)
  if not self.handle then return true end
  local old, hotkeys = self.handle, self.hotkeys
  self.handle = nil
  local handle, err = open(self)
  if not handle then
    self.handle = old
    return nil, err
  end
  old:close()
  if next(self.listeners) then handle:report_input(true) end
  if self.recording then handle:record(true) end
  self.hotkeys = {}
  for _, listener in pairs(hotkeys) do
    local number, why = handle:add(listener.combo, listener.kind)
    if number then
      listener.number, self.hotkeys[number] = number, listener
    else
      warn("the hotkey ", listener.combo, " cannot be watched any more: ", tostring(why))
    end
  end
  return true
end

--- The two parts of a desk, what ends both, and what watches a display again that was lost.
---@param desk deskpilot.desk
---@return deskpilot.desk.activity activity, deskpilot.desk.hotkeys hotkeys, fun() close
---@return fun(): boolean?, deskpilot.error? reopen
function activity.new(desk)
  local self = setmetatable({ desk = desk, listeners = {}, hotkeys = {} }, Watch)
  return new_activity(self), new_hotkeys(self), function()
    self.closed, self.rule = true, nil
    if self.handle then self.handle:close() end
    self.handle = nil
  end, function() return reopen(self) end
end

return activity
