--- deskpilot fleet: looks at a fleet's missions and workers, and ends them.
local errors = require "deskpilot.base.errors"
local fleet_options = require "deskpilot.cli.fleet_options"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local command = {
  summary = "Look at a fleet's missions and workers, and end them.",
  order = 93,
  usage = "fleet status|runs|logs|watch|cancel|drain|keep [NAME]... [OPTIONS]",
  options = fleet_options.with {
    { name = "batch", value = "NAME", help = "runs, cancel: those that were submitted under that name" },
    { name = "last", value = "N", help = "runs: only the N latest (20 unless told; 0: all of them)" },
    { name = "follow", short = "f", help = "logs: also what comes, until the mission is over" },
    { name = "verbose", short = "v", help = "logs: also what the personas say" },
    { name = "json", help = "status, runs and logs: JSON; of logs the journal's own lines" },
  },
  details = [[
  deskpilot fleet status            the workers, what they run, how many missions wait
  deskpilot fleet runs              the missions, how they stand or ended
  deskpilot fleet logs RUN          what its runs have done so far, each attempt
  deskpilot fleet watch RUN         the live page of the run that goes on, without its pictures
  deskpilot fleet cancel RUN...     ends missions that wait or run; with --batch NAME all of that batch
  deskpilot fleet drain WORKER...   it takes no more missions, and ends when those that run have ended
  deskpilot fleet keep [DAYS]       how long the server keeps records, bundles and events (30 days unless told)

RUN is a mission's id as runs and submit --wait show it, WORKER a worker's name; of both the beginning is enough.

Exit status 0: it is done; 1: that mission or worker has ended already, or does not run; 2: the command line is
wrong, or there is no such run or worker; 3: the server cannot be reached.]],
}

-- What each of them takes: how many names, and which options of its own.
local takes = {
  status = { 0, 0, json = true },
  runs = { 0, 0, json = true, batch = true, last = true },
  logs = { 1, 1, json = true, follow = true, verbose = true },
  watch = { 1, 1 },
  cancel = { 0, math.huge, batch = true },
  drain = { 1, math.huge },
  keep = { 0, 1 },
}

local wanted = { logs = "one run: deskpilot fleet logs RUN", watch = "one run: deskpilot fleet watch RUN",
  drain = "workers: deskpilot fleet drain WORKER",
  keep = "one number of days: deskpilot fleet keep 14" }

local function whole(words, least, most)
  local number = math.tointeger(tonumber(words))
  return number and number >= least and number <= most and number or nil
end

-- What the command line orders, or what is wrong with it.
local function read_order(options, positional)
  local what, names = positional[1], table.move(positional, 2, #positional, 1, {})
  local takes_what = what and takes[what]
  if not takes_what then
    return nil, ("fleet is followed by one of %s%s"):format(table.concat(text.keys(takes), ", "),
      what and (", not '%s'"):format(what) or "")
  end
  if #names < takes_what[1] or #names > takes_what[2] then
    return nil, ("fleet %s takes %s"):format(what, wanted[what] or "no names")
  end
  if what == "cancel" and (#names > 0) == (options.batch ~= nil) then
    return nil, "fleet cancel takes runs or a batch: deskpilot fleet cancel RUN..., or --batch NAME"
  end
  for _, name in ipairs { "batch", "last", "follow", "verbose", "json" } do
    if options[name] and not takes_what[name] then return nil, ("fleet %s has no --%s"):format(what, name) end
  end
  local order = { what = what, names = names }
  order.last = whole(options.last or "20", 0, 1 << 40)
  if not order.last then return nil, ("--last wants how many, such as --last 5, not '%s'"):format(options.last) end
  if order.last == 0 then order.last = math.maxinteger end
  if what == "keep" and names[1] then
    order.days = whole(names[1], 1, 36500)
    if not order.days then return nil, ("fleet keep takes days, 1 to 36500, not '%s'"):format(names[1]) end
  end
  return order
end

local function complain(err)
  terminal.complain(tostring(err))
  return errors.is(err, "not_found") and 2 or errors.is(err, "refused") and 1 or fleet_options.environment
end

local acts = {}

function acts.status(store, options)
  local ok, err = require("deskpilot.cli.fleet.lists").status(store, options)
  return ok and 0 or complain(err)
end

function acts.runs(store, options, order)
  local ok, err = require("deskpilot.cli.fleet.lists").runs(store, { json = options.json, batch = options.batch,
    last = order.last })
  return ok and 0 or complain(err)
end

-- Calls show(id) for the one run that is named.
local function of_run(store, order, show)
  local id, why, err = require("deskpilot.cli.fleet.named").run(store, order.names[1])
  if why then
    terminal.complain(why)
    return 2
  end
  if not id then return complain(err) end
  local ok, failure = show(id)
  return ok and 0 or complain(failure)
end

function acts.logs(store, options, order)
  return of_run(store, order, function(id) return require("deskpilot.cli.fleet.logs").print(store, id, options) end)
end

function acts.watch(store, _, order)
  return of_run(store, order, function(id) return require("deskpilot.cli.fleet.watch").show(store, id) end)
end

function acts.cancel(store, options, order)
  local orders = require "deskpilot.cli.fleet.orders"
  if options.batch then return orders.cancel_batch(store, options.batch) end
  return orders.cancel(store, order.names)
end

function acts.drain(store, _, order) return require("deskpilot.cli.fleet.orders").drain(store, order.names) end

function acts.keep(store, _, order) return require("deskpilot.cli.fleet.orders").keep(store, order.days) end

--- Does what the command line says.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local order, why = read_order(options, positional)
  if not order then
    terminal.complain(why)
    return 2
  end
  local store <close>, status = fleet_options.open(options, "deskpilot fleet")
  if not store then return status end
  return acts[order.what](store, options, order)
end

return command
