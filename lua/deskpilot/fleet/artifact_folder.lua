--- A folder that artifacts are kept in, on a disk that machines share. It is never made: an empty place where a share
--- is mounted otherwise would fill this machine's own disk.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"

local artifact_folder = {}

--- The name of the file by which a folder of the place is known to hold artifacts (kept_runs.lua).
artifact_folder.marker = ".deskpilot-artifacts"

---@class deskpilot.fleet.artifact_folder : deskpilot.fleet.artifact_place
---@field root string
local Place = {}
Place.__index = Place

--- Opens one.
---@param path string
---@return deskpilot.fleet.artifact_folder? place, deskpilot.error? err invalid: it is not there
function artifact_folder.open(path)
  if not files.is_folder(path) then
    return errors.fail("invalid", "there is no folder %s for artifacts: make it, or mount it", path)
  end
  return setmetatable({ root = files.absolute(path) }, Place)
end

--- Where those of that name are, for people.
---@param name string
---@return string
function Place:address(name) return files.join(self.root, name) end

-- A folder of the place, which no link leads out of it.
local function make(self, name)
  if not files.is_folder(self.root) then
    return errors.fail("unavailable", "the folder %s is gone: mount it again", self.root)
  end
  local folder = files.join(self.root, name)
  local ok, err = files.make_folder(folder)
  if not ok then return nil, err end
  if files.absolute(folder) ~= folder then
    return errors.fail("refused", "a link in %s leads out of it, and nothing is written there: %s", self.root, folder)
  end
  return folder
end

--- Begins to keep artifacts under a name, and says so to those who clear the place.
---@param name string
---@return true? ok, deskpilot.error? err
function Place:begin(name)
  local folder, err = make(self, name:match "^[^/]+")
  if not folder then return nil, err end
  return files.write(files.join(folder, artifact_folder.marker), "Made by deskpilot worker, which removes it when it "
    .. "is told to (--keep-artifacts).\n", { sync = false })
end

--- Keeps a file. As readable for others as the user's umask says.
---@param name string under which artifacts are kept
---@param path string of the file there
---@param bytes string
---@return true? ok, deskpilot.error? err
function Place:keep(name, path, bytes)
  local folder, file = files.split(files.join(name, path))
  local made, err = make(self, folder)
  if not made then return nil, err end
  return files.write(files.join(made, file), bytes, { sync = false })
end

return artifact_folder
