--- A successful run as a mission in plain Lua, which does it again with no model (agent/replay.lua).
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lua_source = require "deskpilot.agent.lua_source"
local native = require "native.image"
local run_steps = require "deskpilot.agent.run_steps"
local shots = require "deskpilot.desk.picture.shot"
local step_merge = require "deskpilot.agent.step_merge"
local text = require "deskpilot.base.text"

local lua_export = {}

local quoted, written = lua_source.quoted, lua_source.written
local expression = lua_source.expression

local usual_patience = 10 -- seconds, the default of replay.seconds: a step that waits no longer says nothing of it

local order = { "app", "window", "title", "page", "role", "name", "nth", "focus", "picture", "spot", "at", "text",
  "value" }

-- --- parameters -----------------------------------------------------------------------------------------------------

local function slug(words)
  local name = words:lower():gsub("[^%w]+", "_"):gsub("^_+", "")
  name = text.without_end(name, "_"):sub(1, 30)
  if name == "" then return nil end
  if name:find "^%d" then name = "n" .. name end
  return lua_source.is_name(name) and name or name .. "_"
end

-- A new name for what a step types.
local function name_for(self, step, argument)
  local on = step.on or {}
  local base = on.name and slug(on.name) or slug(tostring(step.with.label or "")) or argument
  local name, count = base, 1
  while self.names[name] do
    count = count + 1
    name = ("%s_%d"):format(base, count)
  end
  self.names[name] = true
  return name
end

-- Where the mission's task has a text that its file has not: made anew for each run, so it is taken from the task then.
local function in_task(self, value)
  local task = self.task
  local from, to = task:find(value, 1, true)
  if not from or #value < 4 or self.source:find(value, 1, true) or self.script then return nil end
  local before = text.after_last(task:sub(1, from - 1), "\n")
  local after = task:sub(to + 1):match "^[^\n]*"
  local first = before ~= "" and task:find(before, 1, true)
  if not first or first ~= from - #before then return nil end
  if after == "" then after = task:sub(to + 1, to + 1) end
  local stop = after ~= "" and task:find(after, from, true)
  if stop ~= to + 1 then return nil end
  return ("original:in_task(%s, %s)"):format(quoted(before), quoted(after))
end

local function add_parameter(self, name, source, note)
  self.given[#self.given + 1] = ("  %s = %s,%s"):format(lua_source.key(name), source, note and " -- " .. note or "")
end

local notes = { unknown = "not kept, since it could not be seen whether it is a password: it is taken from that "
  .. "variable of the environment" }

local function secret_of(self, step, argument)
  local name = name_for(self, step, argument)
  add_parameter(self, name, ("replay.secret %s"):format(quoted("DESKPILOT_" .. name:upper())),
    notes[step.withheld] or "secret: it is nowhere but in that variable of the environment")
  return expression("given." .. name)
end

-- Whether a text is what was typed into a secret field, or has it in it.
local function holds_secret(self, value)
  if type(value) ~= "string" then return false end
  for secret in pairs(self.secrets) do
    if value == secret or #secret >= 4 and value:find(secret, 1, true) then return true end
  end
  return false
end

-- What stands in place of a text that was typed.
local function text_of(self, step, argument, values)
  local value = values[1]
  if step.withheld then return secret_of(self, step, argument) end
  if step.secret or holds_secret(self, value) then
    self.secret_names[value] = self.secret_names[value] or secret_of(self, step, argument)
    return self.secret_names[value]
  end
  if step.kept then return expression("step:kept " .. quoted(step.kept)) end
  local same = step_merge.is_one(values)
  local from_task = in_task(self, value)
  if self.several and same and not from_task then return value end
  local name = name_for(self, step, argument)
  add_parameter(self, name, from_task or quoted(value), not same and "another one in other runs" or nil)
  return expression("given." .. name)
end

-- --- steps ----------------------------------------------------------------------------------------------------------

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

local function target_of(self, on, step, row)
  if not on then return nil end
  local target = {}
  for key, value in pairs(on) do target[key] = value end
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
      or text_of(self, step, argument, values)
  end
  local typed = with.text or with.option
  if step.expect then
    expect = {}
    for key, value in pairs(step.expect) do expect[key] = value == run_steps.typed and typed or value end
  end
  local on, picture = target_of(self, step.on, step, row), keep_picture(self, step)
  local lines = { ("step { %s%s%s,"):format(quoted(title), step.act and ", act = " .. quoted(step.act) or "",
    next(with) and ", with = " .. written(with, order) or "") }
  if on then lines[#lines + 1] = ("on = %s,"):format(written(on, order)) end
  if step.to then lines[#lines + 1] = ("to = %s,"):format(written(step.to, order)) end
  if picture and not (on and on.picture) then lines[#lines + 1] = ("looks = %s,"):format(quoted(picture)) end
  if expect then lines[#lines + 1] = ("expect = %s,"):format(written(expect, order)) end
  local patience = math.ceil(3 * (step.waited or 0))
  if patience > usual_patience then lines[#lines + 1] = ("seconds = %d,"):format(patience) end
  if step.optional then lines[#lines + 1] = "optional = true," end
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
        fields[s][argument] = add(step.on and step.on.name and slug(step.on.name) or argument, values)
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

local function items_source(self, steps, indent)
  local parts = {}
  local items = self.several and {} or step_merge.loops(steps)
  if self.several then
    for i, step in ipairs(steps) do items[i] = { step = step } end
  end
  for i, item in ipairs(items) do parts[i] = item_source(self, item, indent) end
  return table.concat(parts)
end

-- Steps by the goals of a script, in their order.
local function by_goal(steps)
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

-- What a script's agents did: the same for each row of a list where it was the same, else goal by goal.
local function goals_source(self, goals)
  if same_shapes(goals) then
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
    parts[g] = ("  %s goal == %d then\n%s"):format(g == 1 and "if" or "elseif", g, items_source(self, goal, "    "))
  end
  return table.concat(parts) .. "  end\n"
end

-- --- the file -------------------------------------------------------------------------------------------------------

-- How the exported file names the mission.
local function original_name(start, out)
  local file = type(start.file) == "table" and start.file or {}
  if type(file.folder) ~= "string" then return tostring(start.mission) end
  local base = select(2, files.split(tostring(file.path)))
  if files.absolute(files.split(files.absolute(out))) == files.absolute(file.folder) then return base end
  return files.join(file.folder, base)
end

-- What the command line of the run said of where it works and who thinks.
local function settings_source(start)
  local flags, lines, desktop = type(start.flags) == "table" and start.flags or {}, {}, {}
  if start.script and type(flags.policy) == "string" then
    lines[1] = ("  policy = %s,\n"):format(quoted(flags.policy))
  end
  for key, value in pairs(flags) do
    local name = tostring(key):match "^desktop%.(%w+)$"
    if name == "kind" or name == "width" or name == "height" then desktop[name] = tonumber(value) or value end
  end
  if next(desktop) then lines[#lines + 1] = ("  desktop = %s,\n"):format(written(desktop)) end
  local args = type(start.args) == "table" and #start.args > 0 and start.args or nil
  if args then lines[#lines + 1] = ("  args = %s,\n"):format(written(args)) end
  return table.concat(lines)
end

local about_steps = "-- A step names its tool (act, with), what it acts on (on), what that looked like (looks), and "
  .. "what is to be\n-- true then (expect); it waits for both. "

-- Of a person's run there is no mission before.
local function recorded_head(self, runs)
  return ("-- Does again what a person has done in %s, with no model.\n"
    .. "-- Made by `deskpilot record`, and meant to be edited.\n--\n" .. about_steps
    .. "One without a tool only checks.\n-- How it goes: deskpilot run %s\n"
    .. "local replay = require \"deskpilot.agent.replay\"\n\n"
    .. "local recording = replay.recording()\n"):format(
    lua_source.comment(select(2, files.split(files.absolute(runs[1].folder)))),
    lua_source.comment(select(2, files.split(self.out))))
end

local function head(self, runs)
  if self.desktop then return recorded_head(self, runs) end
  local start, names = runs[1].start, {}
  for i, run in ipairs(runs) do names[i] = select(2, files.split(files.absolute(run.folder))) end
  return ("-- Does again what an agent has done in %s (%s), with no model.\n"
    .. "-- Made by `deskpilot export --lua`, and meant to be edited.\n--\n" .. about_steps
    .. "An optional one is left out where its target is not there.\n"
    .. "-- How it goes: deskpilot run %s\n"
    .. "local replay = require \"deskpilot.agent.replay\"\n\n"
    .. "-- The mission that was run: its applications, its hooks and its check of the end are used.\n"
    .. "local original = replay.of %s\n"):format(lua_source.comment(table.concat(names, ", ")),
    lua_source.comment(tostring(start.mission)), lua_source.comment(select(2, files.split(self.out))),
    quoted(original_name(start, self.out)))
end

local function collect_secrets(self, runs)
  for _, run in ipairs(runs) do
    for _, step in ipairs(run.steps) do
      local typed = step.secret and not step.withheld and step.with.text
      if type(typed) == "string" then self.secrets[typed] = true end
    end
  end
  -- A secret is written nowhere, also not as what something else shows.
  for _, run in ipairs(runs) do
    for _, step in ipairs(run.steps) do
      for _, value in pairs(step.expect or {}) do
        if self.secrets[value] or type(value) == "table" and (self.secrets[value.text] or self.secrets[value.name]) then
          step.expect = nil
        end
      end
    end
  end
end

local function one_mission(runs)
  for _, run in ipairs(runs) do
    if run.start.mission ~= runs[1].start.mission then
      return errors.fail("invalid", "only runs of one mission can be exported together: %s is of %s and %s of %s",
        runs[1].folder, tostring(runs[1].start.mission), run.folder, tostring(run.start.mission))
    end
  end
  return true
end

local function body(self, runs)
  local steps = runs[1].steps
  if #runs > 1 then
    local lists = {}
    for i, run in ipairs(runs) do lists[i] = run.steps end
    steps = step_merge.runs(lists)
  end
  if not self.script then return ("local function steps(step)\n%send\n"):format(items_source(self, steps, "  ")) end
  return ("-- What the mission's script hands to an agent, one goal after the other.\n"
    .. "local function goals(step, goal)\n%send\n"):format(goals_source(self, by_goal(steps)))
end

--- Makes the mission of one run, or of several of one mission.
---@param folders string[] run directories; pictures and texts are the first one's
---@param out string the file that it is to be
---@return string? source, table<string, string>|deskpilot.error pictures the files of its pictures' folder, by name
function lua_export.make(folders, out)
  local runs = {}
  for i, folder in ipairs(folders) do
    local run, err = run_steps.read(folder)
    if not run then return nil, err end
    runs[i] = run
  end
  local ok, why = one_mission(runs)
  if not ok then return nil, why end
  local start, desktop = runs[1].start, runs[1].desktop
  local self = { folder = runs[1].folder, out = out, desktop = desktop,
    script = start.script == true and not desktop, several = #runs > 1,
    task = tostring(start.task or ""), source = files.read(files.join(runs[1].folder, "mission.lua")) or "",
    names = {}, given = {}, tables = {}, pictures = {}, secrets = {}, secret_names = {}, number = 0, row_tables = 0 }
  if self.several and self.script then
    return errors.fail("unsupported", "runs of a script (%s) are exported one by one", tostring(start.mission))
  end
  collect_secrets(self, runs)
  local done = body(self, runs)
  local parts = { head(self, runs) }
  if #self.given > 0 then
    parts[#parts + 1] = ("-- What is typed and chosen. Another value for one run: deskpilot run %s -- NAME=VALUE\n"
      .. "local given = {\n%s\n}\n"):format(lua_source.comment(select(2, files.split(out))),
      table.concat(self.given, "\n"))
  end
  for _, source in ipairs(self.tables) do parts[#parts + 1] = source end
  parts[#parts + 1] = done
  parts[#parts + 1] = ("return %s {\n  %s = %s,\n%s%s%s}\n"):format(desktop
    and "recording:repeats" or "original:repeats", self.script and "goals" or "steps",
    self.script and "goals" or "steps", #self.given > 0 and "  given = given,\n" or "",
    next(self.pictures) and ("  pictures = %s,\n"):format(quoted(lua_export.pictures(select(2, files.split(out)))))
    or "", desktop and ("  desktop = %s,\n"):format(written(desktop, { "kind", "size", "apps" }))
    or settings_source(start))
  return table.concat(parts, "\n"), self.pictures
end

--- The folder of a mission's pictures, beside it.
---@param out string
---@return string
function lua_export.pictures(out)
  return text.without_end(out:gsub("%.lua$", ""), "/") .. ".pictures"
end

local private = { private = true }

--- Writes the mission and its pictures. Nothing is overwritten.
---@param folders string[]
---@param out string
---@return integer? steps how many pictures there are beside it
---@return deskpilot.error? err
function lua_export.write(folders, out)
  local folder = lua_export.pictures(out)
  if files.exists(out) or files.exists(folder) then
    return errors.fail("refused", "%s is there already, and is not overwritten: -o FILE names another",
      files.exists(out) and out or folder)
  end
  local source, pictures = lua_export.make(folders, out)
  if not source then return nil, pictures end
  if next(pictures) then
    local ok, err = files.make_folder(folder, private)
    if not ok then return nil, err end
  end
  for name, bytes in pairs(pictures) do
    local ok, err = files.write(files.join(folder, name), bytes, private)
    if not ok then return nil, err end
  end
  local ok, err = files.write(out, source, private)
  if not ok then return nil, err end
  return true
end

return lua_export
