-- Missions end to end: the real program, real applications, judged by files and the applications.
local testapp = dofile "tests/windows/testapp.lua"
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local native = require "native.image"
local spawn = require "spawn"
local told = require "told"

local tests = {}

local with_folder = testapp.with_folder

local function run(mission, folder, ...)
  local child = spawn.run { spawn.program, "run", mission, "--json", "--runs", files.join(folder, "runs"), ... }
  local result = json.decode(child.stdout)
  harness.ok(result, "one JSON object on standard output; standard error: " .. child.stderr)
  return child, result or {}
end

local function close_window(desk, window)
  desk.windows.close(window)
  harness.wait_until("the window to close", function() return not desk.windows.find { id = window.id } end)
end

-- The screenshots of a run, each read back from its file.
local function screenshots(result, events)
  local images = {}
  for _, event in ipairs(events) do
    if event.event == "observed" then
      local png = files.read(files.join(result.run_dir, event.screenshot))
      local image = harness.ok(png and native.load(png), "a PNG for turn " .. event.turn)
      local width, height = image:size()
      harness.eq({ width, height }, { event.image.width, event.image.height })
      images[#images + 1] = image
    end
  end
  harness.eq(#images, result.turns, "one screenshot a turn")
  return images
end

-- How many pixels of a picture of the whole screen differ within a window.
local function differing(a, b, window)
  local count = 0
  for y = math.max(0, window.y), window.y + window.height - 1, 2 do
    for x = math.max(0, window.x), window.x + window.width - 1, 2 do
      local r, g, b1 = a:pixel(x, y)
      local r2, g2, b2 = b:pixel(x, y)
      if r ~= r2 or g ~= g2 or b1 ~= b2 then count = count + 1 end
    end
  end
  return count
end

local notepad_lines = "Grüße aus dem Editor — naïve café\r\nZweite Zeile: 日本語, עברית, 😀 𝄞\r\n"

function tests.notepad()
  with_folder(function(folder)
    local desk = assert(desk_module.open())
    local _ <close> = testapp.finally(function()
      local window = desk.windows.find { class = "Notepad" }
      if window then uv.kill(window.pid, "sigkill") end
      desk:close()
    end)
    local path = files.join(files.own_temporary_folder(), "deskpilot-notepad.txt")
    files.remove(path)
    local child, result = run("missions/notepad.lua", folder, "--model", "literal", "--set", "screen.trim=false")
    harness.eq(child.status, 0, child.stderr)
    harness.eq(result.status, "succeeded", result.reason)
    local saved = harness.ok(files.read(path))
    harness.eq(saved:gsub("^\xEF\xBB\xBF", ""), notepad_lines)
    local events = journal.read(result.run_dir)
    harness.eq({ events[1].event, events[#events].event }, { "run_start", "run_end" })
    harness.eq(json.decode(files.read(files.join(result.run_dir, "result.json"))), result)
    local window = harness.ok(desk.windows.find { title = "deskpilot-notepad", class = "Notepad" })
    local images = screenshots(result, events)
    local size = desk.screen.size()
    local width, height = images[1]:size()
    harness.eq({ width, height }, { size.width, size.height }, "the pictures are not scaled")
    local text_area = { x = window.x, y = window.y, width = window.width, height = window.height // 2 }
    harness.ok(differing(images[1], images[#images], text_area) > 100, "the text can be seen")
    local now = harness.ok(desk.screen.shot())
    harness.eq(differing(images[#images], now.native, { x = size.width - 200, y = size.height - 150, width = 200,
      height = 150 }), 0, "nothing beside the window")
    close_window(desk, window)
    files.remove(path)
  end)
end

local because = "The window of the test application is in front and this is the next thing that its task asks "
  .. "for, as the list of elements shows it at that place and nothing covers it."
local evidence = "The button Alpha was clicked and the field Notes holds the text that was asked for, as the "
  .. "list of elements shows; the window is in front, nothing covers it, and no error can be seen."

local function has_tool(request, name)
  for _, tool in ipairs(request.tools or {}) do
    if tool["function"].name == name then return true end
  end
  return false
end

-- Where the request's list of elements says that thing is.
local function place(request, line)
  local x, y = told.words(request):match(line .. " %[(%d+),(%d+)%]")
  return { tonumber(x), tonumber(y) }
end

local function calls(...)
  local list = {}
  for i, call in ipairs { ... } do
    list[i] = { id = "call_" .. i, type = "function",
      ["function"] = { name = call[1], arguments = json.encode(call[2]) } }
  end
  return model_server.reply_message({ content = json.null, tool_calls = list }, "tool_calls")
end

-- A model of three personas that knows what to do.
local function script(text)
  local steps = {
    function(request)
      return calls { "click_element", { label = "Alpha", position = place(request, 'push button "Alpha"'),
        justification = because } }
    end,
    function(request)
      return calls { "click_element", { label = "Notes", position = place(request, 'text "Notes:"'),
        justification = because } }
    end,
    function() return calls { "type_text", { text = text, justification = because } } end,
    function() return calls { "press_key", { key = "ctrl+end", justification = because } } end,
  }
  local n = 0
  return function(request)
    if has_tool(request, "write_doctrine") then return model_server.reply_text "Click, then type." end
    if has_tool(request, "spawn_executor_prompt") then
      local phase = n < #steps and "EXECUTION" or "VERIFICATION"
      return calls({ "spawn_executor_prompt", { prompt = "Do it.", phase = phase, rationale = "seen" } },
        { "update_phase_tools", { tool_names = { "click_element", "type_text", "press_key", "report_completion" },
          rationale = "needed" } })
    end
    n = n + 1
    return steps[n] and steps[n](request) or calls { "report_completion", { evidence = evidence } }
  end
end

local mission_format = [[
local files = require "deskpilot.base.files"
return {
  task = "Click Alpha, then type into Notes.",
  desktop = { kind = "current", apps = { { %q, "--log", %q, "--title", "Judge — 審" } } },
  limits = { turns = 12 },
  verify = function()
    local log = files.read(%q) or ""
    return log:find('"clicked","target":"alpha"', 1, true) ~= nil and log:find(%q, 1, true) ~= nil,
      "the log does not show it"
  end,
}]]

function tests.three_body_with_a_model_by_http()
  with_folder(function(folder)
    local desk = assert(desk_module.open())
    local closing <close> = testapp.finally(function()
      local window = desk.windows.find { title = "Judge — 審" }
      if window then close_window(desk, window) end
      desk:close()
    end)
    assert(closing)
    local text = "héllo — 日本 😀"
    local server = model_server.start(script(text))
    local _ <close> = testapp.finally(function() server:stop() end)
    local mission, log = files.join(folder, "judge.lua"), files.join(folder, "judge.jsonl")
    assert(files.write(mission, mission_format:format(testapp.program, log, log, text)))
    local child, result = run(mission, folder, "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set",
      "model.calls_per_minute=0")
    harness.eq(child.status, 0, child.stderr)
    harness.eq(result.status, "succeeded", result.reason)
    harness.eq(server:problems(), "", "every request is valid")
    harness.eq(result.turns, 5)
    local lines = {}
    for line in (files.read(log) or ""):gmatch "[^\n]+" do lines[#lines + 1] = json.decode(line) end
    local clicked, typed
    for _, event in ipairs(lines) do
      if event.event == "clicked" and event.target == "alpha" then clicked = true end
      if event.event == "text" and event.target == "notes" then typed = event.text end
    end
    harness.ok(clicked, "the button was clicked")
    harness.eq(typed, text)
    screenshots(result, journal.read(result.run_dir))
  end)
end

local function with_notepad(fn)
  local desk = assert(desk_module.open())
  local _ <close> = testapp.finally(function()
    local window = desk.windows.find { class = "Notepad" }
    if window then uv.kill(window.pid, "sigkill") end
    desk:close()
  end)
  fn()
end

function tests.the_same_on_every_system()
  with_notepad(require "same_mission".run)
end

function tests.the_same_by_one_agent()
  with_notepad(require "same_mission".run_by_one_agent)
end

return tests
