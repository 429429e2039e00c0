--- The shipped missions, end to end: the real program, a private desktop, real applications, the
--- embedded `literal` model. Judged by the run directory and the files.
local t = require "harness"
local spawn = require "spawn"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local native = require "native.image"

local function run(mission, ...)
  local folder = spawn.folder()
  -- What missions write is in the temporary folder: one of its own, as others may run the same mission.
  local child = spawn.run({ spawn.program, "run", mission, "--json", "--runs", folder, ... },
    { env = { TMPDIR = folder } })
  local result = json.decode(child.stdout)
  t.ok(result, "one JSON object on standard output, with stderr " .. child.stderr)
  return child, result or {}, folder
end

local function check_order(events)
  local place = {}
  for i, name in ipairs { "run_start", "turn_start", "observed", "model_request", "model_reply", "action",
    "action_result", "settled", "turn_end", "run_end" } do place[name] = i end
  local last = 0
  for _, event in ipairs(events) do
    local now = place[event.event]
    if event.event == "turn_start" or event.event == "model_request" then last = 0 end
    if now then
      t.ok(now > last, ("event %s after number %d"):format(event.event, last))
      last = now
    end
  end
end

local function check_screenshots(result, events)
  local turns = 0
  for _, event in ipairs(events) do
    if event.event == "observed" then
      turns = turns + 1
      local png = files.read(files.join(result.run_dir, event.screenshot))
      local image = t.ok(png and native.load(png), "a PNG for turn " .. event.turn)
      if image then
        local w, h = image:size()
        t.eq({ w, h }, { event.image.width, event.image.height })
      end
    end
  end
  t.eq(turns, result.turns, "one screenshot a turn")
end

local tests = {}

function tests.calculator()
  local child, result, folder = run("missions/calculator.lua", "--model", "literal")
  t.eq(child.status, 0, child.stderr)
  t.eq(result.status, "succeeded", result.reason)
  local events = journal.read(result.run_dir)
  t.eq(events[1].event, "run_start")
  t.eq(events[#events].event, "run_end")
  t.eq(json.decode(files.read(files.join(result.run_dir, "result.json"))), result)
  check_order(events)
  check_screenshots(result, events)
  t.ok(result.model.calls >= 7, "one Strategist, one Tactician, five Executors are counted")
  t.eq(child:left(), {}, "processes left behind")
  files.remove(folder)
end

function tests.editor()
  local child, result, folder = run("missions/editor.lua", "--model", "literal")
  t.eq(child.status, 0, child.stderr)
  t.eq(result.status, "succeeded", result.reason)
  files.remove(folder)
end

tests.the_same_on_every_system = require("same_mission").run

return tests
