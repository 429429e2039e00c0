--- How long reading elements takes, beside libatspi's walk from node to node (atspi_walk.c), in the same
--- run, of the same applications: an editor, a calculator and a browser with a long page.
---   deskpilot-test tests/bench/elements.lua        (bench.lua has its lines too)
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private"
local spawn = require "spawn"
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

local function median(list)
  table.sort(list)
  return list[#list // 2 + 1]
end

-- libatspi's time for one application, and how many elements it saw.
local function walk(session, app, mode)
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

-- Both by turns, so that both meet the same load.
local function measure(desk, session, app, all)
  local theirs, ours, counts = {}, {}, nil
  for _ = 1, rounds do
    local ms, count = walk(session, app.name, all and "--all" or "--showing")
    theirs[#theirs + 1] = ms
    local mine
    for _ = 1, 3 do
      ms, mine = read(desk, app.pid, all)
      ours[#ours + 1] = ms
    end
    counts = { theirs = count, ours = mine }
  end
  return { app = app.name, all = all, theirs = median(theirs), ours = median(ours), counts = counts }
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
---@return table[] results { app, all, theirs, ours (ms), counts }
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
  for _, app in ipairs(desk.elements.list().apps) do
    for _, all in ipairs { true, false } do results[#results + 1] = measure(desk, session, app, all) end
  end
  desk:close()
  session:stop()
  return results
end

--- The targets: a whole tree at least 6 times, what is showing at least 10 times as fast.
---@param result table
---@return string name, number ratio, number limit, string words
function bench.verdict(result)
  return ("elements of %s, %s"):format(result.app, result.all and "all" or "showing"),
    result.theirs / result.ours, result.all and 6 or 10,
    ("%d in %.1f ms; libatspi %d in %.1f ms"):format(result.counts.ours, result.ours, result.counts.theirs,
      result.theirs)
end

-- bench.lua takes bench.measure; as a test file of its own this runs.
return setmetatable({ elements = function()
  for _, result in ipairs(bench.measure()) do
    local name, ratio, limit, words = bench.verdict(result)
    io.stdout:write(("%-36s %5.1f x (at least %d)  %s\n"):format(name, ratio, limit, words))
    harness.ok(ratio >= limit, ("%s: %.1f times, wanted %d"):format(name, ratio, limit))
  end
end }, { __index = bench })
