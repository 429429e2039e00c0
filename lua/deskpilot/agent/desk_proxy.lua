--- The desktop as a mission's functions see it (`m.desk`): the functions of the desk, behind which each call is taken
--- note of, and, where the mission is a script, a failure is raised instead of being returned.
---
---     m.desk.mouse.click(place)        raises what failed
---     m.desk.try.mouse.click(place)    gives nil and the error
---
--- What is asked in order to wait for it gives nil and the error in any case: in `verify`, in hooks, and in the
--- function of wait_until (see enter). Screenshots, browsers, tabs and downloads that the desk gives behave like the
--- desk: tab:click(3) raises, tab.try:click(3) does not.
local errors = require "deskpilot.base.errors"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

local desk_proxy = {}

---@class deskpilot.mission_desk: deskpilot.desk
---@field try deskpilot.desk the same desktop; what fails gives nil and the error, also where m.desk raises it

-- Functions that neither act nor look at anything that could be missed.
local unnoted = {}
for name in ([[keyboard.keys apps.profile apps.profile_of apps.about apps.overview point elements.stop
  apps.own_timing input.add_filter input.may_press input.may_type input.may_enter input.clicked input.set_held
  input.may_act input.may_load input.may_choose input.judges input.judges_web browser.judge_loading
  browser.current activity.give_way activity.set_give_way activity.on_input hotkeys.on browser:connected browser:tab
  browser:tabs browser:has_quit browser:abandon tab:dialog shot:copy shot:scale shot:fit shot:crop shot:point
  shot:norm_point shot:locate shot:locate_norm shot:to_norm shot:on_screen shot:from_screen shot:pixel shot:equal
  shot:difference shot:encode shot:rectangle shot:line shot:label shot:label_size shot:marks]])
  :gmatch("%S+") do unnoted[name] = true end

-- Those of them that never fail, and are called for each pixel: they are not watched at all.
local plain = { ["shot:pixel"] = true, ["shot:point"] = true, ["shot:norm_point"] = true, ["keyboard.keys"] = true }

-- The number of the argument that is a function which asks.
local asking_argument = { wait_until = 1 }

local classes = { shot = true, browser = true, tab = true, download = true }

---@class deskpilot.desk_proxy
---@field view deskpilot.mission_desk what a mission gets
---@field desk deskpilot.desk
---@field strict boolean
---@field journal deskpilot.desk_journal? nil where calls are not taken note of
---@field asking table<thread, integer> coroutines in which a function that asks is running
---@field silent table<thread, integer> of these, those whose calls are not taken note of
---@field originals table<table, table> what the views stand for
local Proxy = {}
Proxy.__index = Proxy

local weak = { __mode = "k" }

-- --- going in and out ---------------------------------------------------------------------------------------

local DEEPEST = 3 -- tables in tables of arguments that are looked through for views

-- An argument as the desk itself takes it: what a view stands for, also in a table of options.
local function unwrapped(self, value, depth)
  if type(value) ~= "table" then return value end
  local original = self.originals[value]
  if original then return original end
  if depth > DEEPEST or getmetatable(value) ~= nil then return value end
  local copy
  for key, field in next, value do
    local inner = type(field) == "table" and unwrapped(self, field, depth + 1) or field
    if inner ~= field then
      if not copy then
        copy = {}
        for k, v in next, value do copy[k] = v end
      end
      copy[key] = inner
    end
  end
  return copy or value
end

local function unwrap(self, ...)
  local count = select("#", ...)
  if count == 0 then return end
  if count == 1 then return (unwrapped(self, (...), 1)) end
  return unwrapped(self, (...), 1), unwrap(self, select(2, ...))
end

local function class_of(value)
  local metatable = type(value) == "table" and getmetatable(value)
  local name = type(metatable) == "table" and rawget(metatable, "__name")
  return classes[name] and name or nil
end

local object_view

local function wrapped(self, value)
  if type(value) ~= "table" then return value end
  if class_of(value) then return object_view(self, value, false) end
  if getmetatable(value) == nil and class_of(value[1]) then -- tabs, downloads
    local list = {}
    for i, each in ipairs(value) do list[i] = object_view(self, each, false) end
    return list
  end
  return value
end

local function wrap(self, ...)
  local count = select("#", ...)
  if count == 0 then return end
  if count == 1 then return (wrapped(self, (...))) end
  return wrapped(self, (...)), wrap(self, select(2, ...))
end

-- --- calls --------------------------------------------------------------------------------------------------

-- Whether a failure of a call is raised.
local function raises(self, try)
  return self.strict and not try and not self.asking[coroutine.running()]
end

-- What was raised, with the mission's line. Where the library itself is broken, its own line is in the message too.
local function located(err)
  if type(err) ~= "string" then return err end
  local message = err:gsub("^deskpilot/base/signature%.lua:%d+: ", "")
  local theirs = message:find("^%a?:?[^:\n]*:%d+: ") or message:find("^%[string ")
  local ours = message:find("^deskpilot/[%w_/]+%.lua:%d+: ")
  if theirs and not ours then return message end
  local where = errors.caller()
  return where and where .. ": " .. message or message
end

local function take_note(self, name, try, began, given, ok, ...)
  local failed = not ok or (...) == nil and errors.is((select(2, ...)))
  local ended = task.now()
  self.journal:add { name = name, arguments = given, ok = not failed, ended = ended, seconds = ended - began,
    results = not failed and table.pack(...) or nil, err = failed and (ok and select(2, ...) or (...)) or nil,
    raised = failed and (not ok or raises(self, try)) }
end

-- The end of a call: `ok` and the rest are what pcall gave.
local function finish(self, call, try, began, given, ok, ...)
  if not ok and errors.interrupts((...)) then error((...), 0) end
  if given then take_note(self, call, try, began, given, ok, ...) end
  if not ok then
    local err = located((...))
    if errors.is(err) then err.where = err.where or errors.caller() end
    error(err, 0)
  end
  local first, err = ...
  if first == nil and errors.is(err) then
    err.where = err.where or errors.caller()
    if raises(self, try) then
      err.raised = true
      error(err, 0)
    end
  end
  return wrap(self, ...)
end

local function is_noted(self, call)
  return self.journal and not unnoted[call] and not self.silent[coroutine.running()]
end

-- A function that calls `fn` and watches over it. `call` is its name in the journal; `first` is the first argument
-- that is told there: 2 for methods.
local function watched(self, call, fn, try, first)
  local asking = asking_argument[call]
  return signature.stands_for(function(...)
    local given = is_noted(self, call) and table.pack(select(first, ...)) or nil
    local began = given and task.now()
    if asking then return finish(self, call, try, began, given, pcall(fn, self:asked((...), select(2, ...)))) end
    return finish(self, call, try, began, given, pcall(fn, unwrap(self, ...)))
  end, fn)
end

--- The arguments of a function that waits until another says so, which is called as one that asks.
---@param fn function
---@param ... any
---@return function fn, any ...
function Proxy:asked(fn, ...)
  if type(fn) ~= "function" then return fn, ... end
  return function(...)
    local scope <close> = self:enter(false)
    assert(scope)
    return fn(...)
  end, ...
end

--- From now on, calls of this coroutine give nil and the error instead of raising it, until the returned value is
--- closed.
---@param silently boolean whether they are not taken note of either
---@return table scope to be closed
function Proxy:enter(silently)
  local thread = coroutine.running()
  self.asking[thread] = (self.asking[thread] or 0) + 1
  if silently then self.silent[thread] = (self.silent[thread] or 0) + 1 end
  local function leave(set)
    set[thread] = set[thread] > 1 and set[thread] - 1 or nil
  end
  return setmetatable({}, { __close = function()
    leave(self.asking)
    if silently then leave(self.silent) end
  end })
end

-- --- views --------------------------------------------------------------------------------------------------

local function method(self, call, fn, try)
  if not plain[call] then return watched(self, call, fn, try, 2) end
  local originals = self.originals
  return signature.stands_for(function(view, ...) return fn(originals[view] or view, ...) end, fn)
end

-- The class of the views of a class.
local function new_metatable(self, class, try)
  local originals, methods = self.originals, {} -- made when they are first asked for
  return {
    __name = class,
    __index = function(view, key)
      if methods[key] then return methods[key] end
      local object = originals[view]
      if key == "try" then return object_view(self, object, true) end
      local value = object[key]
      if type(value) ~= "function" then return wrapped(self, value) end
      methods[key] = method(self, class .. ":" .. key, value, try)
      return methods[key]
    end,
    __newindex = function(view, key, value) originals[view][key] = unwrapped(self, value, 1) end,
    __tostring = function(view) return tostring(originals[view]) end,
    __eq = function(a, b) return rawequal(originals[a] or a, originals[b] or b) end,
    __pairs = function(view) return pairs(originals[view]) end,
  }
end

function object_view(self, object, try)
  local known = self.objects[try]
  local view = known[object]
  if not view then
    local class = class_of(object)
    local metatables = self.metatables[try]
    metatables[class] = metatables[class] or new_metatable(self, class, try)
    view = setmetatable({}, metatables[class])
    known[object] = view
    self.originals[view] = object
  end
  return view
end

-- A part of the desk ("mouse"), or the desk itself, with its functions.
local function part_view(self, prefix, part, try)
  local view = {}
  for name, value in pairs(part) do
    local call = prefix .. name
    if type(value) == "function" then
      view[name] = plain[call] and value or watched(self, call, value, try, 1)
    end
  end
  return view
end

local function is_part(value)
  if type(value) ~= "table" or getmetatable(value) ~= nil then return false end
  local _, first = next(value)
  return type(first) == "function"
end

local function desk_view(self, try)
  local desk = self.desk
  local view = part_view(self, "", desk, try)
  for name, value in pairs(desk) do
    if is_part(value) and name ~= "closers" then view[name] = part_view(self, name .. ".", value, try) end
  end
  function view.watch() return desk:watch() end
  function view.close() return desk:close() end
  return setmetatable(view, { __index = desk, __newindex = desk, __name = "desk" })
end

--- The desk of a run, for its mission's functions.
---@param desk deskpilot.desk
---@param options { strict: boolean, journal: deskpilot.desk_journal? } strict: failures are raised
---@return deskpilot.desk_proxy
function desk_proxy.new(desk, options)
  local self = setmetatable({ desk = desk, strict = options.strict, journal = options.journal,
    asking = setmetatable({}, weak), silent = setmetatable({}, weak), originals = setmetatable({}, weak),
    objects = { [true] = setmetatable({}, weak), [false] = setmetatable({}, weak) },
    metatables = { [true] = {}, [false] = {} } }, Proxy)
  self.view = desk_view(self, false)
  rawset(self.view, "try", desk_view(self, true))
  return self
end

return desk_proxy
