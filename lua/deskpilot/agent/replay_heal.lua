--- A step of a replayed run whose target is gone, mended by one request to a model: it is shown what the target looked
--- like and the screen of now, and points at what does the same. Its window must be of the same application; what is
--- typed stays the step's. What it chose is written beside the mission as a diff, for a person to look at.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hit_test = require "deskpilot.agent.hit_test"
local lua_source = require "deskpilot.agent.lua_source"
local native = require "native.image"
local observation = require "deskpilot.agent.observation"
local persona = require "deskpilot.agent.persona"
local pictures = require "deskpilot.agent.pictures"
local replay_target = require "deskpilot.agent.replay_target"
local text = require "deskpilot.base.text"
local viewpoint = require "deskpilot.agent.viewpoint"

local replay_heal = {}

local pointing = { "element", "position", "index" }

local function recorded_picture(self, step)
  local name = step.looks or step.on and step.on.picture
  local bytes = name and files.read(files.join(self.pictures, name))
  if not bytes then return nil end
  return pictures.keep(self.m, { base64 = native.base64(bytes), mime = "image/png",
    caption = "What the step acted on, as it was when it was recorded:" },
    ("screenshots/replay_%04d"):format(self.count))
end

local function words_of(self, step, why)
  local m = self.m
  local told = ("What it acted on: %s\nWhy it is not found: %s\n\n%s"):format(lua_source.written(step.on or {}),
    tostring(why), observation.describe(m.observation, true, viewpoint.space(m, "healer")))
  return ("THE STEP: %s, by the tool %s.\n\n%s"):format(m.marks:plain(step[1]), step.act, m.marks:wrap(told))
end

-- The one call that the model makes.
local function ask(self, step, why)
  local m, images = self.m, {}
  images[1] = recorded_picture(self, step)
  images[#images + 1] = m.observation
  local reply, err = m:ask { persona = "healer", acts = true, system = persona.prompt "healer",
    text = words_of(self, step, why), tools = { step.act }, images = images, temperature = 0 }
  if not reply then return nil, err end
  local call = reply.calls and reply.calls[1]
  if call and call.name == step.act and call.args then return call.args end
  return errors.fail("not_found", "the model that was to mend it says: %s", text.cut(text.one_line(reply.content or
    reply.refusal or reply.unreadable or "nothing"), 300))
end

-- The window of what the model points at.
local function window_of(seen, args)
  if args.position then
    local frame = seen.shot.frame
    local x, y = frame.x + args.position[1] * frame.width // 1000, frame.y + args.position[2] * frame.height // 1000
    return hit_test.window(seen.windows, x, y)
  end
  local number = args.element or args.index
  for _, element in ipairs(seen.elements) do
    if args.element and element.number == number then
      for _, window in ipairs(seen.windows) do
        if window.pid == element.pid then return window end
      end
    end
  end
  return seen.page and seen.window
end

local function check_window(self, step, args)
  local window, app = window_of(self.m.observation, args), step.on and step.on.app
  local now = window and replay_target.application(window)
  if now and (not app or now:lower() == app:lower()) then return true end
  return errors.fail("refused", "the model points at a window of %s, and the step is for one of %s: nothing was done",
    tostring(now), tostring(app))
end

-- --- the diff -------------------------------------------------------------------------------------------------------

local function lines_of(words)
  local lines, from = {}, 1
  while from <= #words do
    local to = words:find("\n", from, true) or #words + 1
    lines[#lines + 1], from = words:sub(from, to - 1), to + 1
  end
  return lines
end

-- The line of the step's `on`: the first one before the next step.
local function find_on(lines, from)
  for i = from, #lines do
    if lines[i]:find "^%s*on = " then return i end
    if i > from and lines[i]:find "^%s*step%s*[{(]" then return nil end
  end
end

local order = { "app", "window", "title", "page", "role", "name", "nth", "focus" }

-- One hunk that replaces a line, with a line around it.
local function hunk(lines, at, new)
  local first, last = math.max(1, at - 1), math.min(#lines, at + 1)
  local parts = { ("@@ -%d,%d +%d,%d @@"):format(first, last - first + 1, first, last - first + 1) }
  for i = first, last do
    if i == at then
      parts[#parts + 1] = "-" .. lines[i]
      parts[#parts + 1] = "+" .. new
    else
      parts[#parts + 1] = " " .. lines[i]
    end
  end
  return table.concat(parts, "\n") .. "\n"
end

-- Adds the change to the run's diff, beside the mission, or in the run's folder where nothing can be written there.
local function write_diff(self, line, target)
  local source = files.read(self.file)
  local lines = source and lines_of(source) or {}
  local at = find_on(lines, line)
  if not at then return nil, "on = " .. lua_source.written(target, order) end
  local new = lines[at]:match "^%s*" .. "on = " .. lua_source.written(target, order)
    .. (lines[at]:find "} }%s*$" and " }" or ",")
  self.hunks = (self.hunks or "") .. hunk(lines, at, new)
  local name = select(2, files.split(self.file))
  local run = select(2, files.split(self.m.dir.path))
  local words = ("--- %s\n+++ %s\n%s"):format(name, name, self.hunks)
  local path = ("%s.%s.diff"):format(self.file, run)
  if files.write(path, words, { private = true }) then return path end
  path = files.join(self.m.dir.path, name .. ".diff")
  local ok, err = files.write(path, words, { private = true })
  return ok and path, not ok and tostring(err) or nil
end

--- Mends a step and does it.
---@param self deskpilot.replay.player
---@param step deskpilot.replay.step
---@param line integer of the mission's file
---@param why deskpilot.error why its target is not found
---@return boolean? ok, deskpilot.error? err
function replay_heal.step(self, step, line, why)
  local m = self.m
  local tool = m.toolbox:get(step.act)
  local properties = tool and tool.parameters.properties or {}
  if step.to or not (properties.element or properties.position or properties.index) then return nil, why end
  local chosen, err = ask(self, step, why)
  if not chosen then return nil, err end
  local args = {}
  for key, value in pairs(step.with or {}) do args[key] = value end
  for _, name in ipairs(pointing) do args[name] = chosen[name] end
  local ok, refused = check_window(self, step, args)
  if not ok then return nil, refused end
  local result = m:act { tool = step.act, args = args, why = step[1], persona = "healer" }
  if not result.ok then return nil, errors.new("refused", "%s", result.text) end
  local target = result.hit and replay_target.of(result.hit)
  if not target then return true end
  step.on = target
  local path, note = write_diff(self, line, target)
  m:note(("the step %q was mended by a model: %s"):format(step[1], path and "the change is in " .. path
    or tostring(note)))
  return true
end

return replay_heal
