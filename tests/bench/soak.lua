--- A long run: whether its memory, handles, threads and files stay as they are, and its turns as fast. The real program
--- works on a calculator on a small private desktop, by the policy `task_executor`, with a scripted model over HTTP
--- that answers at once: each turn looks, asks, reads the answer, acts, settles and writes its journal. `./dev soak`
--- runs it.
---   deskpilot-test tests/bench/soak.lua [TURNS]      10,000, told in windows of a tenth
local uv = require "luv"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local t = require "harness"
local task = require "deskpilot.base.task"
local told = require "told"

local soak = {}

local WINDOWS = 10
local because = "The calculator is in front, and this is the next key. Afterwards its display shows what came of it."

local mission = [[
return { task = "Press keys of the calculator, again and again.", policy = "task_executor",
  desktop = { kind = "private", size = { 640, 480 }, apps = { { "galculator" } } },
  limits = { turns = %d, seconds = 1000000 }, loop = { threshold = 1000000 }, timing = { settle_quiet = 0.01 },
  before_run = function(m)
    assert(m.desk.wait_for_window { title = "galculator", active = true, timeout = 30 })
    assert(m.desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
  end }
]]

-- --- the model -------------------------------------------------------------------------------------------------------

-- The digit by its number, another by its place, keys, and a text; then the display is empty again.
local function action(words, turn)
  local number, x, y = words:match '\n%[(%d+)%] toggle button "7" %[(%d+),(%d+)%]'
  local ways = {
    { "tap", { element = math.tointeger(tonumber(number)), label = "7" } },
    { "tap", { position = { tonumber(x), tonumber(y) }, label = "7" } },
    { "type", { text = "123" } },
    { "press_key", { key = "escape" } },
  }
  local way = ways[(turn - 1) % #ways + 1]
  way[2].justification = because
  return model_server.reply_tool(way[1], way[2])
end

-- --- what is measured ------------------------------------------------------------------------------------------------

local function count(folder)
  local names = files.list(folder)
  return names and #names or 0
end

-- All files below a folder.
local function count_files(folder)
  local total = 0
  for _, name in ipairs(files.list(folder) or {}) do
    local path = files.join(folder, name)
    total = total + (files.is_folder(path) and count_files(path) or 1)
  end
  return total
end

-- Of a process now: its memory in MB, its open files, its threads, the seconds that it has computed. Its private memory
-- is what counts: what it shares with others, and pages of files, come and go with what the others do.
local function look_at(pid)
  local rollup = files.read(("/proc/%d/smaps_rollup"):format(pid)) or ""
  local private = 0
  for kB in rollup:gmatch "Private_Dirty: *(%d+) kB" do private = private + tonumber(kB) end
  local stat = (files.read(("/proc/%d/stat"):format(pid)) or ""):match "^.*%) (.*)$" or ""
  local fields = {}
  for word in stat:gmatch "%S+" do fields[#fields + 1] = tonumber(word) or word end
  if #fields < 18 then return nil end
  return { memory = private / 1024, handles = count(("/proc/%d/fd"):format(pid)), threads = fields[18],
    computed = (fields[12] + fields[13]) / 100 } -- in ticks of a hundredth of a second, on every Linux
end

-- Seconds that a fixed piece of work takes now: how busy the machine is with other things.
local function reference()
  local began, sum = uv.hrtime(), 0
  for i = 1, 200000 do sum = sum + i % 7 end
  assert(sum > 0)
  return (uv.hrtime() - began) / 1e9
end

---@class bench.soak_window
---@field turns integer
---@field seconds number the median of a turn, without the model
---@field relative number the same, as a multiple of what a fixed piece of work has taken in this window
---@field reference number seconds of that piece of work, the median
---@field computed number seconds of the processor for a turn
---@field memory number MB, the median
---@field handles integer the most
---@field threads integer the most
---@field files number that a turn has left in the run's folder
---@field temporary integer files outside it, at the end
---@field bytes number the median size of a request

local Watch = {}
Watch.__index = Watch

local function median_of(samples, key)
  local list = {}
  for i, sample in ipairs(samples) do list[i] = sample[key] end
  return statistics.median(list)
end

local function most_of(samples, key)
  local most = 0
  for _, sample in ipairs(samples) do most = math.max(most, sample[key]) end
  return most
end

-- A window is over: what it was like.
function Watch:close_window()
  local samples, from, to = self.samples, self.samples[1], self.samples[#self.samples]
  local inside = count_files(self.folder .. "/runs")
  local seconds, reference_now = statistics.median(self.seconds), median_of(samples, "reference")
  table.insert(self.windows, { turns = #self.seconds, seconds = seconds,
    relative = seconds / reference_now, reference = reference_now,
    computed = (to.computed - from.computed) / (to.turn - from.turn), memory = median_of(samples, "memory"),
    handles = most_of(samples, "handles"), threads = most_of(samples, "threads"),
    files = (inside - self.files) / #self.seconds, temporary = count_files(files.temporary_folder()) - inside,
    bytes = statistics.median(self.bytes) })
  self.samples, self.seconds, self.bytes, self.files = {}, {}, {}, inside
end

-- A request has come: the turn before is over.
function Watch:turn(number, size)
  local now = task.now()
  if self.answered then
    table.insert(self.seconds, now - self.answered)
    table.insert(self.bytes, size)
  end
  if number % self.every == 0 then
    local sample = look_at(self.child.pid)
    if sample then
      sample.turn, sample.reference = number, reference()
      table.insert(self.samples, sample)
    end
  end
  if #self.seconds == self.size then self:close_window() end
end

--- Runs so many turns, and gives what its windows were like.
---@param turns integer
---@param on_window fun(window: bench.soak_window, number: integer)? called when each is over
---@return bench.soak_window[]
function soak.run(turns, on_window)
  local folder = spawn.folder()
  local watch = setmetatable({ folder = folder, windows = {}, samples = {}, seconds = {}, bytes = {}, files = 0,
    size = turns // WINDOWS, every = math.max(1, turns // WINDOWS // 50) }, Watch)
  local number = 0
  local server = model_server.start(function(request, _, http)
    number = number + 1
    watch:turn(number, #http.body)
    if on_window and watch.windows[watch.told or 1] then
      on_window(watch.windows[watch.told or 1], watch.told or 1)
      watch.told = (watch.told or 1) + 1
    end
    local reply = action(told.words(request), number)
    watch.answered = task.now()
    return reply
  end)
  server.forget = true
  assert(files.write(folder .. "/m.lua", mission:format(turns + 1)))
  watch.child = spawn.start({ files.absolute(spawn.program), "run", "m.lua", "--json", "-q", "--runs",
    folder .. "/runs", "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0" },
    { cwd = folder })
  local _ <close> = setmetatable({}, { __close = function()
    if watch.child.open > 0 then watch.child:kill "sigkill" end
    server:stop()
    files.remove(folder)
  end })
  while watch.child.open > 0 do task.sleep(0.1) end
  local result = json.decode(watch.child.stdout) or {}
  assert(result.turns == turns + 1, ("%s turns: %s %s\n%s"):format(tostring(result.turns), tostring(result.status),
    tostring(result.reason), watch.child.stderr))
  t.eq(server:problems(), "")
  return watch.windows
end

-- --- what is flat ----------------------------------------------------------------------------------------------------

-- How much it grows from the second window to the last, as a share: by the median of the slopes between all pairs of
-- windows, which one noisy window does not bend. The first one has what is loaded and learned once.
local function growth(windows, key)
  local slopes, values = {}, {}
  for i = 2, #windows do
    values[#values + 1] = windows[i][key]
    for j = i + 1, #windows do slopes[#slopes + 1] = (windows[j][key] - windows[i][key]) / (j - i) end
  end
  return statistics.median(slopes) * (#windows - 2) / statistics.median(values)
end

local flat = {
  -- Where the turns take longer, but no longer than other work does, the machine is busier.
  { key = "seconds", what = "time of a turn", limit = 0.05, unless = "relative" },
  { key = "computed", what = "processor's time for a turn", limit = 0.05 },
  { key = "memory", what = "memory", limit = 0.05 },
  { key = "handles", what = "handles", limit = 0 },
  { key = "threads", what = "threads", limit = 0 },
  -- A file may be written just before a window is counted or just after, at both of its ends.
  { key = "files", what = "files of a turn", limit = 0.01, counted = 2 },
  { key = "temporary", what = "temporary files", limit = 0 },
}

--- What is not flat, a sentence each.
---@param windows bench.soak_window[]
---@param keys table<string, boolean>? only these
---@return string[]
function soak.growing(windows, keys)
  local list = {}
  for _, each in ipairs(flat) do
    local grows = (not keys or keys[each.key]) and growth(windows, each.key) or 0
    if each.unless then grows = math.min(grows, growth(windows, each.unless)) end
    local limit = each.limit
    if each.counted then
      limit = math.max(limit, each.counted / windows[1].turns / median_of(windows, each.key))
    end
    if grows > limit then
      list[#list + 1] = ("%s: grows by %.1f %% from the second window to the last (at most %.1f %%)"):format(each.what,
        100 * grows, 100 * limit)
    end
  end
  return list
end

local function print_window(window, number)
  if number == 1 then
    io.stdout:write(("%6s %10s %10s %8s %8s %8s %7s %6s %9s %9s  %s\n"):format("turns", "s a turn", "computed",
      "memory MB", "handles", "threads", "files", "others", "request", "other work", "machine"))
  end
  io.stdout:write(("%6d %10.4f %10.4f %9.2f %8d %8d %7.2f %6d %7.0fkB %7.2fms  %s\n"):format(number * window.turns,
    window.seconds, window.computed, window.memory, window.handles, window.threads, window.files, window.temporary,
    window.bytes / 1024, 1000 * window.reference, statistics.load()))
  io.stdout:flush()
end

if ... == nil then t.time_limit(10 * 3600) end -- as a file of its own

-- The suite's short form takes soak.run; as a file of its own this runs.
return setmetatable({ soak = function()
  local turns = math.tointeger(tonumber(arg[1] or 10000))
  assert(turns and turns >= 100, "how many turns: 100 or more")
  local began, computed = task.now(), uv.getrusage().utime.sec
  local windows = soak.run(turns, print_window)
  io.stdout:write(("%d turns in %.0f s; the model's server computed for %d s\n"):format(turns, task.now() - began,
    uv.getrusage().utime.sec - computed))
  for _, each in ipairs(flat) do
    io.stdout:write(("  %-28s grows by %5.1f %%%s\n"):format(each.what, 100 * growth(windows, each.key), each.unless
      and (" (%.1f %% beside other work)"):format(100 * growth(windows, each.unless)) or ""))
  end
  t.eq(soak.growing(windows), {})
end }, { __index = soak })
