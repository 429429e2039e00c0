--- `deskpilot fleet watch RUN`: the live page of a run that goes on somewhere in a fleet. Its journal is written into a
--- folder of this machine's as it comes, which `deskpilot live` shows; pictures stay where the run is.
local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local live = require "deskpilot.cli.live"
local run_journal = require "deskpilot.fleet.run_journal"
local system = require "native.system"
local task = require "deskpilot.base.task"

local watch = {}

local LOOK = 2 -- seconds without an event after which the record is looked at

-- The attempt that runs.
local function running(store, id)
  local record, err = store:record(id)
  if not record then return nil, err end
  if record.status == "running" then return record.attempts end
  return errors.fail("refused", "%s does not run now (it is %s): deskpilot fleet logs %s tells what it has done", id,
    record.status, id)
end

-- The first piece of the attempt, for which the run may need a while.
local function first(store, reader, id, attempt)
  while true do
    local message, why = reader:next(LOOK)
    if message then return message end
    if store.connection.closed then return nil, why end
    local now, err = running(store, id)
    if now ~= attempt then
      return nil, err or errors.new("refused", "another attempt at %s has begun meanwhile: try again", id)
    end
  end
end

-- Writes what comes into the file, until the attempt is over.
local function follow(store, reader, id, attempt, fd, message)
  local have = 0
  while true do
    local facts = message and run_journal.facts(message)
    local rest = facts and run_journal.rest(message, facts.offset, have)
    if message and not (rest and files.write_all(fd, rest)) then return end
    have = have + #(rest or "")
    if not message and (store.connection.closed or running(store, id) ~= attempt) then return end
    message = reader:next(LOOK)
  end
end

--- Shows it until the attempt is over.
---@param store deskpilot.fleet.store
---@param id string
---@return true? ok, deskpilot.error? err refused: it does not run
function watch.show(store, id)
  local attempt, err = running(store, id)
  if not attempt then return nil, err end
  local reader <close>, why = store:events(id, attempt)
  if not reader then return nil, why end
  local message, failure = first(store, reader, id, attempt)
  if not message then return nil, failure end
  local facts = run_journal.facts(message)
  if not facts then return errors.fail("protocol", "the events of %s on the server are none of a run's", id) end
  local base, wrong = files.make_temporary_folder(assert(files.own_temporary_folder()), "watch-")
  if not base then return nil, wrong end
  local removing <close> = setmetatable({}, { __close = function() files.remove(base) end })
  local folder = files.join(base, facts.run)
  local ok, refused = files.make_folder(folder, { private = true })
  if not ok then return nil, refused end
  local fd, unmade = files.create(files.join(folder, "journal.jsonl"), { private = true })
  if not fd then return nil, unmade end
  system.lock_file(fd) -- while the attempt goes on
  local following = task.start(function()
    local closing <close> = setmetatable({}, { __close = function() uv.fs_close(fd) end })
    assert(closing)
    follow(store, reader, id, attempt, fd, message)
  end)
  assert(removing)
  local shown, problem = live.watch(folder)
  following:cancel "nobody looks any more"
  return shown, problem
end

return watch
