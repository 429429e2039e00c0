--- A successful run as a mission in plain Lua, which does it again with no model (init.lua).
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local lua_source = require "deskpilot.agent.lua_source"
local run_merge = require "deskpilot.replay.run_merge"
local run_steps = require "deskpilot.replay.run_steps"
local step_source = require "deskpilot.replay.step_source"
local text = require "deskpilot.base.text"

local lua_export = {}

local quoted, written = lua_source.quoted, lua_source.written

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
  .. "what is to be\n-- true then (expect); it waits for both."

-- Of a person's run there is no mission before.
local function recorded_head(self, runs)
  return ("-- Does again what a person has done in %s, with no model.\n"
    .. "-- Made by `deskpilot record`, and meant to be edited.\n--\n" .. about_steps
    .. " One without a tool only checks.\n-- How it goes: deskpilot run %s\n"
    .. "local replay = require \"deskpilot.replay\"\n\n"
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
    .. "\n-- How it goes: deskpilot run %s\n"
    .. "local replay = require \"deskpilot.replay\"\n\n"
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

-- The steps of all runs, goal by goal where a script has handed them out.
local function merged_goals(runs)
  local by_run, goals = {}, {}
  for r, run in ipairs(runs) do
    by_run[r] = step_source.by_goal(run.steps)
    if #by_run[r] ~= #by_run[1] then
      return errors.fail("unsupported", "the script has handed %d goals to an agent in %s and %d in %s: export these "
        .. "runs one by one", #by_run[1], runs[1].folder, #by_run[r], run.folder)
    end
  end
  for g in ipairs(by_run[1]) do
    local same = {}
    for r, of in ipairs(by_run) do same[r] = of[g] end
    local course, err = run_merge.course(same)
    if not course then return nil, err end
    goals[g] = course
  end
  return goals
end

local function all_steps(runs)
  if #runs == 1 then return runs[1].steps end
  local lists = {}
  for i, run in ipairs(runs) do lists[i] = run.steps end
  return run_merge.course(lists)
end

local function goals_source(self, goals)
  return ("-- What the mission's script hands to an agent, one goal after the other.\n"
    .. "local function goals(step, goal)\n%send\n"):format(step_source.goals(self, goals))
end

local function body(self, runs)
  if not self.script then
    local steps, err = all_steps(runs)
    if not steps then return nil, err end
    return ("local function steps(step)\n%send\n"):format(step_source.items(self, steps, "  "))
  end
  if #runs == 1 then return goals_source(self, step_source.by_goal(runs[1].steps)) end
  local goals, err = merged_goals(runs)
  if not goals then return nil, err end
  return goals_source(self, goals)
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
    names = {}, given = {}, tables = {}, pictures = {}, secrets = {}, secret_names = {}, number = 0, row_tables = 0,
    way_count = 0 }
  collect_secrets(self, runs)
  local done, failure = body(self, runs)
  if not done then return nil, failure end
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
