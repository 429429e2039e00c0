-- What the worst answers of a model server cost: the time and the memory of a run that is given nothing else. Each has
-- a process of its own, so the suite plays every third, and of the longest a third of their length; with
-- WORST_TABLE=FILE all of them are played whole, and their table, of which docs/security.md has the worst, is written
-- there.
local child = require "worst_child"
local t = require "harness"
local worst = require "worst_replies"

local tests = {}

local base = 16 -- MB beside what a run takes that is given a short answer: for the values and words that are read
local times = 8 -- the bytes of an answer
local per_megabyte, fixed = 0.1, 3 -- seconds of the processor for an answer, with sanitizers

local path = os.getenv "WORST_TABLE"
if not path then worst.long = worst.long // 3 end

local function megabytes(bytes) return bytes / 2 ^ 20 end

-- MB that a run takes that is given a short answer: with sanitizers some more.
local usually
local function usual()
  local short = '{"choices":[{"message":{"role":"assistant","content":"no"}}]}'
  usually = usually or assert(child.finish(child.begin("short", short, "three_body", 60))).kilobytes / 1024
  return usually
end

-- How many times as long as an idle machine this one takes now, for a fixed piece of work that takes a processor 0.3 s
-- there: one that shares its processors, or has slower ones, needs as much more for an answer too.
local function slowness()
  local began, parts, sum = os.clock(), {}, 0
  for i = 1, 200000 do parts[i] = ("%d x"):format(i) end
  for digits in table.concat(parts, "\n"):gmatch "%d+" do sum = sum + #digits end
  t.eq(sum, 1088895)
  return math.max(1, (os.clock() - began) / 0.3)
end

local function check(one)
  local grown = one.kilobytes / 1024
  local what = ("%s, %s: %.1f MB, %d answers, %.1f MB more memory, %.2f s, %s: %s"):format(one.name, one.policy,
    megabytes(one.size), one.answers, grown, one.worked, one.status, one.reason)
  t.ok(one.answers > 0, what)
  t.ok(one.status ~= "succeeded", what)
  t.ok(grown <= usual() + base + times * megabytes(one.size), what)
  local most = one.answers * (megabytes(one.size) * per_megabyte + fixed)
  t.ok(one.worked <= most or one.worked <= most * slowness(), what)
end

local function row(one)
  return ("| %s | %.1f | %.0f | %.2f | %s |"):format(one.name, megabytes(one.size), one.kilobytes / 1024,
    one.worked / one.answers, one.status)
end

local function report(found)
  local lines = { "| answer | MB | more memory, MB | seconds each | the run ends as |", "|---|---|---|---|---|" }
  for _, one in ipairs(found) do lines[#lines + 1] = row(one) end
  local file <close> = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"), "\n")
end

local function played()
  local list = {}
  for i, reply in ipairs(worst.all()) do
    if path or i % 3 == 0 then list[#list + 1] = reply end
  end
  return list
end

-- The suite gives what is longest to odev, which asks twice where three_body asks five times.
local function begin(reply, to_odev)
  local answer = reply.make()
  local size = #(type(answer) == "table" and answer.body or answer)
  to_odev = to_odev or not path and size > 5e6
  return child.begin(reply.name, answer, to_odev and "odev" or "three_body", 60)
end

-- A part of all, so that none of the tests outlasts its time.
local parts, found = 6, {}

for part = 1, parts do
  tests[("part_%d"):format(part)] = function()
    local chosen = {}
    for i, reply in ipairs(played()) do
      if i % parts == part - 1 then chosen[#chosen + 1] = reply end
    end
    local running
    for i = 1, #chosen + 1 do
      local next_one = chosen[i] and begin(chosen[i], i % 3 == 0)
      local one = running and child.finish(running)
      if one then
        check(one)
        found[#found + 1] = one
      end
      running = next_one
    end
  end
end

function tests.z_the_table()
  t.ok(#worst.all() >= 100, #worst.all() .. " answers")
  t.eq(#found, #played())
  if path then report(found) end
end

return tests
