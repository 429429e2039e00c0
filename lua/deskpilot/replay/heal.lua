--- A step of a replayed run whose target is gone, mended by one request to a model: it is shown what the target looked
--- like and the screen of now, and points at what does the same, or at what is to have the keyboard. Its window must be
--- of the same application; what is typed stays the step's. What it chose is written beside the mission as a diff.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hit_test = require "deskpilot.agent.hit_test"
local lua_source = require "deskpilot.agent.lua_source"
local native = require "native.image"
local observation = require "deskpilot.agent.observation"
local persona = require "deskpilot.agent.persona"
local pictures = require "deskpilot.agent.pictures"
local replay_aim = require "deskpilot.replay.aim"
local replay_diff = require "deskpilot.replay.diff"
local replay_keyboard = require "deskpilot.replay.keyboard"
local replay_target = require "deskpilot.replay.target"
local targets = require "deskpilot.agent.targets"
local text = require "deskpilot.base.text"
local viewpoint = require "deskpilot.agent.viewpoint"

local replay_heal = {}

-- --- the request ----------------------------------------------------------------------------------------------------

local function recorded_picture(self, step)
  local name = step.looks or step.on and step.on.picture
  local bytes = name and files.read(files.join(self.pictures, name))
  if not bytes then return nil end
  return pictures.keep(self.m, { base64 = native.base64(bytes), mime = "image/png",
    caption = "What the step acted on, as it was when it was recorded:" },
    ("screenshots/replay_%04d"):format(self.count))
end

local what = { on = "What it acted on", to = "Where it ended", keyboard = "What had the keyboard" }

local function words_of(self, step, gone, tool, why)
  local m, told = self.m, {}
  for i, part in ipairs(gone) do
    told[i] = ("%s: %s\n"):format(what[tool ~= step.act and "keyboard" or part.field],
      lua_source.written(part.target))
  end
  local words = ("%sWhy it is not found: %s\n\n%s"):format(table.concat(told), tostring(why),
    observation.describe(m.observation, true, viewpoint.space(m, "healer")))
  local ask = tool == step.act and "" or (" Point by %s at what is to have the keyboard: it is given the keyboard, and "
    .. "the step is done then."):format(tool)
  return ("THE STEP: %s, by the tool %s.%s\n\n%s"):format(m.marks:plain(step[1]), step.act, ask, m.marks:wrap(words))
end

-- The arguments of the one call that the model makes, of the tool that is offered.
local function ask(self, step, gone, tool, why)
  local m, images = self.m, {}
  images[1] = recorded_picture(self, step)
  images[#images + 1] = m.observation
  local reply, err = m:ask { persona = "healer", acts = true, system = persona.prompt "healer",
    text = words_of(self, step, gone, tool, why), tools = { tool }, images = images, temperature = 0 }
  if not reply then return nil, err end
  local call = reply.calls and reply.calls[1]
  if call and call.name == tool and call.args then return call.args end
  return errors.fail("not_found", "the model that was to mend it says: %s", text.cut(text.one_line(reply.content or
    reply.refusal or reply.unreadable or "nothing"), 300))
end

-- --- what it points at ----------------------------------------------------------------------------------------------

-- The window of what the model points at.
local function window_of(seen, number, position)
  if position then
    local frame = seen.shot.frame
    return hit_test.window(seen.windows, frame.x + position[1] * frame.width // 1000,
      frame.y + position[2] * frame.height // 1000)
  end
  for _, element in ipairs(seen.elements) do
    if number and element.number == number then
      for _, window in ipairs(seen.windows) do
        if window.pid == element.pid then return window end
      end
    end
  end
  return number and seen.page and seen.window
end

-- The arguments for what it chose in place of a part, in a window of the same application.
local function chosen_for(self, part, tool, chosen)
  local seen = self.m.observation
  local number, place = targets.given(chosen[part.element]), targets.given(chosen[part.position])
  if part.field == "on" then number = number or targets.given(chosen.index) end
  local window = window_of(seen, number, place)
  local now, app = window and replay_target.application(window), part.target.app
  if now and (not app or now:lower() == app:lower()) then
    return replay_aim.chosen(self.m.toolbox:get(tool), seen, part, number, place)
  end
  return errors.fail("refused", "the model points at %s, and the step is for a window of %s: nothing was done",
    now and "a window of " .. now or "nothing", tostring(app))
end

-- --- the step -------------------------------------------------------------------------------------------------------

-- The parts whose targets are gone, and the arguments of the others.
local function look_again(self, step, tool)
  local gone, args = {}, {}
  for key, value in pairs(step.with or {}) do args[key] = value end
  for _, part in ipairs(replay_aim.parts(step)) do
    local more = replay_aim.at(self, tool, self.m.observation, part, true)
    if not more then gone[#gone + 1] = part end
    for key, value in pairs(more or {}) do args[key] = value end
  end
  return gone, args
end

-- The tool by which the model is to point: the step's own, or for keys one that clicks; nil where none could.
local function tool_for(self, step, gone)
  local own = self.m.toolbox:get(step.act)
  if own.anywhere then return nil end
  for _, part in ipairs(gone) do
    if not replay_aim.can_point(own, part) then return #gone == 1 and replay_keyboard.pointer(self.m) or nil end
  end
  return step.act
end

-- Asks, and adds what the model points at to the arguments, or gives it the keyboard.
local function mend(self, step, gone, args, why)
  local tool = tool_for(self, step, gone)
  if not tool then return nil, why end
  local chosen, err = ask(self, step, gone, tool, why)
  if not chosen then return nil, err end
  for _, part in ipairs(gone) do
    local place, refused = chosen_for(self, part, tool, chosen)
    if not place then return nil, refused end
    if tool ~= step.act then return replay_keyboard.give(self, step, tool, place) end
    for key, value in pairs(place) do args[key] = value end
  end
  return true
end

-- What a step that was done points at now, in place of what was gone.
local function changed(step, gone, hit)
  local now = {}
  for _, part in ipairs(gone) do
    now[part.field] = hit and replay_target.of(hit, part.field == "to")
    step[part.field] = now[part.field] or step[part.field]
  end
  return now
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
  if not tool then return nil, why end
  local gone, args = look_again(self, step, tool)
  if #gone > 0 then
    local ok, err = mend(self, step, gone, args, why)
    if not ok then return nil, err end
  end
  local result = m:act { tool = step.act, args = args, why = step[1], persona = #gone > 0 and "healer" or nil }
  if not result.ok then return nil, errors.new("refused", "%s", result.text) end
  local now = changed(step, gone, result.hit)
  if not next(now) then return true end
  local path, note = replay_diff.add(self, line, now)
  m:note(("the step %q was mended by a model: %s"):format(step[1], path and "the change is in " .. path
    or tostring(note)))
  return true
end

return replay_heal
