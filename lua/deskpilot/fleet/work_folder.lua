--- The folder in which a worker unpacks its missions. It is known by a locked file beside it whether its worker lives:
--- what one that was killed has left is removed by the next one.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local system = require "native.system"
local text = require "deskpilot.base.text"

local work_folder = {}

-- Removes those whose worker is gone.
local function tidy(base)
  for _, name in ipairs(files.list(base)) do
    local lock = files.join(base, name)
    local fd = name:find("^fleet%-%x+%.lock$") and uv.fs_open(lock, "r", 0)
    if fd and system.lock_file(fd) then
      files.remove((lock:gsub("%.lock$", "")))
      files.remove(lock)
    end
    if fd then uv.fs_close(fd) end
  end
end

---@class deskpilot.fleet.work_folder
---@field path string
local Folder = {}
Folder.__index = Folder

--- Makes one, which goes with its closing.
---@return deskpilot.fleet.work_folder? folder, deskpilot.error? err
function work_folder.open()
  local base, err = files.own_temporary_folder()
  if not base then return nil, err end
  tidy(base)
  local path = files.join(base, "fleet-" .. text.hex(uv.random(8)))
  local fd, why = files.create(path .. ".lock", { private = true })
  if not fd then return nil, why end
  -- Between the two another worker may have taken it for one that is left: it is locked then, or gone.
  if not system.lock_file(fd) or not files.exists(path .. ".lock") then
    uv.fs_close(fd)
    return errors.fail("unavailable", "another worker begins at this moment: try again")
  end
  local self = setmetatable({ path = path, fd = fd }, Folder)
  local made, failure = files.make_new_folder(path, { private = true })
  if made then return self end
  self:close()
  return nil, failure
end

--- Removes it with what is in it.
function Folder:close()
  if not self.fd then return end
  files.remove(self.path)
  files.remove(self.path .. ".lock")
  uv.fs_close(self.fd)
  self.fd = nil
end

Folder.__close = Folder.close

return work_folder
