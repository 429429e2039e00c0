--- Where one run of a torture happens: a folder of its own for its home, temporary files and runs, by which its
--- processes are known, whatever becomes of their parents.
local uv = require "luv"
local files = require "deskpilot.base.files"
local task = require "deskpilot.base.task"

local place = {}
local Place = {}
Place.__index = Place

local function first_line(path)
  return ((files.read(path) or ""):match "^[^\n]*")
end

-- When the process began, in the kernel's ticks: with its number it stands for one process and no later one.
local function started(pid)
  local rest = (files.read("/proc/" .. pid .. "/stat") or ""):match "^.*%) (.*)$"
  local n = 2
  for word in (rest or ""):gmatch "%S+" do
    n = n + 1
    if n == 22 then return word end
  end
end

local function ended(pid)
  local state = (files.read("/proc/" .. pid .. "/stat") or ""):match "^.*%) (%a)"
  return state == nil or state == "Z"
end

--- A new place. `owner`: the numeric user that it belongs to, where that is not this process's.
---@param owner integer?
function place.new(owner)
  local base = assert(uv.fs_mkdtemp "/tmp/dt-XXXXXX")
  local self = setmetatable({ base = base, pids = {}, own = {}, displays = {} }, Place)
  for name, short in pairs { home = "h", tmp = "t", work = "w" } do -- short: there are sockets below
    self[name] = files.join(base, short)
    assert(uv.fs_mkdir(self[name], tonumber("755", 8)))
    if owner then assert(uv.fs_chown(self[name], owner, owner)) end
  end
  if owner then assert(uv.fs_chmod(base, tonumber("755", 8))) end
  return self
end

function Place:env()
  return { HOME = self.home, TMPDIR = self.tmp, XDG_STATE_HOME = false, XDG_CONFIG_HOME = false,
    XDG_RUNTIME_DIR = false, XDG_CACHE_HOME = false, XDG_DATA_HOME = false, DISPLAY = false, XAUTHORITY = false,
    DBUS_SESSION_BUS_ADDRESS = false, DESKPILOT_BIN = false, LC_ALL = "C.UTF-8" }
end

-- A run's X server, bus and applications know the place by an environment or arguments that name its folder.
local function belongs(self, pid)
  for _, name in ipairs { "environ", "cmdline" } do
    if (files.read("/proc/" .. pid .. "/" .. name) or ""):find(self.base, 1, true) then return true end
  end
  return (uv.fs_readlink("/proc/" .. pid .. "/cwd") or ""):find(self.base, 1, true) == 1
end

--- The processes of the place that are alive; they and their displays are kept in mind.
---@return integer[]
function Place:processes()
  local alive = {}
  local own = uv.os_getpid()
  local scan = uv.fs_scandir "/proc"
  while scan do
    local name = uv.fs_scandir_next(scan)
    if not name then break end
    local pid = math.tointeger(tonumber(name))
    if pid and pid ~= own and belongs(self, pid) and not ended(pid) then
      alive[#alive + 1] = pid
      self.pids[pid] = self.pids[pid] or started(pid)
      if first_line("/proc/" .. pid .. "/comm") == "deskpilot" then self.own[pid] = true end
    end
  end
  for pid, since in pairs(self.pids) do -- one that has changed its words
    local known = false
    for _, other in ipairs(alive) do known = known or other == pid end
    if not known and since and started(pid) == since and not ended(pid) then alive[#alive + 1] = pid end
  end
  return alive
end

--- Keeps in mind which displays its X servers have: their lock files name the server's process.
function Place:learn_displays()
  for _, name in ipairs(files.list "/tmp" or {}) do
    local number = name:match "^%.X(%d+)%-lock$"
    local pid = number and math.tointeger(tonumber(first_line("/tmp/" .. name)))
    if pid and self.pids[pid] then self.displays[number] = pid end
  end
end

local function words_of(pid)
  return pid .. " " .. (files.read("/proc/" .. pid .. "/cmdline") or ""):gsub("%z", " ")
end

-- Segments of shared memory that deskpilot has made. An application that is killed with its display may leave its own.
local function segments(self)
  local found = {}
  for line in (files.read "/proc/sysvipc/shm" or ""):gmatch "[^\n]+" do
    local fields = {}
    for word in line:gmatch "%S+" do fields[#fields + 1] = word end
    local creator = math.tointeger(tonumber(fields[5]))
    if creator and self.own[creator] and ended(creator) then found[#found + 1] = "shared memory " .. fields[2] end
  end
  return found
end

-- What may stay among the temporary files: the folder of the user's own, and the lock of a display in it.
local function temporary(folder, found, prefix)
  for _, name in ipairs(files.list(folder) or {}) do
    local path, shown = files.join(folder, name), prefix .. name
    if shown:find "^deskpilot%-%d+$" then temporary(path, found, shown .. "/")
    elseif not shown:find "^deskpilot%-%d+/displays?" and not shown:find "%.lock$" then
      found[#found + 1] = "temporary file " .. shown
    end
  end
  return found
end

--- What is still there of its runs.
---@param stays string? the application that may
---@param files_stay boolean? files may too
---@return string[]
function Place:left(stays, files_stay)
  local found = {}
  for _, pid in ipairs(self:processes()) do
    if first_line("/proc/" .. pid .. "/comm") ~= stays then found[#found + 1] = "process " .. words_of(pid) end
  end
  for number, pid in pairs(self.displays) do
    local lock = ("/tmp/.X%s-lock"):format(number)
    if math.tointeger(tonumber(first_line(lock))) == pid then found[#found + 1] = lock end
  end
  for _, one in ipairs(segments(self)) do found[#found + 1] = one end
  return files_stay and found or temporary(self.tmp, found, "")
end

--- Waits until nothing is left, and says what is after those seconds.
---@param seconds number
---@param stays string?
---@param files_stay boolean?
---@return string[]
function Place:wait_until_empty(seconds, stays, files_stay)
  local limit = task.now() + seconds
  while true do
    local found = self:left(stays, files_stay)
    if #found == 0 or task.now() > limit then return found end
    task.sleep(0.05)
  end
end

--- Ends what is left, process by process, and removes the folder.
function Place:remove()
  for _ = 1, 20 do
    local alive = self:processes()
    if #alive == 0 then break end
    for _, pid in ipairs(alive) do uv.kill(pid, "sigkill") end
    task.sleep(0.05)
  end
  files.remove(self.base)
end

return place
