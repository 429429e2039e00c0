--- Whether there is a worker for missions that ask for tags, for whoever waits for them.
local json = require "deskpilot.base.json"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"

local offers = {}

local LINE = { bytes = 1 << 20, values = 20000, depth = 8 }
local FIRST, LONGEST = 2, 30 -- seconds between looks

-- Whether a worker's sign of life says that it takes such missions.
local function takes(value, asked)
  local line = json.decode(value, LINE)
  if type(line) ~= "table" or line.draining then return false end
  local offered = type(line.tags) == "table" and line.tags or {}
  return tags.include(offered, asked)
end

--- Whether a worker that is there offers all of those tags.
---@param store deskpilot.fleet.store
---@param asked string[]
---@return boolean? offered, deskpilot.error? err
function offers.any(store, asked)
  local names, err = store.workers:keys()
  if not names then return nil, err end
  for _, name in ipairs(names) do
    local entry = store.workers:get(name)
    if entry and takes(entry.value, asked) then return true end
  end
  return false
end

--- Looks until there is one, and says once where there is none.
---@param store deskpilot.fleet.store
---@param asked string[]
---@param say fun(line: string)
function offers.watch(store, asked, say)
  local pause, said = FIRST, false
  while not store.connection.closed do
    local there = offers.any(store, asked)
    if there then return end
    if there == false and not said then
      said = true
      if #asked == 0 then
        say "no worker is there: the missions wait until one is (deskpilot worker)"
      else
        local list = table.concat(asked, ",")
        say(("no worker offers the tags %s: the missions wait until one does (deskpilot worker --tags %s)"):format(list,
          list))
      end
    end
    task.sleep(pause)
    pause = math.min(2 * pause, LONGEST)
  end
end

return offers
