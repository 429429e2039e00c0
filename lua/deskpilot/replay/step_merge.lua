--- Steps that are the same but for what is typed: those of a loop, of goals that a script hands out one after the
--- other, and of several runs of one mission (run_merge.lua). From them come rows of values and parameters.
local run_steps = require "deskpilot.replay.run_steps"

local step_merge = {}

local function encoded(value)
  if type(value) ~= "table" then return tostring(value) end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for i, key in ipairs(keys) do
    local item = value[key]
    if item == nil then item = value[tonumber(key)] end
    keys[i] = key .. "=" .. encoded(item)
  end
  return "{" .. table.concat(keys, "\1") .. "}"
end

local is_text = {}
for _, name in ipairs(run_steps.texts) do is_text[name] = true end

local function is_keys(on)
  return on ~= nil and (on.focus or not (on.role or on.at or on.picture))
end

local function target_shape(on)
  if not on then return "" end
  if is_keys(on) then return "keys\1" .. tostring(on.app) end
  return encoded { on.app, on.window or "", on.role or "", on.name or "", on.page or "", on.frame or "", on.at or "",
    on.picture or "" }
end

--- What is the same of two steps that differ in their texts only.
---@param step deskpilot.run_step
---@return string
function step_merge.shape(step)
  local with = {}
  for key, value in pairs(step.with) do
    with[key] = is_text[key] and type(value) == "string" and "" or value
  end
  return table.concat({ step.act or "", encoded(with), target_shape(step.on), target_shape(step.to),
    tostring(step.secret) }, "\2")
end

-- What all tables say alike.
local function common(list)
  local first, kept = list[1], {}
  for _, other in ipairs(list) do
    if type(other) ~= "table" then return nil end
  end
  for key, value in pairs(first) do
    local same = true
    for _, other in ipairs(list) do same = same and encoded(other[key]) == encoded(value) end
    if same then kept[key] = value end
  end
  return next(kept) and kept or nil
end

local function collected(steps, key)
  local list = {}
  for i, step in ipairs(steps) do list[i] = step[key] or false end
  return list
end

-- Of what is expected: the text that was typed counts as the same, whatever it was.
local function common_expect(steps)
  local list = {}
  for i, step in ipairs(steps) do
    local copy = {}
    for key, value in pairs(step.expect or {}) do copy[key] = value end
    local typed = step.with.text or step.with.option
    if copy.value and copy.value == typed then copy.value = run_steps.typed end
    list[i] = copy
  end
  return common(list)
end

--- One step for several of the same shape. Its `texts` are, by the names of arguments, the values of each of them.
---@param steps deskpilot.run_step[]
---@return deskpilot.run_step
function step_merge.merged(steps)
  local first, merged = steps[1], {}
  for key, value in pairs(first) do merged[key] = value end
  merged.on, merged.to = common(collected(steps, "on")), common(collected(steps, "to"))
  merged.expect = common_expect(steps)
  if merged.on and merged.on.focus and not merged.on.role then merged.on.focus = nil end
  merged.texts, merged.nths = {}, {}
  for _, name in ipairs(run_steps.texts) do
    if type(first.with[name]) == "string" then
      merged.texts[name] = {}
      for i, step in ipairs(steps) do merged.texts[name][i] = step.with[name] end
    end
  end
  local differs = false
  for i, step in ipairs(steps) do
    merged.nths[i] = step.on and step.on.nth or false
    differs = differs or merged.nths[i] ~= merged.nths[1]
  end
  if not differs or is_keys(first.on) then merged.nths = nil end
  return merged
end

--- Whether a list of values is one value several times.
---@param values any[]
---@return boolean
function step_merge.is_one(values)
  for _, value in ipairs(values) do
    if value ~= values[1] then return false end
  end
  return true
end

-- How often the steps from `from` on, `length` of them, follow one another.
local function repeats(shapes, from, length)
  local count = 1
  while true do
    for i = 0, length - 1 do
      local other = shapes[from + count * length + i]
      if not other or other ~= shapes[from + i] then return count end
    end
    count = count + 1
  end
end

--- Steps with those that repeat put together: { step } or { loop = merged steps, count = how often }.
---@param steps deskpilot.run_step[]
---@return table[]
function step_merge.loops(steps)
  local shapes, items, at = {}, {}, 1
  for i, step in ipairs(steps) do shapes[i] = (step.kept or step.withheld) and i or step_merge.shape(step) end
  while at <= #steps do
    local best, times = nil, 1
    for length = 1, (#steps - at + 1) // 2 do
      local count = repeats(shapes, at, length)
      if count >= (length == 1 and 3 or 2) and count * length > (best or 0) * times then best, times = length, count end
    end
    if best then
      local loop = {}
      for i = 0, best - 1 do
        local same = {}
        for turn = 0, times - 1 do same[turn + 1] = steps[at + turn * best + i] end
        loop[i + 1] = step_merge.merged(same)
      end
      items[#items + 1] = { loop = loop, count = times }
      at = at + best * times
    else
      items[#items + 1] = { step = step_merge.merged { steps[at] } }
      at = at + 1
    end
  end
  return items
end

return step_merge
