--- Files and folders. The calls block, because the files are small and local. Errors are returned as values.
local system = require "native.system"
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local texts = require "deskpilot.base.text"
local text_tools = require "deskpilot.base.text"

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
    else path = texts.without_end(path, "/") .. "/" .. part end
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

local modes = { folder = tonumber("755", 8), file = tonumber("644", 8), private_folder = tonumber("700", 8),
  private_file = tonumber("600", 8) }

--- What is written may be for its user's eyes only.
---@class deskpilot.files.options
---@field private boolean? nobody else may read it (Linux; on Windows the folder that it is in decides)
---@field sync boolean? false: do not wait until it is on the disk, which a power failure would then cost

--- Makes the folder and the missing ones above it. An existing folder is no error.
---@param path string
---@param options deskpilot.files.options? `private` holds for the folder itself, not for those above it
---@return boolean? ok, deskpilot.error? err
function files.make_folder(path, options)
  if files.is_folder(path) then return true end
  local above = files.split(path)
  if above ~= path and above ~= "." and above ~= "/" then
    local ok, err = files.make_folder(above)
    if not ok then return nil, err end
  end
  local ok, why = uv.fs_mkdir(path, options and options.private and modes.private_folder or modes.folder)
  if not ok and not files.is_folder(path) then return fail(why, "make the folder", path) end
  return true
end

--- Makes a folder that did not exist: of two who try at the same time one succeeds.
---@param path string
---@param options deskpilot.files.options?
---@return boolean? made, deskpilot.error? err false where something has that name
function files.make_new_folder(path, options)
  local ok, why = uv.fs_mkdir(path, options and options.private and modes.private_folder or modes.folder)
  if ok then return true end
  if tostring(why):match("^EEXIST") then return false end
  return fail(why, "make the folder", path)
end

-- A new file beside that one, under a name that nobody can foresee: in a folder that others may write too, a name that
-- is known could be a link that leads elsewhere. "wx" follows none.
local function open_beside(path, mode)
  local part, fd, why
  for _ = 1, 10 do
    part = ("%s.%s.part"):format(path, text_tools.hex(uv.random(8)))
    fd, why = uv.fs_open(part, "wx", mode)
    if fd or not tostring(why):match("^EEXIST") then break end
  end
  return fd, fd and part or why
end

--- Writes all of a text to an open file, in as many pieces as the system takes it.
---@param fd integer
---@param text string
---@param offset integer? in the file; -1, where the file stands, if not given
---@return boolean? ok, string? why in the system's words
---@return integer? written bytes
function files.write_all(fd, text, offset)
  local written = 0
  while written < #text do
    local rest = written == 0 and text or text:sub(written + 1)
    local count, why = uv.fs_write(fd, rest, offset and offset + written or -1)
    if not count or count == 0 then return nil, why or "ENOSPC: the disk took nothing more", written end
    written = written + count
  end
  return true, nil, written
end

-- Some kinds of file systems cannot be asked to put something on the disk, which is no failure of the file.
local function cannot_sync(why)
  why = tostring(why)
  return why:match("^EINVAL") or why:match("^ENOTSUP") or why:match("^ENOSYS") or why:match("^EROFS")
end

--- Waits until what was written to an open file is on the disk.
---@param fd integer
---@return boolean? ok, string? why in the system's words
function files.sync(fd)
  local ok, why = uv.fs_fsync(fd)
  if ok or cannot_sync(why) then return true end
  return nil, why
end

-- The new name of a file is in its folder, which is another thing on the disk. Windows has no such call.
local function sync_folder(path)
  local fd = system.platform ~= "windows" and uv.fs_open(path, "r", 0)
  if not fd then return end
  uv.fs_fsync(fd)
  uv.fs_close(fd)
end

local function fill(fd, text, wait)
  local ok, why = files.write_all(fd, text)
  if ok and wait then ok, why = files.sync(fd) end
  local closed, failure = uv.fs_close(fd)
  if not ok then return nil, why end
  return closed, failure
end

--- Writes a file: the text goes into a new file beside it, which is then renamed, so that a reader never sees half of
--- it, and neither does whoever comes after a power failure. A link of that name is replaced, not followed. A file that
--- was there before keeps its permissions.
---@param path string
---@param text string
---@param options deskpilot.files.options?
---@return boolean? ok, deskpilot.error? err
function files.write(path, text, options)
  options = options or {}
  local before = uv.fs_lstat(path)
  local kept = before and before.type == "file" and before.mode & tonumber("777", 8)
  local fd, part = open_beside(path, options.private and modes.private_file or modes.file)
  if not fd then return fail(part, "write", path) end
  if kept and not options.private then uv.fs_fchmod(fd, kept) end
  local ok, why = fill(fd, text, options.sync ~= false)
  if ok then ok, why = uv.fs_rename(part, path) end
  if not ok then
    uv.fs_unlink(part)
    return fail(why, "write", path)
  end
  if options.sync ~= false then sync_folder((files.split(path))) end
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
