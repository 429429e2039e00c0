--- `deskpilot runs`: the runs that were made, with how they ended and what they took.
local columns = require "deskpilot.cli.columns"
local config_files = require "deskpilot.base.config_files"
local files = require "deskpilot.base.files"
local old_runs = require "deskpilot.agent.old_runs"
local run_summary = require "deskpilot.agent.run_summary"
local settings = require "deskpilot.cli.settings"
local terminal = require "deskpilot.cli.terminal"

local command = {
  summary = "List the runs that were made: how they ended, and what they took.",
  order = 68,
  usage = "runs [FOLDER] [--last N] [--json]",
  options = {
    { name = "last", value = "N", help = "only the N newest (20 unless told; 0: all of them)" },
    { name = "json", help = "one JSON object for each, a line each" },
  },
  details = "The newest come first. FOLDER is where runs are kept: runs.dir of the configuration unless told.\n"
    .. "A run that was killed is `unfinished`: deskpilot resume goes on with it. `cost` is in US dollars, where the\n"
    .. "model's prices are known. deskpilot report FOLDER/RUN shows one of them.",
}

local function number(value, format)
  return value and format:format(value) or "-"
end

local heads = { "run", "status", "turns", "acts", "time", "tokens", "cost", "MB", "policy", "model" }
local to_the_right = { turns = true, acts = true, time = true, tokens = true, cost = true, MB = true }

local function cells(run)
  local tokens = run.model ~= "literal" and run.tokens or nil -- it is no model, and reads no tokens
  return { run.name, run.status, number(run.turns, "%.0f"), number(run.actions, "%.0f"), columns.clock(run.seconds),
    number(tokens, "%.0f"), number(tokens and run.cost, "%.4f"), number(run.bytes and run.bytes / 1e6, "%.1f"),
    run.policy or "-", run.model or "-" }
end

local function print_table(runs)
  local rows = {}
  for i, run in ipairs(runs) do rows[i] = cells(run) end
  columns.put(heads, rows, to_the_right)
end

-- Where the configuration keeps runs, as far as it can be read.
local function configured()
  local found = config_files.read()
  return (settings.new():peek({ layers = settings.file_layers(found) }, "runs.dir"))
end

-- The folder of the runs, and how many are wanted; nil and what is wrong.
local function read_order(options, positional)
  if #positional > 1 then return nil, "runs takes one folder" end
  local last = tonumber(options.last or 20)
  if not math.tointeger(last) or last < 0 then
    return nil, ("--last wants how many, such as --last 5, not '%s'"):format(options.last)
  end
  local folder = positional[1] or configured()
  if positional[1] and not files.exists(folder) then return nil, ("there is no folder %s"):format(folder) end
  return folder, last == 0 and math.maxinteger or math.tointeger(last)
end

--- Lists them.
---@param options table
---@param positional string[]
---@return integer status
function command.run(options, positional)
  local folder, last = read_order(options, positional)
  if not folder then
    terminal.complain(last)
    return 2
  end
  local found, runs = old_runs.list(folder), {}
  for i = 1, math.min(#found, last) do runs[i] = run_summary.read(found[i]) end
  if options.json then
    for _, run in ipairs(runs) do terminal.put_json(run) end
  elseif #runs == 0 then
    terminal.put("there are no runs in ", files.absolute(folder), "\n")
  else
    print_table(runs)
    if #found > #runs then
      terminal.note(("%d older ones are not listed (--last 0 lists all)\n"):format(#found - #runs))
    end
  end
  return 0
end

return command
