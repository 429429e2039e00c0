--- What deskpilot costs, beside the field's other tools, measured together in one run on a desktop of
--- its own (1920x1080 with an editor, a calculator and a terminal). `./dev bench` runs it. Every target
--- is a ratio to something measured here, or an absolute that does not depend on the machine's speed.
local uv = require "luv"
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local pages = require "bench.pages"
local results = require "bench.results"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local task = require "deskpilot.base.task"

local rounds, frames_per_round, turns = 3, 8, 150
local program = files.absolute(spawn.program)
local samples, bytes = {}, {}
local all = results.new()
local desktop -- { display, folder }, while it is there

local function add(name, milliseconds)
  samples[name] = samples[name] or {}
  table.insert(samples[name], milliseconds)
end

-- The desktop ----------------------------------------------------------------------------------------

-- Longer than the screen, and the same on every machine.
local function text_file(folder)
  local lines = {}
  for i = 1, 400 do
    lines[i] = ("%03d  The quick brown fox jumps over the lazy dog; pack my box with five dozen jugs. %x"):format(i,
      i * 2654435761 % 2 ^ 32 // 1)
  end
  local path = folder .. "/notes.txt"
  assert(files.write(path, table.concat(lines, "\n")))
  return path
end

local function wait_for_windows(display, count)
  local desk = assert(require("native.desk").open { display = display })
  t.wait_until(count .. " windows", function() return #(desk:windows() or {}) >= count end, 30)
  desk:close()
  task.sleep(1.5) -- toolkits draw their window in several steps
end

local function start_desktop()
  local folder = files.absolute(spawn.folder())
  spawn.start({ "/bin/sh", "-c", [[
    started() { echo $! >>"$1/pids"; }
    Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset 3>"$1/display" >/dev/null 2>&1 &
    started "$1"
    while [ ! -s "$1/display" ]; do sleep 0.05; done
    DISPLAY=:$(cat "$1/display"); export DISPLAY
    openbox >/dev/null 2>&1 &
    started "$1"
    sleep 0.5
    mousepad "$2" >/dev/null 2>&1 &
    started "$1"
    galculator >/dev/null 2>&1 &
    started "$1"
    xterm -geometry 120x50+700+250 -e sh -c 'cat "$0"; sleep 10000' "$2" >/dev/null 2>&1 &
    started "$1"
    wait]], "desktop", folder, text_file(folder) },
    { env = { DBUS_SESSION_BUS_ADDRESS = "disabled:", NO_AT_BRIDGE = "1", HOME = folder } })
  local number = t.wait_until("Xvfb", function()
    local words = files.read(folder .. "/display")
    return words and words:match("^(%d+)\n")
  end, 20)
  local display = ":" .. number
  wait_for_windows(display, 3)
  -- Closed without a wait, so that it also is when the test is cut off by its time limit.
  return setmetatable({ display = display, folder = folder }, { __close = function()
    for pid in (files.read(folder .. "/pids") or ""):gmatch("%d+") do uv.kill(tonumber(pid), "sigterm") end
    files.remove(folder)
  end })
end

-- Processes --------------------------------------------------------------------------------------------

local function timed(name, argv, env)
  local began = uv.hrtime()
  local child = spawn.run(argv, { env = env, cwd = desktop and desktop.folder })
  add(name, (uv.hrtime() - began) / 1e6)
  assert(child.status == 0, name .. ": " .. child.stderr)
end

local function frames(name, prefix)
  local argv = { uv.exepath(), "tests/bench/frames.lua", tostring(frames_per_round) }
  for i = #prefix, 1, -1 do table.insert(argv, 1, prefix[i]) end
  local child = spawn.run(argv, { env = { DISPLAY = desktop.display } })
  local result = json.decode(child.stdout:match("JSON ([^\n]*)") or "")
  assert(result, child.stderr .. child.stdout)
  for case, list in pairs(result.samples) do
    for _, milliseconds in ipairs(list) do add(name .. "." .. case, milliseconds) end
  end
  bytes[name], bytes.jpeg = result.bytes.full, result.bytes.jpeg
end

local function screenshots()
  local env = { DISPLAY = desktop.display }
  local function file(name) return desktop.folder .. "/" .. name .. ".png" end
  for _ = 1, rounds do
    for _ = 1, 4 do
      timed("scrot", { "scrot", "-o", "-p", file "scrot" }, env)
      timed("maim", { "maim", file "maim" }, env)
      timed("shot", { program, "shot", "-o", file "shot" }, env)
    end
    frames("one", { "taskset", "-c", "0" })
    frames("two", {})
  end
  for _, name in ipairs { "scrot", "maim", "shot" } do bytes[name] = #files.read(file(name)) end
end

-- visgrep looks for the same pixels, no more; where nearly the same is to be found, it finds nothing.
local function finding()
  local child = spawn.run({ uv.exepath(), "tests/bench/find_image.lua", "20", desktop.folder },
    { env = { DISPLAY = desktop.display } })
  local result = json.decode(child.stdout:match("JSON ([^\n]*)") or "")
  assert(result, child.stderr .. child.stdout)
  for case, list in pairs(result.samples) do
    for _, milliseconds in ipairs(list) do add("find." .. case, milliseconds) end
  end
  local screen, part = desktop.folder .. "/screen.png", desktop.folder .. "/part.png"
  -- Its exit status tells nothing, and pictures that repeat on the screen take it very long.
  local visgrep = { "/bin/sh", "-c", [[timeout 20 visgrep "$0" "$1" >/dev/null; true]], screen, part }
  for _ = 1, 3 do timed("visgrep", visgrep) end
end

local function start_up()
  for _ = 1, 30 do
    timed("version", { program, "--version" })
    timed("lua", { "lua5.4", "-v" })
  end
end

-- A run ----------------------------------------------------------------------------------------------

-- A model server that answers at once and looks at nothing, so that what is left is ours.
local function quick_server()
  local arguments = json.encode { key = "shift", justification = "Nothing on the screen changes by this." }
  local body = json.encode { id = "b", object = "chat.completion", created = 1, model = "bench",
    choices = { { index = 0, finish_reason = "tool_calls", message = { role = "assistant", content = json.null,
      tool_calls = { { id = "c", type = "function", ["function"] = { name = "press_key",
        arguments = arguments } } } } } },
    usage = { prompt_tokens = 1, completion_tokens = 1, total_tokens = 2 } }
  local answer = ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(#body,
    body)
  local listener = uv.new_tcp()
  listener:bind("127.0.0.1", 0)
  listener:listen(16, function()
    local socket = uv.new_tcp()
    listener:accept(socket)
    local head, missing = "", nil
    socket:read_start(function(_, data)
      if not data then socket:close() return end
      if not missing then
        head = head .. data
        local _, stop = head:find("\r\n\r\n", 1, true)
        if not stop then return end
        if head:lower():find("expect: 100", 1, true) then socket:write("HTTP/1.1 100 Continue\r\n\r\n") end
        missing = tonumber(head:lower():match("content%-length: *(%d+)") or 0) - (#head - stop)
      else
        missing = missing - #data
      end
      if missing > 0 then return end
      head, missing = "", nil
      socket:write(answer)
    end)
  end)
  return ("http://127.0.0.1:%d/v1"):format(listener:getsockname().port), function() listener:close() end
end

local policy = [[
local observation = require "deskpilot.agent.observation"
return { turn = function(run)
  local reply = assert(run:ask { persona = "executor", system = "Act.", acts = true, tools = { "press_key" },
    temperature = 0, max_tokens = 100, text = observation.describe(run.observation) })
  run:act { tool = reply.calls[1].name, args = reply.calls[1].args, persona = "executor" }
end }
]]

local mission = [[return { task = "Press shift.", policy = "bench",
  desktop = { kind = "private", size = { 1920, 1080 }, apps = { { "galculator" } } },
  limits = { turns = %d }, loop = { threshold = 100000 } }]]

local function peak_memory(pid)
  local file = io.open(("/proc/%d/status"):format(pid))
  local words = file and file:read("a") or ""
  if file then file:close() end
  return tonumber(words:match("VmHWM:%s*(%d+)") or 0) / 1024
end

local function agent_run(row)
  local folder = files.absolute(spawn.folder())
  assert(files.make_folder(folder .. "/deskpilot/policies"))
  assert(files.write(folder .. "/deskpilot/policies/bench.lua", policy))
  assert(files.write(folder .. "/m.lua", mission:format(turns)))
  local endpoint, close = quick_server()
  local child = spawn.start({ program, "run", "m.lua", "--json", "-q", "--runs", folder .. "/runs", "--endpoint",
    endpoint, "--set", "model.calls_per_minute=0" }, { cwd = folder })
  local peak = 0
  while child.open > 0 do
    peak = math.max(peak, peak_memory(child.pid))
    task.sleep(0.05)
  end
  close()
  local result = json.decode(child.stdout)
  assert(result, child.stderr)
  local first, last, count
  local spent = { observed = 0, model_reply = 0, action_result = 0, settled = 0 }
  for _, event in ipairs(assert(journal.read(result.run_dir))) do
    if spent[event.event] then spent[event.event] = spent[event.event] + (event.seconds or 0) end
    if event.event == "turn_start" then first = first or event.at end
    if event.event == "turn_end" then last, count = event.at, event.turn end
  end
  assert(count == turns, ("%s turns: %s"):format(tostring(count), child.stderr))
  files.remove(folder)
  row(turns .. " turns, the model's answers at once", last - first, "s")
  row("  of that: all but settling", last - first - spent.settled, "s", 6.1 * turns / 150)
  for _, name in ipairs { "settled", "observed", "model_reply", "action_result" } do
    row("  of that: " .. name, spent[name], "s")
  end
  row("peak memory of the run", peak, "MB", 45)
end

-- The parts -------------------------------------------------------------------------------------------

local function screenshot_rows(row)
  local function against(name, sample, limit)
    row(name, statistics.ratios(samples[sample], samples.scrot), "x scrot", limit, ("%.2f ms"):format(statistics.median(
      samples[sample])))
  end
  row("scrot, as a process", samples.scrot, "ms", nil, ("%d bytes"):format(bytes.scrot))
  row("maim, as a process", samples.maim, "ms", nil, ("%d bytes"):format(bytes.maim))
  against("deskpilot shot, as a process", "shot", 0.4)
  against("screen to PNG, all of it, one core", "one.full", 0.10)
  against("screen to PNG, all of it, two cores", "two.full", 0.06)
  row("bytes of it", bytes.two / bytes.scrot, "x scrot", 1, ("%d bytes"):format(bytes.two))
  row("bytes of deskpilot shot", bytes.shot / bytes.scrot, "x scrot", 1, ("%d bytes"):format(bytes.shot))
  against("screen to PNG, unchanged", "two.unchanged", 0.015)
  against("screen to PNG, three strips changed", "two.three_strips", 0.03)
  row("screen to JPEG of quality 80", samples["two.jpeg"], "ms", nil, ("%d bytes"):format(bytes.jpeg))
  row("a PNG of the screen, read", samples["two.load"], "ms")
  row("down to 1536x864", samples["two.downscale"], "ms")
  row("observation, screen to request body", samples["two.observation"], "ms")
end

local function finding_rows(row)
  row("visgrep, as a process, exact pixels", samples.visgrep, "ms", nil, "20 s is the most that it gets")
  local function within(name, sample)
    row(name, samples["find." .. sample], "ms", 30)
  end
  within("find 64x64 cut from the screen", "shown")
  within("  with the screenshot", "from_screen")
  within("find 64x64 of icons, absent", "absent_textured")
  within("find 64x64 of noise, absent", "absent_noisy")
  within("find 64x64 of one colour, absent", "absent_flat")
end

-- Measures on a desktop of its own.
local function on_desktop(measure)
  return function(row)
    samples = {}
    local here <close> = start_desktop()
    desktop = here
    measure(row, here)
    desktop = nil
  end
end

local function element_rows(row)
  local elements = dofile "tests/bench/elements.lua"
  for _, result in ipairs(elements.measure()) do
    for _, line in ipairs(elements.lines(result)) do row(line.name, line.ratios, "x walk", line.limit, line.words) end
  end
end

-- In the order in which they are measured.
local parts = {
  { "screenshots", on_desktop(function(row)
    screenshots()
    screenshot_rows(row)
  end) },
  { "finding pictures", on_desktop(function(row)
    finding()
    finding_rows(row)
  end) },
  { "reading text", on_desktop(function(row, here) dofile "tests/bench/reading.lua"(here, row) end) },
  { "starting", function(row)
    samples = {}
    start_up()
    row("deskpilot --version", statistics.ratios(samples.version, samples.lua), "x lua -v", 4,
      ("%.2f ms"):format(statistics.median(samples.version)))
  end },
  { "a run", agent_run },
  { "elements", element_rows },
  { "typing and clicking", function(row) dofile "tests/bench/input.lua".measure(row) end },
  { "large pages", function(row) dofile "tests/bench/page.lua".measure(row) end },
  { "the browser suite", pages.rows },
}

t.time_limit(3600)

local tests = {}

for i, part in ipairs(parts) do
  local name, measure = table.unpack(part)
  if not arg[1] or name:find(arg[1], 1, true) then
    tests[("%02d %s"):format(i, name)] = function() all:measure(name, measure) end
  end
end

function tests.targets() -- after all the others
  t.eq(all:print(), 0, "targets missed")
end

return tests
