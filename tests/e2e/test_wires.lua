-- A shipped mission, unchanged, against servers that behave as the makers' documentation says: the real program, a
-- private desktop, a real calculator, and answers by the makers' own tools for the computer.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"
local vendor_server = require "vendor_server"

local tests = {}

-- Where a key of the calculator is, as the request says it.
local function place(view, key)
  local words = table.concat(view.text, "\n")
  local _, stop = words:find(('toggle button "%s" ['):format(key), 1, true)
  local x, y = words:match("^([%d.]+),([%d.]+)%]", stop and stop + 1 or #words + 1)
  t.ok(x, "the key " .. key .. " is told of in " .. words:sub(-1500))
  return math.tointeger(tonumber(x)), math.tointeger(tonumber(y))
end

local keys = { "7", "*", "6", "=" }

-- The acts on those keys, in each maker's verbs.
local acts = {
  computer_toolset_20260801 = function(x, y) return { "left_click", { coordinate = { x, y } } } end,
  computer_20251124 = function(x, y) return { "left_click", { coordinate = { x, y } } } end,
  computer = function(x, y) return { "click", { button = "left", x = x, y = y } } end,
  computer_use_preview = function(x, y) return { "click", { button = "left", x = x, y = y } } end,
  ENVIRONMENT_DESKTOP = function(x, y) return { "click", { x = x, y = y } } end,
  ENVIRONMENT_BROWSER = function(x, y) return { "click_at", { x = x, y = y } } end,
}

-- How each maker's tool is asked to look, which comes before the first act.
local looks = { computer_toolset_20260801 = { "zoom", { region = { 0, 0, 300, 300 } } }, computer = { "screenshot" },
  ENVIRONMENT_DESKTOP = { "take_screenshot" } }

local orders = { calls = { { "spawn_executor_prompt", { prompt = "Press the keys.", phase = "EXECUTION_VERIFY",
  rationale = "They are all there." } }, { "update_phase_tools", { rationale = "They are needed.",
  tool_names = { "click_element", "look_closely", "press_key", "wait",
  "report_completion" } } } } }

local evidence = "The calculator's display shows 42, which is what 7 times 6 makes; each of the four keys was pressed "
  .. "once, and no message covers the window."

local doctrine = { calls = { { "write_doctrine", { mission = "The calculator shows 42.",
  reconnaissance = "The calculator is open.", phases = { "EXECUTION: press the keys; over when it shows 42." },
  verification = "Look at the display.", success_criteria = { "The display shows 42." },
  risks = { "An old value: clear it." }, directives = "Verify soon." } } } }

-- What such a model says: all keys in one answer where it is meant to, or else one in a turn.
local function player(batches)
  local pressed, looked = 0, false
  return function(view)
    if view.tools.write_doctrine then return doctrine end
    if view.tools.spawn_executor_prompt then return orders end
    t.ok(view.computer, "the maker's own tool is offered to whoever points")
    if pressed == #keys then
      return { text = "It shows 42.", calls = { { "report_completion", { evidence = evidence } } } }
    end
    if looks[view.computer] and not looked then
      looked = true
      return { thought = "I look closer.", computer = { looks[view.computer] } }
    end
    local said = { thought = "I press it.", text = "The keys are there.", computer = {} }
    for i = pressed + 1, batches and #keys or pressed + 1 do
      said.computer[#said.computer + 1] = acts[view.computer](place(view, keys[i]))
      pressed = i
    end
    if batches then said.computer[#said.computer + 1] = looks[view.computer] end -- as they like to end
    return said
  end
end

local function play(vendor, model, batches)
  local folder = spawn.folder()
  local server = vendor_server.start(vendor, player(batches), { model })
  local child = spawn.run({ spawn.program, "run", "missions/calculator.lua", "--json", "--runs", folder, "--endpoint",
    server.endpoint, "--wire", vendor, "--model", model }, { env = { DESKPILOT_API_KEY = server.key } })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq(server.problems, {}, "the server refuses nothing")
  t.eq(result.status, "succeeded", (result.reason or "") .. child.stderr)
  local clicks, all = 0, {}
  for _, event in ipairs(journal.read(result.run_dir or "") or {}) do
    if event.event == "action_result" and event.tool == "click_element" and event.ok then clicks = clicks + 1 end
    all[event.event] = (all[event.event] or 0) + 1
  end
  t.eq(clicks, #keys, "every click came to where it was meant")
  for _, file in ipairs(files.list(files.join(result.run_dir or folder, "requests"))) do
    local text = files.read(files.join(result.run_dir, "requests", file)) or ""
    t.ok(not text:find(server.key, 1, true), "no key in " .. file)
  end
  files.remove(folder)
  return server, all
end

function tests.messages()
  local server, all = play("anthropic", "claude-opus-5-5", true)
  t.eq(all.lookup, 1, "the zoom")
  t.eq(all.turn_start, 2, "four clicks from one look, and the end")
  t.eq(#server.requests, 5, "the doctrine, the orders, the zoom, the clicks and the end")
end

function tests.messages_with_the_older_tool()
  play("anthropic", "claude-sonnet-4-6", false)
end

function tests.responses()
  local server, all = play("responses", "gpt-5.4", true)
  t.eq(all.turn_start, 3, "a look, four clicks from it, and the end")
  t.eq(#server.requests, 5)
end

function tests.responses_of_the_preview()
  play("responses", "computer-use-preview", false)
end

function tests.generate_content()
  play("gemini", "gemini-3.5-flash", true)
end

function tests.generate_content_with_the_older_names()
  play("gemini", "gemini-3.1-pro-preview", true)
end

return tests
