--- What was seen in a run, kept beside each screenshot, and given again to a run that has no desktop (`deskpilot
--- rerun`): its looks are the recorded ones, and an action has the result that it had then.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local native = require "native.image"
local rundir = require "deskpilot.agent.rundir"
local schema = require "deskpilot.base.schema"
local shots = require "deskpilot.desk.picture.shot"
local toolbox = require "deskpilot.agent.toolbox"
local unchanged = require "deskpilot.agent.unchanged"

local recording = {}

local deepest = 8

-- Plain data of a value; what else is in it is left out. States that are off say nothing, but for `enabled`.
local function plain(value, depth)
  local kind = type(value)
  if kind == "string" or kind == "boolean" then return value end
  if kind == "number" then return value == value and math.abs(value) < math.huge and value or nil end
  if kind ~= "table" or depth > deepest then return nil end
  local copy = #value > 0 and json.list() or {}
  for key, item in pairs(value) do
    if type(key) == "string" and #value == 0 or math.type(key) == "integer" and #value > 0 then
      copy[key] = plain(item, depth + 1)
    end
  end
  return copy
end

local function element_of(element)
  local copy = { states = {} }
  for key, value in pairs(element) do
    if key ~= "handle" and key ~= "states" then
      copy[key] = (type(value) == "string" or math.type(value) == "integer") and value or plain(value, 2)
    end
  end
  for name, on in pairs(element.states or {}) do
    if on or name == "enabled" then copy.states[name] = on end
  end
  return copy
end

local function elements_of(seen)
  local list = json.list()
  for i, element in ipairs(seen.elements) do list[i] = element_of(element) end
  return list
end

-- What is kept of an observation.
local function kept_of(seen)
  local shot = seen.shot
  return { area = shot.area, frame = shot.frame, width = shot.width, height = shot.height, format = seen.format,
    mime = seen.mime, screen = seen.screen, window = seen.window, dialog = seen.dialog, page = seen.page,
    missing = seen.missing, elements = seen.elements, unlisted = seen.unlisted }
end

--- Saves what an observation holds beside its picture, unless it is the same as the one before.
---@param run deskpilot.run
---@param seen deskpilot.observation
---@param picture string the picture's name in the run's folder
---@return string? name of the file in the run's folder
---@return deskpilot.error? err
function recording.save(run, seen, picture)
  local now, last = kept_of(seen), run.recorded
  if last and unchanged.same(now, last.kept) then return last.name end
  local data = {}
  for key, value in pairs(now) do
    if key ~= "elements" then data[key] = plain(value, 1) end
  end
  data.missing, data.elements = json.list(data.missing), elements_of(seen)
  local name = picture:gsub("%.%w+$", ".json")
  local saved, err = run.dir:save_json(name, data)
  if not saved then return nil, err end
  run.recorded = { kept = now, name = name }
  return name
end

---@class deskpilot.recording
---@field folder string
---@field looks table<integer, table[]> the `observed` events of each turn
---@field results table[] the `action_result` and `lookup` events; `kept` are the values that each has put into the
---  run's memory
---@field last integer the number of the last turn that was looked at
local Recording = {}
Recording.__index = Recording

--- Opens what a run has recorded.
---@param folder string a run directory
---@return deskpilot.recording? recording, deskpilot.error? err
function recording.open(folder)
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local self = setmetatable({ folder = folder, looks = {}, results = {}, last = 0, lost = journal.lost(how) },
    Recording)
  local kept = {}
  for _, event in ipairs(events) do
    if event.event == "run_start" then self.start = self.start or event end
    if event.event == "memory" and event.op == "set" then kept[#kept + 1] = event end
    if event.event == "observed" and event.screen and rundir.is_picture(event.seen) and event.turn then
      local of_turn = self.looks[event.turn] or {}
      self.looks[event.turn] = of_turn
      of_turn[#of_turn + 1] = event
      self.first, self.last = self.first or event.turn, math.max(self.last, event.turn)
    elseif event.event == "action_result" or event.event == "lookup" then
      event.kept, kept = kept, {}
      self.results[#self.results + 1] = event
    end
  end
  if not self.start or not self.first then
    return errors.fail("not_found", "%s has no recorded observations to run on", folder)
  end
  return self
end

--- The size of the desktop that was recorded.
function Recording:size()
  local screen = self.looks[self.first][1].screen
  return screen.x + screen.width, screen.y + screen.height
end

local number = { type = "number" }
local rect = { type = "object", properties = { x = number, y = number, width = number, height = number },
  required = { "x", "y", "width", "height" } }
local objects = { type = "array", items = { type = "object" } }

-- What a file that `save` has made must be for what reads it.
local kept = { type = "object", required = { "area", "frame", "elements", "width", "height" }, properties = {
  area = rect, frame = rect, width = { type = "integer", minimum = 1 }, height = { type = "integer", minimum = 1 },
  format = { type = "string" }, mime = { type = "string" }, screen = rect, unlisted = { type = "integer" },
  window = { type = "object" }, dialog = { type = "object" },
  page = { type = "object" }, elements = objects, missing = { type = "array", items = { type = "string" } } } }

-- The places of elements are those in the list that was kept, which is not all that there was. What lies around an
-- element comes before it, or whoever goes upward might never arrive.
local function placed(elements)
  local places = {}
  for i, element in ipairs(elements) do
    local around = places[element.parent or false]
    places[element.index or false] = i
    element.parent, element.index = around, i
  end
  return elements
end

-- The observation of an `observed` event.
local function look_of(self, event)
  local path = files.join(self.folder, event.seen)
  local data = json.decode(files.read(path) or "")
  local ok, why = schema.validate(kept, data)
  if not ok then return errors.fail("protocol", "%s cannot be used: %s", path, why) end
  if not rundir.is_picture(event.screenshot) then
    return errors.fail("protocol", "the journal names no picture of %s", self.folder)
  end
  local bytes, err = files.read(files.join(self.folder, event.screenshot))
  if not bytes then return nil, err end
  return { shot = shots.encoded(bytes, data, { area = data.area, frame = data.frame }), bytes = bytes,
    format = data.format, mime = data.mime, base64 = native.base64(bytes), screen = data.screen, window = data.window,
    dialog = data.dialog, page = data.page, elements = placed(data.elements), unlisted = data.unlisted,
    missing = data.missing or {} }
end

-- The event of the turn's next look; of one look more than were recorded the last.
local function next_look(self, turn)
  local of_turn = self.looks[turn]
  if not of_turn then return nil end
  local times = self.turn == turn and self.times + 1 or 1
  self.turn, self.times = turn, times
  return of_turn[math.min(times, #of_turn)]
end

--- The recorded look of the run's turn. Where there is none, the run ends.
---@param run deskpilot.run
---@return deskpilot.observation? observation, deskpilot.error? err
function Recording:take(run)
  local event = next_look(self, run.turn)
  if not event then
    local words = ("the recorded run has no turn %d"):format(run.turn)
    run:stop("incomplete", words .. ": what comes after it can only be tried on a desktop")
    return errors.fail("not_found", "%s", words)
  end
  self.acted = false
  local seen, err = look_of(self, event)
  if seen then self.now = seen end
  return seen, err
end

-- What a policy sees that looks again: after an action the next recorded look, if there is one.
local function present(self)
  if self.acted and not self.later then
    local turn = self.looks[self.turn + 1]
    self.later = turn and look_of(self, turn[1]) or self.now
  elseif not self.acted then
    self.later = nil
  end
  return self.later or self.now or { elements = {} }
end

--- The desktop with what was recorded in place of its windows and elements.
---@param desk deskpilot.desk one that is imagined
---@return deskpilot.desk
function Recording:desk(desk)
  local function over(part, functions) return setmetatable(functions, { __index = part }) end
  return setmetatable({
    elements = over(desk.elements, { list = function() return present(self).elements end }),
    windows = over(desk.windows, { active = function() return present(self).window end }),
  }, { __index = desk })
end

local function same_args(a, b)
  local function words(args)
    local copy = {}
    for key, value in pairs(type(args) == "table" and args or {}) do copy[key] = value end
    copy.justification = nil
    return json.encode(copy)
  end
  return words(a) == words(b)
end

-- The result that the same call had in the same turn.
local function result_of(self, turn, name, args)
  for _, result in ipairs(self.results) do
    if not result.replayed and result.turn == turn and result.tool == name and same_args(result.args, args) then
      result.replayed = true
      return result
    end
  end
end

-- The pictures that a tool has given.
local function pictures_of(self, known)
  local list = {}
  for _, path in ipairs(type(known.pictures) == "table" and known.pictures or {}) do
    local bytes = rundir.is_picture(path) and files.read(files.join(self.folder, path))
    if bytes then
      list[#list + 1] = { base64 = native.base64(bytes), mime = path:find "%.png$" and "image/png" or "image/jpeg" }
    end
  end
  return #list > 0 and list or nil
end

--- The tools, of which none is run but those that end the work. What one has put into the memory is there again.
---@param box deskpilot.toolbox
---@return deskpilot.toolbox
function Recording:toolbox(box)
  return setmetatable({ only = function(_, names)
    local part, err = box:only(names)
    if not part then return nil, err end
    return self:toolbox(part)
  end, scope = function(_, wanted)
    return self:toolbox(box:scope(wanted))
  end, with = function(_, tools)
    return self:toolbox(box:with(tools))
  end, run = function(_, name, ctx, args)
    local tool = box:get(name)
    if tool and toolbox.ends(tool) then return box:run(name, ctx, args) end
    self.acted = self.acted or not (tool and tool.looks)
    local known = result_of(self, ctx.run.turn, name, args)
    if not known then
      ctx.run:note(("the recorded run did not do this in turn %d: %s(%s)"):format(ctx.run.turn, name,
        json.encode(args)))
      return { text = name .. " was not done: this run has no desktop" }
    end
    for _, value in ipairs(known.kept) do ctx.run.memory:set(tostring(value.name), tostring(value.value)) end
    if known.ok then return { text = known.text or "done", data = known.data, pictures = pictures_of(self, known) } end
    return errors.fail(known.code or "io", "%s", tostring(known.text))
  end }, { __index = box })
end

return recording
