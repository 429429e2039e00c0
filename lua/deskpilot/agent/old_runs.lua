--- The runs that were made before: which of them are removed, so that the disk does not fill up. Only folders that are
--- surely runs of ours are touched, never one that is still going on, and no link is followed.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local rundir = require "deskpilot.agent.rundir"
local system = require "native.system"
local text = require "deskpilot.base.text"
local uv = require "luv"

local old_runs = {}

-- A run that was killed has no result. That it is over is certain when nobody holds its journal's lock (journal.lua),
-- and on file systems without locks when nothing was written for so many seconds.
local silence = 24 * 3600

local function is_kind(path, kind)
  local stat = uv.fs_lstat(path)
  return stat ~= nil and stat.type == kind and stat or nil
end

local function journal_of(folder)
  return files.join(folder, "journal.jsonl")
end

--- Whether a process works on a run just now.
---@param folder string
---@return boolean
function old_runs.is_held(folder)
  return files.is_locked(journal_of(folder))
end

-- Whether a run is over, as far as that can be known.
local function is_over(folder)
  local fd = uv.fs_open(journal_of(folder), "r", 0)
  if not fd then return false end
  local free = system.lock_file(fd)
  local stat = uv.fs_fstat(fd)
  uv.fs_close(fd)
  return free and stat and (files.exists(files.join(folder, "result.json")) or os.time() - stat.mtime.sec > silence)
end

--- The folders that are runs by their names and by what is in them, the newest first.
---@param base string the folder of the runs
---@return { name: string, folder: string }[]
function old_runs.list(base)
  local runs = {}
  for _, name in ipairs(files.list(base)) do
    local folder = files.join(base, name)
    if name:find("^%d%d%d%d%d%d%d%dT%d%d%d%d%d%dZ%-[%l%d_-]+$") and is_kind(folder, "directory")
      and is_kind(journal_of(folder), "file") then
      table.insert(runs, 1, { name = name, folder = folder })
    end
  end
  return runs
end

local function begins_as_a_journal(folder)
  local fd = uv.fs_open(journal_of(folder), "r", 0)
  local bytes = fd and uv.fs_read(fd, 10, 0)
  if fd then uv.fs_close(fd) end
  return bytes == '{"event":"'
end

-- How much a run has kept. One that is over has it in its result: measuring some hundred runs takes seconds.
local function size_of(folder)
  local result = json.decode(files.read(files.join(folder, "result.json"), 1 << 20) or "")
  local archive = type(result) == "table" and result.archive
  local bytes = type(archive) == "table" and archive.bytes
  return type(bytes) == "number" and bytes >= 0 and bytes or rundir.size(folder)
end

-- The limit that a run is beyond, as its key; nil where it may stay. `seen`: how many are newer, and their bytes.
local function limit_of(run, keep, seen, oldest)
  if keep.count > 0 and seen.count >= keep.count then return "runs.keep_count" end
  if keep.days > 0 and run.name:sub(1, 16) < oldest then return "runs.keep_days" end
  if keep.megabytes == 0 then return nil end
  run.size = size_of(run.folder)
  seen.full = seen.full or seen.bytes + run.size > keep.megabytes * 1e6
  return seen.full and "runs.keep_mb" or nil
end

local function sentence(base, removed, limits)
  local count = removed.count == 1 and "the oldest run" or ("the oldest %d runs"):format(removed.count)
  return ("removed %s (%.1f MB) from %s: %s"):format(count, removed.bytes / 1e6, base, text.join(text.keys(limits)))
end

--- Removes the oldest runs until what is left is within the limits.
---@param base string the folder of the runs
---@param keep { count: integer, days: number, megabytes: number } how many, how old, how large at most; 0: no limit
---@param own string? the name of the run that is under way
---@return string? sentence about what was removed; nil where nothing was
function old_runs.tidy(base, keep, own)
  if keep.count == 0 and keep.days == 0 and keep.megabytes == 0 then return nil end
  local seen, removed, limits = { count = 0, bytes = 0 }, { count = 0, bytes = 0 }, {}
  local oldest = os.date("!%Y%m%dT%H%M%SZ", math.floor(os.time() - keep.days * 86400)) --[[@as string]]
  for _, run in ipairs(old_runs.list(base)) do
    local limit = limit_of(run, keep, seen, oldest)
    if limit and run.name ~= own and begins_as_a_journal(run.folder) and is_over(run.folder) then
      removed.count, removed.bytes = removed.count + 1, removed.bytes + (run.size or size_of(run.folder))
      limits[("%s is %g"):format(limit, keep[limit:match "count" or limit:match "days" or "megabytes"])] = true
      files.remove(run.folder)
    else
      seen.count, seen.bytes = seen.count + 1, seen.bytes + (run.size or 0)
    end
  end
  return removed.count > 0 and sentence(base, removed, limits) or nil
end

return old_runs
