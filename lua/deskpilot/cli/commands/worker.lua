--- deskpilot worker: takes missions from a fleet's queue and runs them on desktops of their own.
local artifacts = require "deskpilot.cli.fleet.artifacts"
local capacity = require "deskpilot.fleet.capacity"
local files = require "deskpilot.base.files"
local fleet_options = require "deskpilot.cli.fleet_options"
local tags = require "deskpilot.fleet.tags"
local terminal = require "deskpilot.cli.terminal"
local trust = require "deskpilot.fleet.trust"

local command = {
  summary = "Run missions from a fleet's queue, each on a private desktop.",
  order = 90,
  only_options = true,
  usage = "worker (--trust KEY.pub | --trust-server) [--server URL] [--slots N] [--tags A,B] [OPTIONS]",
  options = fleet_options.with {
    { name = "trust", value = "FILE", repeated = true, help = "run only missions that the owner of this public key has "
      .. "signed (deskpilot keygen); may be given several times" },
    { name = "trust-server", help = "run what the server hands out: whoever may write to it may run programs here" },
    { name = "tags", value = "A,B", help = "what this machine has (linux,chromium), for missions that ask for it" },
    { name = "slots", value = "N", help = "how many missions at a time (default: as many as this machine carries)" },
    { name = "slot-memory", value = "MB", help = "what one takes of memory (default: 450, a desktop with a browser; "
      .. "without one 100 will do)" },
    { name = "slot-processors", value = "N", help = "what one takes of the processors (default: 0.25)" },
    { name = "desktop", value = "WHERE", help = "private or private:WIDTHxHEIGHT (default: private)" },
    { name = "runs", value = "DIR", help = "where run directories are kept (default: runs)" },
    { name = "artifacts", value = "PLACE", help = "where runs are brought to when they have ended: a folder that is "
      .. "there, or https://host/path, which takes PUT" },
    { name = "artifacts-token", value = "FILE", help = "what gives access there: a token, headers (Name: value) or a "
      .. "query (?...), a line each" },
    { name = "artifacts-ca", value = "FILE", help = "authorities (PEM) that its certificate is checked by, in place of "
      .. "the system's" },
    { name = "artifacts-mb", value = "MB", help = "of a run at most (default: 256)" },
    { name = "artifacts-patience", value = "SECONDS", help = "for how long a place that fails is tried again (default: "
      .. "300)" },
    { name = "keep-artifacts", value = "DAYS", help = "remove from that folder what workers put there longer ago" },
    { name = "keep-runs", value = "DAYS", help = "remove from --runs what workers ran longer ago" },
    { name = "journal-key", value = "FILE", help = "go on only with runs of workers that have this file too" },
    { name = "quiet", short = "q", help = "say nothing but what is wrong" },
  },
  details = [[
  nats-server -js -sd /var/lib/nats                         the queue, from Debian's package nats-server
  deskpilot keygen orders                                   once: orders.key and orders.pub
  deskpilot worker --trust orders.pub --slots 4             on each machine that is to work
  deskpilot submit order.lua --data rows.csv --sign orders.key --wait

SIGTERM (or Ctrl+C): it takes no more missions, and ends when those that run have ended; the second one ends it at
once, and its missions go to other workers. docs/fleet.md tells more.

Exit status 0: it was told to end; 2: the command line is wrong; 3: the machine or the server lacks something.]],
}

local state = {}

--- The first signal drains.
---@param signal string
---@return boolean handled
function command.interrupted(signal)
  if not state.worker then return false end
  terminal.note(signal, ": no more missions are taken\n")
  state.worker:drain()
  return true
end

-- What a mission takes, where the command line says it.
local function slot_of(options)
  local memory, why = fleet_options.number(options, "slot-memory", capacity.slot.memory >> 20, 1 << 20)
  local share = tonumber(options.slot_processors or capacity.slot.processors)
  if not memory then return nil, why end
  if not share or share < 0.01 or share > 1000 then
    return nil, "--slot-processors is a number of 0.01 to 1000, not " .. options.slot_processors
  end
  return { memory = memory << 20, processors = share, disk = capacity.slot.disk }
end

-- How the worker is to be, by its command line.
local function read(options)
  if (options.trust_server ~= nil) == (options.trust ~= nil) then
    return nil, "a worker runs missions as this user: say --trust KEY.pub for those that this key has signed "
      .. "(deskpilot keygen), or --trust-server if all who may write to the server may do that; one of the two"
  end
  local plan = { desktop = options.desktop or "private" }
  if not plan.desktop:find("^private") then
    return nil, "--desktop of a worker is private or private:WIDTHxHEIGHT, not " .. plan.desktop
  end
  local why
  plan.tags, why = tags.read(options.tags)
  if plan.tags and options.trust then plan.keys, why = trust.keys(options.trust) end
  if why then return nil, why end
  if options.slots then plan.slots, why = fleet_options.number(options, "slots", 1, 1000) end
  if why then return nil, why end
  if options.journal_key then
    plan.journal_key, why = require("deskpilot.fleet.run_journal").key(options.journal_key)
  end
  if why then return nil, why end
  plan.artifacts, why = artifacts.read(options)
  if why then return nil, why end
  plan.keep, why = artifacts.read_keep(options, plan.artifacts)
  if why then return nil, why end
  local slot, wrong = slot_of(options)
  plan.slot = slot
  return slot and plan, wrong
end

-- The folders that missions write to, and how many fit.
local function measure(plan, options)
  plan.runs = files.absolute(options.runs or "runs")
  local ok, err = files.make_folder(plan.runs)
  local temporary
  if ok then temporary, err = files.own_temporary_folder() end
  if not temporary then return nil, err end
  plan.folders = { temporary, plan.runs }
  plan.slots, err = capacity.slots(plan.slots, capacity.measure(plan.folders), plan.slot)
  return plan.slots, err
end

--- Works until it is told to end.
---@param options table
---@return integer status
function command.run(options)
  local plan, why = read(options)
  if not plan then
    terminal.complain(tostring(why))
    return 2
  end
  local slots, too_few = measure(plan, options)
  if not slots then
    terminal.complain(tostring(too_few))
    return fleet_options.environment
  end
  local store <close>, status = fleet_options.open(options, "deskpilot worker")
  if not store then return status end
  local folder <close>, err = require("deskpilot.fleet.work_folder").open()
  if not folder then
    terminal.complain(tostring(err))
    return fleet_options.environment
  end
  local function say(line)
    if not options.quiet then terminal.note(line, "\n") end
  end
  state.worker = require("deskpilot.fleet.worker").new(store, { slots = slots, desktop = plan.desktop, say = say,
    folder = folder.path, runs = plan.runs, folders = plan.folders, tags = plan.tags, keys = plan.keys,
    trusts_journals = options.trust_server, journal_key = plan.journal_key, artifacts = plan.artifacts,
    keep = plan.keep })
  say(("%s takes missions from %s, %d at a time"):format(state.worker.name, store.connection.servers, slots))
  local drained, why_not = state.worker:run()
  state.worker = nil
  if drained then return 0 end
  terminal.complain(tostring(why_not))
  return fleet_options.environment
end

return command
