--- How long reading elements takes, beside libatspi's walk from node to node (atspi_walk.c), in the same
--- run, of the same applications: an editor, a calculator and a browser with a long page.
---   deskpilot-test tests/bench/elements.lua        (bench.lua has its lines too)
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local task = require "deskpilot.base.task"

local rounds = 7
local walker = os.getenv "DESKPILOT_ATSPI_WALK" or uv.exepath():gsub("[^/]*$", "atspi_walk")

local function page(folder)
  local lines = { "<!doctype html><title>Bench page</title><h1>Bench</h1>" }
  for i = 1, 60 do
    lines[#lines + 1] = ("<p>Paragraph %d with a <a href='#%d'>link %d</a> and <button>button %d</button></p>")
      :format(i, i, i, i)
  end
  local path = folder .. "/page.html"
  assert(files.write(path, table.concat(lines, "\n")))
  return path
end

local function chromium(folder)
  return { "chromium", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--force-renderer-accessibility", "--user-data-dir=" .. folder .. "/profile", "file://" .. page(folder) }
end

-- libatspi's time for one application, and how many elements it saw.
local function libatspi(session, app, mode)
  local child = spawn.run({ walker, app, mode }, { env = { DBUS_SESSION_BUS_ADDRESS = session.bus_address,
    ASAN_OPTIONS = "detect_leaks=0" } })
  local count, ms = child.stdout:match("(%d+) elements in ([%d.]+) ms")
  assert(count, child.stderr .. child.stdout)
  return tonumber(ms), tonumber(count)
end

local function read(desk, pid, all)
  local began = uv.hrtime()
  local list = assert(desk.elements.list { pid = pid, all = all })
  return (uv.hrtime() - began) / 1e6, #list
end

-- All by turns, so that all meet the same load.
local function measure(desk, session, app)
  local times = { walk = {}, walk_showing = {}, all = {}, showing = {} }
  local counts = {}
  local function add(name, ms, count)
    table.insert(times[name], ms)
    counts[name] = count
  end
  for _ = 1, rounds do
    add("walk", libatspi(session, app.name, "--all"))
    add("walk_showing", libatspi(session, app.name, "--showing"))
    for _ = 1, 3 do
      add("all", read(desk, app.pid, true))
      add("showing", read(desk, app.pid, false))
    end
  end
  local result = { app = app.name, counts = counts, all = statistics.ratios(times.all, times.walk),
    showing = statistics.ratios(times.showing, times.walk), ms = {} }
  for name, list in pairs(times) do result.ms[name] = statistics.median(list) end
  return result
end

local function wait_for_apps(desk)
  local function there(criteria) return harness.ok(desk.elements.find(criteria)) end
  there { app = "mousepad", role = "text", timeout = 30 }
  there { app = "galculator", name = "7", timeout = 30 }
  there { name = "button 60", all = true, timeout = 60 }
  task.sleep(2) -- toolkits and browsers go on building for a moment
  desk.elements.list()
end

local bench = {}

--- Measures everything.
---@return table[] results { app, counts, all and showing: ours as a share of libatspi's walk, each time; ms: medians,
---  also of walk and walk_showing (libatspi's) }
function bench.measure()
  local folder = files.absolute(spawn.folder())
  local session = assert(private.start { size = { 1280, 900 }, env = { ACCESSIBILITY_ENABLED = "1" },
    apps = { { "mousepad", "--disable-server" }, { "galculator" }, chromium(folder) } })
  local _ <close> = setmetatable({}, { __close = function()
    session:abandon()
    files.remove(folder)
  end })
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session,
    timing = { elements = 5 } })
  wait_for_apps(desk)
  local results = {}
  for i, app in ipairs(desk.elements.list().apps) do results[i] = measure(desk, session, app) end
  desk:close()
  session:stop()
  return results
end

--- The lines of a result: a whole tree in at most a 6th of the walk's time, what is showing in a 10th.
---@param result table
---@return { name: string, ratios: number[], limit: number, words: string }[]
function bench.lines(result)
  local ms = result.ms
  local walk = ("libatspi walks %d in %.1f ms"):format(result.counts.walk, ms.walk)
  return {
    { name = "elements of " .. result.app, ratios = result.all, limit = 1 / 6,
      words = ("%d in %.1f ms; %s"):format(result.counts.all, ms.all, walk) },
    { name = "showing elements of " .. result.app, ratios = result.showing, limit = 1 / 10,
      words = ("%d in %.1f ms; libatspi walks these (and what hides below them) in %.1f ms"):format(
        result.counts.showing, ms.showing, ms.walk_showing) },
  }
end

-- bench.lua takes bench.measure; as a test file of its own this runs.
return setmetatable({ elements = function()
  for _, result in ipairs(bench.measure()) do
    for _, line in ipairs(bench.lines(result)) do
      local ratio = statistics.median(line.ratios)
      io.stdout:write(("%-28s %5.1f x as fast (at least %.0f)  %s\n"):format(line.name, 1 / ratio, 1 / line.limit,
        line.words))
      harness.ok(ratio <= line.limit, line.name)
    end
  end
end }, { __index = bench })
