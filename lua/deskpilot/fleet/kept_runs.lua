--- What workers have kept, cleared by age: runs in a worker's own folder, and artifacts in a folder that is shared.
--- Only a folder that a worker has made goes: it is named by a mission's id and has a worker's mark in it, which is as
--- old as the latest run that began there.
local uv = require "luv"
local artifact_folder = require "deskpilot.fleet.artifact_folder"
local files = require "deskpilot.base.files"
local old_runs = require "deskpilot.agent.old_runs"
local task = require "deskpilot.base.task"

local kept_runs = {}

--- The names of the marks.
kept_runs.marks = { runs = ".deskpilot-worker", artifacts = artifact_folder.marker }

local HOUR = 3600
local DAY = 24 * HOUR

--- Says that a worker keeps a mission's runs in a folder, from now on.
---@param folder string is made
---@return true? ok, deskpilot.error? err
function kept_runs.mark(folder)
  local ok, err = files.make_folder(folder, { private = true })
  if not ok then return nil, err end
  return files.write(files.join(folder, kept_runs.marks.runs), "Made by deskpilot worker, which removes it when it is "
    .. "told to (--keep-runs).\n", { private = true, sync = false })
end

-- Whether something in a mission's folder goes on: a run, or the delivery of its artifacts.
local function is_used(folder)
  for _, name in ipairs(files.list(folder)) do
    if name:find "%.delivery$" and files.is_locked(files.join(folder, name)) then return true end
    if old_runs.is_held(files.join(folder, name)) then return true end
  end
  return false
end

-- When a folder's mark was written; nil where it is no worker's.
local function marked_at(folder, mark)
  local stat = uv.fs_lstat(folder)
  if not stat or stat.type ~= "directory" then return nil end
  local found = uv.fs_lstat(files.join(folder, mark))
  return found and found.type == "file" and found.mtime.sec or nil
end

--- Removes what is older. For a task: others go on in between.
---@param base string
---@param mark string one of kept_runs.marks
---@param days number
---@param now integer? the time of day, in place of the present one
---@return integer count of missions whose folders have gone
function kept_runs.clear(base, mark, days, now)
  local oldest, count = (now or os.time()) - days * DAY, 0
  for _, name in ipairs(files.list(base)) do
    local folder = files.join(base, name)
    local at = name:find "^%x+$" and #name == 32 and marked_at(folder, mark)
    if at and at < oldest and not is_used(folder) then
      files.remove(folder)
      count = count + 1
      task.sleep(0)
    end
  end
  return count
end

---@class deskpilot.fleet.kept
---@field base string
---@field mark string one of kept_runs.marks
---@field days number

--- Clears now and each hour, until its task is ended.
---@param list deskpilot.fleet.kept[]
---@param say fun(line: string)
function kept_runs.clear_each_hour(list, say)
  while true do
    for _, kept in ipairs(list) do
      local count = kept_runs.clear(kept.base, kept.mark, kept.days)
      if count > 0 then
        say(("removed what %d missions have left in %s: it was older than %g days"):format(count, kept.base, kept.days))
      end
    end
    task.sleep(HOUR)
  end
end

return kept_runs
