--- deskpilot submit: puts a mission into a fleet's queue, once for each row of data.
local csv = require "deskpilot.base.csv"
local files = require "deskpilot.base.files"
local fleet_options = require "deskpilot.cli.fleet_options"
local tags = require "deskpilot.fleet.tags"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"
local trust = require "deskpilot.fleet.trust"

local command = {
  summary = "Put a mission into a fleet's queue, once for each row of data.",
  order = 91,
  usage = "submit MISSION [--data ROWS.csv] [--sign FILE] [--wait] [OPTIONS] [-- ARGUMENT...]",
  arguments = true, -- for the mission: m.args
  options = fleet_options.with {
    { name = "data", value = "FILE", help = "rows (CSV, names in the first line): the mission is run once for each, "
      .. "with NAME=VALUE for each column in m.args" },
    { name = "times", value = "N", help = "so often for each row (default: 1)" },
    { name = "batch", value = "NAME", help = "what was submitted before is run again under a new name" },
    { name = "sign", value = "FILE", help = "the secret key that they are signed with, for workers that trust it "
      .. "(deskpilot keygen)" },
    { name = "tags", value = "A,B", help = "run them only where workers offer all of these (linux,chromium)" },
    { name = "wait", help = "wait until all of them are done, and show how they stand; exit status 0 if all have "
      .. "succeeded" },
    { name = "quiet", short = "q", help = "show only what is wrong" },
  },
  details = [[
  deskpilot submit order.lua --data rows.csv --wait
  deskpilot submit test.lua --times 20 -- speed=slow

The folder of MISSION goes along (at most 32 MB, 1000 files, no links; without runs/ and what begins with a dot). What
is submitted again with the same files and parameters is not run again, unless --batch says so, or it was refused for
want of a signature.

Exit status 0: it is in the queue, or with --wait all have succeeded; 1: some have not; 2: the command line, the
mission's folder or the data is wrong; 3: the server cannot be reached.]],
}

local function read_rows(path)
  if not path then return nil end
  local text, err = files.read(path)
  if not text then return nil, err end
  local rows, why = csv.records(text)
  if not rows then return nil, why end
  if #rows == 0 then return nil, path .. " has no rows below the line of names" end
  return rows
end

local function order_of(options, positional)
  if #positional ~= 1 then return nil, "submit takes one mission, a file: deskpilot submit order.lua" end
  if not files.exists(positional[1]) then return nil, "there is no file " .. positional[1] end
  local times, why = fleet_options.number(options, "times", 1, 100000)
  if not times then return nil, why end
  local rows, err = read_rows(options.data)
  if err then return nil, err end
  local asked, wrong = tags.read(options.tags)
  if not asked then return nil, wrong end
  local key
  if options.sign then
    key, wrong = trust.signer(options.sign)
    if not key then return nil, wrong end
  end
  return { tags = asked, key = key,
    mission = positional[1], rows = rows, args = options.arguments, times = times, batch = options.batch }
end

local function wait(store, ids, asked, options)
  local submission = require "deskpilot.fleet.submission"
  local shown <close> = not options.quiet and require("deskpilot.cli.fleet.waiting_table").new(#ids) or nil
  local looking = task.start(require("deskpilot.fleet.offers").watch, store, asked, function(line)
    if shown then shown:say(line) else terminal.note(line, "\n") end
  end)
  local stop <close> = setmetatable({}, { __close = function() looking:cancel "the missions are done" end })
  assert(stop)
  if not shown then return submission.wait(store, ids, function() end) end
  return submission.wait(store, ids, function(id, record, done)
    if done then shown:over(id, record, done) else shown:stands(id, record) end
  end)
end

--- Submits the mission of the command line.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local order, why = order_of(options, positional)
  if not order then
    terminal.complain(tostring(why))
    return 2
  end
  local store <close>, status = fleet_options.open(options, "deskpilot submit")
  if not store then return status end
  local submission = require "deskpilot.fleet.submission"
  local ids, new = submission.send(store, order)
  if not ids then
    terminal.complain(tostring(new))
    return new.code == "invalid" and 2 or fleet_options.environment
  end
  if not options.quiet then terminal.note(("%d missions, %d of them new\n"):format(#ids, new)) end
  if not options.wait then return 0 end
  local failed, err = wait(store, ids, order.tags, options)
  if not failed then
    terminal.complain(tostring(err))
    return fleet_options.environment
  end
  terminal.note(("%d succeeded, %d did not\n"):format(#ids - failed, failed))
  return failed == 0 and 0 or 1
end

return command
