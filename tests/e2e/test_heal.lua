--- Replayed missions whose targets are gone: a button, the end of a drag, what had the keyboard. Without a model the
--- run names the step; with --heal one request mends it. A wrong window is never clicked.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local replays = require "replays"
local spawn = require "spawn"

local run, export = replays.run, replays.export

local tests = {}

-- A question with one button that matters. What it is called is in the environment.
local question = [[
local label, path = os.getenv "LABEL" or "Save", os.getenv "PLACE"
return {
  task = os.getenv "TASK" or 'Click "Save"',
  policy = "three_body",
  desktop = { kind = "private", size = { 900, 700 }, apps = { { "sh", "-c",
    "zenity --question --title Keep --text 'Keep it?' --ok-label \"$0\" --cancel-label No && touch \"$1\"; sleep 60",
    label, path } } },
  limits = { turns = 10, seconds = 120 },
  before_run = function(m)
    local other = os.getenv "OTHER"
    m.desk.wait_until(function() return m.desk.windows.find "Keep" end, { timeout = 15 })
    if other then -- another application, whose window looks the same
      m.desk.apps.run { "sh", "-c", 'cp "$(command -v zenity)" "$0"', other .. "/other" }
      m.desk.apps.start { other .. "/other", "--question", "--title", "Keep", "--text", "Keep it?", "--ok-label",
        "Save", wait = 15 }
    end
    if os.getenv "FOCUS" then
      m.desk.elements.focus { app = "zenity", role = "push button", name = os.getenv "FOCUS" }
    end
    if os.getenv "ALONE" then
      m.desk.windows.close { executable = "/zenity" }
      m.desk.wait_until(function() return #m.desk.windows.list() == 1 end, { timeout = 5 })
    end
  end,
  verify = function(m) return m.checks.file { path = path } end,
}
]]

-- The exported mission of the question, in the folder; and how it is run in a world that is changed so.
local function asked(folder, fn, task)
  local mission = files.join(folder, "question.lua")
  assert(files.write(mission, question))
  local place = files.join(folder, "kept")
  local first = run(folder, { mission, "--model", "literal" }, { PLACE = place, TASK = task, FOCUS = "Save" })
  t.eq(first.status, "succeeded", first.reason)
  local file = export(folder, "question-replay.lua", first.run_dir)
  fn(function(env, ...)
    files.remove(place)
    env.PLACE = place
    local result = run(folder, { file, ... }, env)
    return result, files.exists(place)
  end, file)
end

-- A model that answers each request by a call; `arguments` makes it of the numbers of what is listed.
local function answering(tool, arguments)
  local server = model_server.start(function(request)
    local words = json.encode(request.messages)
    local args = arguments(function(role, name)
      return math.tointeger(tonumber((words:match("%[(%d+)%] " .. role .. " \\\\?\"" .. name))))
    end)
    args.justification = "It does the same as what was recorded, under another name."
    return model_server.reply_tool(tool, args)
  end)
  return setmetatable({ server = server, options = { "--heal", "--set", "replay.seconds=1", "--model", "scripted",
    "--endpoint", server.endpoint } }, { __close = function() server:stop() end })
end

-- A model that points at the button with that name.
local function pointing_at(name)
  return answering("click_element", function(number)
    return { label = name, element = number("push button", name) }
  end)
end

-- Applies the diff that a mended run has left beside its mission.
local function patch(folder, file, old, new)
  local diff
  for _, name in ipairs(files.list(folder)) do
    if name:find "%.diff$" then diff = files.join(folder, name) end
  end
  local words = diff and assert(files.read(diff)) or ""
  t.ok(words:find("\n%-%s+" .. old) and words:find("\n%+%s+" .. new), words)
  local child = spawn.run { "patch", "-s", file, diff }
  t.eq(child.status, 0, child.stdout .. child.stderr)
end

tests.a_renamed_button_is_named_and_healed_by_one_call = spawn.in_folder(function(folder)
  asked(folder, function(again, file)
    local result, kept = again({ LABEL = "Store" }, "--set", "replay.seconds=1")
    t.eq({ result.status, kept, result.model.calls }, { "failed", false, 0 }, result.reason)
    for _, words in ipairs { '01 click element "Save"', "question-replay.lua:", "question-replay.pictures/01.png",
      "screenshots/step_", '"Save"', "--heal" } do
      t.ok(result.reason:find(words, 1, true), words .. " is told: " .. result.reason)
    end
    local model <close> = pointing_at "Store"
    local healed, then_kept = again({ LABEL = "Store" }, table.unpack(model.options))
    t.eq({ healed.status, then_kept, healed.model.calls }, { "succeeded", true, 1 }, healed.reason)
    local request = model.server.requests[1]
    t.eq(request.problems, {})
    local _, images = json.encode(request.json.messages):gsub('"image_url":', "")
    t.eq(images, 2, "the recorded picture and the screen of now")
    t.ok(assert(files.read(file)):find('name = "Save"', 1, true), "the mission itself is as it was")
    patch(folder, file, 'on = [^\n]*name = "Save"', 'on = [^\n]*name = "Store"')
    local again_, stored = again { LABEL = "Store" }
    t.eq({ again_.status, stored, again_.model.calls }, { "succeeded", true, 0 }, again_.reason)
  end)
end)

-- Space presses the button that has the keyboard: another one has it, and the one that had it has another name.
tests.keys_are_healed_by_giving_the_keyboard_to_what_is_pointed_at = spawn.in_folder(function(folder)
  asked(folder, function(again, file)
    local world = { LABEL = "Store", FOCUS = "No" }
    local result, kept = again(world, "--set", "replay.seconds=1")
    t.eq({ result.status, kept, result.actions }, { "failed", false, 0 }, result.reason)
    t.ok(result.reason:find("the keyboard is in push button 'No'", 1, true), result.reason)
    local model <close> = pointing_at "Store"
    local healed, then_kept = again(world, table.unpack(model.options))
    t.eq({ healed.status, then_kept, healed.model.calls, healed.actions }, { "succeeded", true, 1, 1 }, healed.reason)
    t.eq(model.server.requests[1].problems, {})
    patch(folder, file, 'on = [^\n]*name = "Save"', 'on = [^\n]*name = "Store", focus = true')
    local again_, stored = again { LABEL = "Store", FOCUS = "Store" }
    t.eq({ again_.status, stored, again_.model.calls }, { "succeeded", true, 0 }, again_.reason)
  end, "Press space")
end)

-- A file is dragged into a folder.
local dragging = [[
local folder = os.getenv "PLACE"
return {
  task = 'Drag "letter.txt" to "inbox"',
  policy = "three_body",
  desktop = { kind = "private", size = { 900, 700 }, apps = { { "sh", "-c",
    'rm -rf "$0" && mkdir -p "$0/inbox" && touch "$0/letter.txt" && exec thunar "$0"', folder } } },
  limits = { turns = 10, seconds = 120 },
  before_run = function(m)
    m.desk.wait_until(function() return m.desk.windows.find { class = "Thunar" } end, { timeout = 30 })
    m.desk.wait_for_element { app = "thunar", role = "status bar", timeout = 30 }
    m.desk.keyboard.press "ctrl+2" -- as a list: its lines are elements
    m.desk.wait_for_element { app = "thunar", role = "table cell", name = "letter.txt", timeout = 30 }
  end,
  verify = function(m) return m.checks.file { path = folder .. "/inbox/letter.txt" } end,
}
]]

tests.the_end_of_a_drag_is_healed_and_its_beginning_stays = spawn.in_folder(function(folder)
  local mission, env = files.join(folder, "dragging.lua"), { PLACE = files.join(folder, "place") }
  assert(files.write(mission, dragging))
  local first = run(folder, { mission, "--model", "literal" }, env)
  t.eq(first.status, "succeeded", first.reason)
  local file = export(folder, "dragging-replay.lua", first.run_dir)
  local source = assert(files.read(file))
  local old, count = source:gsub('(to = [^\n]*)name = "inbox"', '%1name = "mailbox"')
  t.eq(count, 1, source)
  assert(files.write(file, old)) -- as if the folder had had another name then
  local model <close> = answering("drag_element", function(number)
    return { label = "letter.txt", start_element = number("table cell", "inbox"),
      end_element = number("table cell", "inbox") } -- where it begins is not asked for: it is there
  end)
  local healed = run(folder, { file, table.unpack(model.options) }, env)
  t.eq({ healed.status, healed.model.calls }, { "succeeded", 1 }, healed.reason)
  t.eq(model.server.requests[1].problems, {})
  patch(folder, file, 'to = [^\n]*name = "mailbox"', 'to = [^\n]*name = "inbox"')
  local again = run(folder, { file }, env)
  t.eq({ again.status, again.model.calls }, { "succeeded", 0 }, again.reason)
end)

tests.a_wrong_window_is_never_clicked = spawn.in_folder(function(folder)
  asked(folder, function(again)
    local result, kept = again({ OTHER = folder, ALONE = "1" }, "--set", "replay.seconds=1")
    t.eq({ result.status, kept, result.actions }, { "failed", false, 0 }, result.reason)
    t.ok(result.reason:find('there is no push button "Save" in a window (dialog) of the application zenity', 1,
      true), result.reason)
    local model <close> = pointing_at "Save"
    local healed = again({ OTHER = folder, ALONE = "1" }, table.unpack(model.options))
    t.eq({ healed.status, healed.model.calls, healed.actions }, { "failed", 1, 0 }, healed.reason)
    t.ok(healed.reason:find("points at a window of other", 1, true), healed.reason)
  end)
end)

tests.the_same_window_of_another_application_lies_before_it = spawn.in_folder(function(folder)
  asked(folder, function(again)
    local result, kept = again { OTHER = folder }
    t.eq({ result.status, kept, result.model.calls }, { "succeeded", true, 0 }, result.reason)
  end)
end)

return tests
