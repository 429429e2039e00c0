--- What `resume` and `fork` share: an order that goes on from a run directory.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local old_runs = require "deskpilot.agent.old_runs"
local resume = require "deskpilot.agent.resume"
local running = require "deskpilot.cli.running"
local system = require "native.system"
local text = require "deskpilot.base.text"

local continued = {}

--- The folder of a run that is named by it or by its journal.
---@param word string
---@return string
function continued.folder(word)
  if text.ends(word, "/journal.jsonl") or word == "journal.jsonl" then word = (files.split(word)) end
  return word:sub(1, 1) .. text.without_end(word:sub(2), "/\\")
end

--- The options of a command that goes on from a run.
---@param own table[] those of the command alone
---@return table[]
function continued.options(own)
  local list = {
    { name = "mission-file", value = "FILE", help = "take this mission in place of the copy that the run has kept" } }
  table.move(own, 1, #own, #list + 1, list)
  return table.move(running.options, 1, #running.options, #list + 1, list)
end

--- A turn's number from the command line.
---@return integer? turn, string? why
function continued.turn(option, word)
  local turn = math.tointeger(tonumber(word))
  if not turn or turn < 0 then return nil, ("--%s wants the number of a turn, not '%s'"):format(option, word) end
  return turn
end

-- The mission's own file, where it is known.
local function original(start)
  local file = start.file
  if type(file) ~= "table" or type(file.folder) ~= "string" or type(file.path) ~= "string" then return nil end
  return files.join(file.folder, select(2, files.split(file.path))), file
end

-- The mission of a run that began so, and what is to be said of it.
local function mission_of(start, options, folder)
  local path, file = original(start)
  local name = tostring(start.mission or "mission")
  local given = options.mission_file
  if given then
    local words, err = files.read(given)
    if not words then return nil, err end
    return { text = words, where = given, folder = (files.split(files.absolute(given))), name = name }
  end
  local copy = files.join(folder, "mission.lua")
  local words, err = files.read(copy)
  if not words then
    return errors.fail("not_found", "the run has kept no copy of its mission (%s); name its file with --mission-file",
      tostring(err))
  end
  local now = path and files.read(path)
  local say
  if now and system.sha256(now) ~= system.sha256(words) then
    say = ("%s has changed since that run, which goes on with the copy that it has kept; --mission-file %s takes the "
      .. "changed one"):format(path, path)
  end
  return { text = words, where = copy, folder = file and file.folder, name = name }, say
end

--- The order to run the mission of another run once more: the copy of its file, what its command line said, a folder
--- beside it.
---@param start table its run_start
---@param options table of the command line
---@param folder string the run directory
---@return deskpilot.cli.order? order, deskpilot.error? err
function continued.mission(start, options, folder)
  local source, say = mission_of(start, options, folder)
  if not source then return nil, say end
  local values = {}
  for key, value in pairs(type(start.flags) == "table" and start.flags or {}) do values[key] = value end
  return { source = source, say = say, journal = files.join(folder, "journal.jsonl"), flags = values,
    args = type(start.args) == "table" and start.args or nil,
    runs = (files.split(files.absolute(folder))) }
end

-- A script has no turns to go on from.
local function check_script(plan, past)
  if not past.whole then return errors.fail("invalid", "a script has no turns to go back to") end
  if plan.mission.resumable then return true end
  return errors.fail("invalid", "the mission is a script, which can only be started again from its beginning; say "
    .. "`resumable = true` in it if that does no harm (m.past tells it of the run before), or use deskpilot run")
end

local function check(plan, past)
  if plan.mission.run then return check_script(plan, past) end
  local why = resume.exhausted(past, plan.config)
  if why then return errors.fail("invalid", "%s", why) end
  return true
end

--- What is to be run to go on from a run.
---@param options table of the command line
---@param folder string the run directory
---@param from { turn: integer?, fork: boolean? }
---@return deskpilot.cli.order? order, deskpilot.error? err
function continued.order(options, folder, from)
  local past, err = resume.read(folder, from)
  if not past then return nil, err end
  if old_runs.is_held(folder) then return errors.fail("refused", "%s is still going on", folder) end
  local last = past.outcome and past.outcome.status
  if last == "succeeded" and past.whole then
    return errors.fail("refused", "that run has succeeded, so there is nothing to go on with; to try another way from "
      .. "one of its turns: deskpilot fork %s --turn %d", folder, math.max(0, past.turn - 1))
  end
  local order, failure = continued.mission(past.start, options, folder)
  if not order then return nil, failure end
  local words = { ("goes on from %s after turn %d"):format(folder, past.turn) }
  words[#words + 1] = past.lost
  words[#words + 1] = order.say
  order.say = not options.quiet and table.concat(words, "\n") or nil
  order.past, order.change = past, function(plan) return check(plan, past) end
  return order
end

return continued
