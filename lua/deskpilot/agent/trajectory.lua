--- The trajectory of a run: what was seen, thought and done, a step for each action, as docs/trajectory.schema.json has
--- it. It is made of the events of the journal and of nothing else: while the run goes on, so that much of it lasts
--- whatever happens, and once more from the journal when it is over.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local native = require "native.image"
local rundir = require "deskpilot.agent.rundir"
local secrets = require "deskpilot.model.secrets"
local spending = require "deskpilot.agent.spending"

local trajectory = {}

--- The version of the file's format. It grows when a reader for the version before would misread it.
trajectory.version = 2

---@class deskpilot.trajectory.step
---@field step integer from 1
---@field turn integer 0 outside turns
---@field goal string? the path of a goal within the run
---@field phase string? of the policy
---@field at number seconds since the run began
---@field timestamp string? when the step began, UTC
---@field screenshot string? that the action was decided on: a file in the run's folder, or a data URL
---@field window table? that was active
---@field thinking string? what the model thought or said, or what the action was for
---@field action { tool: string, args: any, persona: string?, point: number[]?, element: table? }? missing where none
---  was done
---@field result { ok: boolean, at: number, text: string, code: string?, seconds: number?, attempts: integer?,
---  suspected: true? }?
---@field replies table[] of models: persona, content, tool_calls, seconds, request, error
---@field lookups table[]?
---@field retries table[]?

---@class deskpilot.trajectory
---@field value table as it is written
---@field open table<integer, deskpilot.trajectory.step> the step of each turn that has no action yet
---@field seen table<integer, table> of each turn: screenshot, window, phase, goal
---@field last deskpilot.trajectory.step? whose action was the latest
---@field began number? seconds since 1970
---@field written integer? bytes of the file that stay as they are
---@field ended integer? the turn that was over last
local Trajectory = {}
Trajectory.__index = Trajectory

--- A trajectory without steps.
---@param folder string the run's
---@return deskpilot.trajectory
function trajectory.new(folder)
  local _, name = files.split(files.absolute(folder))
  return setmetatable({ open = {}, seen = {}, value = { version = trajectory.version, task_id = name,
    status = "running", total_steps = 0, duration = 0, steps = json.list {},
    totals = { turns = 0, actions = 0, failed = 0, retries = 0, model_calls = 0, input_tokens = 0, output_tokens = 0,
      cost = 0 } } }, Trajectory)
end

-- "2026-11-22T17:39:26.250Z"
local function timestamp(self, at)
  local seconds = self.began and type(at) == "number" and self.began + at
  if not seconds or not (seconds >= 0 and seconds < 1e11) then return nil end
  return os.date("!%Y-%m-%dT%H:%M:%S", seconds // 1 | 0) .. (".%03dZ"):format(seconds % 1 * 1000 // 1)
end

local function seen_in(self, turn)
  self.seen[turn] = self.seen[turn] or {}
  return self.seen[turn]
end

local function new_step(self, event)
  local turn, value = event.turn or 0, self.value
  local seen = seen_in(self, turn)
  value.total_steps = value.total_steps + 1
  local step = { step = value.total_steps, turn = math.max(0, turn), goal = seen.goal, phase = self.phase,
    at = event.at or 0, timestamp = timestamp(self, event.at), screenshot = seen.screenshot, window = seen.window,
    replies = json.list {} }
  table.insert(value.steps, step)
  self.open[turn] = step
  return step
end

local function step_of(self, event)
  return self.open[event.turn or 0] or new_step(self, event)
end

-- When a run of before the field `began` began: its folder's name says so to the second.
local function began_by_name(name)
  local year, month, day, hour, minute, second = name:match "^(%d%d%d%d)(%d%d)(%d%d)T(%d%d)(%d%d)(%d%d)Z"
  if not year then return nil end
  local local_time = os.time { year = year, month = month, day = day, hour = hour, min = minute, sec = second,
    isdst = false }
  local utc = os.time(os.date("!*t", local_time) --[[@as osdateparam]])
  return local_time and utc and local_time + os.difftime(local_time, utc) or nil
end

local take = {}

function take.run_start(self, event)
  local value = self.value
  value.task_goal, value.mission, value.policy, value.model = event.task or event.mission, event.mission, event.policy,
    event.model
  value.script, value.desktop, value.deskpilot = event.script, event.desktop, event.version
  local parent = event.parent
  if type(parent) == "table" then value.parent = { run = parent.run, turn = parent.turn, kind = parent.kind } end
  self.began = event.began or began_by_name(value.task_id)
  value.started = timestamp(self, event.at)
end

function take.goal_start(self, event)
  self.value.goals = self.value.goals or json.list {}
  table.insert(self.value.goals, { goal = event.goal, task = event.task, policy = event.policy, model = event.model })
end

function take.desk_call(self, event)
  self.value.desk_calls = self.value.desk_calls or json.list {}
  table.insert(self.value.desk_calls, { at = event.at, call = event.call, target = event.target, ok = event.ok,
    result = event.text, seconds = event.seconds, where = event.where, times = event.times })
end

function take.picture(self, event)
  self.value.screenshot = rundir.is_picture(event.screenshot) and event.screenshot or nil
end

function take.turn_start(self, event)
  seen_in(self, event.turn or 0).goal = event.goal
  new_step(self, event)
  self.value.totals.turns = self.value.totals.turns + 1
end

function take.observed(self, event)
  local seen, step = seen_in(self, event.turn or 0), self.open[event.turn or 0]
  seen.screenshot, seen.window = rundir.is_picture(event.screenshot) and event.screenshot or nil, event.window
  if step then step.screenshot, step.window = seen.screenshot, seen.window end
end

function take.phase_change(self, event)
  self.phase = event.to
  local step = self.open[event.turn or 0]
  if step then step.phase = event.to end
end

-- What was done of an answer while it still came has steps by then: it belongs to the first of them.
local function step_of_reply(self, event)
  local steps, early = self.value.steps, math.tointeger(event.early) or 0
  local step = early > 0 and steps[#steps - early + 1]
  return step and step.turn == event.turn and step or step_of(self, event)
end

function take.model_reply(self, event)
  local step, totals = step_of_reply(self, event), self.value.totals
  table.insert(step.replies, { persona = event.persona, content = event.content, tool_calls = event.tool_calls,
    seconds = event.seconds, request = event.request, error = event.error })
  local words = event.thinking or event.content
  step.thinking = words ~= "" and words or nil -- of the persona that acts, which answers last
  local spent = spending.of_event(event)
  totals.model_calls = totals.model_calls + 1
  for _, name in ipairs { "input_tokens", "output_tokens", "cost" } do
    totals[name] = totals[name] + (spent[name] or 0)
  end
end

function take.lookup(self, event)
  local step = step_of(self, event)
  step.lookups = step.lookups or json.list {}
  table.insert(step.lookups, { tool = event.tool, args = event.args, ok = event.ok, result = event.text,
    pictures = event.pictures })
end

function take.retry(self, event)
  local step, totals = step_of(self, event), self.value.totals
  step.retries = step.retries or json.list {}
  table.insert(step.retries, { attempt = event.attempt, text = event.text or "", code = event.code,
    seconds = event.seconds, again = event.again == true, why = event.why })
  if event.again then totals.retries = totals.retries + 1 end
end

-- What an action was for, where its model has said nothing beside it.
local function reason_of(event, action)
  local args = type(event.args) == "table" and event.args or {}
  local words = args.justification or action.why
  return type(words) == "string" and words or nil
end

function take.action(self, event)
  self.asked = event
  self.value.totals.actions = self.value.totals.actions + 1
end

function take.action_result(self, event)
  local step, totals, asked = step_of(self, event), self.value.totals, self.asked or {}
  step.thinking = step.thinking or reason_of(event, asked)
  step.action = { tool = event.tool or "?", args = event.args, persona = asked.persona, point = event.point,
    element = event.element }
  step.result = { ok = event.ok == true, at = event.at, text = event.text or "", code = event.code,
    seconds = event.seconds, attempts = (event.attempts or 0) > 1 and event.attempts or nil }
  if not event.ok then totals.failed = totals.failed + 1 end
  self.last, self.open[event.turn or 0], self.asked = step, nil, nil
end

function take.suspected(self)
  if self.last then self.last.result.suspected = true end
end

function take.error(self, event)
  self.value.errors = self.value.errors or json.list {}
  table.insert(self.value.errors, { at = event.at or 0, name = event.name, message = event.message or "",
    code = event.code, traceback = event.traceback })
end

function take.desktop_lost(self, event)
  take.error(self, { at = event.at, name = event.event, message = event.text })
end

function take.run_end(self, event)
  local value = self.value
  value.status, value.reason, value.ended = event.status or "error", event.reason, timestamp(self, event.at)
end

--- Takes an event of the journal, or the same event as it is announced.
---@param event table
---@param masked boolean? the secrets in it are masked already
---@return boolean taken whether the trajectory is another now
function Trajectory:add(event, masked)
  if type(event.at) == "number" then self.value.duration = math.max(self.value.duration, event.at) end
  local fn = take[event.event]
  if not fn then return false end
  if not masked then
    local copy = {}
    for key, value in pairs(event) do
      if not (key == "action" and type(value) == "table") then copy[key] = value end
    end
    event = secrets.mask_all(copy)
    event.at = tonumber(("%.4f"):format(event.at)) -- as the journal has it
  end
  fn(self, event)
  return true
end

--- The trajectory of a run's events.
---@param folder string the run's
---@param events table[] as journal.read gives them
---@param lost string? what of the journal could not be read
---@return table value as it is written
function trajectory.of(folder, events, lost)
  local self = trajectory.new(folder)
  self.value.status, self.value.lost = "interrupted", lost
  for _, event in ipairs(events) do self:add(event, true) end
  return self.value
end

local most_embedded = 256 * 2 ^ 20 -- bytes of pictures: more are not put into one file

local kinds = { png = "image/png", jpg = "image/jpeg" }

-- A picture of the run as a data URL; nil where there is none. Nothing else is read, whatever a journal says.
local function embedded(folder, path)
  if not rundir.is_picture(path) then return nil end
  local bytes = files.read(files.join(folder, path))
  local kind = kinds[path:match "%.(%w+)$" or ""]
  return bytes and kind and ("data:%s;base64,%s"):format(kind, native.base64(bytes)) or nil
end

local seldom = 50 -- each save writes the whole file: of very many steps it writes a fiftieth anew at the least
local latest = 32 -- steps that are kept: more may be heard of them. Those before stay in the file as they are
local beginning = '{"steps":['

-- What stands behind the steps in the file.
local function ending(self)
  local rest = {}
  for key, item in pairs(self.value) do
    if key ~= "steps" then rest[key] = item end
  end
  return "]," .. json.encode(rest):sub(2) .. "\n"
end

-- Forgets the oldest steps.
local function drop(self, count)
  local steps = self.value.steps
  self.value.steps = json.list(table.move(steps, count + 1, #steps, 1, {}))
end

-- Saves what has changed. Steps that are in the file for good are forgotten here, so that a long run takes no more
-- memory than a short one, and no longer to save.
local function save(self, dir)
  local steps, texts = self.value.steps, {}
  for i, step in ipairs(steps) do texts[i] = json.encode(step) end
  local final = math.max(0, #steps - latest)
  local lasting = table.concat(texts, ",", 1, final) .. (final > 0 and "," or "")
  local text = lasting .. table.concat(texts, ",", final + 1) .. ending(self)
  local ok, err
  if self.written then
    ok, err = dir:save("trajectory.json", text, self.written)
  else
    ok, err = dir:save("trajectory.json", beginning .. text)
  end
  if not ok then return nil, err end
  self.written = (self.written or #beginning) + #lasting
  drop(self, final)
  return true
end

-- Nothing more is heard of a turn once the one after it is over.
local function forget(self, event)
  if self.ended and self.ended ~= event.turn then self.open[self.ended], self.seen[self.ended] = nil, nil end
  self.ended = event.turn
end

-- Puts a picture of a run into its trajectory in place of its file's name. Where they are too large together, none
-- more is read.
local function embed(folder, pictures, item)
  if not (pictures.wanted and rundir.is_picture(item.screenshot)) then return end
  pictures.bytes = pictures.bytes + files.size(files.join(folder, item.screenshot))
  if pictures.bytes <= most_embedded then item.screenshot = embedded(folder, item.screenshot) or item.screenshot end
end

local function wants_pictures(start)
  return type(start.config) == "table" and start.config["trajectory.pictures"] == "embedded"
end

-- The trajectory piece by piece: the journal is read while the file is written, and no more than the latest steps are
-- in memory.
local function put_all(self, folder, pictures, put)
  local before = beginning
  local function put_steps(keep)
    local count = #self.value.steps - keep
    for i = 1, count do
      local step = self.value.steps[i]
      embed(folder, pictures, step)
      put(before .. json.encode(step))
      before = ","
    end
    drop(self, count)
  end
  local how, err = journal.each(folder, function(event)
    if event.event == "run_start" and pictures.wanted == nil then pictures.wanted = wants_pictures(event) end
    self:add(event, true)
    if event.event == "turn_end" then forget(self, event) end
    if #self.value.steps >= 2 * latest then put_steps(latest) end
  end)
  if not how then return nil, err end
  put_steps(0)
  embed(folder, pictures, self.value)
  if pictures.bytes > most_embedded then
    return errors.fail("invalid", "the screenshots have %d MB, at most %d MB are put into trajectory.json: they stay "
      .. "files", pictures.bytes // 2 ^ 20, most_embedded // 2 ^ 20)
  end
  self.value.lost = journal.lost(how)
  put((self.value.total_steps == 0 and beginning or "") .. ending(self))
  return true
end

--- Writes the trajectory of a run from its journal, with its pictures in it where the run was told so and they are not
--- too large together. However long the run was, little of it is in memory.
---@param folder string the run's
---@param path string? another file in place of the run's trajectory.json
---@return boolean? ok, deskpilot.error? err
function trajectory.write(folder, path)
  local function write(pictures, note)
    return files.write(path or files.join(folder, "trajectory.json"), function(put)
      local self = trajectory.new(folder)
      self.value.status, self.value.note = "interrupted", note
      return put_all(self, folder, pictures, put)
    end, { private = true })
  end
  local ok, err = write { bytes = 0 }
  if errors.is(err, "invalid") then ok, err = write({ bytes = 0, wanted = false }, tostring(err)) end
  return ok, err
end

--- A listener that saves the trajectory in the run's folder every `trajectory.save_every` steps. The last save is
--- that of `write`, from the journal.
---@param dir deskpilot.rundir
---@return { every: fun(run: deskpilot.run, event: deskpilot.event) } listener
function trajectory.saver(dir)
  local self, saved, told = trajectory.new(dir.path), 0, false
  return { every = function(run, event)
    local every = run.config:get "trajectory.save_every"
    if every == 0 then return end
    self:add(event)
    if event.event == "turn_end" then forget(self, event) end
    local steps = self.value.total_steps
    local wait = math.max(every, steps // seldom)
    local due = event.event == "desktop_lost" or event.event == "turn_end" and steps - saved >= wait
    if not due then return end
    saved = steps
    local ok, err = save(self, dir)
    if not ok and not told then
      told = true
      run:note("the trajectory is not saved meanwhile: " .. tostring(err))
    end
  end }
end

return trajectory
