--- Notices that the same thing is being tried again and again, A-A-A or A-B-A-B, without anything coming of it, and
--- asks for a change of approach: a warning in the next request, and a temperature that rises as long as it lasts.
---
--- What counts is a repetition after which the screen is as it was before: an action that failed, or that led to
--- nothing that was not seen already. Scrolling down a page, or counting up by the same button, is no loop.
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"
local history = require "deskpilot.agent.history"
local situation = require "deskpilot.guards.loop_detection.situation"

---@class deskpilot.guards.loop_detection: deskpilot.guard
local loops = {
  api = 1,
  section = "loop",
  options = {
    threshold = { type = "integer", default = 3, min = 2, about = "times the same action makes a loop" },
    window = { type = "integer", default = 5, min = 2, about = "actions looked back over for loops" },
    temperature_factor = { type = "number", default = 1.5, min = 1, max = 10,
      about = "how much a loop raises the temperature of the next request (1: not at all); each further action of the "
        .. "loop raises it by as much again: 1.5, 2, 2.5 times" },
    temperature_max = { type = "number", default = 1.2, min = 0, max = 2,
      about = "highest temperature that a loop leads to; a model that is given more writes no valid calls" },
  },
}

-- Half the size of what a finger hits, in pixels of the screen: two places so near are one target.
local near = 24

-- What a model says of an action in its own words, each time in others.
local prose = { justification = true, rationale = true, evidence = true }

-- Arguments that are a place; where the target has a name, `position` and `start` only repeat it.
local places = { position = true, start = true, ["end"] = true }
local named_places = { position = true, start = true }

---@class deskpilot.loop_action an action as far as it tells that another is the same
---@field tool string
---@field target string? the name that it gives its target, or its number
---@field places table<string, number[]> in 0..1000 of the picture
---@field rest string what else it was told: text, key, direction
---@field frame deskpilot.rect? the part of the screen that the picture shows
---@field ok boolean
---@field words string what it was done to, for a sentence
---@field after integer? the number of the situation that it led to, once that has been seen
---@field in_vain boolean? whether nothing came of it, once that has been asked

local function name_of(args, element)
  local name = args.label or element and element.name
  if type(name) == "string" and name ~= "" then return text.one_line(name:lower()) end
  local number = args.element or args.index
  return number ~= nil and "#" .. tostring(number) or nil
end

--- What tells whether another action is the same.
---@param tool string
---@param args table
---@param frame deskpilot.rect? the part of the screen that the picture shows
---@param element { name: string }? what the tool says that it has hit
---@return deskpilot.loop_action
function loops.describe(tool, args, frame, element)
  local self, rest = { tool = tool, target = name_of(args, element), places = {}, frame = frame }, {}
  for key, value in pairs(args) do
    if places[key] and type(value) == "table" and tonumber(value[1]) and tonumber(value[2]) then
      self.places[key] = value
    elseif not prose[key] and key ~= "label" and key ~= "element" and key ~= "index" then
      rest[key] = value
    end
  end
  local ok, written = pcall(json.encode, rest)
  self.rest = ok and written or ""
  return self
end

-- Whether two positions are one place; without a picture 0..1000 counts as a screen of 1000 pixels.
local function is_near(a, b, frame)
  if not (a and b) then return a == b end
  local width, height = frame and frame.width or 1000, frame and frame.height or 1000
  local dx, dy = (a[1] - b[1]) * width / 1000, (a[2] - b[2]) * height / 1000
  return dx * dx + dy * dy <= near * near
end

--- Whether two actions are the same: one tool, and one target by its name or number, or else by its place.
---@param a deskpilot.loop_action
---@param b deskpilot.loop_action
---@return boolean
function loops.same(a, b)
  if a.tool ~= b.tool or a.rest ~= b.rest then return false end
  local named = a.target ~= nil and b.target ~= nil
  if named and a.target ~= b.target then return false end
  for key in pairs(places) do
    if not (named and named_places[key]) and not is_near(a.places[key], b.places[key], b.frame) then return false end
  end
  return true
end

--- What is repeated, in words, or nil.
---@param actions deskpilot.loop_action[] newest last
---@param threshold integer how many times counts as a loop
---@param in_vain fun(action: deskpilot.loop_action): boolean? whether nothing came of it; asked of repetitions only
---@return string?
function loops.find(actions, threshold, in_vain)
  local n, equal = #actions, {}
  local last = actions[n]
  for _, action in ipairs(actions) do
    if loops.same(action, last) then equal[#equal + 1] = action end
  end
  if #equal >= threshold and in_vain(last) then
    local count = 1 -- the first one repeats nothing
    for i = 2, #equal do
      if in_vain(equal[i]) then count = count + 1 end
    end
    if count >= threshold then return ("the same action %d times in the last %d"):format(count, n) end
  end
  if n >= 4 and loops.same(last, actions[n - 2]) and loops.same(actions[n - 1], actions[n - 3])
    and not loops.same(last, actions[n - 1]) and in_vain(last) and in_vain(actions[n - 1]) then
    return "the same two actions in turns"
  end
end

-- What the guard keeps of a goal.
local function kept_of(run)
  local guards = run.goal.guards
  guards.loop = guards.loop or { actions = {}, situations = {}, seen = 0, level = 0 } -- seen: the latest one's number
  return guards.loop
end

-- Whether an action failed, or led to a situation that had been there before it.
local function was_in_vain(kept, action)
  if action.in_vain == nil then
    action.in_vain = not action.ok
    local after = kept.situations[action.after]
    for number = action.after - 1, action.after - kept.window, -1 do
      local earlier = kept.situations[number]
      if earlier and not action.in_vain then action.in_vain = situation.same(earlier, after) end
    end
  end
  return action.in_vain
end

local function judge(run, kept, is_new)
  local found = loops.find(kept.actions, run.config:get("loop.threshold"), function(action)
    return was_in_vain(kept, action)
  end)
  if not found then
    kept.level, kept.warning = 0, nil
  elseif is_new then
    local last = kept.actions[#kept.actions]
    kept.level = kept.level + 1
    kept.warning = ("LOOP: %s%s: %s, and the screen is as it was before. It is not working. CHANGE YOUR APPROACH: "
      .. "another element, a keyboard shortcut, or a different way to the goal."):format(last.tool, last.words, found)
    run:emit("guard", { name = "loop_detection", message = kept.warning })
  end
end

function loops.action_result(run, event)
  if event.tool == "wait" or event.tool == "(none)" then return end -- waiting twice, or no action, is no loop
  if event.action and event.action.postponed then return end
  local kept, shot = kept_of(run), run.observation and run.observation.shot
  local action = loops.describe(event.tool, event.args, shot and shot.frame, event.element)
  local target = history.target(event.args)
  action.words = target ~= nil and (" on %q"):format(text.cut(text.one_line(tostring(target)), 60)) or ""
  action.ok = event.ok
  kept.actions[#kept.actions + 1] = action
  while #kept.actions > run.config:get("loop.window") do table.remove(kept.actions, 1) end
end

function loops.settled(run, event)
  kept_of(run).restless = event.reason ~= "quiet" and event.reason ~= "idle"
end

-- Where the pointer is. An observation knows it where the pointer is drawn in the picture.
local function pointer_at(run)
  if run.observation.pointer then return run.observation.pointer end
  local x, y = run.desk.mouse.position()
  return x and { x = x, y = y }
end

--- What the screen shows now is what the actions since the last look have led to. Where there were none, it is what the
--- ones before have led to after all: applications take their time.
function loops.observed(run)
  local kept = kept_of(run)
  local last = kept.actions[#kept.actions]
  local is_new = last ~= nil and last.after == nil
  if is_new or kept.seen == 0 then kept.seen = kept.seen + 1 end
  kept.window = run.config:get("loop.window")
  kept.situations[kept.seen] = situation.of(run.observation, pointer_at(run), kept.restless)
  kept.situations[kept.seen - kept.window - 1] = nil
  for _, action in ipairs(kept.actions) do
    action.after = action.after or kept.seen
    if action.after == kept.seen then action.in_vain = nil end
  end
  if last then judge(run, kept, is_new) end
end

--- The next request for an action carries the warning, and a higher temperature where it has one.
function loops.model_request(run, request)
  local kept = kept_of(run)
  if not kept.warning or not request.acts then return end
  local amend, temperature = { warning = kept.warning }, request.temperature
  if temperature then
    local factor = 1 + (run.config:get("loop.temperature_factor") - 1) * kept.level
    amend.temperature = math.max(temperature, math.min(temperature * factor, run.config:get("loop.temperature_max")))
  end
  return { amend = amend }
end

return loops
