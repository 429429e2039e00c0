--- The browser suite: 40 small pages (tests/bench/pages) in a real Chromium on a private desktop, played by the policy
--- `task_executor` with a model server that answers at once. It tells where the seconds of a step go, and which acts
--- came too early: the pages know. `./dev bench pages` runs it; `./dev bench` has its lines too.
---
---   --steps N        at least so many steps in each mode (a round of all pages has 134)
---   --settle MODES   one of the modes below, or two with a comma, which are then played by turns
---   --busy           keeps every core busy meanwhile
---   --pages A,B      only these pages
local uv = require "luv"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local pages_model = require "bench.pages_model"
local pages_site = require "bench.pages_site"
local pages_steps = require "bench.pages_steps"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local t = require "harness"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local bench = {}

--- The ways to settle that can be compared: the only place where one is chosen. `judged`: the targets hold for it. A
--- quiet time that was set holds whatever else is known of the screen, and this one is Chromium's own.
bench.modes = {
  adaptive = { about = "what the program knows", set = { ["timing.settle_by_cause"] = true }, judged = true },
  fixed = { about = "a quiet time", set = { ["timing.settle_quiet"] = 0.3, ["timing.settle_cap"] = 5 } },
  none = { about = "nothing at all, which shows that the pages notice", set = { ["timing.settle_quiet"] = 0,
    ["timing.settle_floor"] = 0 } },
}

--- The steps of one round of all pages.
bench.round = 134
local SLOWEST = 30 -- steps that are listed

local mission = [[
return { task = "Do on each page what it asks for, then go on to the next.", policy = "task_executor",
  desktop = { kind = "private", size = { 1280, 800 } }, limits = { turns = 1000000, seconds = 100000 },
  loop = { threshold = 1000000 }, before_run = function(m) assert(m.desk.browser.start { url = %q }) end }
]]

local function argv_of(folder, mode, endpoint)
  local argv = { files.absolute(spawn.program), "run", folder .. "/m.lua", "--json", "-q", "--accept-claims", "--runs",
    folder .. "/runs", "--endpoint", endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set",
    "screen.trim=false" }
  for key, value in pairs(bench.modes[mode].set) do
    argv[#argv + 1] = "--set"
    argv[#argv + 1] = key .. "=" .. tostring(value)
  end
  return argv
end

--- Plays the pages in one mode of settling.
---@param mode string
---@param steps integer at least
---@param names string[]? only these pages
---@return bench.measured
function bench.play(mode, steps, names)
  local folder = spawn.folder()
  local site = pages_site.start(names)
  local model = pages_model.start(site, steps)
  model.server.forget = true
  assert(files.write(folder .. "/m.lua", mission:format(site.url .. "/next")))
  local child = spawn.start(argv_of(folder, mode, model.endpoint), { cwd = folder })
  local _ <close> = setmetatable({}, { __close = function()
    if child.open > 0 then child:kill "sigkill" end
    model.server:stop()
    files.remove(folder)
  end })
  while child.open > 0 do task.sleep(0.05) end
  local result = json.decode(child.stdout) or {}
  assert(result.status == "claimed" or result.status == "succeeded", ("%s: %s\n%s"):format(tostring(result.status),
    tostring(result.reason), child.stderr))
  t.eq(model.server:problems(), "")
  local measured = pages_steps.of(assert(journal.read(result.run_dir)), model, site)
  site:stop()
  return measured
end

-- --- what is told of it ----------------------------------------------------------------------------------------------

local function values(steps, fn)
  local list = {}
  for _, step in ipairs(steps) do list[#list + 1] = fn(step) end
  return list
end

local function seconds_of(step) return step.seconds end

local function calm(step)
  if not step.timer then return step.seconds end
end

-- Without the time in which the page itself waited: what is left is the program's, and the browser's.
local function own(step) return step.seconds - step.waited end

-- The causes by what they took in all, those of settling first.
local function causes_of(steps)
  local sums, names = {}, {}
  for _, step in ipairs(steps) do
    for name, seconds in pairs(step.causes) do
      if not sums[name] then names[#names + 1] = name end
      sums[name] = (sums[name] or 0) + seconds
    end
  end
  table.sort(names, function(a, b) return sums[a] > sums[b] end)
  return names, sums
end

local function print_causes(steps)
  local names, sums = causes_of(steps)
  local all = 0
  for _, name in ipairs(names) do all = all + sums[name] end
  for _, name in ipairs(names) do
    local list = values(steps, function(step) return step.causes[name] end)
    io.stdout:write(("  %-34s %8.4f %8.4f %8.4f %5.1f %%   in %d steps\n"):format(name, sums[name] / #steps,
      statistics.median(list), statistics.percentile(list, 95), 100 * sums[name] / all, #list))
  end
end

-- The slowest steps, and what most of each was.
local function print_slowest(steps)
  local slowest = table.move(steps, 1, #steps, 1, {})
  table.sort(slowest, function(a, b) return a.seconds > b.seconds end)
  io.stdout:write "  the slowest steps:\n"
  for i = 1, math.min(SLOWEST, #slowest) do
    local step, most = slowest[i], nil
    for name, seconds in pairs(step.causes) do
      if not most or seconds > step.causes[most] then most = name end
    end
    io.stdout:write(("    %.3f  %s%s, %s %s: %s %.3f\n"):format(step.seconds, step.page,
      step.timer and " (has a timer)" or "", step.kind, text.cut(step.what, 40), most, step.causes[most]))
  end
end

local function print_list(what, list)
  if #list == 0 then return end
  local counts, names = {}, {}
  for _, entry in ipairs(list) do
    local words = entry.page .. ": " .. entry.what
    if not counts[entry.page] then counts[entry.page] = { count = 0, words = words } names[#names + 1] = entry.page end
    counts[entry.page].count = counts[entry.page].count + 1
  end
  table.sort(names)
  io.stdout:write("  ", what, ":\n")
  for _, name in ipairs(names) do
    io.stdout:write(("    %3d x %s\n"):format(counts[name].count, text.cut(counts[name].words, 130)))
  end
end

--- Prints what was measured in one mode.
---@param mode string
---@param measured bench.measured
---@param load string
function bench.print(mode, measured, load)
  local steps = measured.steps
  local all, still = values(steps, seconds_of), values(steps, calm)
  io.stdout:write(("\n%d steps with settling by %s (%s); %s\n"):format(#steps, bench.modes[mode].about, mode, load))
  io.stdout:write(("  %-34s %8s %8s %8s\n"):format("seconds of a step, without the model", "mean", "median", "95th"))
  local function line(what, list)
    if #list == 0 then return end
    io.stdout:write(("  %-34s %8.4f %8.4f %8.4f\n"):format(what, statistics.mean(list), statistics.median(list),
      statistics.percentile(list, 95)))
  end
  line("all pages", all)
  line("  but for the pages' own timers", values(steps, own))
  line("pages without timers", still)
  line("the model", values(steps, function(step) return step.model end))
  print_causes(steps)
  print_slowest(steps)
  io.stdout:write(("  too early: %d acts, %d looks (and %d in the frames that draw a change); %d times what was wanted "
    .. "was not there yet; %d acts were refused; %d pages went wrong\n"):format(#measured.early, #measured.blind,
    #measured.drawing, #measured.unseen, #measured.refused, #measured.wrong))
  print_list("acts that came too early", measured.early)
  print_list("looks that came too early", measured.blind)
  print_list("not there yet", measured.unseen)
  print_list("refused", measured.refused)
  print_list("gone wrong", measured.wrong)
end

-- --- the command -----------------------------------------------------------------------------------------------------

--- Adds what a second round has measured to the first.
function bench.add(sum, more)
  for key, list in pairs(more) do
    sum[key] = sum[key] or {}
    table.move(list, 1, #list, #(sum[key]) + 1, sum[key])
  end
  return sum
end

--- Plays so many steps in each mode, a round of the pages in one, then in the other.
---@param modes string[]
---@param steps integer
---@param names string[]?
---@return table<string, bench.measured> by_mode
function bench.measure(modes, steps, names)
  local by_mode = {}
  repeat
    local least = math.huge
    for _, mode in ipairs(modes) do
      local sum = by_mode[mode] or { steps = {} }
      by_mode[mode] = bench.add(sum, bench.play(mode, math.min(steps - #sum.steps, bench.round), names))
      least = math.min(least, #sum.steps)
    end
  until least >= steps
  return by_mode
end

--- The lines of `./dev bench`: a round of all pages in the program's own way to settle, and one with fixed times.
---@param row fun(name: string, value: number|number[], unit: string, limit: number?, what: string?)
function bench.rows(row)
  local by_mode = bench.measure({ "adaptive", "fixed" }, bench.round)
  for _, mode in ipairs { "adaptive", "fixed" } do
    local measured = by_mode[mode]
    local judged, steps = bench.modes[mode].judged, measured.steps
    bench.print(mode, measured, statistics.load())
    row("a step on 40 pages, settling " .. mode, values(steps, seconds_of), "s", judged and 0.08 or nil,
      ("%d steps"):format(#steps))
    row("  but for the pages' own timers", values(steps, own), "s")
    local still = values(steps, calm)
    if #still > 0 then
      row("  of pages without timers", still, "s", judged and 0.08 or nil, ("%d steps"):format(#still))
      row("  95th percentile of these", statistics.percentile(still, 95), "s", judged and 0.3 or nil)
    end
    row("  acts and looks that came too early", #measured.early + #measured.blind, "", judged and 0 or nil)
    row("  pages that went wrong", #measured.wrong, "", judged and 0 or nil)
  end
end

local function names_in(list)
  local names = {}
  for name in list:gmatch "[^,]+" do names[#names + 1] = name end
  return names
end

local function options_of(argv)
  local options, i = { steps = bench.round, modes = { "adaptive", "fixed" } }, 1
  while argv[i] do
    local value = argv[i + 1]
    if argv[i] == "--busy" then options.busy, i = true, i - 1
    elseif argv[i] == "--steps" then options.steps = assert(math.tointeger(tonumber(value)), "--steps N")
    elseif argv[i] == "--settle" then options.modes = names_in(value)
    elseif argv[i] == "--pages" then options.pages = names_in(value)
    else error("unknown: " .. argv[i], 0) end
    i = i + 2
  end
  for _, mode in ipairs(options.modes) do
    if not bench.modes[mode] then
      error(("there is no settling %q; there are: %s"):format(mode, text.join(text.keys(bench.modes))), 0)
    end
  end
  return options
end

-- A process for each core that does nothing but compute.
local function keep_busy()
  local children = {}
  for i = 1, #uv.cpu_info() do children[i] = spawn.start { "/bin/sh", "-c", "while :; do :; done" } end
  return setmetatable({}, { __close = function()
    for _, child in ipairs(children) do child:kill "sigkill" end
  end })
end

local function command()
  local options = options_of(arg)
  local busy <close> = options.busy and keep_busy() or nil
  for mode, measured in pairs(bench.measure(options.modes, options.steps, options.pages)) do
    bench.print(mode, measured, statistics.load() .. (busy and ", all cores kept busy" or ""))
    t.ok(#measured.steps >= options.steps, "steps")
  end
end

if ... == nil then t.time_limit(10 * 3600) end -- as a file of its own

-- bench.lua takes bench.rows; as a file of its own this runs.
return setmetatable({ pages = command }, { __index = bench })
