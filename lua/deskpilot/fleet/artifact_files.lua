--- What of a run's folder is an artifact, and reading it: only files that lie in the folder itself, however somebody
--- changes it meanwhile. The requests to models stay where the run was: a report needs none of them.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local system = require "native.system"
local text = require "deskpilot.base.text"

local artifact_files = {}

--- Bytes of one file at most: what is sent is in memory.
artifact_files.most = 64 << 20

-- In the order in which they go: where there is no room for all, what tells most is there.
local NAMES = { "result.json", "journal.jsonl", "report.html", "trajectory.json" }
local FOLDERS = { "downloads", "screenshots" }
local MOST_FILES, DEEPEST = 10000, 8

local TYPES = { json = "application/json", jsonl = "application/x-ndjson", html = "text/html; charset=utf-8",
  png = "image/png", jpg = "image/jpeg", jpeg = "image/jpeg", csv = "text/csv; charset=utf-8",
  txt = "text/plain; charset=utf-8", pdf = "application/pdf" }

--- The media type of a file, by its name.
---@param name string
---@return string
function artifact_files.type_of(name)
  return TYPES[text.after_last(name, "."):lower()] or "application/octet-stream"
end

---@class deskpilot.fleet.artifact_file
---@field path string in the run's folder, with slashes
---@field size integer

local function add(list, root, path, depth)
  local stat = uv.fs_lstat(files.join(root, path))
  if stat and stat.type == "file" then
    if #list < MOST_FILES then list[#list + 1] = { path = path, size = stat.size } else list.more = list.more + 1 end
  elseif stat and stat.type == "directory" and depth < DEEPEST then
    for _, name in ipairs(files.list(files.join(root, path))) do add(list, root, path .. "/" .. name, depth + 1) end
  elseif stat then
    list.more = list.more + 1
  end
end

--- The files that go, the most telling ones first.
---@param root string the run's folder
---@return deskpilot.fleet.artifact_file[] list
---@return integer left_out how many things are none that go: links, devices, too many, too deep
function artifact_files.list(root)
  local list = { more = 0 }
  for _, name in ipairs(NAMES) do add(list, root, name, DEEPEST) end
  for _, name in ipairs(FOLDERS) do add(list, root, name, 1) end
  local left_out = list.more
  list.more = nil
  return list, left_out
end

-- Where an open file lies; the name that it was opened by may mean another one by now. Windows does not say so much.
local function place_of(fd, path)
  return uv.fs_realpath(system.platform == "linux" and "/proc/self/fd/" .. fd or path)
end

-- All of an open file.
local function read_all(fd, path, limit)
  local parts, size = {}, 0
  while true do
    local part, why = uv.fs_read(fd, 1 << 18, -1)
    if not part then return errors.fail("io", "cannot read %s: %s", path, tostring(why)) end
    if part == "" then return table.concat(parts) end
    parts[#parts + 1], size = part, size + #part
    if size > limit then
      return errors.fail("refused", "%s has more than %d MB", path, limit >> 20)
    end
  end
end

--- Reads one.
---@param root string
---@param path string as the list has it
---@param limit integer bytes
---@return string? bytes, deskpilot.error? err refused: it is a link or leads out of the folder, or is too large
function artifact_files.read(root, path, limit)
  local whole = files.join(root, path)
  local stat = uv.fs_lstat(whole)
  if not stat or stat.type ~= "file" then return errors.fail("refused", "%s is no file any more", path) end
  local fd, why = uv.fs_open(whole, "r", 0)
  if not fd then return errors.fail("io", "cannot read %s: %s", path, tostring(why)) end
  local closing <close> = setmetatable({}, { __close = function() uv.fs_close(fd) end })
  assert(closing)
  local opened = uv.fs_fstat(fd)
  local real = place_of(fd, whole)
  if not opened or opened.type ~= "file" or not real
    or files.join((real:gsub("\\", "/"))) ~= files.join(files.absolute(root), path) then
    return errors.fail("refused", "%s leads out of the run's folder", path)
  end
  return read_all(fd, path, limit)
end

return artifact_files
