--- deskpilot upload: what a run has kept, and its report, to a folder that machines share or to a server that takes
--- PUT. A fleet's workers run it for each run (fleet/deliveries.lua).
local delivery = require "deskpilot.fleet.artifact_delivery"
local files = require "deskpilot.base.files"
local fleet_options = require "deskpilot.cli.fleet_options"
local reports = require "deskpilot.cli.report"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "Bring a run's report, pictures and results to a shared folder, or to a server by PUT.",
  order = 71,
  usage = "upload RUN --to PLACE [--as NAME] [--token FILE] [OPTIONS]",
  options = {
    { name = "to", value = "PLACE", help = "a folder that is there, or https://host/path, to which each file is PUT" },
    { name = "as", value = "NAME", help = "under which it is kept there (default: the run's)" },
    { name = "token", value = "FILE", help = "what gives access: a token, headers (Name: value) or a query (?...), a "
      .. "line each" },
    { name = "ca", value = "FILE", help = "authorities (PEM) that its certificate is checked by, in place of the "
      .. "system's" },
    { name = "max-mb", value = "MB", help = "of the run at most (default: 256)" },
    { name = "patience", value = "SECONDS", help = "for how long a place that fails is tried again (default: 300)" },
    { name = "json", help = "tell what is there as one JSON object" },
  },
  details = [[
  deskpilot upload runs/20261101T120000Z-order --to /mnt/artifacts
  deskpilot upload runs/20261101T120000Z-order --to https://store/fleet --token store.token

First report.html is made, as by deskpilot report. Then result.json, journal.jsonl, report.html, trajectory.json and
what is in downloads/ and screenshots/ go to PLACE/NAME; the requests to models stay where they are. docs/fleet.md
tells what object storage wants.

Exit status 0: all is there; 1: something is missing, and a sentence says why; 2: the command line is wrong, or there
is no such run.]],
}

-- A name may have slashes, and leads nowhere else.
local function is_name(name)
  local framed = "/" .. name .. "/"
  return not name:find "[%c\\:]" and not framed:find("//", 1, true) and not framed:find "/%.+/"
end

-- What is to be done, or what is wrong.
local function read(options, positional)
  if #positional ~= 1 then return nil, "upload takes one run: deskpilot upload runs/NAME --to PLACE" end
  if not options.to then return nil, "upload wants to know where to: --to FOLDER, or --to https://host/path" end
  local folder = files.absolute(positional[1])
  if not files.exists(files.join(folder, "journal.jsonl")) then
    return nil, ("%s is no run directory: there is no journal.jsonl in it"):format(positional[1])
  end
  local name = options.as or select(2, files.split(folder))
  if not is_name(name) then return nil, "--as is a name, or several with slashes between them, not " .. name end
  local most, why = fleet_options.number(options, "max-mb", delivery.default.most >> 20, 1000000)
  local patience
  if most then patience, why = fleet_options.number(options, "patience", delivery.default.patience, 1000000, 0) end
  if not patience then return nil, why end
  local place, err = delivery.place(options.to, options.token, options.ca)
  if not place then return nil, tostring(err) end
  return { folder = folder, name = name, place = place, most = most << 20, patience = patience }
end

--- Brings it there.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local order, why = read(options, positional)
  if not order then
    terminal.complain(why)
    return 2
  end
  local _, unmade = reports.write(order.folder)
  local account = delivery.send(order.place, order.folder, order)
  if unmade then
    account.missing = account.missing + 1
    account.why = account.why or "its report could not be made: " .. tostring(unmade)
  end
  if options.json then
    terminal.put_json(account)
  else
    terminal.put(account.place, "\n")
  end
  if account.missing == 0 then return 0 end
  terminal.complain(("%d files are in %s, and %d are not: %s"):format(account.files, account.place, account.missing,
    account.why))
  return 1
end

return command
