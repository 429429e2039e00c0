--- All the applications that are known here: deskpilot/apps/NAME.lua of the mission's, the project's and the user's
--- folder, then those that ship. They are data and are never run. profile.lua has what one may hold.
local app_profile = require "deskpilot.desk.app.profile"
local errors = require "deskpilot.base.errors"
local lookup = require "deskpilot.base.lookup"
local text = require "deskpilot.base.text"

local app_profiles = {}

local parsed = {} -- name of the file -> { words, where, profile }
local known -- those of the last look, sorted by their files' names

-- The profile of one file, parsed anew only where its text has changed. `ships`: as for lookup.load.
local function read(id, ships)
  local words, where = lookup.data("apps", id, ships)
  if not words then return nil, where end
  local was = parsed[id]
  if was and was.words == words and was.where == where then return was.profile end
  local profile, err = app_profile.read(id, words, where)
  if profile == nil then return nil, err end
  parsed[id] = { words = words, where = where, profile = profile }
  return profile
end

--- Looks at all files again. Those with an error are left out.
---@return deskpilot.app_profile[] profiles of applications that this system has
---@return deskpilot.error[] problems one of each file that is wrong
function app_profiles.load()
  local problems = {}
  known = {}
  local ids, own = lookup.list("apps")
  for _, id in ipairs(ids) do
    local profile, err = read(id, not own[id])
    if profile then known[#known + 1] = profile
    elseif err then problems[#problems + 1] = err end
  end
  return known, problems
end

-- Names are the same whatever their case, spaces and signs are.
local function plain(name)
  return (name:lower():gsub("[^%w\128-\255]", ""))
end

local function names_of(profile)
  local names = { profile.id, profile.name }
  local binaries = type(profile.binary) == "table" and profile.binary or { profile.binary }
  for _, binary in ipairs(binaries) do
    names[#names + 1] = binary:match("[^/\\]*$"):gsub("%.[Ee][Xx][Ee]$", "")
  end
  return names
end

-- Of a name that is none: the file with that name may be wrong, or of another system.
local function unknown(name, profiles, problems)
  for _, problem in ipairs(problems) do
    if problem.message:find("[/\\]" .. plain(name):gsub("%p", "%%%0") .. "%.lua") then return nil, problem end
  end
  local names = {}
  for i, profile in ipairs(profiles) do names[i] = profile.name end
  local nearest = text.nearest(name, names)
  return errors.fail("not_found", "%s", ("no application named '%s' is known%s"):format(
    text.cut(text.one_line(name), 80),
    nearest and ("; did you mean '%s'? There are %s"):format(nearest, text.join(names)) or ""))
end

--- The profile of that name: of its file, as people say it, or its program's. Its file is looked at again.
---@param name string
---@return deskpilot.app_profile? profile, deskpilot.error? err code "not_found": the nearest names
function app_profiles.find(name)
  local profiles, problems = app_profiles.load()
  local wanted = plain(name)
  for rank = 1, 8 do -- a file's name before what others call themselves
    for _, profile in ipairs(profiles) do
      local own = names_of(profile)[rank]
      if own and plain(own) == wanted then return profile end
    end
  end
  return unknown(name, profiles, problems)
end

--- The application that a window is of. Looks at no file after the first time.
---@param window deskpilot.window
---@return deskpilot.app_profile? profile nil where none is known
function app_profiles.of_window(window)
  local best, most
  for _, profile in ipairs(known or app_profiles.load()) do
    local fit = app_profile.fit(profile, window)
    if fit and (not most or fit > most) then best, most = profile, fit end
  end
  return best
end

-- --- in words ---------------------------------------------------------------------------------------

--- What one should know who works with a window's application: its name, its shortcuts and its hints.
---@param window deskpilot.window
---@return string words "" where nothing is known of it
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

--- The applications that can be opened by their names here: those that are known and installed.
---@return string words "" if there are none
function app_profiles.overview()
  local parts = {}
  for _, profile in ipairs(app_profiles.load()) do
    if app_profile.program(profile) then parts[#parts + 1] = ("%s (%s)"):format(profile.name, profile.about) end
  end
  return #parts > 0 and "APPLICATIONS THAT CAN BE OPENED: " .. table.concat(parts, ", ") or ""
end

return app_profiles
