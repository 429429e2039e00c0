-- `./dev torture [STORM[:SEED]] [SECONDS]`: does to the real program whatever a bad day may bring, and judges how it
-- ends (tests/torture/judge.lua). A storm is a file: storm_NAME.lua. The whole takes less than half an hour.
local t = require "harness"
local missions = require "torture.missions"
local pick = require "torture.pick"
local play = require "torture.play"
local storms = require "torture.storms"
local task = require "deskpilot.base.task"
local uv = require "luv"

local chosen, seed = (arg[1] or ""):match "^(%a+):?(%d*)$"
local total = tonumber(arg[2]) or tonumber(arg[1]) or 1700
seed = math.tointeger(tonumber(seed or ""))
play.keep = os.getenv "TORTURE_KEEP" ~= nil

local function say(...)
  io.stdout:write(string.format(...), "\n")
  io.stdout:flush()
end

local usual = {} -- seconds that an untouched run of a mission takes

-- Each mission untouched: it succeeds, and leaves nothing.
local function measure()
  local worker = play.worker()
  for name in pairs(missions.all) do
    local played = worker:play({ mission = name }, 1)
    usual[name] = played.seconds
    t.eq(played.problems, {}, name .. ": " .. played.stderr)
    say("%s: untouched it takes %.2f s", name, played.seconds)
    if played.ending:sub(1, 2) ~= "0 " then error(name .. " ends as " .. played.ending .. ": " .. played.stderr, 0) end
  end
  worker:close()
end

local function case_of(storm, number)
  return storm.case(pick.new(storm.name .. ":" .. number))
end

local function take_down(result, storm, number, case, played)
  result.runs = result.runs + 1
  result.endings[played.ending] = (result.endings[played.ending] or 0) + 1
  result.hits = result.hits + (played.hit and 1 or 0)
  if #played.problems == 0 then return end
  result.failures = result.failures + 1
  say("  FAILED %s:%d  %s  (%.1f s, %s)", storm.name, number, play.words(case), played.seconds, played.ending)
  for _, problem in ipairs(played.problems) do say("    %s", problem) end
  say("    said: %s", played.stderr:sub(-600):gsub("\n", "\n    "))
  if play.keep then say("    kept: %s", played.base) end
end

local function blow(storm, seconds, least)
  local result = { runs = 0, hits = 0, failures = 0, endings = {}, began = task.now() }
  local number = seed or 0
  local function work()
    local worker = play.worker()
    while seed and number == seed or not seed and (task.now() - result.began < seconds or result.runs < least) do
      if not seed then number = number + 1 end
      local own = number
      if seed then number = -1 end
      local case = case_of(storm, own)
      take_down(result, storm, own, case, worker:play(case, usual[case.mission]))
    end
    worker:close()
  end
  local workers = {}
  for i = 1, seed and 1 or math.max(2, uv.available_parallelism()) do workers[i] = task.start(work) end
  for _, worker in ipairs(workers) do
    local ok, why = worker:wait()
    t.ok(ok, tostring(why))
  end
  result.seconds = task.now() - result.began
  return result
end

local function endings(list)
  local words = {}
  for name, count in pairs(list) do words[#words + 1] = { name, count } end
  table.sort(words, function(a, b) return a[2] > b[2] end)
  for i, one in ipairs(words) do words[i] = one[2] .. " x " .. one[1] end
  return table.concat(words, ", ")
end

measure()
local rows, share = {}, 0
for _, storm in ipairs(storms) do
  if (not chosen or storm.name == chosen) and (not storm.possible or storm.possible()) then
    rows[#rows + 1] = storm
    share = share + storm.share
  end
end
t.ok(#rows > 0, "there is no such storm")
for i, storm in ipairs(rows) do
  say("%s: %s", storm.name, storm.about)
  rows[i] = { storm, blow(storm, total * storm.share / share, total >= 1500 and storm.least or 0) }
end
say "\nstorm         runs  failed calls  seconds  failures  endings (exit status, result)"
for _, row in ipairs(rows) do
  local storm, result = row[1], row[2]
  say("%-12s %5d  %12d  %7.0f  %8d  %s", storm.name, result.runs, result.hits, result.seconds, result.failures,
    endings(result.endings))
  t.eq(result.failures, 0, storm.name)
end

return {}
