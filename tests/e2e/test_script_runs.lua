--- What is written down of a script, and what becomes of its failures: `deskpilot run` from outside, a private desktop,
--- real applications.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local native = require "native.image"
local report = require "deskpilot.cli.commands.report"
local script_play = require "script_play"

local calculator = [[desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },]]

local tests = {}

local with_run = script_play.with_run

local function events_named(events, name)
  local list = {}
  for _, event in ipairs(events) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

local function noted(events, message)
  for _, event in ipairs(events_named(events, "note")) do
    if event.message == message then return true end
  end
  return false
end

local function calls_of(events)
  local list = {}
  for i, event in ipairs(events_named(events, "desk_call")) do
    list[i] = ("%s %s %s"):format(event.where, event.call, event.ok and "ok" or event.code)
  end
  return list
end

-- The picture that a run has kept, checked to be one of a desktop with a calculator.
local function check_picture(events, run_dir)
  local observed = events_named(events, "picture")
  local last = t.ok(observed[#observed], "a picture is kept")
  if not last then return end
  local picture = t.ok(native.load(files.read(files.join(run_dir, last.screenshot)) or ""), "it is a picture")
  if not picture then return end
  t.eq({ picture:size() }, { 800, 600 })
  local colours = {}
  for x = 0, 799, 7 do
    for y = 0, 599, 7 do colours[table.concat({ picture:pixel(x, y) }, " ")] = true end
  end
  local count = 0
  for _ in pairs(colours) do count = count + 1 end
  t.ok(count > 3, "something shows in it: " .. count .. " colours")
  t.has(last.window and last.window.title, "galculator")
end

function tests.each_call_is_written_down_and_a_picture_at_the_end()
  with_run("return { " .. calculator .. [[
  run = function(m)
    local desk = m.desk
    desk.wait_for_element { app = "galculator", name = "7", timeout = 20 }
    desk.keyboard.type "7*6="
    desk.mouse.click(desk.elements.find { app = "galculator", role = "toggle button", name = "1" })
    desk.wait_for_element { app = "galculator", text = "1", timeout = 20 }
  end }]], function(child, result, events, run_dir)
    t.eq(child.status, 0, child.stderr)
    t.eq(result.status, "succeeded")
    t.eq(calls_of(events), { "m.lua:3 wait_for_element ok", "m.lua:4 keyboard.type ok", "m.lua:5 elements.find ok",
      "m.lua:5 mouse.click ok", "m.lua:6 wait_for_element ok" })
    local click = events_named(events, "desk_call")[4]
    t.eq(click.target, "toggle button '1'")
    t.ok(click.seconds > 0 and click.seconds < 20)
    check_picture(events, run_dir)
    local start = events[1]
    t.eq({ start.script, start.policy, start.model, start.endpoint }, { true })
    t.has(child.stderr, "script: m\n")
    t.has(child.stderr, "✓ keyboard.type(4 characters)")
    t.has(child.stderr, "script: 5 desk calls in 0:")
    local page = report.html(events, "run")
    t.has(page, "<dt>worked by</dt><dd>a script</dd>")
    t.has(page, "<h2>Script</h2>")
    t.has(page, '<img src="screenshots/end.png"')
    t.has(page, "mouse.click(toggle button &#39;1&#39;)")
    local told = page:sub(select(2, page:find("</nav>", 1, true)) + 1, page:find("<script", 1, true) - 1)
    for _, words in ipairs { child.stderr, told } do
      for _, word in ipairs { "model", "policy", "three_body", "settling" } do
        t.ok(not words:find(word, 1, true), word .. " was never used: " .. words)
      end
    end
    local export = json.decode(files.read(files.join(run_dir, "trajectory.json")))
    t.eq({ #export.desk_calls, export.script, export.screenshot }, { 5, true, "screenshots/end.png" })
  end)
end

function tests.a_failure_ends_the_script_with_its_line_and_a_picture()
  with_run("return { " .. calculator .. [[
  run = function(m)
    m.desk.wait_for_window("galculator", { timeout = 20 })
    m.desk.windows.focus "Mousepad"
    m.desk.keyboard.type "into the wrong window"
  end }]], function(child, result, events, run_dir)
    t.eq(child.status, 1, child.stderr)
    t.eq(result.status, "error")
    t.eq(result.reason, "m.lua:3: no window with title Mousepad; there are: galculator")
    t.eq(calls_of(events), { "m.lua:2 wait_for_window ok", "m.lua:3 windows.focus not_found" })
    check_picture(events, run_dir)
    t.eq(select(2, child.stderr:gsub("no window with title", "")), 1, "told once: " .. child.stderr)
    t.has(report.html(events, "run"), '<img src="screenshots/end.png"')
  end)
end

function tests.a_script_that_waits_too_long_leaves_a_picture_too()
  with_run("return { " .. calculator .. [[
  limits = { seconds = 2 },
  run = function(m)
    m.desk.wait_for_window("galculator", { timeout = 20 })
    m.desk.wait_until(function() return false end, { timeout = 600 })
  end }]], function(_, result, events, run_dir)
    t.eq(result.status, "incomplete", result.reason)
    check_picture(events, run_dir)
  end)
end

function tests.what_is_typed_is_nowhere_in_the_run()
  with_run("return { " .. calculator .. [[
  run = function(m)
    local desk = m.desk
    desk.wait_for_window("galculator", { timeout = 20 })
    desk.keyboard.type "hunter2hunter2"
    desk.clipboard.set "hunter2hunter2"
    assert(desk.clipboard.get() == "hunter2hunter2")
    desk.try.elements.set_text({ role = "text" }, "hunter2hunter2")
    desk.apps.run { "cat", input = "hunter2hunter2", env = { X = "hunter2hunter2" } }
  end }]], function(child, result, _, run_dir)
    t.eq(result.status, "succeeded", child.stderr)
    local all = child.stderr
    for _, name in ipairs { "journal.jsonl", "result.json", "trajectory.json" } do
      all = all .. assert(files.read(files.join(run_dir, name)))
    end
    t.has(all, "keyboard.type")
    t.eq(all:find("hunter2", 1, true), nil)
  end)
end

function tests.a_script_may_ask_an_agent_and_both_are_told()
  with_run("return { " .. calculator .. [[
  run = function(m)
    m.desk.wait_for_element { app = "galculator", name = "7", timeout = 20 }
    assert(m:achieve('click "7"', { accept_claims = true }))
    local ok, why = m:achieve('click "no such button"')
    assert(not ok and why)
    assert(m.desk.elements.find { app = "galculator", text = "7" })
  end }]], function(child, result, events)
    t.eq(result.status, "succeeded", child.stderr)
    t.eq(#events_named(events, "goal_start"), 2)
    local page = report.html(events, "run")
    for _, part in ipairs { "<dd>a script</dd>", "<dt>policy</dt><dd>three_body</dd>",
      "<dt>model</dt><dd>literal</dd>", "an agent is asked" } do t.has(page, part) end
    t.eq(select(2, page:gsub("<dt>model</dt>", "")), 1)
    t.ok(page:find("<h2>Script</h2>", page:find "<h2>Turn", true), "what came after the turns is the script's again")
    t.has(child.stderr, "script: 2 desk calls")
    t.has(child.stderr, "model ")
  end, "--model", "literal")
end

function tests.failures_that_nobody_looks_at()
  local body = [[
  run = function(m)
    m.desk.windows.focus "Mousepad"
    m.desk.mouse.click { x = 99999, y = 5 }
    m:note "it went on"
  end }]]
  with_run("return { " .. calculator .. body, function(child, result, events)
    t.eq({ child.status, result.status }, { 1, "error" })
    t.ok(not noted(events, "it went on"))
  end)
  with_run("return { strict = false, " .. calculator .. body, function(child, result, events)
    t.eq({ child.status, result.status }, { 0, "succeeded" }, child.stderr)
    t.eq(calls_of(events), { "m.lua:2 windows.focus not_found", "m.lua:3 mouse.click invalid" })
    t.ok(noted(events, "it went on"))
  end)
end

function tests.verify_and_hooks_ask_and_get_nil()
  with_run("return { " .. calculator .. [[
  timing = { verify = 20 },
  note = function(m) m.found = m.desk.windows.find "Elsewhere" end,
  run = function(m)
    m:note "a hook asks"
    assert(m.found == nil)
    m.desk.wait_for_element { app = "galculator", name = "7", timeout = 20 }
    assert(m.desk.wait_until(function() return not m.desk.windows.find "Elsewhere" end))
    require("deskpilot.base.task").start(function()
      require("deskpilot.base.task").sleep(0.5)
      m.desk.keyboard.type "7*6="
    end)
  end,
  verify = function(m) return m.desk.elements.find { app = "galculator", text = "42" } ~= nil, "no 42" end }]],
    function(child, result)
      t.eq(result.status, "failed", child.stderr) -- the script's tasks end with it
      t.eq(result.reason, "the script ran to its end, but the mission's check says: no 42")
    end, "--set", "timing.verify=0.3")
end

function tests.tabs_of_a_browser_raise_as_the_desk_does()
  with_run([[return { desktop = { kind = "private", size = { 800, 600 } },
  run = function(m)
    local browser = m.desk.browser.start "data:text/html,<title>T</title><button>Press</button>"
    local tab = browser:tab()
    assert(tab == browser:tab() and tab.browser == browser)
    tab:click(tab:observe().elements[1])
    local ok, err = tab.try:click(7)
    assert(not ok and err.code == "not_found", err)
    m:note(tostring(tab:evaluate "document.title"))
    tab:click(7)
  end }]], function(_, result, events)
    t.eq(result.status, "error")
    t.eq(result.reason, "m.lua:10: [7] is not among the 1 listed elements")
    t.ok(noted(events, "T"))
    local calls = calls_of(events)
    t.eq(calls[1], "m.lua:3 browser.start ok")
    t.eq(calls[3], "m.lua:6 tab:click ok")
  end)
end

function tests.a_mistake_in_a_call_is_told_with_its_line()
  with_run("return { " .. calculator .. [[
  run = function(m)
    local function inner() m.desk.screen.shot { regoin = { 0, 0, 5, 5 } } end
    inner()
  end }]], function(child, result, events)
    t.eq(result.status, "error")
    t.has(result.reason, "m.lua:2: desk.screen.shot has the options")
    local told = events_named(events, "error")
    t.eq(#told, 1)
    t.has(told[1].traceback, "m.lua:3: in")
    t.has(child.stderr, "\n    m.lua:3: in")
    t.ok(not told[1].traceback:find("deskpilot/", 1, true), told[1].traceback)
  end)
end

return tests
