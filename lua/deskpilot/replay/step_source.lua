--- The source of an exported mission's steps.
local files = require "deskpilot.base.files"
local lua_source = require "deskpilot.agent.lua_source"
local native = require "native.image"
local run_steps = require "deskpilot.replay.run_steps"
local shots = require "deskpilot.desk.picture.shot"
local step_merge = require "deskpilot.replay.step_merge"
local step_parameters = require "deskpilot.replay.step_parameters"
local text = require "deskpilot.base.text"

local step_source = {}

local quoted, written = lua_source.quoted, lua_source.written
local expression = lua_source.expression

local usual_patience = 10 -- seconds, the default of replay.seconds: a step that waits no longer says nothing of it

local order = { "app", "window", "title", "page", "role", "name", "nth", "focus", "picture", "spot", "at", "text",
  "value" }

local function title_of(self, step)
  self.number = self.number + 1
  local on = step.on or {}
  local what = on.focus and "" or on.name and on.name ~= "" and ' "' .. text.cut(text.one_line(on.name), 60) .. '"'
    or on.role and " " .. on.role or ""
  local act = step.act or "check"
  if what == "" and step.with.key then what = " " .. tostring(step.with.key) end
  return ("%02d %s%s"):format(self.number, act:gsub("_", " "), what)
end

-- The picture of a step's place goes into the folder of pictures.
local function keep_picture(self, step)
  if not step.crop then return nil end
  local bytes = files.read(files.join(self.folder, step.crop))
  if not bytes then return nil end
  local name = ("%02d.png"):format(self.number)
  self.pictures[name] = bytes
  return name
end

-- Whether the picture of a place shows in the screenshot of that time just once: then it can be
-- looked for. (A screenshot that was made smaller cannot tell.)
local function is_unique(self, step)
  local bytes = step.screenshot and files.read(files.join(self.folder, step.screenshot))
  local crop = step.crop and files.read(files.join(self.folder, step.crop))
  local whole, part = bytes and native.load(bytes), crop and native.load(crop)
  if not (whole and part) then return false end
  local width, height = whole:size()
  local shot = shots.new(whole, { x = 0, y = 0, width = width, height = height }, {})
  local hits = shot:find_all(part, { min_score = 0.95, max = 2 })
  return hits ~= nil and #hits == 1
end

local function target_of(self, on, step, row, with)
  if not on then return nil end
  local target = {}
  for key, value in pairs(on) do target[key] = value end
  if step.names then
    target.name = step_parameters.choice(self, step)
    if with.label == step.names[1] then with.label = target.name end
  end
  if not target.nth and row and row.nth then target.nth = expression("row." .. row.nth) end
  if target.at and step.crop and is_unique(self, step) then
    target.picture, target.spot = ("%02d.png"):format(self.number), step.spot
  end
  return target
end

-- A step's source. `row`: the names of the fields of a loop's row, by the arguments.
local function source_of(self, step, indent, row)
  local title = title_of(self, step)
  local with, expect = {}, nil
  for key, value in pairs(step.with) do with[key] = value end
  for argument, values in pairs(step.texts) do
    with[argument] = row and row[argument] and expression("row." .. row[argument])
      or step_parameters.text(self, step, argument, values)
  end
  local typed = with.text or with.option
  if step.expect then
    expect = {}
    for key, value in pairs(step.expect) do expect[key] = value == run_steps.typed and typed or value end
  end
  local on, picture = target_of(self, step.on, step, row, with), keep_picture(self, step)
  local lines = { ("step { %s%s%s,"):format(quoted(title), step.act and ", act = " .. quoted(step.act) or "",
    next(with) and ", with = " .. written(with, order) or "") }
  if on then lines[#lines + 1] = ("on = %s,"):format(written(on, order)) end
  if step.to then lines[#lines + 1] = ("to = %s,"):format(written(step.to, order)) end
  if picture and not (on and on.picture) then lines[#lines + 1] = ("looks = %s,"):format(quoted(picture)) end
  if expect then lines[#lines + 1] = ("expect = %s,"):format(written(expect, order)) end
  local patience = math.ceil(3 * (step.waited or 0))
  if patience > usual_patience then lines[#lines + 1] = ("seconds = %d,"):format(patience) end
  lines[#lines] = text.without_end(lines[#lines], ",")
  for i = 2, #lines do lines[i] = indent .. "  " .. lines[i] end
  lines[1] = indent .. lines[1]
  return table.concat(lines, "\n") .. " }\n"
end

-- The rows of a loop's values, as a local table, and for each step the names of its fields.
local function rows_of(self, steps, count, values_of)
  local fields, rows, any = {}, {}, false
  for i = 1, count do rows[i] = {} end
  local taken = {}
  local function add(base, values)
    local name, number = base, 1
    while taken[name] do
      number = number + 1
      name = ("%s_%d"):format(base, number)
    end
    taken[name], any = true, true
    for i = 1, count do rows[i][name] = values[i] or nil end
    return name
  end
  for s, step in ipairs(steps) do
    fields[s] = {}
    for argument, values in pairs(values_of and values_of(step) or step.texts) do
      if not step_merge.is_one(values) and not step.secret then
        fields[s][argument] = add(step.on and step.on.name and step_parameters.slug(step.on.name) or argument, values)
      end
    end
    if step.nths then fields[s].nth = add("nth", step.nths) end
  end
  if not any then return nil, fields end
  self.row_tables = self.row_tables + 1
  local name, lines = self.row_tables == 1 and "rows" or "rows_" .. self.row_tables, {}
  for i, row in ipairs(rows) do lines[i] = ("  %s,\n"):format(written(row, order)) end
  self.tables[#self.tables + 1] = ("local %s = {\n%s}\n"):format(name, table.concat(lines))
  return name, fields
end

local function item_source(self, item, indent)
  if item.step then return source_of(self, item.step, indent) end
  local name, fields = rows_of(self, item.loop, item.count)
  local lines = { name and ("%sfor _, row in ipairs(%s) do\n"):format(indent, name)
    or ("%sfor _ = 1, %d do\n"):format(indent, item.count) }
  for i, step in ipairs(item.loop) do lines[i + 1] = source_of(self, step, indent .. "  ", fields[i]) end
  return table.concat(lines) .. indent .. "end\n"
end

local function steps_source(self, steps, indent)
  local parts = {}
  for i, step in ipairs(steps) do parts[i] = source_of(self, step, indent) end
  return table.concat(parts)
end

-- Where runs have gone different ways: what each begins with, and what comes next where some did nothing.
local function ways_source(self, item, indent)
  self.way_count = self.way_count + 1
  local name, targets, branches = self.way_count == 1 and "way" or "way_" .. self.way_count, {}, {}
  for i, way in ipairs(item.ways) do
    branches[i] = ("%s%s %s == %d then\n%s"):format(indent, i == 1 and "if" or "elseif", name, i,
      steps_source(self, way, indent .. "  "))
    targets[i] = ("%s  %s,\n"):format(indent, written(way[1].on, order))
  end
  if item.next then targets[#targets + 1] = ("%s  %s, -- goes on\n"):format(indent, written(item.next.on, order)) end
  if item.otherwise then
    branches[#branches + 1] = ("%selse\n%s"):format(indent, steps_source(self, item.otherwise, indent .. "  "))
  end
  return ("%s-- Here the runs differ, and what is on the screen decides.\n%slocal %s = step:first_of({\n%s%s}%s)\n"
    .. "%s%send\n"):format(indent, indent, name, table.concat(targets), indent,
    (item.last or item.otherwise) and ", 0" or "", table.concat(branches), indent)
end

--- The source of what was done in its order.
---@param self table what lua_export.make works on
---@param steps deskpilot.run_step[]|(deskpilot.run_step|deskpilot.run_ways)[] of one run, or of several
---@param indent string
---@return string
function step_source.items(self, steps, indent)
  local parts = {}
  for i, item in ipairs(self.several and steps or step_merge.loops(steps)) do
    if item.ways then parts[i] = ways_source(self, item, indent)
    elseif self.several then parts[i] = source_of(self, item, indent)
    else parts[i] = item_source(self, item, indent) end
  end
  return table.concat(parts)
end

--- Steps by the goals of a script, in their order.
---@param steps deskpilot.run_step[]
---@return deskpilot.run_step[][]
function step_source.by_goal(steps)
  local goals, of = {}, {}
  for _, step in ipairs(steps) do
    local path = step.goal or ""
    if not of[path] then
      of[path] = {}
      goals[#goals + 1] = of[path]
    end
    table.insert(of[path], step)
  end
  return goals
end

local function same_shapes(goals)
  for _, goal in ipairs(goals) do
    if #goal ~= #goals[1] then return false end
    for i, step in ipairs(goal) do
      if step_merge.shape(step) ~= step_merge.shape(goals[1][i]) then return false end
    end
  end
  return #goals > 1
end

--- What a script's agents did: the same for each row of a list where it was the same, else goal by goal.
---@param self table what lua_export.make works on
---@param goals (deskpilot.run_step|deskpilot.run_ways)[][]
---@return string
function step_source.goals(self, goals)
  if not self.several and same_shapes(goals) then
    local merged = {}
    for i in ipairs(goals[1]) do
      local same = {}
      for g, goal in ipairs(goals) do same[g] = goal[i] end
      merged[i] = step_merge.merged(same)
    end
    local name, fields = rows_of(self, merged, #goals)
    local parts = { name and ("  local row = %s[goal]\n"):format(name) or "" }
    for i, step in ipairs(merged) do parts[i + 1] = source_of(self, step, "  ", fields[i]) end
    return table.concat(parts)
  end
  local parts = {}
  for g, goal in ipairs(goals) do
    parts[g] = ("  %s goal == %d then\n%s"):format(g == 1 and "if" or "elseif", g,
      step_source.items(self, goal, "    "))
  end
  return table.concat(parts) .. "  end\n"
end

return step_source
