--- The modes of the policy orchestrator: one that only explores and remembers, and one that mends an earlier run.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local odev_play = require "odev_play"
local play = require "orchestrator_play"
local spawn = require "spawn"

local tests = {}

local editor, empty_note = odev_play.editor, odev_play.empty_note

function tests.who_explores_changes_nothing_and_remembers()
  local played = play.play { mission = editor:gsub("verify = .*", ""), before = empty_note, agent = function(request, n)
    local words = play.words(request)
    t.has(request.messages[1].content, "You only explore")
    if n == 1 then
      t.ok(not request.messages[1].content:find("- type_text(", 1, true), "what changes things is not offered")
      return play.decide { commands = { { "type_text", { text = "never" } } } }
    elseif n == 2 then
      t.has(request.messages[#request.messages].content, "type_text is not among the tools that may be used here")
      return play.decide { commands = { { "explore", { how = "open_menu",
        element = tonumber(words:match '%[(%d+)%] menu "File"') } } } }
    elseif n == 3 then
      t.has(words, 'menu item "New')
      return play.decide { commands = { { "remember", { values = json.list {
        { name = "menu.File", value = "New, Open, Save" } } } } }, learned = { "The menu File opens by one click." } }
    end
    t.has(words, "${menu.File} = New, Open, Save")
    return play.decide { status = "complete", status_why = "The menu is known." }
  end, flags = { "--set", "orchestrator.mode=explore", "--set", "memory.keep=application", "--accept-claims" } }
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq(files.read(played.folder .. "/note.txt"), "first\n")
  local kept = played:all "memory"
  t.eq({ kept[1].experience or kept[1].name, #kept, kept[1].kept }, { "The menu File opens by one click.", 2, true })
  played:close()
end

local function fails(_, n)
  if n == 1 then return play.decide { commands = { { "type_text", { text = "hello " } } } } end
  return play.decide { commands = { { "focus_window", { title = "Nowhere" } }, { "press_key", { key = "ctrl+s" } } } }
end

function tests.an_earlier_run_is_mended()
  local first = play.play { mission = editor, before = empty_note, agent = fails }
  t.eq(first.result.status, "failed")
  local agent = function(request, n)
    t.has(request.messages[1].content, "You go over an earlier run")
    local words = play.words(request)
    t.has(words, "STEPS OF THE EARLIER RUN:\n  1. type_text(\"hello\") -> ")
    t.has(words, '2. focus_window("Nowhere") -> ERROR: ')
    if n == 1 then
      return play.decide { commands = { { "type_text", { text = "hello " } }, { "press_key", { key = "ctrl+s" } } } }
    end
    return play.decide { status = "complete" }
  end
  local second = play.play { mission = editor, before = empty_note, agent = agent,
    flags = { "--set", "orchestrator.mode=repair", "--set", "orchestrator.repair=" .. first.run_dir } }
  t.eq(second.result.status, "succeeded", second.result.reason)
  local mended = json.decode(files.read(files.join(second.run_dir, "mended.json")) or "") or { steps = {} }
  local tools = {}
  for i, step in ipairs(mended.steps) do tools[i] = step.tool end
  t.eq(tools, { "type_text", "press_key" })
  t.eq(mended.steps[2].args.key, "ctrl+s")
  local third = play.play { mission = editor, before = empty_note, agent = function(request)
    t.has(play.words(request), '  2. press_key("ctrl+s") -> done')
    return play.decide { status = "stuck" }
  end, flags = { "--set", "orchestrator.mode=repair", "--set", "orchestrator.repair=" .. second.run_dir
    .. "/mended.json" } }
  t.has(third.result.reason, "stuck")
  for _, played in ipairs { first, second, third } do played:close() end
end

-- A button is pressed by its number, which may be another one in a run that repeats it.
function tests.what_was_mended_is_a_mission_that_needs_no_model()
  local mission = [[
task = "Agree.",
desktop = { kind = "private", size = { 500, 400 }, apps = { { "sh", "-c",
  "rm -f $0; zenity --question --title=Agree --text=Go && touch $0", FOLDER .. "/agreed" } } },
before_run = function(m)
  assert(m.desk.wait_for_window { title = "Agree", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { role = "push button", name = "Yes", timeout = 30 })
end,
verify = function() return require("deskpilot.base.files").exists(FOLDER .. "/agreed") end,
]]
  local function agent(request)
    local number = play.words(request):match '%[(%d+)%] push button "Yes"'
    return play.decide { commands = { { "press_key", { key = "home" } }, { "click_element", { label = "Yes",
      element = math.tointeger(tonumber(number)) } } }, status = "complete" }
  end
  local played = play.play { mission = mission, agent = agent,
    before = function(folder) assert(files.write(folder .. "/old.json", '{"steps": []}')) end,
    flags = { "--set", "orchestrator.mode=repair", "--set", "orchestrator.repair=old.json" } }
  t.eq(played.result.status, "succeeded", played.result.reason)
  local source = files.read(files.join(played.run_dir, "mended.lua")) or ""
  t.has(source, 'key = "home"')
  t.has(source, 'on = { name = "Yes", role = "push button" }')
  t.has(played:notes(), "without a model: deskpilot run ")
  local function again(from, to)
    assert(files.write(played.folder .. "/again.lua", (source:gsub(from, to))))
    local child = spawn.run({ files.absolute(spawn.program), "run", "again.lua", "--json", "--set", "timing.verify=1" },
      { cwd = played.folder })
    return json.decode(child.stdout) or { reason = child.stderr }
  end
  local result = again("element = %d+", "element = 9999")
  t.eq(result.status, "succeeded", result.reason)
  t.eq(result.model.calls, 0)
  result = again('on = { name = "Yes"', 'on = { name = "Elsewhere"')
  t.eq(result.status, "failed")
  t.has(tostring(result.reason), 'step 2 of 2 (click_element): there is no push button "Elsewhere" on the screen')
  played:close()
end

function tests.what_is_to_be_mended_has_to_be_there()
  local played = play.play { mission = editor, before = empty_note, agent = fails,
    flags = { "--set", "orchestrator.mode=repair" } }
  t.eq(played.result.status, "error")
  t.has(played.result.reason, "needs orchestrator.repair")
  t.eq(#played.requests, 0)
  played:close()
end

return tests
