--- What an action touches, known before it happens, for hooks and guards: action.point, .element, .window,
--- .application, .site and .drop beside action.args. Each is found out once, when it is first read: by them, or for the
--- record of what the action hits (act_record.lua). Nothing is what cannot be told: a guard that has to know takes it
--- for a no.
---
--- Where the tool points, the point is the one that the tool itself would use (agent/targets.lua,
--- desk/picture/points.lua). Keys go to the active window, and to the element that has the focus in it.
local address = require "deskpilot.desk.browser.address"
local errors = require "deskpilot.base.errors"
local hit_test = require "deskpilot.agent.hit_test"
local json = require "deskpilot.base.json"
local observation = require "deskpilot.agent.observation"
local page_tools = require "deskpilot.agent.page_tools"
local points = require "deskpilot.desk.picture.points"
local targets = require "deskpilot.agent.targets"
local text = require "deskpilot.base.text"
local typing = require "deskpilot.desk.input.typing"

local action_target = {}

--- What an action touches. What cannot be told is nil.
---@class deskpilot.touched
---@field point { x: integer, y: integer }? the pixel of the screen that is pointed at; nil for keys
---@field element deskpilot.touched_element? that is there, or that has the keyboard's focus
---@field window deskpilot.window? that is there, or the active one
---@field application string? the window's program without its folder, or the window's class; what open_app opens
---@field site string? the origin of the page that is acted on, or that is opened: "https://example.org"
---@field drop deskpilot.touched? the same of the end of a drag

-- What a tool points at: an element's number, a position; true in place of both where it is the middle of the screen.
local function aim_of(self)
  local args = self.args
  local element, position = args.element or args.start_element, args.position or args.start
  if self.is_drop then element, position = args.end_element, args["end"] end
  element, position = targets.given(element), targets.given(position)
  if element or position or self.is_drop then return element, position end
  return nil, self.tool.group == "pointing" and self.tool.parameters.properties.position and true or nil
end

local function points_at_something(self)
  local element, position = aim_of(self)
  return (element or position) ~= nil
end

local function seen_by(self)
  return self.call.observation or self.run.observation
end

local function context(self)
  return { run = self.run, desk = self.run.desk, config = self.run.config, observation = seen_by(self) }
end

-- The number of the element of the page that the tool acts on.
local function index_of(self)
  local element = targets.given(self.args.element)
  if self.tool.pages and targets.is_of_page(seen_by(self), element) then return element end
  return targets.given(self.args.index)
end

-- The element of the page that the tool acts on, and the tab.
local function on_page(self)
  local index = index_of(self)
  if index == nil then
    if self.tool.group == "browser" then return nil, (page_tools.tab(context(self))) end
    return nil
  end
  local element, tab = page_tools.element(context(self), index)
  if element then return element, tab end
end

-- What the tool's file says, of one that neither points nor types.
local function declared(self, name)
  local touches = self.tool.touches and self.tool.touches(context(self), self.args)
  return touches and touches[name]
end

local read = {}

function read.point(self)
  local page_element = on_page(self)
  local target = page_element and page_element.in_view and page_element.box
  if not target then
    if not points_at_something(self) then return nil end
    local element, position = aim_of(self)
    if position == true then
      target = targets.middle()
    elseif element and self.past then
      target = targets.seen(context(self), element)
    else
      target = targets.find(context(self), element, position)
    end
  end
  if not target then return nil end
  local x, y = points.resolve(self.run.desk, target)
  return x and { x = x, y = y }
end

local function window_of_page(self)
  local _, tab = on_page(self)
  local seen = self.run.observation
  if self.past then return tab and seen and seen.window end
  return tab and (tab:window())
end

function read.window(self)
  if self.tool.group == "browser" or index_of(self) ~= nil then return window_of_page(self) end
  if self.tool.touches then return declared(self, "window") end
  local seen = seen_by(self)
  if points_at_something(self) then
    local at = self:get "point"
    if not at then return nil end
    return hit_test.window(self.past and (seen and seen.windows) or self.run.desk.windows.list(), at.x, at.y)
  end
  if self.is_drop or not self.tool.acts or self.tool.anywhere then return nil end
  if self.past then return seen and seen.window end
  -- A text is typed only when a window is there to take it, so the window is told as soon as it is there.
  if type(self.args.text) == "string" then return (typing.target(self.run.desk)) end
  return (self.run.desk.windows.active())
end

function read.element(self)
  local page_element = on_page(self)
  if page_element then return hit_test.told(page_element) end
  local seen, window = seen_by(self), self:get "window"
  local number = aim_of(self)
  if number then
    local element = targets.seen(context(self), number)
    return element and hit_test.told(element)
  end
  local at = self:get "point"
  if at then return hit_test.element(self.run, seen, window, at.x, at.y, self.past) end
  if not window or points_at_something(self) or self.tool.group == "browser" or self.tool.touches then return nil end
  return hit_test.focused(self.run, seen, window, self.past)
end

function read.application(self)
  if self.tool.touches then
    local name = declared(self, "application")
    if name then return name end
  end
  local window = self:get "window"
  if not window then return nil end
  local program = text.after_last(window.executable, "/\\")
  return program ~= "" and program:gsub("%.[eE][xX][eE]$", "") or window.class ~= "" and window.class or nil
end

function read.site(self)
  local opened = declared(self, "url")
  if opened then return address.origin(opened) end
  local _, tab = on_page(self)
  local window = not tab and self:get "window"
  local seen = self.run.observation
  if self.past and window then
    return seen and seen.page and seen.window and seen.window.id == window.id and address.origin(seen.page.url) or nil
  end
  tab = tab or window and hit_test.ask(function() return (observation.tab(self.run.desk, window)) end)
  return tab and address.origin(tab.url)
end

-- One action, or the end of its drag, while it is found out what it touches:
--   run, action, call   whose it is
--   given, key          the tool and its arguments that `found` is of, as given and as the schema has corrected them
--   tool, args          of the call; args is false where the tool would not take them
--   found               by the names of the fields; false is what cannot be told
--   past                the action has been done: what is asked only now is told from what was seen before it
--   is_drop, dropping   whether it is the end of the drag; of the action itself that one
local Touching = {}
Touching.__index = Touching

local function new(run, action, call, is_drop)
  return setmetatable({ run = run, action = action, call = call, found = {}, is_drop = is_drop }, Touching)
end

function read.drop(self)
  if self.is_drop then return nil end
  local args = self.args
  if targets.given(args["end"]) == nil and targets.given(args.end_element) == nil then return nil end
  local drop = new(self.run, self.action, self.call, true)
  drop.past, self.dropping = self.past, drop
  return setmetatable({}, { __index = function(_, name) return drop:get(name) end })
end

local function written(value)
  local ok, words = pcall(json.encode, value)
  return ok and words or nil
end

-- What was found holds for these arguments: a listener may have changed them since.
local function renew(self)
  local action, call = self.action, self.call
  local words = written(action.args)
  local given = words and tostring(action.tool) .. words
  if given and given == self.given then return end
  self.given = given
  self.tool = (call.toolbox or self.run.toolbox):get(action.tool)
  self.args = not action.rejected and self.tool and self.run:validate { tool = action.tool, args = action.args,
    why = call.why, toolbox = call.toolbox } or false
  words = self.args and written(self.args)
  local key = words and tostring(action.tool) .. words
  if not key or key ~= self.key then self.found = {} end
  self.key = key or nil
end

--- One of the fields of deskpilot.touched. What goes wrong in finding it out is nothing known.
---@param name string
---@return any
function Touching:get(name)
  if not read[name] then return nil end
  if not self.past or self.args == nil then renew(self) end
  if not self.args then return nil end
  if self.found[name] == nil then
    local ok, value = pcall(read[name], self)
    if not ok and errors.interrupts(value) then error(value, 0) end
    self.found[name] = ok and value or false
  end
  return self.found[name] or nil
end

local touchings = setmetatable({}, { __mode = "k" }) -- by the action

--- Gives an action the fields that tell what it touches. They are no part of its data: pairs and the journal do not
--- meet them.
---@param run deskpilot.run
---@param action deskpilot.action before it is announced
---@param call deskpilot.call
---@return deskpilot.action action
function action_target.attach(run, action, call)
  local touching = new(run, action, call)
  touchings[action] = touching
  return setmetatable(action, { __index = function(_, name) return touching:get(name) end })
end

--- The action is being done: from now on, what nobody has asked before is told from what was seen before.
---@param action deskpilot.action
---@param wanted boolean whether somebody may ask, so that what is quickly known is found out now
function action_target.begin(action, wanted)
  local touching = touchings[action]
  local drop = wanted and touching:get "drop" and touching.dropping
  for _, one in ipairs { touching, drop or touching.dropping } do
    if wanted then one:get "window" end -- and with it the point
    one.past = true
  end
end

--- The names of the fields.
---@type string[]
action_target.fields = { "point", "element", "window", "application", "site", "drop" }

return action_target
