--- The screen is resized between the look and the click, as a user would resize it, in runs with a model that the test
--- scripts over HTTP: judged by a calculator, whose display says which of its keys were clicked, and by a window behind
--- it that writes down every click beside it.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"
local odev_play = require "odev_play"
local spawn = require "spawn"

local because = "The calculator is in front and its keys are easy to see, so this is the next thing to do."

-- The mission's own module: the screen is 1600x1200 ("large") and can be made 800x600 ("small") and large again.
local modes = [[
local modes = {}
local sizes = { small = { 800, 600, "small" }, large = { 1600, 1200, "1600x1200" } }
local function xrandr(m, ...)
  local made = assert(m.desk.apps.run { "xrandr", ... })
  assert(made.status == 0, made.stderr)
end
function modes.prepare(m)
  xrandr(m, "--newmode", "small", "25", "800", "800", "800", "800", "600", "600", "600", "600")
  xrandr(m, "--addmode", "screen", "small")
end
function modes.resize(m, name)
  local size = sizes[name]
  if m.desk.screen.size().width == size[1] then return end
  xrandr(m, "--output", "screen", "--mode", size[3])
  assert(m.desk.wait_until(function()
    local now = m.desk.screen.size()
    return now.width == size[1] and now.height == size[2]
  end))
end
function modes.place(m, x, y)
  assert(m.desk.windows.place({ class = "galculator" }, { x = x, y = y }))
  assert(m.desk.windows.focus { class = "galculator" })
  m.desk.settle()
end
return modes
]]

-- Of a mission, what is the same in all: START is the screen's size at first, and X, Y the calculator's corner.
local on_screen = [[
task = "Show the number 78.",
desktop = { kind = "private", size = { 1600, 1200 }, apps = { { "galculator" } } },
before_run = function(m)
  local modes = require "modes"
  modes.prepare(m)
  assert(m.desk.apps.start { "sh", "-c", "exec xev -name recorder -event button -geometry 780x560+0+0 >"
    .. FOLDER .. "/clicks" })
  assert(m.desk.wait_for_window { title = "recorder", timeout = 30 })
  assert(m.desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
  modes.resize(m, "START")
  modes.place(m, X, Y)
end,
verify = function(m)
  return m.desk.elements.find { app = "galculator", text = "78" } ~= nil, "the display does not show 78"
end,
]]

local function mission_of(start, x, y, hooks)
  return on_screen:gsub("START", start):gsub("X, Y", ("%d, %d"):format(x, y)) .. hooks
end

-- What the calculator has not got, the window behind it has.
local function check_clicks(folder)
  local recorded = t.ok(files.read(folder .. "/clicks"))
  t.ok(not recorded:find("Button", 1, true), "a click beside the calculator: " .. recorded)
end

local function persona(request)
  local tool = request.tools and request.tools[1]["function"].name
  return tool == "write_doctrine" and "strategist"
    or (tool == "spawn_executor_prompt" or tool == "update_phase_tools") and "tactician" or "executor"
end

local function click(request, key)
  return model_server.reply_tool("click_element", { label = key, justification = because,
    position = odev_play.place(request, "toggle button", key) })
end

-- Runs the mission with the three-body policy for so many turns; executor(request, n) answers. Gives the result, the
-- results of the clicks in order, and what the Executor was told each time.
local function play(mission, turns, executor)
  local folder, asked = spawn.folder(), {}
  local server = model_server.start(function(request)
    local who = persona(request)
    if who == "strategist" then return model_server.reply_text "Show the number, then be done." end
    if who == "tactician" then
      return model_server.reply_tool("update_phase_tools", { tool_names = { "click_element" }, rationale = "needed" })
    end
    asked[#asked + 1] = odev_play.words(request)
    return executor(request, #asked)
  end)
  assert(files.write(folder .. "/modes.lua", modes))
  assert(files.write(folder .. "/m.lua", ("local FOLDER = %q\nreturn {%slimits = { turns = %d }, "
    .. "timing = { verify = 1 } }"):format(folder, mission, turns)))
  local child = spawn.run({ spawn.program, "run", folder .. "/m.lua", "--json", "--policy", "three_body", "--runs",
    folder .. "/runs", "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0" },
    { cwd = folder })
  server:stop()
  t.eq(server:problems(), "")
  local result = t.ok(json.decode(child.stdout), child.stderr)
  local clicks = {}
  for _, event in ipairs(journal.read(result.run_dir) or {}) do
    if event.event == "action_result" and event.tool == "click_element" then clicks[#clicks + 1] = event end
  end
  check_clicks(folder)
  files.remove(folder)
  return result, clicks, asked
end

local tests = {}

-- The screen becomes another one after the model has answered and before its first action is done.
local function resized_after_answer(name)
  return ([[model_reply = function(m, event)
    if event.persona == "executor" and m.turn == 1 then require "modes".resize(m, %q) end
  end,]]):format(name)
end

local function seven_then_eight(request, n)
  return click(request, n == 1 and "7" or "8")
end

function tests.the_screen_grows()
  local result, clicks, asked = play(mission_of("small", 300, 150, resized_after_answer "large"), 2, seven_then_eight)
  t.eq(result.status, "succeeded", result.reason)
  t.eq({ #clicks, clicks[1].ok, clicks[2].ok }, { 2, true, true })
  t.has(asked[1], "SCREEN: 800x600")
  t.has(asked[2], "SCREEN: 1600x1200")
end

function tests.the_screen_shrinks_and_the_target_is_still_there()
  local result, clicks, asked = play(mission_of("large", 300, 150, resized_after_answer "small"), 2, seven_then_eight)
  t.eq(result.status, "succeeded", result.reason)
  t.eq({ #clicks, clicks[1].ok, clicks[2].ok }, { 2, true, true })
  t.has(asked[1], "SCREEN: 1600x1200")
  t.has(asked[2], "SCREEN: 800x600")
end

-- Nothing is clicked; the model reads why, sees the screen as it is now, and goes on.
function tests.the_screen_shrinks_and_the_target_is_gone()
  local result, clicks, asked = play(mission_of("large", 1200, 800, resized_after_answer "small" .. [[
    action_result = function(m, event)
      if not event.ok then require "modes".place(m, 300, 150) end
    end,]]), 3, function(request, n) return click(request, n <= 2 and "7" or "8") end)
  t.eq(result.status, "succeeded", result.reason)
  t.eq({ #clicks, clicks[1].ok, clicks[1].code, clicks[2].ok, clicks[3].ok }, { 3, false, "stale", true, true })
  t.has(asked[1], "SCREEN: 1600x1200")
  t.has(asked[2], "SCREEN: 800x600")
  t.has(asked[2], "ERROR: the screen has been resized or rearranged")
  t.has(asked[2], "look at a new screenshot and point again")
end

-- ODEV does several actions by one look: the rest is left undone and planned anew.
function tests.a_plan_whose_places_are_gone_is_cut_short()
  local played = odev_play.play { before = function(folder) assert(files.write(folder .. "/modes.lua", modes)) end,
    mission = mission_of("large", 1200, 800, [[action_result = function(m, event)
      if event.args.label == "7" then
        require "modes".resize(m, "small")
        require "modes".place(m, 300, 150)
      end
    end,]]),
    planner = function(request, n)
      local function press(key)
        return { tool = "click_element", args = { label = key,
          position = odev_play.place(request, "toggle button", key) } }
      end
      if n == 1 then return odev_play.plan { actions = { press "7", press "8" }, completes_goal = true } end
      t.has(odev_play.words(request), "the screen has been resized or rearranged")
      return odev_play.plan { actions = { press "8" }, completes_goal = true }
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
  t.eq(played.result.task_result.cut_short, 1)
  local clicks = played:actions("click_element")
  t.eq({ #clicks, clicks[2].code }, { 3, "stale" })
  check_clicks(played.folder)
  played:close()
end

return tests
