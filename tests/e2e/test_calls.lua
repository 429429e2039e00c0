--- Several calls in an answer: the policy three_body fills in a form of eight fields of a real application, with one
--- call a turn and with four, and is surprised by a dialog. Judged by what the application was given.
local t = require "harness"
local files = require "deskpilot.base.files"
local native = require "native.image"
local play = require "three_body_play"
local spawn = require "spawn"

local because = "The form is in front and this field is still empty, so it is the next one to be filled in."
local values = { "Ada", "Lovelace", "ada@example.org", "12 St James's Square", "London", "SW1Y 4JH", "England", "1815" }

local tests = {}

local function because_of(args)
  args.justification = because
  return args
end

-- The form's fields from top to bottom: where each is, and whether something is in it.
local function fields_of(words)
  local list = {}
  for line in words:gmatch "[^\n]+" do
    local x, y, rest = line:match '^%[%d+%] text "[^"]*" %[(%d+),(%d+)%](.*)$'
    if x then list[#list + 1] = { x = tonumber(x), y = tonumber(y), empty = not rest:find("= ", 1, true) } end
  end
  table.sort(list, function(a, b) return a.y < b.y end)
  return list
end

local function button(words, name)
  local x, y = words:match('push button "' .. name .. '" %[(%d+),(%d+)%]')
  return x and { "click_element", because_of { label = name, position = { tonumber(x), tonumber(y) } } }
end

-- Clicks each empty field and types into it; then OK.
local function next_calls(words)
  local list = {}
  for i, field in ipairs(fields_of(words)) do
    if field.empty then
      list[#list + 1] = { "click_element", because_of { label = "Field " .. i, position = { field.x, field.y } } }
      list[#list + 1] = { "type_text", because_of { text = values[i] } }
    end
  end
  list[#list + 1] = button(words, "OK")
  return list
end

-- What was clicked but not typed into yet: with one call a turn the click is a turn of its own.
local function one_at_a_time()
  local clicked
  return function(words)
    if clicked then
      clicked = nil
      for i, field in ipairs(fields_of(words)) do
        if field.empty then return { { "type_text", because_of { text = values[i] } } } end
      end
    end
    local list = next_calls(words)
    clicked = #list > 1
    return { list[1] }
  end
end

local function fill_in(per_turn, choose, more)
  local folder = spawn.folder()
  local filled = files.join(folder, "filled")
  local entries = {}
  for i = 1, #values do entries[i] = ("'--add-entry=Field %d'"):format(i) end
  local mission = ([[task = "Fill in the form.",
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "sh", "-c",
      "zenity --forms --title Form --separator '|' %s > %s" } } },
    verify = function() return require("deskpilot.base.files").read(%q) == %q end, %s]]):format(
    table.concat(entries, " "), filled, filled, table.concat(values, "|") .. "\n", more and more() or "")
  local played = play.play { turns = 60, mission = mission,
    flags = { "--set", "three_body.calls_per_turn=" .. per_turn, "--set", "observe.looks=1" },
    strategist = function() return play.doctrine { "The form is closed." } end,
    tactician = function(request)
      local _, words = play.words(request)
      if words:find 'push button: [^\n]*"OK"' then
        return play.orders("EXECUTION", { "click_element", "type_text", "press_key" })
      end
      return play.orders("VERIFICATION", { "click_element" })
    end,
    executor = function(request)
      local _, words = play.words(request)
      local calls = choose(words)
      if #fields_of(words) == 0 and #calls == 0 then
        return play.claim(("The form is gone and nothing is left on the screen to be filled in; "):rep(2))
      end
      return play.calls(table.unpack(calls, 1, math.min(#calls, per_turn)))
    end }
  local given = files.read(filled)
  files.remove(folder)
  return played, given
end

local function history_of(request)
  local _, words = play.words(request)
  return words:match "RECENT ACTIONS.-\n\n" or words
end

local function tests_of_frame(played, pace, calls)
  local system = play.words(played:asked("executor")[1])
  t.has(system, pace)
  t.has(system, calls)
  t.ok(not system:find("{{", 1, true), system)
end

function tests.four_calls_a_turn_need_half_of_the_model_or_less()
  local one, first = fill_in(1, one_at_a_time())
  local four, second = fill_in(4, next_calls)
  for _, case in ipairs { { one, first }, { four, second } } do
    t.eq(case[1].result.status, "succeeded", case[1].result.reason)
    t.eq(case[2], table.concat(values, "|") .. "\n", "what the application was given")
  end
  t.ok(#four.requests * 2 <= #one.requests, ("%d and %d model calls"):format(#four.requests, #one.requests))
  tests_of_frame(one, "one action each turn", "exactly ONE tool")
  tests_of_frame(four, "at most 4 actions each turn", "Call 1 to 4 tools")
  t.eq(#four:actions "type_text", 8)
  for _, event in ipairs(four.events) do
    t.ok(event.event ~= "note" or not event.message:find("stopped", 1, true), event.message)
  end
end

-- The dialog comes up after the first action of the second answer.
local function dialog_between()
  return [[after_action = function(m, action, event)
      m.count = (m.count or 0) + 1
      if m.count ~= 5 then return end
      m.desk.apps.start { "zenity", "--info", "--title", "Attention", "--text", "Something else" }
      assert(m.desk.wait_for_window { title = "Attention", active = true, timeout = 20 })
    end,]]
end

function tests.a_dialog_in_between_stops_the_rest()
  local played, given = fill_in(4, function(words)
    if words:find('active window: "Attention"', 1, true) then
      return { { "press_key", because_of { key = "escape" } } }
    end
    return next_calls(words)
  end, dialog_between)
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(given, table.concat(values, "|") .. "\n", "nothing was typed into the dialog or left out")
  local asked = played:asked "executor"
  t.has(history_of(asked[3]), "1 of 4 actions of this answer were done. It was stopped before action 2 (type_text): "
    .. 'the active window is "Attention" and was "Form"; 3 more actions were not done')
end

-- Two look-ups in one answer: a part of the screen, which is sent small, in full detail; and a window by its title.
function tests.looking_closely_before_acting()
  local asked = {}
  local played = play.play { turns = 1, mission = [[task = "Show the number 7.",
      screen = { image_width = 320, image_height = 200, trim = false },
      verify = function(m) return m.desk.elements.find { app = "galculator", text = "7" } ~= nil end]],
    strategist = function() return play.doctrine { 'The display shows "7".' } end,
    tactician = function() return play.orders("EXECUTION", { "click_element", "look_closely" }) end,
    executor = function(request, n)
      asked[n] = request
      if n > 1 then return play.click(request, "7") end
      return play.calls({ "look_closely", { region = { 0, 0, 250, 250 } } }, { "look_closely", { window = "galc" } },
        { "look_closely", { window = "no such window" } })
    end }
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq({ #played:asked "executor", played.result.turns, #played:actions "look_closely" }, { 2, 1, 0 })
  local list = asked[2].messages
  t.eq({ list[3].role, list[4].role, list[5].role, list[6].role, list[7].role, #list },
    { "assistant", "tool", "tool", "tool", "user", 7 })
  t.has(list[4].content, "a picture of the region [0, 0, 250, 250] of the screenshot, 320x200 pixels")
  t.has(list[5].content, 'a picture of the window "galculator"')
  t.has(list[6].content, "ERROR: ")
  local sizes = {}
  for _, part in ipairs(list[7].content) do
    if part.image_url then
      local data = t.ok(part.image_url.url:match "^data:image/png;base64,(.+)$")
      sizes[#sizes + 1] = { t.ok(native.load(t.ok(native.from_base64(data)))):size() }
    end
  end
  t.eq({ sizes[1], #sizes }, { { 320, 192 }, 2 }, "a quarter of the screen each way, in the model's multiples of 32")
  local looked = {}
  for _, event in ipairs(played.events) do
    if event.event == "lookup" then looked[#looked + 1] = event.ok end
  end
  t.eq(looked, { true, true, false })
  t.eq(played.result.actions, 1)
end

return tests
