--- What files.lua writes files with: one that is not whole yet stands beside the one that it is to become.
local native = require "native.files"
local task = require "deskpilot.base.task"
local text_tools = require "deskpilot.base.text"
local uv = require "luv"

local new_file = {}

-- As files.write_all.
function new_file.write_all(fd, text, offset)
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

--- Puts the names in a folder on the disk, and waits for that.
---@param path string
---@return boolean? ok, string? why in the system's words
function new_file.sync_folder(path)
  local ok, why = native.sync_folder(path)
  if ok or cannot_sync(why) then return true end
  return nil, why
end

-- As files.sync.
function new_file.sync(fd, done)
  local function result(ok, why)
    if ok or cannot_sync(why) then return true end
    return nil, tostring(why)
  end
  if not done then return result(uv.fs_fsync(fd)) end
  return uv.fs_fsync(fd, function(why, ok) done(result(ok, why)) end)
end

--- Makes a new file beside that one, under a name that nobody can foresee: in a folder that others may write too, a
--- name that is known could be a link that leads elsewhere.
---@param path string
---@param options deskpilot.files.options
---@return integer? fd, string part its path, for native.remove_part; or why not, in the system's words
function new_file.open(path, options)
  local fd, why, code
  for _ = 1, 10 do
    local part = ("%s.%s.part"):format(path, text_tools.hex(uv.random(8)))
    fd, why, code = native.open(part, "part", options.private)
    if fd then return fd, part end
    if code ~= "EEXIST" then break end
  end
  return nil, why
end

--- Gives a text piece by piece to put(). What put() cannot write is told when it returns.
---@alias deskpilot.files.writer fun(put: fun(piece: string)): boolean?, deskpilot.error?

local function write_pieces(fd, writer)
  local ok, why = true, nil
  local written, err = writer(function(piece)
    if ok then ok, why = new_file.write_all(fd, piece) end
  end)
  if not written then return nil, err end
  return ok, why
end

--- Writes all of a text, and closes the file.
---@param fd integer
---@param text string|deskpilot.files.writer
---@param wait boolean until it is on the disk
---@return boolean? ok, string|deskpilot.error? why in the system's words, or the writer's
function new_file.fill(fd, text, wait)
  local closing <close> = setmetatable({}, { __close = function() if fd then uv.fs_close(fd) end end })
  assert(closing)
  local ok, why = (type(text) == "function" and write_pieces or new_file.write_all)(fd, text)
  if ok and wait then ok, why = new_file.sync(fd) end
  if not ok then return nil, why end
  local closed, failure = uv.fs_close(fd)
  fd = nil
  return closed, failure
end

--- Writes the first bytes of another file, which must have as many.
---@param from string its path
---@param count integer
---@param fd integer
---@return boolean? ok, string? why in the system's words
function new_file.copy_first(from, count, fd)
  local source, why = uv.fs_open(from, "r", 0)
  if not source then return nil, why end
  local closing <close> = setmetatable({}, { __close = function() uv.fs_close(source) end })
  assert(closing)
  while count > 0 do
    local piece, failure = uv.fs_read(source, math.min(count, 1 << 20), -1)
    if not piece or piece == "" then return nil, failure or "EINVAL: the file is shorter than it was" end
    local ok, problem = new_file.write_all(fd, piece)
    if not ok then return nil, problem end
    count = count - #piece
  end
  return true
end

--- Writes the contents of another file. For a task: others go on meanwhile.
---@param from string its path
---@param fd integer
---@return boolean? ok, string? why in the system's words
function new_file.pour(from, fd)
  local source, why = uv.fs_open(from, "r", 0)
  if not source then return nil, why end
  local closing <close> = setmetatable({}, { __close = function() uv.fs_close(source) end })
  assert(closing)
  while true do
    local failure, piece = task.await(function(done) uv.fs_read(source, 1 << 20, -1, done) end)
    if failure then return nil, failure end
    if piece == "" then return new_file.sync(fd) end
    local ok, problem = new_file.write_all(fd, piece)
    if not ok then return nil, problem end
  end
end

return new_file
