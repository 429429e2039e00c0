--- deskpilot compare: one mission by several policies, each on a private desktop of its own, side by side.
local comparison = require "deskpilot.cli.policy_comparison"
local config_files = require "deskpilot.base.config_files"
local environment = require "deskpilot.desk.platform.environment"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local program = require "deskpilot.desk.app.program"
local running = require "deskpilot.cli.running"
local secrets = require "deskpilot.model.secrets"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"
local uv = require "luv"

-- Options of `run` that each of the runs is given.
local passed = { model = true, provider = true, endpoint = true, wire = true, set = true, runs = true, answers = true,
  ["accept-claims"] = true }
local longest = 24 * 3600 -- seconds of one run: its own limits end it before

local own = {
  { name = "policies", value = "LIST", help = "the policies, with commas between them (default: all that there are)" },
  { name = "times", value = "N", help = "how often each is run (default: 1)" },
  { name = "output", value = "FILE", help = "the page that is written (default: compare.html)" },
  { name = "json", help = "print one JSON object on standard output in place of the table" },
}
local options = { table.unpack(own) }
for _, option in ipairs(running.options) do
  if passed[option.name] then options[#options + 1] = option end
end

local command = {
  summary = "Run a mission by several policies and put what came of it side by side.",
  order = 15,
  usage = "compare MISSION [--policies LIST] [--times N] [OPTIONS]",
  options = options,
  details = [[
Each run has a private desktop of its own. The table says how many runs succeeded, and of model calls, tokens (- where a
model has none), seconds, actions and escalations the median, with the least and the most where they differ.

  deskpilot compare calculator --model literal --policies three_body,odev,orchestrator --times 3

Exit status 0: all of it was run, whatever came of it; 2 and 3 as for `run`, of the first run that could not begin.]],
}

local function refuse(status, why)
  terminal.complain(tostring(why))
  return status
end

local function policies_of(wanted)
  local known, list, seen = lookup.list "policies", {}, {}
  if not wanted then return known end
  for name in wanted:gmatch "[^,%s]+" do
    local found = false
    for _, other in ipairs(known) do found = found or other == name end
    if not found then
      return errors.fail("not_found", "there is no policy %q%s", name, text.did_you_mean(name, known))
    end
    if not seen[name] then list[#list + 1], seen[name] = name, true end
  end
  if #list == 0 then return errors.fail("invalid", "--policies names none") end
  return list
end

-- The options that each run is given, as a command line has them.
local function passed_words(given)
  local words = {}
  for _, option in ipairs(running.options) do
    local value = given[(option.name:gsub("%-", "_"))]
    if passed[option.name] and value ~= nil and value ~= false then
      for _, item in ipairs(type(value) == "table" and value or { value }) do
        words[#words + 1] = "--" .. option.name
        if option.value then words[#words + 1] = item end
      end
    end
  end
  return words
end

local function words_of(given, mission, policy)
  return { os.getenv "DESKPILOT_BIN" or uv.exepath(), "run", mission, "--policy", policy, "--desktop", "private",
    "--json", "--quiet", table.unpack(passed_words(given)) }
end

-- One run; nil, the exit status and why where it could not begin.
local function run_once(given, mission, policy)
  local child, err = program.run { argv = words_of(given, mission, policy), timeout = longest,
    env = environment.lines(uv.os_environ()) }
  if not child then return nil, 3, err end
  local result = json.decode(child.stdout)
  if child.status == 130 then return nil, 130, "interrupted" end
  if type(result) ~= "table" or child.status > 1 and (result.run_dir == nil or result.run_dir == json.null) then
    return nil, child.status > 1 and child.status or 3, (text.trim(child.stderr):gsub("^deskpilot: ", ""))
  end
  return comparison.run(result)
end

local function run_all(given, mission, policies, times)
  local runs = {}
  for _, policy in ipairs(policies) do runs[policy] = {} end
  for number = 1, times do -- in turns, so that a busy moment of the machine is not one policy's alone
    for _, policy in ipairs(policies) do
      local run, status, why = run_once(given, mission, policy)
      if not run then return nil, status, why end
      table.insert(runs[policy], run)
      terminal.note(("%s %d of %d: %s in %.1f s: %s"):format(policy, number, times, run.status, run.seconds,
        text.cut(text.one_line(run.reason), 200)), "\n")
    end
  end
  return runs
end

-- What makes the same again, for the page.
local function shown_command(given, mission, policies, times)
  local words = secrets.mask(table.concat(passed_words(given), " "))
  return ("deskpilot compare %s --policies %s --times %d %s"):format(mission, table.concat(policies, ","), times, words)
end

-- Policies of one's own are found where each of the runs finds them. What is wrong there is told by the first run.
local function look_around(mission)
  local found = config_files.read()
  local source, _, folder = lookup.mission(mission, found)
  config_files.search(found, source and folder or nil)
end

local function work(given, mission)
  look_around(mission)
  local policies, err = policies_of(given.policies)
  if not policies then return refuse(2, err) end
  local times = math.tointeger(tonumber(given.times or 1))
  if not times or times < 1 or times > 1000 then return refuse(2, "--times must be a whole number from 1 to 1000") end
  local runs, status, why = run_all(given, mission, policies, times)
  if not runs then return refuse(status, why) end
  local rows, output = comparison.rows(runs, policies), given.output or "compare.html"
  if given.json then terminal.put_json { mission = mission, rows = rows, runs = runs }
  else terminal.put(comparison.table(rows)) end
  local ok, failure = files.write(output, comparison.page(mission,
    shown_command(given, mission, policies, times), rows, runs))
  if not ok then return refuse(3, failure) end
  return 0
end

--- Runs it.
---@param given table as parsed from command.options
---@param positional string[]
---@return integer status
function command.run(given, positional)
  if #positional ~= 1 then
    return refuse(2, "compare wants one mission: deskpilot compare calculator --model literal")
  end
  local job = task.start(function()
    task.sleep(0) -- from here on resumed by the loop
    return work(given, positional[1])
  end)
  local ok, status = job:wait()
  if ok then return status end
  return refuse(errors.is(status, "cancelled") and 130 or 2, status)
end

return command
