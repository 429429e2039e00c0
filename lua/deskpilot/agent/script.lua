--- A mission's own functions: what they are given (`m`), and the run of a script.
local desk_journal = require "deskpilot.agent.desk_journal"
local desk_proxy = require "deskpilot.agent.desk_proxy"
local errors = require "deskpilot.base.errors"
local observation = require "deskpilot.agent.observation"
local task = require "deskpilot.base.task"
local verdict = require "deskpilot.agent.verdict"

local script = {}

local PICTURE_TIME = 5 -- seconds for the picture at the end

--- The run as its mission's functions see it.
---@class deskpilot.mission_run: deskpilot.run
---@field desk deskpilot.mission_desk the desktop; in a script, what fails is raised

--- What a mission's functions are given: the run, with a desktop that is theirs.
---@param run deskpilot.run
---@return deskpilot.mission_run m
---@return deskpilot.desk_proxy proxy of its desk
function script.view(run)
  local is_script = run.mission.run ~= nil
  local journal = is_script and desk_journal.new(run) or nil
  local proxy = desk_proxy.new(run.desk, { strict = is_script and run.mission.strict ~= false, journal = journal })
  local methods = {} -- called as m:note(), they work on the run itself
  local m = { desk = proxy.view }
  return setmetatable(m, {
    __index = function(_, key)
      local value = run[key]
      if type(value) ~= "function" then return value end
      local is_method = rawget(run, key) == nil and rawget(run.goal, key) == nil
      methods[value] = methods[value] or function(self, ...)
        if self == m then self = run end
        if self ~= run and is_method then errors.mistake("m.%s is called with a colon: m:%s(...)", key, key) end
        return value(self, ...)
      end
      return methods[value]
    end,
    __newindex = run,
  }), proxy
end

--- Calls a function of the mission's that asks, or that listens: what fails on the desktop is nil and an error to it.
---@param run deskpilot.run
---@param silently boolean whether its calls of the desktop are not told in the journal
---@param fn function
---@param ... any
---@return any ... what it gives
function script.ask(run, silently, fn, ...)
  if not run.proxy then return fn(...) end
  local scope <close> = run.proxy:enter(silently)
  assert(scope)
  return fn(...)
end

--- Runs the mission's script, and asks its `verify` afterwards.
---@param run deskpilot.run
function script.run(run)
  local ok, why = run.mission.run(run.m)
  if run.outcome then return end
  if ok == false or (ok == nil and why ~= nil) then
    run:stop("failed", why and tostring(why) or "the script returned false")
  else
    local said = run:verify()
    local verified = said.answer == "yes"
    run:stop(verified and "succeeded" or "failed", verified and "the script ran to its end"
      or "the script ran to its end, but the mission's check says: " .. verdict.words(said))
  end
end

local function keep_picture(run)
  local seen, err = observation.look(run.desk, run.config)
  local path = seen and ("screenshots/end.%s"):format(seen.format == "jpeg" and "jpg" or seen.format)
  local ok = false
  if seen then ok, err = run.dir:save(path, seen.bytes) end
  if not ok then
    run:emit("note", { message = "there is no picture of the end: " .. tostring(err), turn = 0 })
    return
  end
  local window = run.desk.windows.active()
  run:emit("picture", { screenshot = path, screen = seen.shot.frame, turn = 0,
    image = { width = seen.shot.width, height = seen.shot.height },
    window = window and { title = window.title, class = window.class, pid = window.pid } })
end

--- Writes down the calls that are not written yet.
---@param run deskpilot.run
function script.flush(run)
  if run.proxy.journal then run.proxy.journal:flush() end
end

-- Whether the desktop may be another than the latest picture shows: an agent has acted since, a script always may.
local function unseen(run)
  if run.mission.run then return true end
  return run.acted ~= nil and not run.recording and (run.seen_at or 0) < run.acted
end

--- Keeps a picture of the desktop as the run has left it, where the latest one is from before the last act.
---@param run deskpilot.run
function script.ended(run)
  if not unseen(run) then return end
  if run.outcome and run.outcome.status == "interrupted" then return end
  local ok, err = task.limit(PICTURE_TIME, function()
    task.sleep(0) -- from here on resumed by the loop, so that an interruption ends this task alone
    keep_picture(run)
  end)
  if not ok then run:emit("note", { message = "there is no picture of the end: " .. tostring(err), turn = 0 }) end
end

return script
