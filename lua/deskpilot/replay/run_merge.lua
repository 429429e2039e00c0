--- Several runs of one mission as one course of steps: what all did is one step, with what was typed in each of them;
--- where they differ there are ways, between which the screen decides, or a choice, which is a parameter.
local errors = require "deskpilot.base.errors"
local step_merge = require "deskpilot.replay.step_merge"

local run_merge = {}

---@class deskpilot.run_ways runs have gone different ways here
---@field ways deskpilot.run_step[][] in the order of the runs; each begins with a step whose target tells it
---@field otherwise deskpilot.run_step[]? the way that no target tells
---@field next deskpilot.run_step? the step after it, where some runs did nothing here
---@field last boolean? some runs did nothing here, and no step comes after it

-- --- what all have done ---------------------------------------------------------------------------------------------

-- The longest common part of two lists, as pairs of places.
local function common(a, b)
  local length = {}
  for i = #a + 1, 1, -1 do
    length[i] = {}
    for j = #b + 1, 1, -1 do
      if i > #a or j > #b then length[i][j] = 0
      elseif a[i] == b[j] then length[i][j] = length[i + 1][j + 1] + 1
      else length[i][j] = math.max(length[i + 1][j], length[i][j + 1]) end
    end
  end
  local found, i, j = {}, 1, 1
  while i <= #a and j <= #b do
    if a[i] == b[j] then
      found[#found + 1] = { i, j }
      i, j = i + 1, j + 1
    elseif length[i + 1][j] >= length[i][j + 1] then i = i + 1
    else j = j + 1 end
  end
  return found
end

local function shapes_of(steps)
  local shapes = {}
  for i, step in ipairs(steps) do shapes[i] = step_merge.shape(step) end
  return shapes
end

-- The steps that all runs have in the same order: of each its place in every run.
local function anchors_of(runs)
  local anchors, shapes = {}, shapes_of(runs[1])
  for i in ipairs(runs[1]) do anchors[i] = { i } end
  for r = 2, #runs do
    local kept, kept_shapes = {}, {}
    for k, pair in ipairs(common(shapes, shapes_of(runs[r]))) do
      kept[k], kept_shapes[k] = anchors[pair[1]], shapes[pair[1]]
      kept[k][r] = pair[2]
    end
    anchors, shapes = kept, kept_shapes
  end
  return anchors
end

-- --- where they differ ----------------------------------------------------------------------------------------------

local function copied(step, changes)
  local copy = {}
  for key, value in pairs(step) do copy[key] = value end
  for key, value in pairs(changes) do copy[key] = value end
  return copy
end

-- A step without the name of its target, and without its key: what is left when these are a person's choice.
local function anonymous(step)
  local with, on = {}, {}
  for key, value in pairs(step.with) do with[key] = key ~= "label" and key ~= "key" and value or nil end
  for key, value in pairs(step.on or {}) do on[key] = key ~= "name" and key ~= "nth" and value or nil end
  return copied(step, { with = with, on = step.on and on })
end

-- Whether each of them could have been done in each run: all their targets were there in all of them.
local function was_free(steps)
  for _, step in ipairs(steps) do
    for _, other in ipairs(steps) do
      local on = other.on or {}
      if on.role and not on.focus and on.name ~= (step.on or {}).name
        and not (step.sees and step.sees(on.role, on.name)) then
        return false
      end
    end
  end
  return true
end

-- One step for all runs, where they have only chosen something else of what all of them had; its `names` and its
-- `texts.key` are the choices.
local function chosen(steps)
  local shape = step_merge.shape(anonymous(steps[1]))
  local names, keys = {}, {}
  for i, step in ipairs(steps) do
    if step_merge.shape(anonymous(step)) ~= shape or step.secret or step.to then return nil end
    names[i], keys[i] = step.on and step.on.name or "", step.with.key or ""
  end
  if not was_free(steps) then return nil end
  local merged = step_merge.merged(steps)
  if not step_merge.is_one(names) then merged.names = names end
  if not step_merge.is_one(keys) then merged.texts.key = keys end
  return merged
end

-- The steps of what was done, where runs have made other choices one by one; nil where they have gone other ways.
local function choices(sequences)
  local steps = {}
  for i = 1, #sequences[1] do
    local same = {}
    for r, sequence in ipairs(sequences) do
      if #sequence ~= #sequences[1] then return nil end
      same[r] = sequence[i]
    end
    steps[i] = chosen(same)
    if not steps[i] then return nil end
  end
  return #steps > 0 and steps or nil
end

-- The sequences, those that are alike put together.
local function grouped(sequences)
  local ways, by_shape, none = {}, {}, false
  for _, sequence in ipairs(sequences) do
    local shape = table.concat(shapes_of(sequence), "\3")
    if #sequence == 0 then none = true
    elseif by_shape[shape] then table.insert(by_shape[shape], sequence)
    else
      by_shape[shape] = { sequence }
      ways[#ways + 1] = by_shape[shape]
    end
  end
  return ways, none
end

local function merged_way(sequences)
  local steps = {}
  for i in ipairs(sequences[1]) do
    local same = {}
    for s, sequence in ipairs(sequences) do same[s] = sequence[i] end
    steps[i] = step_merge.merged(same)
  end
  return steps
end

local function undecidable(step)
  return errors.fail("unsupported", "the runs differ where nothing on the screen tells which way to go (%s in one of "
    .. "them only): export them one by one", tostring(step.act))
end

local function ways_of(sequences, next_)
  local item = { ways = {} }
  local groups, none = grouped(sequences)
  for _, group in ipairs(groups) do
    local way = merged_way(group)
    if way[1].on then item.ways[#item.ways + 1] = way
    elseif none or item.otherwise then return undecidable(way[1])
    else item.otherwise = way end
  end
  if none then
    item.next, item.last = next_, next_ == nil or nil
    if next_ and not next_.on then return undecidable(next_) end
  end
  return item
end

--- Puts the steps of several runs together.
---@param runs deskpilot.run_step[][]
---@return (deskpilot.run_step|deskpilot.run_ways)[]? course
---@return deskpilot.error? err code "unsupported"
function run_merge.course(runs)
  local course, before = {}, {}
  local anchors = anchors_of(runs)
  for a = 1, #anchors + 1 do
    local anchor, sequences, any, same = anchors[a], {}, false, {}
    for r, steps in ipairs(runs) do
      local to = anchor and anchor[r] or #steps + 1
      sequences[r] = table.move(steps, (before[r] or 0) + 1, to - 1, 1, {})
      any, same[r], before[r] = any or #sequences[r] > 0, steps[to], to
    end
    local step = anchor and step_merge.merged(same)
    local found = any and choices(sequences)
    if found then table.move(found, 1, #found, #course + 1, course)
    elseif any then
      local item, err = ways_of(sequences, step)
      if not item then return nil, err end
      course[#course + 1] = item
    end
    course[#course + 1] = step or nil
  end
  return course
end

return run_merge
