--- desk.elements: the elements that applications report by their accessibility interface.
local native = require "native.elements"
local acts = require "deskpilot.desk.elements.acts"
local ahead = require "deskpilot.desk.elements.ahead"
local errors = require "deskpilot.base.errors"
local find = require "deskpilot.desk.elements.find"
local locate = require "deskpilot.desk.elements.locate"
local places = require "deskpilot.desk.elements.places"
local points = require "deskpilot.desk.picture.points"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

-- What few runs need is loaded by those that do.
local function outline() return require "deskpilot.desk.elements.outline" end

local elements = {}

---@class deskpilot.element: deskpilot.rect
---@field index integer in its list
---@field parent integer? index of its parent, which is smaller; nil for an application
---@field depth integer
---@field role string such as "push button"
---@field name string
---@field description string?
---@field text string? content of a text, a field or a label
---@field value number? of a slider and the like
---@field states table<string, boolean> such as focused, checked, showing; `enabled` is always present
---@field x integer pixels of the screen; all four are 0 if the element has no place
---@field y integer
---@field width integer
---@field height integer
---@field actions integer how many actions it has; elements.actions lists them
---@field app string
---@field pid integer
---@field handle string

---@class deskpilot.element_now: deskpilot.element the result of elements.refresh
---@field minimum number? of its value
---@field maximum number?
---@field step number?
---@field characters integer? of its text
---@field selection { start: integer, stop: integer, text: string }?
---@field action_list { name: string, title: string?, description: string?, key: string? }[]

-- The list of elements; its fields `apps` and `truncated` are in a metatable, so that loops over it see elements only.
local function make_list(answer)
  return setmetatable(answer.elements, { __index = { apps = answer.apps, truncated = answer.truncated } })
end

-- The criteria with `all` set, which includes elements that are not showing.
local function among_all(criteria)
  local copy = { all = true }
  for key, value in pairs(criteria) do copy[key] = value end
  return copy
end

signature.kind("seen_element", {
  what = "an element of an earlier list",
  fits = function(value) return type(value) == "table" and type(value.handle) == "string" end,
})

local signatures = signature.of("desk.elements", {
  list = { "element_criteria?" }, find = { "element_criteria" }, refresh = { "element" }, at = { "target" },
  outline = { "options?" }, locate = { "seen_element" }, stop = {},
})

---@param desk deskpilot.desk
---@return deskpilot.desk.elements
function elements.new(desk)
  ---@class deskpilot.desk.elements
  local api = {}
  local native_reader

  local function open()
    if desk.native:backend() == "null" then
      return errors.fail("unsupported", "the null desktop has no elements")
    end
    if native_reader then return native_reader end
    local err
    native_reader, err = native.open { bus = desk.bus, display = desk.display }
    return native_reader, err
  end

  -- reader.call("act", element, ...) and the like: sends a request to the element's application and waits for the
  -- answer.
  local reader = {}
  function reader.call(method, element, ...)
    local source, err = open()
    if not source then return nil, err end
    if method ~= "ask" then
      local what = ...
      local permitted, forbidden = desk.input.may_act { act = "element", element = element,
        what = method == "act" and "press" or type(what) == "table" and what.kind or method }
      if not permitted then return nil, forbidden end
    end
    if method ~= "ask" then desk.activity.give_way() end
    local arguments = table.pack(...)
    arguments[arguments.n + 1] = { timeout = desk.timing.element_action }
    local answer, failure = task.await(function(done)
      arguments[arguments.n + 2] = done
      return source[method](source, element.handle, table.unpack(arguments, 1, arguments.n + 2))
    end)
    if not failure then return answer end
    return errors.fail(failure.code, "the %s: %s", find.label(element), tostring(failure))
  end

  -- The window that the criteria name; nothing if they name none.
  local function window_of(criteria)
    local window = criteria.window
    if window == nil then return nil end
    if type(window) == "table" and window.id and window.pid then return window end
    return desk.windows.find(type(window) == "table" and window or { id = window })
  end

  -- All elements of the applications that the criteria permit, and the window's element if they name a window.
  local function read(criteria)
    local window, err = window_of(criteria)
    if err then return nil, err end
    local source
    source, err = open()
    if not source then return nil, err end
    local pid = criteria.pid or window and window.pid ~= 0 and window.pid or nil
    local answer, failure = task.await(function(done)
      return source:read({ timeout = desk.timing.elements, pid = pid, all = criteria.all, bare = criteria.bare,
        max = criteria.max }, done)
    end)
    if not answer then return nil, failure end
    local list = make_list(answer)
    if not window then return list end
    local frame = find.frame(list, window)
    if frame then return list, frame end
    return errors.fail("not_found", "%s", ("the window '%s' reports no elements: its program has none, or has "
      .. "accessibility switched off, as a browser of desk.browser.start without accessibility = true"):format(
      window.title))
  end

  desk.elements_ahead = ahead.new(desk, read)

  --- The elements on the screen, parents before children: all of them, or those that match. `all` includes elements
  --- that are not showing (closed menus, hidden pages); `bare` leaves out texts, values and actions. list.apps names
  --- the applications; one that did not answer has a note in list.apps[i].note.
  ---@param criteria deskpilot.element_criteria|string|nil a text is a name; more criteria may follow it
  ---@overload fun(name: string, more: deskpilot.element_criteria): deskpilot.element[]?, deskpilot.error?
  ---@return deskpilot.element[]? list, deskpilot.error? err
  function api.list(criteria)
    criteria = criteria or {}
    find.check(criteria)
    local list, frame = not next(criteria) and desk.elements_ahead:take() or nil, nil
    if not list then list, frame = read(criteria) end
    if not list then return nil, frame end
    if not next(criteria) then return list end
    local found = find.all(list, criteria, frame)
    if #found == #list then return list end
    return setmetatable(found, getmetatable(list))
  end

  --- The first element that matches, or the nth. Role, name, text and app are compared without regard to case and to
  --- space around them; `contains` is a part of the name or text, `matching` a Lua pattern for either; `within` is an
  --- ancestor, or criteria for one. With `timeout` the call waits for a match.
  ---@param criteria deskpilot.element_criteria|string a text is a name; more criteria may follow it
  ---@overload fun(name: string, more: deskpilot.element_criteria): deskpilot.element?, deskpilot.error?
  ---@return deskpilot.element? element, deskpilot.error? err
  function api.find(criteria)
    find.check(criteria)
    local limit = task.now() + (criteria.timeout or 0)
    local nth = criteria.nth or 1
    while true do
      local list, frame = read { pid = criteria.pid, window = criteria.window, all = criteria.all }
      local late = task.now() >= limit
      if not list and (late or frame.code ~= "not_found") then return nil, frame end
      local found = list and find.all(list, criteria, frame) or {}
      local element = found[nth > 0 and nth or #found + nth + 1]
      if element then return element end
      if late then return find.missing(list, criteria, #found) end
      task.sleep(desk.timing.wait_every)
    end
  end

  function reader.find(element, all)
    if element.handle then return element end
    return api.find(all and among_all(element) or element)
  end

  --- Reads one element again, with details that a list does not have: the range of its value, the selection of its
  --- text, its actions. Quick, since only this element is read.
  ---@param element deskpilot.element|deskpilot.element_criteria|string
  ---@return deskpilot.element_now? element, deskpilot.error? err
  function api.refresh(element)
    local found, err = reader.find(element)
    if not found then return nil, err end
    local now, failure = reader.call("ask", found)
    if not now then return nil, failure end
    if now.name == "" then now.name = found.name end -- the name comes from a label beside it, which only a list has
    now.app, now.pid, now.index, now.parent, now.depth = found.app, found.pid, found.index, found.parent, found.depth
    if now.characters then now.selection = { start = now.from + 1, stop = now.to, text = now.selected } end
    now.from, now.to, now.selected = nil, nil, nil
    return now
  end

  --- The deepest element at a point of the screen.
  ---@param point deskpilot.target
  ---@overload fun(x: number, y: number): deskpilot.element?, deskpilot.error?
  ---@return deskpilot.element? element, deskpilot.error? err
  function api.at(point)
    local x, y = points.resolve(desk, point)
    if not x then return nil, y end
    local list, err = api.list()
    if not list then return nil, err end
    local windows, failure = desk.windows.list()
    if not windows then return nil, failure end
    local found = places.at(list, windows, x, y, find.frame)
    if found then return found end
    return errors.fail("not_found", "no application reports an element at %d, %d", x, y)
  end

  --- Formats the visible elements as compact text for a model, one line each, indented by depth: index, role, name,
  --- value or text, and the relevant states. The second result is the list that the indices refer to. Elements that
  --- only hold others are left out; the last line says what else was left out. The same screen results in the same
  --- text.
  ---@param options { app: string?, window: deskpilot.window|integer|deskpilot.window_criteria|nil, pid: integer?,
  ---  within: deskpilot.element|deskpilot.element_criteria|nil, all: boolean?, max: integer?, depth: integer? }?
  ---  max: lines, default 200; depth: levels
  ---@return string? text, deskpilot.element[]|deskpilot.error list
  function api.outline(options)
    options = options or {}
    outline().check(options)
    local criteria = { app = options.app, within = options.within }
    local list, frame = read { pid = options.pid, window = options.window, all = options.all }
    if not list then return nil, frame end
    if #find.all(list, criteria, frame) == 0 and next(criteria) then return find.missing(list, criteria, 0) end
    return outline().make(list, { max = options.max, depth = options.depth, all = options.all,
      wanted = function(element) return find.matches(list, element, criteria, frame) end })
  end

  --- An element of an earlier list as it is now, to be clicked: its place is the part of it that is in view. It has to
  --- be the same element still, by role and name, and by what it is inside of where that was noted (`path`).
  ---@param element deskpilot.element
  ---@return deskpilot.element? now
  ---@return deskpilot.error? err code "stale": it is gone, replaced, elsewhere or out of view; "refused": a window
  ---  covers it; "timed_out": its application did not answer
  function api.locate(element)
    return locate.locate(desk, element)
  end

  acts.add(api, desk, reader)

  --- Closes the connection to the accessibility interface.
  function api.stop()
    if native_reader then native_reader:close() end
    native_reader = nil
  end

  return signatures(api)
end

return elements
