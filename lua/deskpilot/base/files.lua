--- Files and folders, synchronously (they are small and local), with errors as values.
local system = require "native.system"
local uv = require "luv"
local errors = require "deskpilot.base.errors"

local files = {}

-- Paths have slashes on every system (Windows takes both); there a backslash is no part of a name.
local function slashes(path)
  if system.platform == "windows" then return (path:gsub("\\", "/")) end
  return path
end

local function fail(why, what, path)
  local code = tostring(why):match("^ENOENT") and "not_found" or "io"
  return nil, errors.new(code, "cannot " .. what .. " " .. path .. ": "
    .. tostring(why):gsub("^%u+: ", ""):gsub(": .*", ""))
end

--- Joins path parts with one slash; an absolute later part wins.
---@param ... string
---@return string
function files.join(...)
  local path = ""
  for _, part in ipairs { ... } do
    if part:match("^/") or part:match("^%a:[/\\]") or path == "" then path = part
    else path = path:gsub("/+$", "") .. "/" .. part end
  end
  return slashes(path)
end

--- The folder of a path ("." for a bare name) and its last part.
---@param path string
---@return string folder, string name
function files.split(path)
  local folder, name = path:match("^(.*)[/\\]([^/\\]*)$")
  if not folder then return ".", path end
  if folder == "" or folder:match("^%a:$") then folder = folder .. "/" end
  return folder, name
end

--- Whether there is a file or a folder of that name.
---@param path string
---@return boolean
function files.exists(path)
  return uv.fs_stat(path) ~= nil
end

--- Whether it is a folder that is there.
---@param path string
---@return boolean
function files.is_folder(path)
  local stat = uv.fs_stat(path)
  return stat ~= nil and stat.type == "directory"
end

--- The whole file. `limit` bytes at most (64 MB unless told).
---@param path string
---@param limit integer?
---@return string? text, deskpilot.error? err
function files.read(path, limit)
  limit = limit or 64 * 1024 * 1024
  local fd, why = uv.fs_open(path, "r", 0)
  if not fd then return fail(why, "read", path) end
  local stat = uv.fs_fstat(fd)
  if stat and stat.type == "directory" then
    uv.fs_close(fd)
    return errors.fail("io", "cannot read %s: it is a folder", path)
  end
  local parts, size = {}, 0
  while true do
    local part, failure = uv.fs_read(fd, 65536 * 4, -1)
    if not part then uv.fs_close(fd) return fail(failure, "read", path) end
    if part == "" then break end
    size = size + #part
    if size > limit then
      uv.fs_close(fd)
      return errors.fail("io", "cannot read %s: it is larger than %d bytes", path, limit)
    end
    parts[#parts + 1] = part
  end
  uv.fs_close(fd)
  return table.concat(parts)
end

--- Makes the folder and those above it; fine if it is there.
---@param path string
---@return boolean? ok, deskpilot.error? err
function files.make_folder(path)
  if files.is_folder(path) then return true end
  local above = files.split(path)
  if above ~= path and above ~= "." and above ~= "/" then
    local ok, err = files.make_folder(above)
    if not ok then return nil, err end
  end
  local ok, why = uv.fs_mkdir(path, tonumber("755", 8))
  if not ok and not files.is_folder(path) then return fail(why, "make the folder", path) end
  return true
end

--- Writes the whole file by way of a new one beside it, so that a reader never sees half of it.
---@param path string
---@param text string
---@return boolean? ok, deskpilot.error? err
function files.write(path, text)
  local part = path .. ".part"
  local fd, why = uv.fs_open(part, "w", tonumber("644", 8))
  if not fd then return fail(why, "write", path) end
  local offset = 0
  while offset < #text do
    local written, failure = uv.fs_write(fd, offset == 0 and text or text:sub(offset + 1), -1)
    if not written then
      uv.fs_close(fd)
      uv.fs_unlink(part)
      return fail(failure, "write", path)
    end
    offset = offset + written
  end
  uv.fs_close(fd)
  local ok, failure = uv.fs_rename(part, path)
  if not ok then return fail(failure, "write", path) end
  return true
end

--- Names in a folder, sorted; none if it is not there.
---@param path string
---@return string[]
function files.list(path)
  local names = {}
  local scan = uv.fs_scandir(path)
  while scan do
    local name = uv.fs_scandir_next(scan)
    if not name then break end
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Removes a file or a whole folder; links are removed, not followed.
---@param path string
function files.remove(path)
  local stat = uv.fs_lstat(path)
  if not stat then return end
  if stat.type ~= "directory" then uv.fs_unlink(path) return end
  for _, name in ipairs(files.list(path)) do files.remove(files.join(path, name)) end
  uv.fs_rmdir(path)
end

--- Bytes free for us on the disk of that folder; nil where it cannot be asked.
---@param path string
---@return integer?
function files.free_space(path)
  local stat = uv.fs_statfs(path)
  return stat and stat.bavail * stat.bsize or nil
end

--- The absolute form of a path.
---@param path string
---@return string
function files.absolute(path)
  return slashes(uv.fs_realpath(path) or files.join(uv.cwd(), path))
end

-- A variable of the environment as UTF-8 (os.getenv gives the code page of the day on Windows); nil
-- where it is empty.
local function variable(name)
  local value = uv.os_getenv(name)
  return value ~= "" and value or nil
end

--- Where a user's own configuration lives: %APPDATA%\deskpilot, else XDG's folder.
---@return string
function files.user_config_folder()
  local base = variable "APPDATA" or variable "XDG_CONFIG_HOME" or files.join(variable "HOME" or ".", ".config")
  return files.join(base, "deskpilot")
end

--- Where what the program remembers lives, which is no configuration: %LOCALAPPDATA%\deskpilot, else
--- XDG's folder.
---@return string
function files.user_state_folder()
  local base = variable "LOCALAPPDATA" or variable "XDG_STATE_HOME"
    or files.join(variable "HOME" or ".", ".local/state")
  return files.join(base, "deskpilot")
end

--- A path as this system's own programs want to have it typed: with backslashes on Windows.
---@return string
function files.native(path)
  if system.platform == "windows" then return (path:gsub("/", "\\")) end
  return path
end

--- The folder for temporary files.
---@return string
function files.temporary_folder()
  return slashes(uv.os_tmpdir())
end

return files
