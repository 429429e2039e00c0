--- What a run has done, as the steps of a mission that does it again: read from its journal and from what it has seen.
local act_record = require "deskpilot.agent.act_record"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local replay_target = require "deskpilot.replay.target"
local rundir = require "deskpilot.agent.rundir"
local schema = require "deskpilot.base.schema"

local run_steps = {}

---@class deskpilot.run_step
---@field act string? nil where a person has marked something to be checked
---@field with table arguments, without what is pointed at and why
---@field on deskpilot.replay.target?
---@field to deskpilot.replay.target?
---@field expect deskpilot.replay.expect?
---@field crop string? file in the run's folder
---@field secret boolean? what is typed must not be written down
---@field withheld "secret"|"unknown"|nil of a person's act: what was typed was not kept at all, and why
---@field sees (fun(role: string, name: string): boolean)? whether such an element was there before it
---@field waited number? seconds after the act before, when what a person acts on was first there
---@field goal string? the path of the goal that it was done for
---@field line integer of the journal

---@class deskpilot.run_steps
---@field folder string
---@field start table the event run_start
---@field steps deskpilot.run_step[]
---@field tasks table<string, string> of goals within the run, by their paths
---@field desktop table? of a person's run: where they have worked
---@field kept table<string, string> names of values that the run has kept, by the values

-- What only looks, waits, claims or asks is nothing to be done again: steps wait for states by themselves.
local left_out = { wait = true, report_completion = true, finish = true, give_up = true, ask_user = true,
  browser_wait = true, check_page_ready = true, verify_action_result = true, take_screenshot = true,
  refresh_som_markers = true, view_previous_screenshot = true, look_closely = true, inspect_page = true,
  explore = true, memorize = true, recall = true, recall_history = true, remember = true, calculate = true,
  browser_read = true, mcp_read = true, mcp_resources = true }

-- Arguments that say why, or where in the picture of that time.
local passing = { justification = true, element = true, position = true, index = true, start = true,
  start_element = true, ["end"] = true, end_element = true, number = true }

--- In what is expected: the text that the step types.
run_steps.typed = setmetatable({}, { __name = "typed" })

--- Arguments that a person may want to change: what is typed, chosen, opened.
---@type string[]
run_steps.texts = { "text", "option", "path", "url", "value", "command" }

local text, whole = { type = "string" }, { type = "integer" }

local function object(properties, required)
  return { type = "object", properties = properties, required = required }
end

local place = object({ x = whole, y = whole }, { "x", "y" })
local element = object({ role = text, name = text, app = text, frame = text, page = { type = "boolean" },
  nth = { type = "integer", minimum = 1 }, secret = { type = "boolean" }, states = { type = "array", items = text },
  path = { type = "array", items = object({ role = text, name = text }, { "role", "name" }) } }, { "role", "name" })

local window_kind = object({ title = text, class = text, app = text, x = whole, y = whole, width = whole,
  height = whole }, { "title", "class", "x", "y", "width", "height" })

-- What act_record has written down, as whatever a journal says must be for what reads it.
local hit_schema = object { at = place, element = element, crop = text, screenshot = text,
  crop_at = { type = "array", items = whole, minItems = 2, maxItems = 2 }, window = window_kind,
  waited = { type = "number", minimum = 0 }, withheld = { enum = { "secret", "unknown" } },
  page = object({ title = text, url = text }, { "url" }),
  drop = object { at = place, element = element, window = window_kind } }

local desktop_schema = object({ kind = { enum = { "current", "private" } },
  size = { type = "array", items = whole, minItems = 2, maxItems = 2 },
  apps = { type = "array", items = { type = "array", items = text, minItems = 1 } } }, { "kind" })

local after_schema = object { value = text, states = { type = "array", items = text },
  window = object({ title = text, class = text }, { "title", "class" }) }

-- A table that fits; an empty one where it does not.
local function fitting(kind, value)
  return type(value) == "table" and schema.validate(kind, value) and value or nil
end

local function table_of(value)
  return type(value) == "table" and value or {}
end

local function arguments(event)
  local with = {}
  for key, value in pairs(table_of(event.args)) do
    if not passing[key] or key == "number" and type(value) == "string" then with[key] = value end
  end
  return with
end

-- A look as it was kept: elements with text and states, those of the page too.
local function look(folder, event)
  if not event or not rundir.is_picture(event.seen) then return nil end
  local data = json.decode(files.read(files.join(folder, event.seen)) or "")
  return type(data) == "table" and data or nil
end

local function content(thing)
  local value = thing.text or thing.value
  return type(value) == "string" and value or type(value) == "number" and tostring(value) or nil
end

-- Role, name and which of those it is, so that elements of two looks can be compared.
local function by_identity(data)
  local found, count = {}, {}
  for _, list in ipairs { table_of(data.elements), table_of(table_of(data.page).elements) } do
    for _, item in ipairs(list) do
      local thing = table_of(item)
      local key = ("%s\0%s"):format(tostring(thing.role), tostring(thing.name))
      count[key] = (count[key] or 0) + 1
      found[("%s\0%d"):format(key, count[key])] = thing
    end
  end
  return found
end

-- Whether a text may be expected again: nothing that counts, dates or names files, unless the task itself speaks of it.
local function is_stable(words, task)
  if words == "" or #words > 80 or words:find "[/\\\n]" or words:find("***", 1, true) then
    return false -- what is masked is none either
  end
  if not words:find "%d" then return true end
  return task:find(words, 1, true) ~= nil
end

local passing_roles = { ["table cell"] = true, label = true, ["tool tip"] = true, static = true, paragraph = true }

local function is_secret(thing)
  return act_record.is_secret { role = tostring(thing.role), states = table_of(thing.states) }
end

-- What has come onto the screen, or shows another text.
local function seen_change(before, after, task)
  local old, keys = by_identity(before), {}
  local now = by_identity(after)
  for key in pairs(now) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local thing, was = now[key], old[key]
    local words = content(thing)
    if was and words and words ~= content(was) and thing.role ~= "label" and is_stable(words, task)
      and not is_secret(thing) then
      return "shows", { role = thing.role, name = thing.name, text = words }
    end
  end
  for _, key in ipairs(keys) do
    local thing = now[key]
    if not old[key] and type(thing.name) == "string" and not passing_roles[thing.role]
      and is_stable(thing.name, task) then
      return "appears", { role = thing.role, name = thing.name }
    end
  end
end

local function new_states(hit, after)
  local had, fresh = {}, {}
  for _, name in ipairs(table_of(table_of(hit.element).states)) do had[name] = true end
  for _, name in ipairs(table_of(after.states)) do
    if not had[name] and (name == "checked" or name == "selected" or name == "expanded") then
      fresh[#fresh + 1] = name
    end
  end
  return #fresh > 0 and fresh or nil
end

local function new_window(hit, after, task)
  local was, now = table_of(hit.window), after.window
  if type(now) ~= "table" or now.title == was.title and now.class == was.class then return nil end
  local title = is_stable(tostring(now.title), task) and now.title or nil
  return title and { app = now.class == was.class and was.app or nil, title = title } or nil
end

local function where(data)
  local url = table_of(data.page).url
  return type(url) == "string" and replay_target.page(url) or nil
end

-- What a person has marked: what the element holds and which of its states are on, or that it is there; else the
-- window.
local function marked(hit)
  local at, window = hit.element, table_of(hit.window)
  if not at then return window.title and { window = { app = window.app, title = window.title } } or nil end
  local states = new_states({}, at)
  if at.value or states then return { value = at.value, states = states } end
  return { appears = { role = at.role, name = at.name } }
end

-- What an act has changed, as far as that may be expected of another run.
local function expectation(step, hit, after, looks, task)
  if not step.act then return marked(hit) end
  local expect = {}
  local typed = step.with.text or step.with.option
  if typed and not step.secret and after.value == typed then expect.value = typed end
  expect.states = new_states(hit, after)
  expect.window = new_window(hit, after, task)
  if not next(expect) and looks.before and looks.after then
    local here, there = where(looks.before), where(looks.after)
    if there and there ~= here then expect.page = there end
    local name, value = seen_change(looks.before, looks.after, task)
    if name then expect[name] = value end
  end
  return next(expect) and expect or nil
end

local function step_of(event, index)
  local kept = fitting(hit_schema, event.hit)
  local hit = kept or {}
  local step = { act = event.tool, with = arguments(event), goal = type(event.goal) == "string" and event.goal or nil,
    line = index, secret = table_of(hit.element).secret or nil }
  if event.tool == "check" then step.act = nil end
  if kept then
    step.withheld, step.waited = kept.withheld, kept.waited
    step.secret = step.secret or kept.withheld and true or nil
    step.on = replay_target.of(hit, false, event.tool == "check")
    if hit.drop then step.to = replay_target.of(hit, true) end
  end
  if rundir.is_picture(hit.crop) then step.crop, step.spot = hit.crop, hit.crop_at end
  if rundir.is_picture(hit.screenshot) then step.screenshot = hit.screenshot end
  return step, hit
end

local function has_end(events)
  for i = #events, 1, -1 do
    if events[i].event == "run_end" then return events[i] end
  end
end

-- The look that an event comes behind, and the one that comes after it and before the next act. Where somebody has
-- waited in between, the first of those was too early.
local function looks_around(self, events, index)
  local before, after, waited
  for i = index, 1, -1 do
    if events[i].event == "observed" then
      before = events[i]
      break
    end
  end
  for i = index + 1, #events do
    local name = events[i].event
    if name == "action" and not left_out[events[i].tool] then break end
    if name == "settled" and events[i].reason == "input" then break end -- a person has gone on before it came to rest
    if name == "action" then waited = true end
    if name == "observed" and (waited or not after) then after = events[i] end
  end
  return { before = look(self.folder, before), after = look(self.folder, after) }
end

-- Whether there was an element with that role and name.
local function sight(data)
  local found = data and by_identity(data)
  return found and function(role, name) return found[("%s\0%s\0001"):format(role, name)] ~= nil end
end

local function settled_after(events, index)
  for i = index + 1, math.min(#events, index + 3) do
    if events[i].event == "settled" then return fitting(after_schema, events[i].after) or {} end
  end
  return {}
end

--- Reads what a run has done.
---@param folder string a run directory
---@return deskpilot.run_steps? steps, deskpilot.error? err where it did not succeed, or has written too little down
function run_steps.read(folder)
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local self = { folder = folder, steps = {}, tasks = {}, kept = {}, start = events[1] or {} }
  local finish = has_end(events)
  if self.start.event ~= "run_start" then return errors.fail("invalid", "%s has no beginning of a run", folder) end
  if not finish or finish.status ~= "succeeded" and finish.status ~= "claimed" then
    return errors.fail("refused", "%s did not succeed (%s): only what worked can be done again", folder,
      finish and tostring(finish.status) or "it has no end")
  end
  local task = tostring(self.start.task or "")
  local set -- the latest value
  for i, event in ipairs(events) do
    if event.event == "recorded" then self.desktop = fitting(desktop_schema, event.desktop) end
    if event.event == "goal_start" and type(event.goal) == "string" then self.tasks[event.goal] = event.task end
    if event.event == "memory" and event.op == "set" and type(event.value) == "string" then set = event end
    if event.event == "action_result" and event.ok == true and event.tool == "extract_data" and set then
      self.kept[set.value] = tostring(set.name)
    end
    if event.event == "action_result" and event.ok == true and type(event.tool) == "string"
      and type(event.args) == "table" and not left_out[event.tool] then
      local step, hit = step_of(event, i)
      local about = task .. "\n" .. tostring(self.tasks[event.goal or ""] or "")
      local looks = looks_around(self, events, i)
      step.sees = sight(looks.before)
      step.expect = expectation(step, hit, settled_after(events, i), looks, about)
      step.kept = step.with.text and self.kept[step.with.text] or nil
      self.steps[#self.steps + 1] = step
    end
  end
  if #self.steps == 0 then return errors.fail("not_found", "%s has done nothing that could be repeated", folder) end
  return self
end

return run_steps
