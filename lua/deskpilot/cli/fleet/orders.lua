--- `deskpilot fleet cancel`, `drain` and `keep`: what changes a fleet.
local columns = require "deskpilot.cli.columns"
local control = require "deskpilot.fleet.control"
local errors = require "deskpilot.base.errors"
local lists = require "deskpilot.cli.fleet.lists"
local named = require "deskpilot.cli.fleet.named"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"

local orders = {}

local PATIENCE = 60 -- seconds for a worker to end what it runs
local DAY = 24 * 3600

local function ended(record) return record.status == "done" or record.status == "cancelled" end

-- A record as cancelling it leaves it at this moment: at once where nobody runs it, else its worker is asked.
local function mark(store, record)
  if record.status == "running" and store.workers:get(tostring(record.worker)) then
    if record.cancel then return false end
    record.cancel = true
    return true
  end
  record.status, record.ended = "cancelled", os.time()
  record.outcome = { status = 130, result = { status = "cancelled" }, words = "cancelled" }
  return true
end

-- One step; whether it is over, or why it cannot go on.
local function step(store, id)
  local record, revision = store:record(id)
  if not record then return nil, revision end
  if ended(record) then return record end
  if mark(store, record) then
    local changed, err = store:change(id, record, revision)
    if not changed and err.code ~= "stale" then return nil, err end
    if not changed or ended(record) then return changed and record or false end
  end
  -- A worker that has just ended it says that it does not run it: the record tells what became of it.
  local told, err = control.give(store.connection, record.worker, { order = "cancel", id = id })
  if not told and store.connection.closed then return nil, err end
  return false
end

-- Ends one; the sentence, or why not.
local function cancel(store, id)
  local deadline = task.now() + PATIENCE
  local before, revision = store:record(id)
  if not before then return nil, revision end
  if ended(before) then
    return errors.fail("refused", "%s has ended already: %s", id, lists.standing(before))
  end
  while task.now() < deadline do
    local record, err = step(store, id)
    if record == nil then return nil, err end
    if record and record.status == "cancelled" then return id .. ": cancelled" end
    if record then return errors.fail("refused", "%s has ended meanwhile: %s", id, lists.standing(record)) end
    task.sleep(0.25)
  end
  return errors.fail("timed_out", "%s: its worker has not ended it within %d s; whoever gets it next will not run it "
    .. "again", id, PATIENCE)
end

--- Ends missions that wait or run.
---@param store deskpilot.fleet.store
---@param words string[] what names them
---@return integer status
function orders.cancel(store, words)
  local worst = 0
  for _, word in ipairs(words) do
    local id, why, err = named.run(store, word)
    local said
    if id then said, err = cancel(store, id) end
    if said then
      terminal.put(said, "\n")
    else
      terminal.complain(why or tostring(err))
      local status = why and 2 or (errors.is(err, "refused") or errors.is(err, "timed_out")) and 1 or 3
      worst = math.max(worst, status)
    end
  end
  return worst
end

--- Ends all missions of a batch that are not over; those that wait first, so that no worker begins them meanwhile.
---@param store deskpilot.fleet.store
---@param batch string
---@return integer status
function orders.cancel_batch(store, batch)
  local all, err = store:records()
  if not all then
    terminal.complain(tostring(err))
    return 3
  end
  local waiting, running, known = {}, {}, false
  for _, one in ipairs(all) do
    known = known or one.record.batch == batch
    if one.record.batch == batch and not ended(one.record) then
      local list = one.record.status == "running" and running or waiting
      list[#list + 1] = one.id
    end
  end
  if not known then
    terminal.complain(("there are no runs of a batch %s"):format(batch))
    return 2
  end
  return orders.cancel(store, table.move(running, 1, #running, #waiting + 1, waiting))
end

--- Has workers take no more missions and end.
---@param store deskpilot.fleet.store
---@param words string[] what names them
---@return integer status
function orders.drain(store, words)
  local worst = 0
  for _, word in ipairs(words) do
    local name, why, err = named.worker(store, word)
    local answer
    if name then answer, err = control.give(store.connection, name, { order = "drain" }) end
    if answer then
      local running = math.tointeger(answer.running) or 0
      terminal.put(("%s takes no more missions and ends%s\n"):format(name, running == 0 and ""
        or running == 1 and " when the one that runs has ended"
        or (" when the %d that run have ended"):format(running)))
    elseif name and err.code == "not_found" then
      terminal.complain(("the worker %s does not listen: it has ended a moment ago"):format(name))
      worst = math.max(worst, 1)
    else
      terminal.complain(why or tostring(err))
      worst = math.max(worst, why and 2 or 3)
    end
  end
  return worst
end

--- Tells or says how long records, bundles and events are kept.
---@param store deskpilot.fleet.store
---@param days integer? nil: only tells
---@return integer status
function orders.keep(store, days)
  local ok, err = true, nil
  if days then ok, err = store:keep(days * DAY) end
  local seconds
  if ok then seconds, err = store:kept() end
  if not seconds then
    terminal.complain(tostring(err))
    return 3
  end
  terminal.put(seconds == 0 and "records, bundles and events are kept for ever\n"
    or ("records, bundles and events are kept for %s\n"):format(seconds % DAY == 0
    and ("%d days"):format(seconds // DAY) or columns.clock(seconds // 60) .. " hours"))
  return 0
end

return orders
