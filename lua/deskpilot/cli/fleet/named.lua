--- Runs and workers of a fleet by what a person types of their names: the beginning is enough where it is that of one.
local text = require "deskpilot.base.text"

local named = {}

local SHOWN = 10 -- names in a sentence

local function beginning_with(word, names)
  local found = {}
  for _, name in ipairs(names) do
    if name == word then return { name } end
    if text.starts(name, word) then found[#found + 1] = name end
  end
  return found
end

local function some(names)
  local rest = #names > SHOWN and (" and %d more"):format(#names - SHOWN) or ""
  return table.concat(names, ", ", 1, math.min(#names, SHOWN)) .. rest
end

--- The id of a run.
---@param store deskpilot.fleet.store
---@param word string
---@return string? id, string? why in a sentence; nil where the server is the reason
---@return deskpilot.error? err
function named.run(store, word)
  local unknown = ("there is no run %s: deskpilot fleet runs lists them"):format(text.cut(word, 60))
  if not word:find("^%x+$") then return nil, unknown end
  word = word:lower()
  if #word == 32 then
    local record, err = store:record(word)
    if record then return word end
    if err.code == "not_found" then return nil, unknown end
    return nil, nil, err
  end
  local keys, err = store.runs:keys()
  if not keys then return nil, nil, err end
  local found = beginning_with(word, keys)
  if #found == 1 then return found[1] end
  return nil, #found == 0 and unknown or ("%d runs begin with %s: %s"):format(#found, word, some(found))
end

--- The name of a worker that is there.
---@param store deskpilot.fleet.store
---@param word string
---@return string? name, string? why in a sentence; nil where the server is the reason
---@return deskpilot.error? err
function named.worker(store, word)
  local there, err = store:workers_there()
  if not there then return nil, nil, err end
  local names = {}
  for i, worker in ipairs(there) do names[i] = worker.name end
  local found = beginning_with(word, names)
  if #found == 1 then return found[1] end
  if #found > 1 then return nil, ("%d workers begin with %s: %s"):format(#found, word, some(found)) end
  return nil, ("there is no worker %s; %s"):format(text.cut(word, 100), #names == 0 and "none is there at all"
    or "these are there: " .. some(names))
end

return named
