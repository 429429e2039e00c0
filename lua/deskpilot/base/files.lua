--- Files and folders. The calls block, because the files are small and local. Errors are returned as values.
local native = require "native.files"
local new_file = require "deskpilot.base.new_file"
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

local PIECE = 256 * 1024 -- bytes that are read at once
local MOST = 64 * 1024 * 1024 -- bytes of a file or a line that is kept whole, unless told otherwise

-- Calls take with one piece of the file after the other, until it returns false. A file of more than `limit` bytes is
-- an error.
local function read_pieces(path, take, limit)
  local fd, why = uv.fs_open(path, "r", 0)
  if not fd then return fail(why, "read", path) end
  local closing <close> = setmetatable({}, { __close = function() uv.fs_close(fd) end })
  assert(closing)
  local stat = uv.fs_fstat(fd)
  if stat and stat.type == "directory" then return errors.fail("io", "cannot read %s: it is a folder", path) end
  local size = 0
  while true do
    local piece, failure = uv.fs_read(fd, PIECE, -1)
    if not piece then return fail(failure, "read", path) end
    size = size + #piece
    if size > limit then return errors.fail("io", "cannot read %s: it is larger than %d bytes", path, limit) end
    if piece == "" or take(piece) == false then return true end
  end
end

--- The contents of a file. A file of more than `limit` bytes is an error.
---@param path string
---@param limit integer? bytes; 64 MB if not given
---@return string? text, deskpilot.error? err
function files.read(path, limit)
  local parts = {}
  local ok, err = read_pieces(path, function(piece) parts[#parts + 1] = piece end, limit or MOST)
  if not ok then return nil, err end
  return table.concat(parts)
end

--- Calls fn with each line of a file that is not empty, without its end. Of the file no more is in memory than a line
--- and a piece. A line of more than 64 MB is an error.
---@param path string
---@param fn fun(line: string, ended: boolean): boolean? ended: false for a last line that has no end. Where it returns
---  false no more is read
---@param limit integer? bytes: a file that has more is an error
---@return boolean? ok, deskpilot.error? err
function files.each_line(path, fn, limit)
  local open, size = {}, 0 -- what was read of a line without its end
  local function whole(ended)
    local line = #open == 1 and open[1] or table.concat(open)
    open, size = {}, 0
    if line == "" then return true end
    return fn(line, ended) ~= false
  end
  local going_on = true
  local ok, err = read_pieces(path, function(piece)
    local from = 1
    for stop in piece:gmatch "()\n" do
      open[#open + 1] = piece:sub(from, stop - 1)
      from = stop + 1
      going_on = whole(true)
      if not going_on then return false end
    end
    open[#open + 1] = piece:sub(from)
    size = size + #open[#open]
    return size <= MOST
  end, limit or math.huge)
  if not ok then return nil, err end
  if size > MOST then return errors.fail("io", "cannot read %s: a line of it is larger than %d bytes", path, MOST) end
  if going_on then whole(false) end
  return true
end

--- What is made may be for its user's eyes only.
---@class deskpilot.files.options
---@field private boolean? nobody else may read it, from its first moment on; else what the user's umask says (on
---  Windows the folder that it is in)
---@field sync boolean? false: do not wait until it is on the disk, which a power failure would then cost
---@field behind integer? so many bytes of the file that is there stay, and the text comes behind them

--- Makes the folder and the missing ones above it. An existing folder is no error, and stays as it is.
---@param path string
---@param options deskpilot.files.options? `private` holds for all that are made
---@return boolean? ok, deskpilot.error? err
function files.make_folder(path, options)
  if files.is_folder(path) then return true end
  local above = files.split(path)
  if above ~= path and above ~= "." and above ~= "/" then
    local ok, err = files.make_folder(above, options)
    if not ok then return nil, err end
  end
  local ok, why = native.make_folder(path, options and options.private)
  if not ok and not files.is_folder(path) then return fail(why, "make the folder", path) end
  return true
end

--- Makes a folder that did not exist: of two who try at the same time one succeeds.
---@param path string
---@param options deskpilot.files.options?
---@return boolean? made, deskpilot.error? err false where something has that name
function files.make_new_folder(path, options)
  local ok, why, code = native.make_folder(path, options and options.private)
  if ok then return true end
  if code == "EEXIST" then return false end
  return fail(why, "make the folder", path)
end

--- Makes a private folder under a name that nobody can foresee.
---@param folder string the one that it is made in
---@param prefix string of its name
---@return string? path, deskpilot.error? err
function files.make_temporary_folder(folder, prefix)
  for _ = 1, 10 do
    local path = files.join(folder, prefix .. text_tools.hex(uv.random(5)))
    local made, err = files.make_new_folder(path, { private = true })
    if made then return path end
    if err then return nil, err end
  end
  return errors.fail("io", "cannot make a folder in %s: all its names are taken", folder)
end

--- Opens a file for writing at its end, and makes it if it is not there. A link in its place is not followed.
---@param path string
---@param options deskpilot.files.options? `private` holds also for a file that is there already
---@return integer? fd for files.write_all and uv.fs_close
---@return deskpilot.error? err
function files.append(path, options)
  local fd, why = native.open(path, "append", options and options.private)
  if not fd then return fail(why, "write", path) end
  return fd
end

--- Makes a file that did not exist, and opens it for writing.
---@param path string
---@param options deskpilot.files.options?
---@return integer? fd for files.write_all and uv.fs_close
---@return deskpilot.error? err
function files.create(path, options)
  local fd, why = native.open(path, "new", options and options.private)
  if not fd then return fail(why, "make", path) end
  return fd
end

--- Writes all of a text to an open file, in as many pieces as the system takes it.
---@param fd integer
---@param text string
---@param offset integer? in the file; -1, where the file stands, if not given
---@return boolean? ok, string? why in the system's words
---@return integer? written bytes
function files.write_all(fd, text, offset)
  return new_file.write_all(fd, text, offset)
end

--- Waits until what was written to an open file is on the disk.
---@param fd integer
---@param done fun(ok: boolean?, why: string?)? is called instead, later, and nobody waits
---@return boolean? ok, string? why in the system's words
function files.sync(fd, done)
  return new_file.sync(fd, done)
end

--- Puts the names in a folder on the disk, by a thread. A folder that may not be read is left to the system.
---@param path string
---@param done fun(ok: boolean?, why: string?) is called when it is there
function files.sync_folder(path, done)
  if system.platform == "windows" then return done(true) end -- a name is on the disk there when it is given
  uv.fs_open(path, "r", 0, function(_, fd)
    if not fd then return done(true) end
    files.sync(fd, function(ok, why)
      uv.fs_close(fd)
      done(ok, why)
    end)
  end)
end

-- Putting a file in the place of a device, a pipe or a socket (/dev/null) is never what was meant.
local function is_special(path)
  local stat = uv.fs_stat(path)
  return stat and stat.type ~= "file" and stat.type ~= "directory"
end

--- Writes a file: the text goes into a new file beside it, which is then renamed, so that a reader never sees half of
--- it, and neither does whoever comes after a power failure. A link of that name is replaced, not followed. A file that
--- was there before keeps its permissions.
---@param path string
---@param text string|deskpilot.files.writer
---@param options deskpilot.files.options?
---@return boolean? ok, deskpilot.error? err that of the writer too, after which the file is as it was
function files.write(path, text, options)
  options = options or {}
  if is_special(path) then
    return errors.fail("refused", "cannot write %s: it is a device or a pipe, and no file", path)
  end
  local before = uv.fs_lstat(path)
  local kept = before and before.type == "file" and before.mode & tonumber("777", 8)
  local fd, part = new_file.open(path, options)
  if not fd then return fail(part, "write", path) end
  -- If it has that name yet: a write may fail, and its task may be stopped in the middle.
  local removing <close> = setmetatable({}, { __close = function() native.remove_part(part) end })
  assert(removing)
  if kept and not options.private then uv.fs_fchmod(fd, kept) end
  if options.behind then
    local copied, failure = new_file.copy_first(path, options.behind, fd)
    if not copied then
      uv.fs_close(fd)
      return fail(failure, "write", path)
    end
  end
  local ok, why = new_file.fill(fd, text, options.sync ~= false)
  if ok then ok, why = native.rename(part, path) end
  if not ok then
    if errors.is(why) then return nil, why end
    return fail(why, "write", path)
  end
  if options.sync ~= false then ok, why = new_file.sync_folder((files.split(path))) end
  if not ok then return fail(why, "be sure that the disk has", path) end
  return true
end

--- Gives a file a name in a folder (of the same disk) that nothing has yet: "a.pdf", "a (1).pdf". Nothing is replaced.
---@param from string its path
---@param folder string
---@param name string
---@return string? path, deskpilot.error? err
function files.place(from, folder, name)
  local stem, ending = name:match("^(.+)(%.[^.]+)$")
  for number = 0, 9999 do
    local path = files.join(folder, number == 0 and name or ("%s (%d)%s"):format(stem or name, number, ending or ""))
    local ok, why, code = native.rename(from, path, true)
    if ok then return path end
    if code ~= "EEXIST" then return fail(why, "write", path) end
  end
  return errors.fail("io", "%s holds too many files of the name %s", folder, name)
end

--- Copies a file, however large, into a folder, where it gets a name that nothing has yet. For a task: others go on.
---@param from string
---@param folder string
---@param name string
---@param options deskpilot.files.options?
---@return string? path, deskpilot.error? err
function files.copy(from, folder, name, options)
  local fd, part = new_file.open(files.join(folder, name), options or {})
  if not fd then return fail(part, "write", files.join(folder, name)) end
  -- If it has that name yet.
  local removing <close> = setmetatable({}, { __close = function() native.remove_part(part) end })
  local closing <close> = setmetatable({}, { __close = function() uv.fs_close(fd) end })
  assert(removing and closing)
  local ok, why = new_file.pour(from, fd)
  if not ok then return fail(why, ("copy %s to"):format(from), files.join(folder, name)) end
  return files.place(part, folder, name)
end

--- The names in a folder, sorted; {} if the folder does not exist.
---@param path string
---@return string[]
function files.list(path)
  local names = native.list(path) or {}
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

--- The folder of what may be erased at any time: %LOCALAPPDATA%\deskpilot\cache, else $XDG_CACHE_HOME/deskpilot
--- (~/.cache).
---@return string
function files.user_cache_folder()
  if variable "LOCALAPPDATA" then return files.join(variable "LOCALAPPDATA", "deskpilot/cache") end
  return files.join(variable "XDG_CACHE_HOME" or files.join(variable "HOME" or ".", ".cache"), "deskpilot")
end

--- Whether a process holds the lock of a file (native.system.lock_file).
---@param path string
---@return boolean held false where there is no such file, and on file systems without locks
function files.is_locked(path)
  local fd = uv.fs_open(path, "r", 0)
  if not fd then return false end
  local free = system.lock_file(fd)
  uv.fs_close(fd)
  return not free
end

--- A path in the form that other programs of this system expect: with backslashes on Windows.
---@return string
function files.native(path)
  if system.platform == "windows" then return (path:gsub("/", "\\")) end
  return path
end

--- A folder for temporary files in which nobody else can put or read anything, unlike temporary_folder() itself, where
--- a name that is known could be a link of somebody else's. It is made where it is not there, and stays.
---@return string? path, deskpilot.error? err code "refused": what has its name is not this user's alone
function files.own_temporary_folder()
  local user = uv.getuid and uv.getuid()
  local path = files.join(files.temporary_folder(), user and "deskpilot-" .. user or "deskpilot")
  local ok, err = files.make_folder(path, { private = true })
  if not ok then return nil, err end
  local stat = uv.fs_lstat(path)
  if not stat or stat.type ~= "directory" or user and (stat.uid ~= user or stat.mode & tonumber("077", 8) ~= 0) then
    return errors.fail("refused", "%s belongs to somebody else, or others may use it: remove it, or set TMPDIR", path)
  end
  return path
end

--- The folder for temporary files, which may be everybody's.
---@return string
function files.temporary_folder()
  return slashes(uv.os_tmpdir())
end

return files
