--- Finds the profiles of applications: files deskpilot/apps/NAME.lua in the mission's, the project's and the user's
--- folder, then the shipped ones. They are data and are never run. profile.lua defines their fields.
local app_profile = require "deskpilot.desk.app.profile"
local errors = require "deskpilot.base.errors"
local lookup = require "deskpilot.base.lookup"
local text = require "deskpilot.base.text"

local app_profiles = {}

local parsed = {} -- name of the file -> { source, where, profile }
local known -- the profiles of the latest load(), sorted by their files' names
local timed = {} -- the names of the times that any of them has

-- The profile of one file. It is parsed again only if its text has changed. `ships`: as for lookup.load.
local function read(id, ships)
  local source, where = lookup.data("apps", id, ships)
  if not source then return nil, where end
  local was = parsed[id]
  if was and was.source == source and was.where == where then return was.profile end
  local profile, err = app_profile.read(id, source, where)
  if profile == nil then return nil, err end
  parsed[id] = { source = source, where = where, profile = profile }
  return profile
end

--- Reads all profiles again. Invalid files are left out.
---@return deskpilot.app_profile[] profiles of applications that have a program on this system
---@return deskpilot.error[] problems one for each invalid file
function app_profiles.load()
  local problems = {}
  known, timed = {}, {}
  local ids, own = lookup.list("apps")
  for _, id in ipairs(ids) do
    local profile, err = read(id, not own[id])
    if profile then
      known[#known + 1] = profile
      for time in pairs(profile.timing or {}) do timed[time] = true end
    elseif err then problems[#problems + 1] = err end
  end
  return known, problems
end

-- Names are compared without regard to case, spaces and punctuation.
local function plain(name)
  return (name:lower():gsub("[^%w\128-\255]", ""))
end

local function names_of(profile)
  local names = { profile.id, profile.name }
  local binaries = type(profile.binary) == "table" and profile.binary or { profile.binary }
  for _, binary in ipairs(binaries) do
    names[#names + 1] = text.after_last(binary, "/\\"):gsub("%.[Ee][Xx][Ee]$", "")
  end
  return names
end

--- What an application goes by: its usual name, that of its profile's file, and its programs.
---@param profile deskpilot.app_profile
---@return string[]
function app_profiles.names(profile)
  local names = names_of(profile)
  names[1], names[2] = names[2], names[1]
  return names
end

-- The error for an unknown name. If a file of that name is invalid, its problem is the error.
local function unknown(name, profiles, problems)
  for _, problem in ipairs(problems) do
    if problem.message:find("[/\\]" .. plain(name):gsub("%p", "%%%0") .. "%.lua") then return nil, problem end
  end
  local names = {}
  local called = {}
  for i, profile in ipairs(profiles) do
    names[i], called[2 * i - 1], called[2 * i] = profile.name, profile.name, profile.id
  end
  local nearest = text.nearest(name, called)
  return errors.fail("not_found", "%s", ("there is no profile of an application named '%s'%s There are %s"):format(
    text.cut(text.one_line(name), 80), nearest and ("; did you mean '%s'?"):format(nearest) or ".", text.join(names)))
end

--- The profile with that name: its file's, the application's usual name, or its program's. All files are read again.
---@param name string
---@return deskpilot.app_profile? profile, deskpilot.error? err code "not_found"; the message has the nearest names
function app_profiles.find(name)
  local profiles, problems = app_profiles.load()
  local wanted = plain(name)
  for rank = 1, 8 do -- a match with a file's name goes before one with another profile's usual name or program
    for _, profile in ipairs(profiles) do
      local own = names_of(profile)[rank]
      if own and plain(own) == wanted then return profile end
    end
  end
  return unknown(name, profiles, problems)
end

--- Whether any profile has one of these times. Uses the profiles of the latest load().
---@param names string[]
---@return boolean
function app_profiles.have_timing(names)
  if not known then app_profiles.load() end
  for _, name in ipairs(names) do
    if timed[name] then return true end
  end
  return false
end

-- Asked several times in each turn, mostly about the same window: what was found last, and of what.
local found = {}

--- The profile that fits a window best. Uses the profiles of the latest load().
---@param window deskpilot.window
---@return deskpilot.app_profile? profile nil where none fits
function app_profiles.of_window(window)
  if not known then app_profiles.load() end
  if found.among == known and found.class == window.class and found.executable == window.executable
    and found.title == window.title then
    return found.best
  end
  local best, most
  for _, profile in ipairs(known) do
    local fit = app_profile.fit(profile, window)
    if fit and (not most or fit > most) then best, most = profile, fit end
  end
  found = { among = known, class = window.class, executable = window.executable, title = window.title, best = best }
  return best
end

-- --- descriptions -----------------------------------------------------------------------------------

--- Describes a window's application for a model: its name, its shortcuts and its hints.
---@param window deskpilot.window
---@return string description "" where it has no profile
function app_profiles.about(window)
  local profile = app_profiles.of_window(window)
  if not profile then return "" end
  local lines = { ("APPLICATION: %s, %s."):format(profile.name, profile.about) }
  local keys = {}
  for _, what in ipairs(text.keys(profile.shortcuts or {})) do
    keys[#keys + 1] = ("%s %s"):format(what:gsub("_", " "), profile.shortcuts[what])
  end
  if #keys > 0 then lines[#lines + 1] = "Shortcuts: " .. table.concat(keys, ", ") .. "." end
  if profile.hints then lines[#lines + 1] = text.one_line(profile.hints) end
  return table.concat(lines, "\n")
end

--- Lists for a model the applications that can be opened by name: those with a profile that are installed.
---@return string list "" if there are none
function app_profiles.overview()
  local parts = {}
  for _, profile in ipairs(app_profiles.load()) do
    if app_profile.program(profile) then parts[#parts + 1] = ("%s (%s)"):format(profile.name, profile.about) end
  end
  return #parts > 0 and "APPLICATIONS THAT CAN BE OPENED: " .. table.concat(parts, ", ") or ""
end

return app_profiles
