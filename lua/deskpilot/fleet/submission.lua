--- Putting missions into the queue of a fleet: one for each row of data and each repetition. What each is, its
--- mission's files and its parameters, makes its id, so that submitting the same again adds nothing.
local bundle = require "deskpilot.fleet.bundle"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local system = require "native.system"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local trust = require "deskpilot.fleet.trust"

local submission = {}

-- Each row's parameters as `deskpilot run MISSION -- NAME=VALUE ...` takes them, in the order of their names.
local function arguments_of(row)
  local list = json.list()
  for _, name in ipairs(text.keys(row)) do list[#list + 1] = name .. "=" .. row[name] end
  return list
end

local function id_of(what, mission, arguments, time, batch, set)
  return system.sha256(json.encode { what, mission, arguments, time, batch, set ~= "" and set or nil }):sub(1, 32)
end

-- Whether the mission that is there may be put in anew: it was refused, or has waited without the signature of now.
local function is_open(there, record)
  local outcome = type(there.outcome) == "table" and there.outcome or {}
  return there.status == "done" and outcome.refused
    or there.status == "queued" and not there.signature and record.signature
end

-- Puts one in. Returns whether it was not there before.
local function put(store, id, record, set)
  local made, why = store:change(id, record, 0)
  if made then
    local sent, err = store:enqueue(id, set)
    return sent, err
  end
  if why.code ~= "stale" then return nil, why end
  local there, revision = store:record(id)
  if not there then return nil, revision end
  local anew = is_open(there, record)
  if anew then
    made, why = store:change(id, record, revision)
    if not made and why.code ~= "stale" then return nil, why end
  elseif there.status ~= "queued" then
    return false
  end
  local sent, err = store:enqueue(id, set, anew) -- it may have been cut off in between
  if not sent then return nil, err end
  return made and true or false
end

--- Puts them in. May be called again if it was cut off.
---@param store deskpilot.fleet.store
---@param order { mission: string, rows: table<string, string>[]?, args: string[]?, times: integer?,
---  batch: string?, tags: string[]?, key: deskpilot.minisign.secret? } tags: what their workers must offer; key: what
---  they are signed with
---@return string[]? ids in the order of the rows
---@return integer|deskpilot.error new how many of them were not there before
function submission.send(store, order)
  local folder, name = files.split(files.absolute(order.mission))
  local packed, hash = bundle.make(folder)
  if not packed then return nil, hash end
  local ok, err = store:keep_bundle(packed, hash)
  local asked = order.tags or {}
  local set = tags.name(asked)
  if ok then ok, err = store:keep_queue(set) end
  if not ok then return nil, err end
  local ids, new = {}, 0
  for _, row in ipairs(order.rows or { {} }) do
    local arguments = arguments_of(row)
    for _, argument in ipairs(order.args or {}) do arguments[#arguments + 1] = argument end
    for time = 1, order.times or 1 do
      local id = id_of(hash, name, arguments, time, order.batch or "", set)
      ids[#ids + 1] = id
      local record = { version = 1, status = "queued", mission = name, bundle = hash, args = arguments,
        batch = order.batch, submitted = os.time(), number = #ids, tags = #asked > 0 and json.list(asked) or nil }
      if order.key then trust.sign(order.key, id, record) end
      local made, why = put(store, id, record, set)
      if made == nil then return nil, why end
      new = new + (made and 1 or 0)
    end
  end
  return ids, new
end

--- Waits until all of them are done; also while the server is away.
---@param store deskpilot.fleet.store
---@param ids string[]
---@param told fun(id: string, record: table, done: integer?) for each change of one; done: how many are over, where it
---  is, which is told once
---@return integer? failed how many did not succeed
---@return deskpilot.error? err
function submission.wait(store, ids, told)
  local left, count, failed = {}, 0, 0
  for _, id in ipairs(ids) do
    if not left[id] then left[id], count = true, count + 1 end
  end
  local total = count
  local watch <close>, err = store.runs:watch()
  if not watch then return nil, err end
  while count > 0 do
    local entry, why = watch:next(60)
    if not entry and not errors.is(why, "timed_out") then
      if store.connection.closed then return nil, why end
      task.sleep(1)
    end
    local record = entry and not entry.deleted and left[entry.key] and store:record_in(entry)
    if record and record.status ~= "done" and record.status ~= "cancelled" then
      told(entry.key, record)
    elseif record then
      left[entry.key], count = nil, count - 1
      local outcome = type(record.outcome) == "table" and record.outcome or {}
      if outcome.status ~= 0 then failed = failed + 1 end
      told(entry.key, record, total - count)
    end
  end
  return failed
end

return submission
