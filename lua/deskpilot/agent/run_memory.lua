--- The memory of a run: with the limits of its configuration, its changes in the journal, and, where `memory.keep` says
--- so, what the project or the application in front is remembered by.
local lookup = require "deskpilot.base.lookup"
local memory = require "deskpilot.agent.memory"

-- What few runs need is loaded by those that do.
local function memory_store() return require "deskpilot.agent.memory_store" end

local run_memory = {}

-- The stores that were used, by kind and key, so that each is read once; one that cannot be read is told of once.
local function opener(run)
  local opened = {}
  return function(kind, key)
    local id = kind .. " " .. key
    if not opened[id] then
      opened[id] = memory_store().of(kind, key)
      opened[id]:read()
      if opened[id].problem then run:note(opened[id].problem) end
    end
    return opened[id]
  end
end

-- The application in front, by its profile; one without a profile has no memory.
local function application(run)
  local seen = run.observation
  local profile = seen and seen.window and run.desk.apps.profile_of(seen.window)
  return profile and profile.id
end

local function store_of(run)
  local keep = run.config:get "memory.keep"
  if keep == "run" then return nil end
  local open = opener(run)
  if keep == "project" then
    local folder = lookup.project_folder()
    return function() return open("project", folder) end
  end
  return function()
    local id = application(run)
    return id and open("application", id) or nil
  end
end

--- What memory.new and memory.restore take for this run.
---@param run deskpilot.run
---@return table
function run_memory.options(run)
  local limits = {}
  for _, name in ipairs { "values", "value_chars", "experiences", "experience_chars" } do
    limits[name] = run.config:get("memory." .. name)
  end
  return { limits = limits, store = store_of(run), changed = function(change) run:emit("memory", change) end }
end

--- The empty memory of a new run.
---@param run deskpilot.run
---@return deskpilot.memory
function run_memory.of(run)
  return memory.new(run_memory.options(run))
end

return run_memory
