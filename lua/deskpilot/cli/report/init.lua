--- `report.html` of a run's folder, and one file that holds two runs beside each other or a run with all its pictures.
local files = require "deskpilot.base.files"
local image = require "native.image"
local journal = require "deskpilot.agent.journal"
local page = require "deskpilot.cli.report.page"
local rundir = require "deskpilot.agent.rundir"
local trajectory = require "deskpilot.agent.trajectory"
local turns = require "deskpilot.cli.report.turns"

local report = {}

local largest_picture = 32 * 2 ^ 20 -- bytes of one that is put into the page

-- The bytes of a file of the folder; 0 where it is not there.
local function sizes(folder)
  return function(name)
    local path = files.join(folder, name)
    return files.exists(path) and files.size(path) or nil
  end
end

-- Pictures as files beside the page.
local function beside(folder)
  return { picture = page.beside.picture, linked = true, size = sizes(folder) }
end

--- Pictures as a part of the page, which is then whole wherever it is taken.
---@param folder string
---@return deskpilot.report_context
function report.embedded(folder)
  local taken = {}
  return { embedded = true, size = sizes(folder), picture = function(path)
    if taken[path] == nil then
      local bytes = files.read(files.join(folder, path), largest_picture)
      local kind = bytes and (bytes:find "^\137PNG" and "png" or bytes:find "^\255\216" and "jpeg")
      taken[path] = kind and ("data:image/%s;base64,%s"):format(kind, image.base64(bytes)) or false
    end
    return taken[path] or nil
  end }
end

--- The page of a run.
---@param events table[] the journal's, oldest first
---@param name string what the run is called
---@param bytes integer? how much it has kept
---@param lost string? what of the journal could not be read
---@param context deskpilot.report_context? where pictures are; beside the page if not given
---@return string html
function report.html(events, name, bytes, lost, context)
  return page.of(turns.of(events), { name = name, bytes = bytes, lost = lost }, context)
end

-- A run that was killed has the trajectory of its last save, or none.
local function complete_trajectory(folder)
  if files.exists(files.join(folder, "result.json")) or require "deskpilot.agent.old_runs".is_held(folder) then
    return true
  end
  return trajectory.write(folder)
end

--- Writes the report of a run directory, and the trajectory of one that was killed.
---@param folder string
---@param output string? a file that is to hold the pictures too, in place of report.html
---@return string? path, deskpilot.error? err
---@return string? lost what of the journal could not be read
function report.write(folder, output)
  local events, how = journal.read(folder)
  if not events then return nil, how end
  local lost = journal.lost(how)
  local _, name = files.split(files.absolute(folder))
  local path = output or files.join(folder, "report.html")
  local context = output and report.embedded(folder) or beside(folder)
  local html = report.html(events, name, rundir.size(folder), lost, context)
  local ok, failure = files.write(path, html, { private = true })
  if ok then ok, failure = complete_trajectory(folder) end
  if not ok then return nil, failure end
  return path, nil, lost
end

--- The run that was made last in a folder of runs, or in its folder `runs`.
---@param folder string
---@return string? path
function report.latest(folder)
  for _, base in ipairs { folder, files.join(folder, "runs"), "runs" } do
    local names = files.list(base)
    for i = #names, 1, -1 do
      local run = files.join(base, names[i])
      if files.exists(files.join(run, "journal.jsonl")) then return run end
    end
  end
end

return report
