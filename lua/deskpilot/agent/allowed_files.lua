--- Which files of this machine an agent may hand to a page, or open in one: those that the mission names (`files`:
--- files and folders), those in the mission's own folder, and those in the folders of browser.upload_folders.
--- Links are followed before they are judged.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local text = require "deskpilot.base.text"

local allowed = {}

-- The places in question as they really are; those that do not exist are left out.
local function places(run)
  local list = {}
  local function add(path, base)
    local real = uv.fs_realpath(files.join(base or uv.cwd(), path))
    if real then list[#list + 1] = files.absolute(real) end
  end
  if run.folder then add(run.folder) end
  for _, path in ipairs(run.mission.files or {}) do add(path, run.folder) end
  for _, path in ipairs(run.config:get("browser.upload_folders")) do add(path) end
  return list
end

local function is_below(path, place)
  if path == place then return true end
  return text.starts(path, text.ends(place, "/") and place or place .. "/")
end

--- The file as it really is, if an agent may have it.
---@param run deskpilot.run
---@param path string relative ones are taken from the mission's folder
---@return string? path absolute
---@return deskpilot.error? err code "refused" or "not_found"
function allowed.resolve(run, path)
  if path:find("%z") then return errors.fail("invalid", "that is no path") end
  local real = uv.fs_realpath(files.join(run.folder or uv.cwd(), path))
  local list = places(run)
  if real then real = files.absolute(real) end
  for _, place in ipairs(list) do
    if real and is_below(real, place) then
      if files.is_folder(real) then return errors.fail("invalid", "%s is a folder, and a file is wanted", path) end
      return real
    end
  end
  local where = #list > 0 and text.join(list) or "none"
  -- The same words whether it is there or not: what lies elsewhere is no business of a model's.
  return errors.fail("refused", "%s is not among the files of this mission (%s); its `files` and "
    .. "browser.upload_folders say what is", text.cut(path, 200), where)
end

return allowed
