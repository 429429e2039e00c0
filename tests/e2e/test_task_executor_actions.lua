--- The actions of the policy task_executor on real applications: what a tap, a swipe, typing and the buttons of a
--- telephone do on a desktop. The agent is scripted, over HTTP; judged by what the applications say.
local t = require "harness"
local files = require "deskpilot.base.files"
local page_server = require "page_server"
local play = require "executor_play"

local tests = {}

-- Of a mission: a dialog of zenity, whose output is noted as a state when it has ended.
local function zenity(title, arguments)
  return ([[
task = "Answer what is asked.",
desktop = { kind = "private", size = { 800, 600 } },
before_run = function(m)
  require "deskpilot.base.task".start(function()
    local said = m.desk.apps.run { "zenity", "--title", "%s", %s, timeout = 60 }
    m.said = said.stdout
    state(m, { said = said.stdout })
  end)
  assert(m.desk.wait_for_window { title = "%s", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { name = "OK", timeout = 30 })
end,
verify = function(m) return m.said ~= nil, "nothing was answered yet" end,
]]):format(title, arguments, title)
end

local function press_ok(request)
  return play.action("tap", { element = play.number(request, "push button", "OK") })
end

local function done() return play.action("finish", { reason = "The dialog has gone, so it was answered." }) end

local function succeeded(played)
  t.eq(played.result.status, "succeeded", tostring(played.result.reason) .. played.child.stderr)
  return played
end

-- Scenario: Action Dispatch and Execution / Execute tap action
function tests.a_tap_is_a_click_at_the_place_that_the_agent_has_named()
  -- Positions of 0..1, as the specification's.
  local place
  local played = succeeded(play.play { mission = play.calculator, flags = { "--set", "models.qwen3-vl.space=scaled",
    "--set", "models.qwen3-vl.space_max=1" }, agent = function(request, n)
      local x, y = play.words(request):match 'toggle button "7" %[([%d.]+),([%d.]+)%]'
      place = place or { tonumber(x), tonumber(y) } -- later looks tell only what has changed
      if n > 2 then return play.json { action = "FINISH", reason = "The display shows 77." } end
      t.ok(place[1] > 0 and place[1] < 1 and place[2] > 0 and place[2] < 1, play.words(request))
      return play.json { action = "tap", coordinate = place }
    end })
  local taps = played:actions "tap"
  t.eq(#taps, 2)
  for _, tap in ipairs(taps) do
    t.eq({ tap.ok, tap.point }, { true, { place[1] * 1000, place[2] * 1000 } }, "the journal has it in 0..1000")
  end
  t.ok(#played:only "settled" >= 2, "the screen was waited for after each")
  played:close()
end

function tests.a_tap_may_be_two_or_of_the_right_button()
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then return play.action("tap", { element = play.number(request, "text", ""), clicks = 2 }) end
    if n == 2 then return play.action("type", { text = "other" }) end
    if n == 3 then return play.action("tap", { element = play.number(request, "text", ""), button = "right" }) end
    if n == 4 then
      return play.action("tap", { element = play.number(request, "menu item", "Select All") })
    end
    if n == 5 then return play.action("type", { text = "whole" }) end
    return n == 6 and press_ok(request) or done()
  end, mission = zenity("Name", [["--entry", "--text", "Your name?", "--entry-text", "one two"]]) })
  t.eq(played:states()[1].said, "whole\n")
  played:close()
end

local swiping = [[
task = "Read the last line.",
desktop = { kind = "private", size = { 800, 600 } },
before_run = function(m)
  m.desk.apps.start { "zenity", "--text-info", "--title", "Lines", "--filename", FOLDER .. "/lines.txt" }
  assert(m.desk.wait_for_element { role = "text", timeout = 30 })
  assert(m.desk.wait_for_window { title = "Lines", active = true, timeout = 30 })
end,
after_action = function(m)
  state(m, { value = m.desk.elements.find({ role = "scroll bar" }).value })
end,
verify = function(m) return m.desk.elements.find({ role = "scroll bar" }).value == 0, "it is not at its beginning" end,
]]

-- Scenario: Action Dispatch and Execution / Execute swipe action
function tests.what_is_shown_follows_a_swipe()
  local played = succeeded(play.play { mission = swiping, before = function(folder)
    local lines = {}
    for i = 1, 400 do lines[i] = "line " .. i end
    assert(files.write(folder .. "/lines.txt", table.concat(lines, "\n")))
  end, agent = function(request, n)
    local place = play.place(request, "text", "")
    if n > 2 then return play.action("finish", { reason = "It is at its beginning again." }) end
    local from, to = { place[1], place[2] + 200 }, { place[1], place[2] - 200 }
    if n == 2 then from, to = to, from end
    return play.json { action = "swipe", start = from, ["end"] = to, duration = 300 }
  end })
  local states = played:states()
  t.ok(states[1].value > 0, "a swipe up reads on below")
  t.eq(states[2].value, 0, "and back")
  local swipes = played:actions "swipe"
  t.has(swipes[1].text, "scrolled down")
  t.has(swipes[2].text, "scrolled up")
  t.ok(swipes[1].seconds >= 0.15, "it takes its time: " .. swipes[1].seconds)
  t.eq(#played:only "observed", 3, "a picture after each")
  played:close()
end

function tests.what_can_be_moved_goes_along_with_a_swipe()
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then
      local place = play.place(request, "slider", "")
      return play.action("swipe", { start = { place[1], place[2] + 10 }, ["end"] = { place[1] + 150, place[2] + 10 },
        duration = 400 })
    end
    return n == 2 and press_ok(request) or done()
  end, mission = zenity("Scale", [["--scale", "--text", "How much?", "--value", "50"]]) })
  local value = tonumber(played:states()[1].said)
  t.ok(value and value > 55, "the slider was dragged to the right: " .. tostring(played:states()[1].said))
  t.has(played:actions "swipe"[1].text, "dragged the slider")
  played:close()
end

-- Scenario: Action Dispatch and Execution / Execute type action
function tests.any_text_is_typed_and_read_back()
  local words = "Grüße — naïve café, 日本語, עברית, 😀 \"quoted\" \\ ${x}"
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then return play.json { action = "type", text = words } end
    return n == 2 and press_ok(request) or done()
  end, mission = zenity("Name", [["--entry", "--text", "Your name?"]]) })
  t.eq(played:states()[1].said, words .. "\n")
  t.has(played:actions "type"[1].text, "and they are there", "it was read afterwards")
  played:close()
end

function tests.a_field_is_tapped_and_replaced_and_a_password_is_not_read()
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then
      return play.action("type", { text = "Ada", replace = true, element = play.number(request, "text", "") })
    end
    if n == 2 then
      return play.action("type", { text = "s3cret", element = play.number(request, "password text", "") })
    end
    return n == 3 and press_ok(request) or done()
  end, mission = zenity("Name", [["--forms", "--separator", "|", "--add-entry", "User", "--add-password", "Word"]]) })
  t.eq(played:states()[1].said, "Ada|s3cret\n")
  local typed = played:actions "type"
  t.ok(not typed[2].text:find("they are there", 1, true), typed[2].text)
  played:close()
end

local two_windows = [[
task = "Show the desktop, and bring the calculator back.",
desktop = { kind = "private", size = { 1000, 700 } },
before_run = function(m)
  m.desk.apps.start { "galculator" }
  assert(m.desk.wait_for_window { title = "galculator", active = true, timeout = 30 })
  m.desk.apps.start { "mousepad", "--disable-server" }
  assert(m.desk.wait_for_window { title = "Mousepad", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { app = "mousepad", role = "text", timeout = 30 })
end,
turn_end = function(m)
  local wanted = { "galculator 2", "mousepad 2", "mousepad 3 dialog", "mousepad 2", " 0", "galculator 1" }
  m.ended = (m.ended or 0) + 1
  local now
  m.desk.wait_until(function() -- a busy machine shows a window long after the key
    local shown, dialog = 0, ""
    for _, window in ipairs(m.desk.windows.list()) do
      if window.visible and not window.minimized and window.layer == 0 then shown = shown + 1 end
    end
    local active = m.desk.windows.active()
    if active and active.title == "Open File" then dialog = " dialog" end
    now = { shown = shown, active = active and active.class:lower() or "none" }
    local words = (shown > 0 and now.active or "") .. " " .. shown .. dialog
    return words == (wanted[m.ended] or words)
  end, { timeout = 20 })
  state(m, now)
end,
verify = function(m) return m.desk.windows.active().title == "galculator", "another window is in front" end,
]]

-- Scenario: Action Dispatch and Execution / Execute navigation action
function tests.the_buttons_of_a_telephone_are_those_of_a_desktop()
  local played = succeeded(play.play { mission = two_windows, agent = function(request, n)
    if n == 1 then return play.json { action = "recent" } end
    if n == 2 then return play.json { action = "recent" } end
    if n == 3 then return play.action("press_key", { key = "ctrl+o" }) end
    if n == 4 then
      t.has(play.words(request), "Open File")
      return play.json { action = "back" }
    end
    if n == 5 then
      t.ok(not play.words(request):find("DIALOG ON TOP", 1, true), play.words(request))
      return play.json { action = "home" }
    end
    if n == 6 then return play.action("focus_window", { title = "galculator" }) end
    return play.action("finish", { reason = "The calculator is in front." })
  end })
  local states = played:states()
  t.eq({ states[1].active, states[2].active }, { "galculator", "mousepad" }, "the window before, and back")
  t.eq({ states[4].active, states[4].shown }, { "mousepad", 2 }, "the dialog was left")
  t.has(played:actions "back"[1].text, "pressed escape")
  t.eq(states[5].shown, 0, "the desktop is shown")
  t.eq({ states[6].active, states[6].shown }, { "galculator", 1 })
  for _, settled in ipairs(played:only "settled") do t.ok(settled.seconds > 0) end
  t.eq(#played:only "observed", 7, "the new screen is seen after each")
  played:close()
end

function tests.back_is_the_browsers_and_a_pages_elements_are_tapped_by_their_numbers()
  local server = page_server.start { ["/one"] = '<title>One</title><a href="/two">Go on</a>',
    ["/two"] = '<title>Two</title><p>The second page</p><label>Town <input id="town"></label>'
      .. "<button onclick=\"fetch('/sent/' + document.getElementById('town').value)\">Send</button>",
    ["/sent/Bonn"] = "thanks" }
  local played = play.play { mission = ([[
    desktop = { kind = "private", size = { 1000, 700 } },
    run = function(m)
      local browser = m.desk.browser.start {}
      browser:tab():navigate("%s/one")
      return m:achieve { goal = "Go on, and come back.", policy = "task_executor", verify = function()
        return browser:tab():info().title == "One", "it is not back"
      end }
    end,]]):format(server.url), agent = function(request, n)
      local words = play.words(request)
      local function index(name)
        return math.tointeger(tonumber(t.ok(words:match('\n%[(%d+)%] %w+ "' .. name .. '"'), words)))
      end
      if n == 1 then return play.action("tap", { element = index "Go on" }) end
      if n == 2 then return play.action("type", { element = index "Town", text = "Bonn" }) end
      if n == 3 then return play.action("tap", { element = index "Send" }) end
      if n == 4 then return play.json { action = "back" } end
      return play.action("finish", { reason = "The first page is shown again." })
    end }
  succeeded(played)
  t.has(played:actions "back"[1].text, 'went back to the page "One"')
  t.eq(server:count "/sent/Bonn", 1, "what was typed was sent")
  server:stop()
  played:close()
end

-- Scenario: Action Dispatch and Execution / Invalid action handling
function tests.an_action_that_does_not_exist_is_a_step_that_says_which_there_are()
  local played = succeeded(play.play { mission = play.calculator, agent = function(request, n)
    if n == 1 then return play.json { action = "fly", to = "the moon" } end
    if n == 2 then
      local words = play.words(request)
      t.has(words, 'ActionValidationError: there is no action "fly"; the actions are ')
      t.has(words, "the actions are tap, swipe, type, back, home, recent, finish, ask_user, ")
      t.has(words, "STEP: 2 of 50")
    end
    return play.seventy_seven(request, n - 1)
  end })
  t.eq({ played.result.turns, played.result.task_result.steps, played.result.task_result.rejected }, { 4, 4, 1 })
  t.eq(played:only "action"[1].args, { to = "the moon" }, "the journal has it")
  local turns = {}
  for i, event in ipairs(played:only "observed") do turns[i] = event.turn end
  t.eq(turns, { 1, 3, 4 }, "the same observation served for the correction")
  played:close()
end

function tests.nothing_but_invalid_actions_ends_the_run()
  local played = play.play { mission = play.calculator, agent = function()
    return play.json { action = "fly" }
  end, flags = { "--set", "task_executor.max_steps=4" } }
  t.eq({ played.result.status, played.result.turns }, { "incomplete", 4 }, "they count towards max_steps")
  played:close()
end

-- Scenario: Tool Call Routing / Handle ask_user tool call
function tests.a_person_is_asked_and_the_answer_is_in_the_next_observation()
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then return play.json { action = "ask_user", question = "Which town do you prefer?" } end
    if n == 2 then
      t.has(play.words(request), 'asked a person "Which town do you prefer?"; the answer (')
      t.has(play.words(request), "Bonn")
      return play.action("type", { text = "Bonn" })
    end
    return n == 3 and press_ok(request) or done()
  end, flags = { "--answers", "answers.txt" }, before = function(folder)
    assert(files.write(folder .. "/answers.txt", "Which town do you prefer? = Bonn\n"))
  end, mission = zenity("Town", [["--entry", "--text", "Which town?"]]) })
  t.eq(played:states()[1].said, "Bonn\n")
  local question, answer = played:only "question"[1], played:only "answer"[1]
  t.eq({ question.text, question.seconds, answer.answer }, { "Which town do you prefer?", 120, "Bonn" })
  played:close()
end

function tests.where_nobody_is_there_the_agent_goes_on_without_an_answer()
  local played = succeeded(play.play { agent = function(request, n)
    if n == 1 then return play.action("ask_user", { question = "Which town?" }) end
    if n == 2 then
      t.has(play.words(request), "no answer")
      return play.action("type", { text = "any" })
    end
    return n == 3 and press_ok(request) or done()
  end, flags = { "--set", "task_executor.ask_timeout=7" }, mission = zenity("Town", [["--entry"]]) })
  t.eq(played:only "question"[1].seconds, 7)
  t.eq(played:actions "ask_user"[1].ok, false)
  played:close()
end

return tests
