--- What an editor's language server (LuaLS) needs in a project, so that it understands missions, policies, tools and
--- guards: a copy of all the Lua that ships, whose annotations are the types, and settings that point to it. The copy
--- is the program's own and is written anew; the settings are the user's as soon as they are there. Copies and no path
--- to a common place: the folder may go to another machine, and an ejected policy requires what is around it.
local files = require "deskpilot.base.files"
local shipped = require "native.shipped"
local system = require "native.system"
local text = require "deskpilot.base.text"

local editor = {}

--- The folder of the copy, below the project's. No lookup and no require goes there.
editor.folder = ".deskpilot/types"

local settings = ([[
{
  "runtime.version": "Lua 5.4",
  "runtime.path": ["?.lua", "?/init.lua"],
  "workspace.library": ["%s", "${3rd}/luv/library"],
  "workspace.checkThirdParty": false,
  "diagnostics.libraryFiles": "Disable"
}
]]):format(editor.folder)

local notice = "-- A copy for editors: changing it changes nothing. `deskpilot eject NAME` gives a file to change.\n"

local function write(path, words, options)
  local ok, err = files.make_folder((files.split(path)))
  if ok then ok, err = files.write(path, words, options) end
  return ok, err
end

-- Of the copy: hundreds of files that can be made again, for each of which nobody waits until the disk has it.
local function write_copy(path, words) return write(path, words, { sync = false }) end

local function version_file(project)
  return files.join(project, editor.folder, "version")
end

local function each_file(fn)
  for _, name in ipairs(shipped.list("")) do
    local example = text.starts(name, "missions/") or text.starts(name, "deskpilot/cli/templates/")
    if name:find("%.lua$") and not example then
      local ok, err = fn(name)
      if not ok then return nil, err end
    end
  end
  return true
end

-- Whether it is made by this version of the program.
local function is_current(project)
  return files.read(version_file(project)) == system.version .. "\n"
end

local function write_types(project)
  local folder = files.join(project, editor.folder)
  files.remove(folder)
  local ok, err = each_file(function(name)
    local words = shipped.read(name)
    -- The first line of a stub says what module it is of.
    if not words:find("^%-%-%-@meta") then words = notice .. words end
    return write_copy(files.join(folder, name), words)
  end)
  if ok then ok, err = write_copy(files.join(project, ".deskpilot", ".gitignore"), "*\n") end -- nobody keeps a copy
  if not ok then return nil, err end
  return write_copy(version_file(project), system.version .. "\n")
end

-- What the project has itself is taken from there, and described there.
local function leave_out_own(project)
  each_file(function(name)
    if files.exists(files.join(project, name)) then files.remove(files.join(project, editor.folder, name)) end
    return true
  end)
end

-- The settings that are there already: their path and words.
local function own_settings(project)
  for _, name in ipairs { ".luarc.json", ".luarc.jsonc" } do
    local path = files.join(project, name)
    if files.exists(path) then return path, files.read(path) or "" end
  end
end

--- Writes the types, and the settings where there are none. What is of this version already stays as it is.
---@param project string its folder
---@param anew boolean? whatever is there
---@return string[]? written paths of what was written
---@return string|deskpilot.error|nil advice what to add to settings that are the user's own; or the error
function editor.write(project, anew)
  local written, advice = {}, nil
  if anew or not is_current(project) then
    local ok, err = write_types(project)
    if not ok then return nil, err end
    written[1] = files.join(project, editor.folder)
  end
  leave_out_own(project)
  local path, words = own_settings(project)
  if not path then
    path = files.join(project, ".luarc.json")
    local ok, err = write(path, settings)
    if not ok then return nil, err end
    written[#written + 1] = path
  elseif not words:find(editor.folder, 1, true) then
    advice = ('%s is yours and stays as it is; for an editor that knows m and desk, add "%s" to its '
      .. '"workspace.library"'):format(path, editor.folder)
  end
  return written, advice
end

return editor
