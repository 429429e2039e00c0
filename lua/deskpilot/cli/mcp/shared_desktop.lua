--- The desktop as clients of an MCP server work on it: one call after another, each a turn of the server's run. What
--- they do goes by the same way as what a model does (run:act): the same tools, guards, questions and journal.
local errors = require "deskpilot.base.errors"
local json = require "deskpilot.base.json"
local observation = require "deskpilot.agent.observation"
local spaces = require "deskpilot.model.space"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local shared_desktop = {}

local WHO, WHY = "mcp", "a client of the MCP server has asked for it"
local most_found = 2000 -- elements that a look for some words goes through
local pixels = { space = { kind = "pixels" }, order = "xy", box_order = "xyxy" }

---@class deskpilot.mcp_desktop
---@field run deskpilot.run
---@field text_only boolean pictures are not sent
---@field width integer of the pictures, in pixels
---@field call deskpilot.mcp_call? that has the desktop
local Desktop = {}
Desktop.__index = Desktop

---@param run deskpilot.run
---@param options { text_only: boolean? }
---@return deskpilot.mcp_desktop
function shared_desktop.new(run, options)
  return setmetatable({ run = run, text_only = options.text_only or false, queue = {}, width = 1024 }, Desktop)
end

local function wake_next(self)
  local following = table.remove(self.queue, 1)
  if following then following() end
end

-- Waits for this call's turn in the queue. Where it is cancelled meanwhile, the next one is woken in its place.
local function queue_up(self)
  local woken = false
  local leaving <close> = setmetatable({}, { __close = function()
    if not woken and not self.call then wake_next(self) end
  end })
  assert(leaving)
  task.await(function(done)
    table.insert(self.queue, done)
    return function()
      for i, other in ipairs(self.queue) do
        if other == done then table.remove(self.queue, i) break end
      end
    end
  end)
  task.sleep(0) -- the call before is answered first
  woken = true
end

-- Waits until no other call has the desktop. One that only waits for its client's answer gives way.
local function take(self, call)
  call.status = self.call and "waiting for another call" or nil
  while self.call do
    if self.call.token then self.call:displace() end
    if self.call then queue_up(self) end
  end
  self.call, call.status = call, nil
end

local function leave(self)
  self.call = nil
  wake_next(self)
end

--- Runs fn() while no other call works on the desktop, as a turn of the run.
---@param call deskpilot.mcp_call
---@param fn fun(): any, any
---@return any, any what it gives
function Desktop:turn(call, fn)
  take(self, call)
  local run = self.run
  local began = task.now()
  run.turn = run.turn + 1
  run.goal.turn = run.turn
  local number = run.turn
  local leaving <close> = setmetatable({}, { __close = function()
    run:emit("turn_end", { turn = number, seconds = task.now() - began })
    leave(self)
  end })
  assert(leaving)
  run:emit("turn_start", { turn = number })
  return fn()
end

-- --- looking --------------------------------------------------------------------------------------------------

-- A picture as wide as was asked for; no model of ours is sent it.
local function size_of(width)
  return function(w, h)
    local across = math.min(width, w)
    return across, math.max(1, (h * across + w // 2) // w)
  end
end

--- Looks at the whole screen.
---@param options { width: integer?, all: boolean? }? width: of the picture, in pixels, as before if not given; all:
---  tell of all elements, and not only of those that matter most
---@return deskpilot.observation? seen, deskpilot.error? err
function Desktop:observe(options)
  local run = self.run
  local key = "observe.max_elements"
  local usual, source = run.config:get(key), run.config.sources[key]
  self.width = options and options.width or self.width
  if options and options.all then run.config:set(key, most_found, "the client") end
  local ok, err = run:observe { size = size_of(self.width) }
  run.config:set(key, usual, source)
  if not ok then return nil, err end
  local shot = run.observation.shot
  self.space = spaces.of(pixels, shot.width, shot.height)
  return run.observation
end

--- The latest look; the first one where there was none.
---@return deskpilot.observation? seen, deskpilot.error? err
function Desktop:seen()
  if self.run.observation and self.space then return self.run.observation end
  return self:observe()
end

--- All that was seen, in words.
---@param seen deskpilot.observation
---@return string
function Desktop:describe(seen)
  return ("PICTURE: %dx%d; positions are its pixels, [x, y] from the top left.\n%s"):format(seen.shot.width,
    seen.shot.height, observation.describe(seen, true, self.space))
end

--- One element of the desktop in words, by which it can be pointed at.
---@param seen deskpilot.observation
---@param element deskpilot.seen_element
---@return string
function Desktop:element(seen, element)
  return observation.element(seen, element, self.space)
end

--- A place of the screen in the numbers of the latest picture.
---@param x integer pixels of the screen
---@param y integer
---@return string? "[512, 300]"; nil where it is not in the picture
function Desktop:place(x, y)
  local nx, ny = self.run.observation.shot:to_norm(x, y)
  return nx and self.space:show { nx, ny } or nil
end

--- A position, or a box, in pixels of the latest picture as the tools take it.
---@param numbers number[]? two or four
---@return number[]? place, deskpilot.error? err
function Desktop:read(numbers)
  if not numbers then return nil end
  local seen, err = self:seen()
  if not seen then return nil, err end
  local place, why
  if #numbers == 4 then place, why = self.space:read_box(numbers) else place, why = self.space:read(numbers) end
  if place then return place end
  return errors.fail("invalid", "this is no place in the picture of %dx%d pixels: %s", seen.shot.width,
    seen.shot.height, why or "it needs numbers")
end

--- The element of the page, or of the desktop, with a number of the latest look.
---@param number integer
---@return deskpilot.page_element|deskpilot.seen_element|nil element
---@return boolean of_page
function Desktop:numbered(number)
  local seen = self.run.observation
  for _, element in ipairs(seen and seen.page and seen.page.elements or {}) do
    if element.index == number then return element, true end
  end
  for _, element in ipairs(seen and seen.elements or {}) do
    if element.number == number then return element, false end
  end
  return nil, false
end

--- The name of what is pointed at, for the tools that want one.
---@param number integer?
---@param place number[]? as the client gave it
---@return string
function Desktop:label(number, place)
  local element = number and self:numbered(number)
  local name = element and text.cut(text.one_line(element.name or ""), 80) or ""
  if name ~= "" then return name end
  return element and element.role or number and "element " .. number or place and table.concat(place, ", ") or "?"
end

-- --- doing ----------------------------------------------------------------------------------------------------

-- What a person or a page has had to say meanwhile.
local function notices_of(run)
  local notices = run.notices or {}
  run.notices = nil
  return notices
end

local function where_now(run)
  local window = run.desk.windows.active()
  if not window then return "No window is active now." end
  return ("Active window: %s (%s)."):format(json.encode(text.cut(text.one_line(window.title), 100)),
    text.one_line(window.class))
end

--- Calls a tool of the run's toolbox.
---@param tool string
---@param args table
---@return deskpilot.mcp_tool_result? result, deskpilot.error? err
function Desktop:act(tool, args)
  local run = self.run
  local result = run:act { tool = tool, args = args, persona = WHO, why = WHY }
  run.goal.pictures = nil -- which would go with the next request to a model
  local lines = { run.history:told(result.text, self.space), table.unpack(notices_of(run)) }
  if not result.ok then return errors.fail(result.code or "refused", "%s", table.concat(lines, "\n")) end
  if run.toolbox:get(tool).acts ~= false then lines[#lines + 1] = where_now(run) end
  return { text = table.concat(lines, "\n"), pictures = not self.text_only and result.pictures or nil }
end

return shared_desktop
