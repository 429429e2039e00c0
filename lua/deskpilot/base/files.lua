--- Files and folders. The calls block, because the files are small and local. Errors are returned as values.
local system = require "native.system"
local uv = require "luv"
local errors = require "deskpilot.base.errors"

local files = {}

-- Paths have slashes on every system. Windows accepts both kinds, and a name cannot contain a backslash there.
local function slashes(path)
  if system.platform == "windows" then return (path:gsub("\\", "/")) end
  return path
end

local function fail(why, what, path)
  local code = tostring(why):match("^ENOENT") and "not_found" or "io"
  return nil, errors.new(code, "cannot " .. what .. " " .. path .. ": "
    .. tostring(why):gsub("^%u+: ", ""):gsub(": .*", ""))
end

--- Joins path parts with one slash. An absolute part replaces all parts before it.
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

--- Whether a file or a folder exists at that path.
---@param path string
---@return boolean
function files.exists(path)
  return uv.fs_stat(path) ~= nil
end

--- Whether the path is an existing folder.
---@param path string
---@return boolean
function files.is_folder(path)
  local stat = uv.fs_stat(path)
  return stat ~= nil and stat.type == "directory"
end

--- The contents of a file. A file of more than `limit` bytes is an error.
---@param path string
---@param limit integer? bytes; 64 MB if not given
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

--- Makes the folder and the missing ones above it. An existing folder is no error.
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

--- Writes a file: the text goes into a new file beside it, which is then renamed, so that a reader never sees half of
--- it.
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

--- The names in a folder, sorted; {} if the folder does not exist.
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

--- Removes a file, or a folder with its contents. Links are removed, not followed.
---@param path string
function files.remove(path)
  local stat = uv.fs_lstat(path)
  if not stat then return end
  if stat.type ~= "directory" then uv.fs_unlink(path) return end
  for _, name in ipairs(files.list(path)) do files.remove(files.join(path, name)) end
  uv.fs_rmdir(path)
end

--- The bytes of a file, or of all files in a folder and those below it; 0 for what does not exist. Links are not
--- followed.
---@param path string
---@return integer bytes
function files.size(path)
  local stat = uv.fs_lstat(path)
  if not stat then return 0 end
  if stat.type ~= "directory" then return stat.size end
  local sum = 0
  for _, name in ipairs(files.list(path)) do sum = sum + files.size(files.join(path, name)) end
  return sum
end

--- Bytes on the disk of that folder that this user may still write; nil if the system does not say.
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

-- An environment variable as UTF-8; nil where it is empty. os.getenv would return it in the current code page on
-- Windows.
local function variable(name)
  local value = uv.os_getenv(name)
  return value ~= "" and value or nil
end

--- The folder of the user's configuration: %APPDATA%\deskpilot, else $XDG_CONFIG_HOME/deskpilot (~/.config).
---@return string
function files.user_config_folder()
  local base = variable "APPDATA" or variable "XDG_CONFIG_HOME" or files.join(variable "HOME" or ".", ".config")
  return files.join(base, "deskpilot")
end

--- The folder of what the program remembers between runs: %LOCALAPPDATA%\deskpilot, else $XDG_STATE_HOME/deskpilot
--- (~/.local/state).
---@return string
function files.user_state_folder()
  local base = variable "LOCALAPPDATA" or variable "XDG_STATE_HOME"
    or files.join(variable "HOME" or ".", ".local/state")
  return files.join(base, "deskpilot")
end

--- A path in the form that other programs of this system expect: with backslashes on Windows.
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
