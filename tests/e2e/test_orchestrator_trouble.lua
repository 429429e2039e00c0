--- The policy orchestrator with a model that wants to do harm, and killed in the middle of a list of goals: judged by
--- the file system.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local odev_play = require "odev_play"
local play = require "orchestrator_play"
local report = require "deskpilot.cli.commands.report"
local spawn = require "spawn"

local tests = {}

function tests.nothing_gets_into_a_shell_without_consent()
  local played = play.play { mission = [[
task = "Tidy up.",
desktop = { kind = "private", size = { 800, 600 }, apps = { { "xterm", "-e", "sh" } } },
before_run = function(m) assert(m.desk.wait_for_window { class = "xterm", active = true, timeout = 30 }) end,
]], before = function(folder) assert(files.write(folder .. "/precious.txt", "keep me")) end,
    agent = function(_, _, folder)
      return play.decide { commands = { { "type_text", { text = "rm -rf " .. folder .. "/precious.txt\n" } } } }
    end }
  t.eq(files.read(played.folder .. "/precious.txt"), "keep me")
  t.eq(played.result.status, "failed", played.result.reason)
  t.has(played.result.reason, "2 iterations in a row failed")
  local page = report.html(played.events, "run")
  t.has(page, "iteration 2 of 8")
  t.has(page, "rm -rf")
  t.ok(page:find "<dt>aims</dt><dd>[^<]*command success 0 %(NOT above 0%.8%)", "the account is in the report")
  played:close()
end

-- An agent that reads a number in its first goal and writes it down in its second. It says nothing more once held() is
-- true and the second goal has begun.
local function agent(held)
  return function(request)
    local words = play.words(request)
    if words:find("CURRENT GOAL (1 of 2)", 1, true) then
      if not words:find("${number} = 4711", 1, true) and #play.results(request) == 0 then
        return play.ask { "extract_data", { name = "number", after = "Number:" } }
      end
      return play.decide { status = "complete" }
    end
    if held(words) then return { silent = true } end
    if words:find('type_text("4711 hello") ->', 1, true) then return play.decide { status = "complete" } end
    return play.decide { commands = { { "type_text", { text = "${number} hello " } }, { "press_key",
      { key = "ctrl+s" } } } }
  end
end

function tests.a_list_that_was_killed_goes_on_with_the_goal_that_was_not_reached()
  local folder, killed, waits = spawn.folder(), false, false
  assert(files.write(folder .. "/note.txt", "Number: 4711\n"))
  assert(files.write(folder .. "/m.lua", ("local FOLDER = %q\nreturn {\n"):format(folder)
    .. odev_play.editor:gsub('text = "first"', 'text = "Number: 4711"') .. [[
goals = { "Read the number.", "Write the number ${number} and hello." },
limits = { turns = 60, seconds = 100 }, policy = "orchestrator" }]]))
  local server = model_server.start(agent(function(words)
    waits = not killed and words:find("CURRENT GOAL (2 of 2)", 1, true) ~= nil
    return waits
  end))
  local flags = { "--json", "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0",
    "--set", "timing.verify=1" }
  local child = spawn.start({ files.absolute(spawn.program), "run", "m.lua", "--runs", folder .. "/runs",
    table.unpack(flags) }, { cwd = folder })
  t.wait_until("the second goal", function() return waits or child.status end, 60)
  child:kill "sigkill"
  child:wait()
  killed = true
  local first = files.join(folder, "runs", (files.list(folder .. "/runs") or {})[1] or "none")
  local again = spawn.run({ files.absolute(spawn.program), "resume", first, table.unpack(flags) }, { cwd = folder })
  server:stop()
  local result = json.decode(again.stdout) or {}
  t.eq(result.status, "succeeded", again.stderr)
  t.eq(files.read(folder .. "/note.txt"), "4711 hello Number: 4711\n")
  local goals, memory = {}, {}
  for _, event in ipairs(journal.read(result.run_dir or "") or {}) do
    if event.event == "goal_start" then goals[#goals + 1] = event.task end
    if event.event == "memory" then memory[#memory + 1] = event.value end
  end
  t.eq(goals, { "Write the number ${number} and hello." }, "the first is not done again")
  t.eq(memory, { "4711" }, "what it has read is still known")
  t.eq(server:problems(), "")
  files.remove(folder)
end

return tests
