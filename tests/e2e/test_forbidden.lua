--- What the guard `safety` forbids is neither pressed nor typed, whoever asks: tools of one's own, scripts, what sets
--- texts without keys, what pastes, and what works in a browser by its protocol. Real applications on a private
--- desktop, judged by their state.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local play = require "script_play"

local tests = {}

local editor = [[
desktop = { kind = "private", size = { 900, 600 },
  apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
before_run = function(m)
  assert(m.desk.wait_for_window { title = "note.txt", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { role = "text", text = "first", timeout = 30 })
end,
]]

local function note(folder)
  assert(files.write(folder .. "/note.txt", "first\n"))
end

-- Tools as a user writes them: nothing in their arguments is named key or text.
local hotkeys = [[return { name = "hotkeys", description = "Presses several.",
  parameters = { type = "object", properties = { combos = { type = "array", items = { type = "array",
    items = { type = "string" } } } } },
  run = function(ctx, args)
    for _, combo in ipairs(args.combos) do
      local ok, err = ctx.desk.keyboard.press(table.concat(combo, "+"))
      if not ok then return nil, err end
    end
    return "pressed"
  end }]]

local say = [[return { name = "say", description = "Types.",
  parameters = { type = "object", properties = { words = { type = "object" } } },
  run = function(ctx, args)
    local ok, err = ctx.desk.keyboard.type(args.words.first .. args.words.second)
    if not ok then return nil, err end
    return "typed"
  end }]]

local function with_tools(folder)
  note(folder)
  assert(files.make_folder(folder .. "/deskpilot/tools"))
  assert(files.write(folder .. "/deskpilot/tools/hotkeys.lua", hotkeys))
  assert(files.write(folder .. "/deskpilot/tools/say.lua", say))
end

function tests.a_tool_of_ones_own_with_arguments_of_its_own()
  local played = play.succeeds(editor .. [[
  safety = { forbidden_keys = { "ctrl+q" }, max_text = 20 },
  run = function(m)
    local function refused(part, tool, args)
      local result = m:act { tool = tool, args = args, why = "The test wants it." }
      assert(not result.ok and result.code == "forbidden" and result.text:find(part, 1, true),
        tostring(result.code) .. ": " .. result.text)
    end
    refused("ctrl+q is forbidden here (safety.forbidden_keys)", "hotkeys",
      { combos = { { "shift" }, { "Q", "Control" } } })
    refused("ctrl+q is forbidden here", "press_key", { key = "Ctrl+Q", justification = "x" })
    refused("the text has 30 characters; at most 20 may be typed at once", "say",
      { words = { first = ("x"):rep(15), second = ("y"):rep(15) } })
    assert(m:act({ tool = "say", why = "It is short.", args = { words = { first = "by ", second = "hand " } } }).ok)
    assert(m.desk.keyboard.type(("script "):rep(6)), "what a script types is as long as its author wants")
    assert(m.desk.keyboard.press "ctrl+s")
    assert(m.desk.wait_until(function()
      local file = io.open(FOLDER .. "/note.txt")
      local words = file:read "a"
      file:close()
      return words:find("script", 1, true)
    end, { timeout = 10 }))
    return m.desk.windows.find { title = "note.txt" } ~= nil, "the editor is gone"
  end]], with_tools)
  t.eq(files.read(played.folder .. "/note.txt"), "by hand " .. ("script "):rep(6) .. "first\n")
  t.eq(#played:said "safety", 3, "each refusal stands in the journal")
  t.eq(played:actions()[1].code, "forbidden")
  played:close()
end

function tests.a_script_in_pieces()
  local played = play.succeeds(editor .. [[
  safety = { forbidden_keys = { "ctrl+q" } },
  run = function(m)
    local desk = m.desk
    local function refused(ok, err)
      assert(ok == nil and err.code == "forbidden", tostring(err))
    end
    refused(desk.keyboard.press "q+control")
    refused(desk.keyboard.hold "right_ctrl+q")
    assert(desk.keyboard.hold "ctrl")
    refused(desk.keyboard.press "q")
    refused(desk.keyboard.type "q")
    refused(desk.mouse.click({ 300, 300 }, { modifiers = "q" }))
    assert(desk.keyboard.release "ctrl")
    assert(desk.keyboard.type "q")
    return desk.wait_for_element { role = "text", contains = "q", timeout = 10 }
      and desk.windows.find { title = "note.txt" } ~= nil, "the editor is gone"
  end]], note)
  played:close()
end

function tests.texts_that_are_set_copied_and_pasted()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 },
    apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
  safety = { forbidden_texts = { "Launch Code" } },
  run = function(m)
    local desk = m.desk
    local function refused(ok, err)
      assert(ok == nil and err and err.code == "forbidden", tostring(err))
      assert(tostring(err):find("Launch Code", 1, true), tostring(err))
    end
    assert(desk.wait_for_element { role = "text", contains = "launch code", timeout = 30 })
    assert(desk.wait_for_window { title = "note.txt", active = true, timeout = 30 })
    refused(desk.clipboard.set "the launch code")
    refused(desk.elements.set_text({ app = "mousepad", role = "text" }, "my LAUNCH CODE is"))
    -- What the application itself has copied is known when it is pasted.
    assert(desk.keyboard.press "ctrl+a")
    assert(desk.clipboard.wait_for_change { timeout = 10, action = function() desk.keyboard.press "ctrl+c" end })
    assert(desk.keyboard.press "ctrl+end")
    for _, combo in ipairs { "ctrl+v", "shift+insert" } do refused(desk.keyboard.press(combo)) end
    -- In pieces: what is typed is one text up to a click or a key that is none.
    assert(desk.keyboard.type " Lau")
    assert(desk.keyboard.type "nch")
    assert(desk.keyboard.press "space")
    refused(desk.keyboard.type "code")
    assert(desk.keyboard.type "time")
    assert(desk.keyboard.press "ctrl+s")
    return desk.wait_until(function()
      local file = io.open(FOLDER .. "/note.txt")
      local words = file:read "a"
      file:close()
      return words:find("^launch code%s+Launch time%s*$") ~= nil, words
    end, { timeout = 10 })
  end]], function(folder) assert(files.write(folder .. "/note.txt", "launch code\n")) end)
  played:close()
end

local page = [[<!DOCTYPE html><meta charset=utf-8><title>Page</title>
<input aria-label=Name><input aria-label=Day type=date><textarea aria-label=Story></textarea>
<button onclick="document.title = 'said ' + prompt('Word?')">Ask</button>]]

function tests.pages_by_hand_and_by_protocol()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 1000, 800 } },
  safety = { forbidden_texts = { "launch", "2026-12-31" }, forbidden_keys = { "tab", "ctrl+a" } },
  run = function(m)
    local desk = m.desk
    local browser = assert(desk.browser.start { window = { 900, 700 } })
    local tab = browser:tab()
    assert(tab:navigate("file://" .. FOLDER .. "/page.html"))
    local function element(name)
      for _, each in ipairs(assert(tab:observe()).elements) do if each.name == name then return each end end
      error("no " .. name)
    end
    local function value(name)
      return tab:evaluate(("document.querySelector('[aria-label=%s]').value"):format(name))
    end
    local function refused(ok, err)
      assert(ok == nil and err and err.code == "forbidden", tostring(err))
    end
    for _, input in ipairs { "real", "cdp" } do
      refused(tab:type(element "Name", "launch it", { input = input }))
      refused(tab:type(element "Name", "a\tb", { input = input }))
      refused(tab:type(element "Name", "x", { input = input, replace = true })) -- selects by ctrl+a
      assert(value "Name" == "", input .. " has typed " .. value "Name")
      refused(tab:type(element "Day", "2026-12-31", { input = input }))
      assert(value "Day" == "", value "Day")
      assert(tab:type(element "Story", input .. " is fine", { input = input }))
    end
    assert(value "Story" == "real is finecdp is fine", value "Story")
    local asking = tab:click(element "Ask")
    assert(desk.wait_until(function() return tab:dialog() end, { timeout = 20 }), tostring(asking))
    refused(tab:accept_dialog "to launch")
    assert(tab:dialog(), "the dialog is still open")
    assert(tab:accept_dialog "hello")
    return desk.wait_until(function() return tab:evaluate "document.title" == "said hello" end, { timeout = 20 })
  end]], function(folder) assert(files.write(folder .. "/page.html", page)) end)
  played:close()
end

-- The filter is there from the run's start to its end: what sets the stage before, and cleans up after, is the
-- author's.
function tests.before_and_after_the_run()
  local played = play.succeeds([[
  desktop = { kind = "private", size = { 900, 600 },
    apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
  before_run = function(m)
    assert(m.desk.wait_for_window { title = "note.txt", active = true, timeout = 30 })
    assert(m.desk.keyboard.press "alt+shift+f4", "more keys than it takes") -- which do nothing here
  end,
  run = function(m)
    for _, combo in ipairs { "alt+f4", "alt+shift+f4" } do
      local ok, err = m.desk.keyboard.press(combo)
      assert(not ok and err.code == "forbidden", "it is by default")
    end
    return m.desk.windows.find { title = "note.txt" } ~= nil, "the editor is gone"
  end,
  after_run = function(m)
    assert(m.desk.keyboard.press "alt+f4")
    assert(m.desk.wait_for_window { title = "note.txt", gone = true, timeout = 20 })
    io.open(FOLDER .. "/closed.txt", "w"):close()
  end]], note)
  t.ok(json.encode(played:said "safety"):find("alt+f4", 1, true), "it is told")
  local failure
  for _, event in ipairs(played.events) do failure = failure or event.event == "error" and event.message end
  t.ok(files.exists(played.folder .. "/closed.txt"), "what comes after the run may press it: " .. tostring(failure))
  played:close()
end

-- What it no longer forbids is pressed at once.
function tests.a_list_that_is_changed_in_mid_run()
  play.succeeds(editor .. [[
  run = function(m)
    assert(not m.desk.keyboard.press "alt+f4")
    m.config:set("safety.forbidden_keys", {})
    assert(m.desk.keyboard.press "alt+f4")
    assert(m.desk.wait_for_window { title = "note.txt", gone = true, timeout = 20 })
  end]], note):close()
end

return tests
