--- deskpilot worker: takes missions from a fleet's queue and runs them on desktops of their own.
local files = require "deskpilot.base.files"
local fleet_options = require "deskpilot.cli.fleet_options"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "Run missions from a fleet's queue, each on a private desktop.",
  order = 90,
  only_options = true,
  usage = "worker --trust-server [--server URL] [--slots N] [OPTIONS]",
  options = fleet_options.with {
    { name = "trust-server", help = "run what the server hands out: whoever may write to it may run programs here" },
    { name = "slots", value = "N", help = "how many missions at a time (default: 1)" },
    { name = "desktop", value = "WHERE", help = "private or private:WIDTHxHEIGHT (default: private)" },
    { name = "runs", value = "DIR", help = "where run directories are kept (default: runs)" },
    { name = "journal-key", value = "FILE", help = "go on only with runs of workers that have this file too" },
    { name = "quiet", short = "q", help = "say nothing but what is wrong" },
  },
  details = [[
  nats-server -js -sd /var/lib/nats                         the queue, from Debian's package nats-server
  deskpilot worker --trust-server --slots 4                 on each machine that is to work
  deskpilot submit order.lua --data rows.csv --wait         from anywhere

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

--- Works until it is told to end.
---@param options table
---@return integer status
function command.run(options)
  local slots, why = fleet_options.number(options, "slots", 1, 1000)
  if slots and not options.trust_server then
    slots, why = nil, "a worker runs what its server hands out, as this user: say --trust-server if all who may write "
      .. "to it may do that"
  end
  local desktop = options.desktop or "private"
  if slots and not desktop:find("^private") then
    slots, why = nil, "--desktop of a worker is private or private:WIDTHxHEIGHT, not " .. desktop
  end
  if not slots then
    terminal.complain(why)
    return 2
  end
  local key, wrong
  if options.journal_key then key, wrong = require("deskpilot.fleet.run_journal").key(options.journal_key) end
  if wrong then
    terminal.complain(tostring(wrong))
    return 2
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
  state.worker = require("deskpilot.fleet.worker").new(store, { slots = slots, desktop = desktop, say = say,
    folder = folder.path, trusts_journals = options.trust_server, journal_key = key,
    runs = files.absolute(options.runs or "runs") })
  say(("%s takes missions from %s"):format(state.worker.name, store.connection.servers))
  local drained, why_not = state.worker:run()
  state.worker = nil
  if drained then return 0 end
  terminal.complain(tostring(why_not))
  return fleet_options.environment
end

return command
