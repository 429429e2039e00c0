--- How many missions a machine carries at a time, by what is measured when its worker begins: memory, processors and
--- disk. What one takes is known from measurements (docs/fleet.md), and a worker can be told otherwise.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local uv = require "luv"

local capacity = {}

local MB = 1 << 20

--- What a mission takes: bytes of memory (a private desktop with a browser), processors (most of the time is spent
--- waiting), bytes of each disk that it writes to; and what has to stay free there.
capacity.slot = { memory = 450 * MB, processors = 0.25, disk = 100 * MB }
capacity.reserve = 100 * MB

local MOST = 1000

-- The first number of a file of the system's; nil where there is none ("max").
local function number_of(path, pattern)
  local words = files.read(path, 1 << 20)
  return words and math.tointeger(tonumber(words:match(pattern or "^%s*(%d+)")))
end

-- The control group (version 2) of this process and those around it: they may have less than the machine.
local function each_group(root)
  local path = (files.read(root .. "/proc/self/cgroup", 65536) or ""):match "0::(/[^\n]*)"
  return function()
    if not path then return nil end
    local group = root .. "/sys/fs/cgroup" .. (path == "/" and "" or path)
    path = path ~= "/" and (path:match "^(/.+)/[^/]*$" or "/") or nil
    return group
  end
end

-- Bytes that can still be used.
local function free_memory(root)
  local free = (number_of(root .. "/proc/meminfo", "MemAvailable:%s*(%d+)") or uv.get_free_memory() // 1024) * 1024
  for group in each_group(root) do
    local most = number_of(group .. "/memory.max")
    local used = most and number_of(group .. "/memory.current")
    if used then
      local given_back = number_of(group .. "/memory.stat", "inactive_file (%d+)") or 0 -- as soon as it is wanted
      free = math.min(free, most - used + given_back)
    end
  end
  return math.max(0, math.tointeger(free))
end

local function processors(root)
  local count = uv.available_parallelism()
  for group in each_group(root) do
    local words = files.read(group .. "/cpu.max", 1000)
    local quota, period = (words or ""):match "^(%d+) (%d+)"
    if quota and tonumber(period) > 0 then count = math.min(count, quota / period) end
  end
  return count
end

---@class deskpilot.fleet.capacity
---@field memory integer bytes that are free
---@field processors number
---@field disks { path: string, free: integer }[]

--- Measures the machine, or the container or unit that this process is confined to.
---@param folders string[] what missions write to
---@param root string? in place of the system's own root, for its files (tests)
---@return deskpilot.fleet.capacity
function capacity.measure(folders, root)
  local disks = {}
  for _, folder in ipairs(folders) do
    local free = files.free_space(folder)
    if free then disks[#disks + 1] = { path = folder, free = math.tointeger(free) } end
  end
  return { memory = free_memory(root or ""), processors = processors(root or ""), disks = disks }
end

--- How many missions fit.
---@param measured deskpilot.fleet.capacity
---@param slot { memory: integer, processors: number, disk: integer } what one takes
---@return integer count
---@return string why what there is, and for how many it does
function capacity.fits(measured, slot)
  local count = MOST
  local function does(there, each)
    local fitting = math.max(0, math.min(MOST, there // each // 1))
    count = math.min(count, fitting)
    return math.tointeger(fitting)
  end
  local parts = { ("%d MB of free memory do for %d of %d MB"):format(measured.memory // MB,
    does(measured.memory, slot.memory), slot.memory // MB),
    ("%g processors for %d of %g each"):format(measured.processors, does(measured.processors, slot.processors),
      slot.processors) }
  for _, disk in ipairs(measured.disks) do
    parts[#parts + 1] = ("%d MB free in %s for %d of %d MB"):format(disk.free // MB, disk.path,
      does(disk.free - capacity.reserve, slot.disk), slot.disk // MB)
  end
  return math.tointeger(count), table.concat(parts, ", ")
end

--- The number of slots of a worker: those that are wanted, if they fit; as many as fit, if none are wanted.
---@param wanted integer?
---@param measured deskpilot.fleet.capacity
---@param slot { memory: integer, processors: number, disk: integer }
---@return integer? slots, deskpilot.error? err unavailable
function capacity.slots(wanted, measured, slot)
  local count, why = capacity.fits(measured, slot)
  if count >= (wanted or 1) then return wanted or count end
  if count == 0 then
    return errors.fail("unavailable", "this machine carries no mission: %s (--slot-memory and --slot-processors say "
      .. "what one takes)", why)
  end
  return errors.fail("unavailable", "--slots %d is more than this machine carries, which is %d: %s (--slot-memory and "
    .. "--slot-processors say what one takes)", wanted, count, why)
end

--- Whether the disks have room for one more mission.
---@param folders string[]
---@return boolean room
---@return string? where what is missing
function capacity.has_room(folders)
  local wanted = capacity.reserve + capacity.slot.disk
  for _, folder in ipairs(folders) do
    local free = files.free_space(folder)
    if free and free < wanted then
      return false, ("%d MB are free in %s, and a mission wants %d"):format(free // MB, folder, wanted // MB)
    end
  end
  return true
end

--- Whether a run has ended as it did because a disk was full: it may do well elsewhere, or later.
---@param outcome deskpilot.fleet.outcome
---@param folders string[]
---@return boolean
function capacity.was_full(outcome, folders)
  if outcome.status ~= 1 then return false end
  local reason = outcome.result and outcome.result.reason or outcome.words
  if type(reason) == "string" and reason:find("no space left on device", 1, true) then return true end
  return not capacity.has_room(folders)
end

return capacity
