-- Settling by cause, with real applications on a private desktop: it ends as soon as nothing is on its way any more,
-- and not before.
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local find = require "deskpilot.desk.elements.find"
local page_server = require "page_server"
local pointer = require "deskpilot.desk.picture.pointer"
local t = require "harness"
local task = require "deskpilot.base.task"
local uv = require "luv"

local tests = {}

local SLEEPS, TIMERS, SCROLLS, WHEELS, AHEAD = 4, 8, 8, 8, 20
local MOST_TRIES = 60

local function count(list, wanted)
  local found = 0
  for _, value in ipairs(list) do found = found + (value == wanted and 1 or 0) end
  return found
end

-- Acts until two of them have settled for that reason: where others keep both cores busy, few do. How many acts it
-- took.
local function settles_twice(desk, wanted, act, options)
  local reasons = {}
  while count(reasons, wanted) < 2 do
    if #reasons >= MOST_TRIES then error("it has settled otherwise: " .. t.show(reasons)) end
    act(#reasons + 1)
    reasons[#reasons + 1] = t.ok(desk.settle(options)).reason
  end
  return #reasons
end

-- Whether the screen changes within the next second.
local function changes_later(desk)
  return desk.wait_for_change { timeout = 1 } == true
end

-- A terminal whose shell does that after each Return.
local function with_terminal(script, fn)
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-fa", "DejaVuSansMono", "-e", "bash", "-c", script } } },
    function(desk)
      desk.timing.settle_by_cause = true
      t.ok(desk:watch())
      t.ok(desk.settle { quiet = 0.5, cap = 10 })
      fn(desk)
    end)
end

function tests.a_terminal_that_does_nothing_more()
  with_terminal("while read x; do echo $((++n)); done", function(desk)
    settles_twice(desk, "idle", function() t.ok(desk.keyboard.press "Return") end) -- how soon: tests/bench/settling.lua
    t.ok(not changes_later(desk), "nothing was on its way")
  end)
end

-- Settling takes pictures as looks do, with the pointer or without it. They are of the same memory, megabytes each:
-- that of the screen as it is, and as it was.
function tests.its_pictures_lie_where_looks_do()
  local function memories()
    collectgarbage()
    return select(2, assert(files.read "/proc/self/maps"):gsub("/memfd:deskpilot", ""))
  end
  local before = memories()
  with_terminal("sleep 1000", function(desk)
    t.eq(pointer.shown(desk), nil, "where private desktops begin with it")
    for _ = 1, 5 do
      t.ok(desk.screen.shot { lend = true, cursor = pointer.shown(desk) ~= nil })
      t.ok(desk.keyboard.press "shift")
      t.ok(desk.settle())
    end
    t.ok(memories() - before <= 2, ("%d pieces of memory"):format(memories() - before))
  end)
end

-- What sleeps for less than the quiet time is waited for: "quiet" would be too early by far for a longer one. Where
-- others keep both cores busy the quiet time may decide, which claims nothing.
function tests.a_program_that_sleeps_for_a_moment()
  with_terminal("while read x; do sleep 0.1; clear; for i in 1 2 3 4 5 6 7 8 9; do echo $((++n)); done; done",
    function(desk)
      local idle, acts = 0, 0
      while idle < SLEEPS do
        acts = acts + 1
        t.ok(acts <= MOST_TRIES, idle)
        local pressed = task.now() -- it may be later by the time the key has been sent
        t.ok(desk.keyboard.press "Return")
        local settled = t.ok(desk.settle())
        if settled.reason == "idle" then
          idle = idle + 1
          t.ok(desk.native:last_change() / 1e9 - pressed > 0.08, "its words came before it was called settled: "
            .. t.show(settled))
          t.ok(not changes_later(desk), "nothing comes later")
        end
        t.ok(desk.settle { quiet = 1, cap = 20 }) -- its words have come
      end
    end)
end

-- What sleeps for longer than the quiet time is not waited for, however late settling begins: the quiet time would be
-- over before it ends.
function tests.a_sleep_that_ends_after_the_quiet_time()
  with_terminal("while read x; do sleep 1.4; done", function(desk)
    desk.timing.settle_quiet = 1
    settles_twice(desk, "idle", function()
      t.ok(desk.settle { quiet = 2, cap = 20 }) -- the sleep of the act before is over
      local pressed = task.now()
      t.ok(desk.keyboard.press "Return")
      t.ok(desk.wait_until(function() return desk.native:pump() and task.now() > pressed + 0.7 end, { timeout = 20 }))
    end, { past = true })
  end)
end

-- What was sent to a window that has closed is taken, though nobody answers any more: the cap is far away.
function tests.the_only_window_closes_without_an_answer()
  desktop.with({ apps = { { "zenity", "--entry", "--text=Words" } } }, function(desk)
    desk.timing.settle_by_cause, desk.timing.settle_cap = true, 60
    t.ok(desk:watch())
    t.ok(desk.settle { quiet = 0.5, cap = 10 })
    local button = t.ok(desk.elements.find { role = "push button", name = "OK" })
    t.ok(uv.kill(button.pid, "sigstop"))
    t.ok(desk.mouse.click { x = button.x + button.width // 2, y = button.y + button.height // 2 })
    t.eq(desk.pending_work:taken(), false, "it has been asked")
    t.ok(uv.kill(button.pid, "sigkill"))
    local settled = t.ok(desk.settle())
    t.ok(settled.seconds < 30 and settled.reason ~= "cap", settled)
    t.eq(#t.ok(desk.windows.list()), 0)
  end)
end

-- A key waits until the text before it shows; the act is not over by that.
function tests.an_act_goes_on_through_its_inner_waits()
  desktop.with({ apps = { { "zenity", "--entry", "--text=Words" } } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    t.ok(desk.settle { quiet = 0.5, cap = 10 })
    settles_twice(desk, "idle", function()
      t.ok(desk.keyboard.type "a")
      t.ok(desk.keyboard.press "BackSpace")
    end)
  end)
end

-- Where all has settled since the text, the key does not wait for it.
function tests.a_key_waits_for_no_text_that_has_settled()
  desktop.with({ apps = { { "zenity", "--entry", "--text=Words" } } }, function(desk)
    desk.timing.type_quiet, desk.timing.type_cap = 5, 6
    t.ok(desk.settle { quiet = 0.5, cap = 10 })
    t.ok(desk.keyboard.type "a")
    t.ok(desk.settle { quiet = 0.2, cap = 10 })
    local began = task.now()
    t.ok(desk.keyboard.press "BackSpace")
    t.ok(task.now() - began < 5, task.now() - began)
  end)
end

-- A program that waits for an answer sleeps as well.
function tests.nothing_is_claimed_of_programs_with_a_connection()
  local server = page_server.start { ["/"] = "hello" }
  local script = ("exec 3<>/dev/tcp/127.0.0.1/%d; while read x; do echo $x; done"):format(server.port)
  with_terminal(script, function(desk)
    for _ = 1, 4 do
      t.ok(desk.keyboard.press "Return")
      local settled = t.ok(desk.settle())
      t.ok(settled.reason ~= "idle", settled)
    end
  end)
  server:stop()
end

function tests.nothing_is_claimed_without_an_act_or_of_a_desktop_of_others()
  desktop.with({ apps = { { "xterm", "-e", "cat" } } }, function(desk)
    desk.timing.settle_by_cause = true
    t.eq(t.ok(desk.settle()).reason, "quiet")
    t.ok(desk.keyboard.press "a")
    t.eq(t.ok(desk.settle { quiet = 0.1 }).reason, "quiet", "a quiet time that was asked for is waited for")
    desk.session = nil
    t.ok(desk.keyboard.press "a")
    t.eq(t.ok(desk.settle()).reason, "quiet")
  end)
end

-- A connection of deskpilot's own (to a model's server) is not inherited by what it starts: nobody else may write to
-- it, and it would look like a connection of every program.
function tests.programs_inherit_no_connection()
  local server = page_server.start { ["/"] = "hello" }
  local http = require "deskpilot.net.http"
  t.eq(t.ok(http.request { url = server.url .. "/" }).status, 200) -- the connection stays open
  local inherited = require "spawn".run({ "sh", "-c", [[
    for fd in /proc/self/fd/*; do
      inode=$(readlink $fd | sed -n 's/^socket:.\(.*\).$/\1/p')
      [ -n "$inode" ] && grep " $inode " /proc/net/tcp
    done; true]] }, {})
  t.eq(inherited.stdout, "", "sockets that a child has")
  server:stop()
end

local function element(desk, name)
  for _, each in ipairs(t.ok(desk.browser.current():tab():observe()).elements) do
    if each.name:find(name, 1, true) then return each end
  end
  error("no element " .. name)
end

local function click(desk, target)
  local box = target.box
  t.ok(desk.mouse.click { x = box.x + box.width // 2, y = box.y + box.height // 2 })
end

-- What the button says, at once.
local function says(desk, id)
  return desk.browser.current():tab():evaluate("document.getElementById('" .. id .. "').textContent", { world = "own" })
end

-- What is expected of the latest act: how many seconds after it a change came late before.
local function expected_change(desk)
  local _, of_kind = next(desk.pending_work.late.known)
  return of_kind and of_kind.late
end

-- Presses Return, and settles; then a model thinks. What it did for the change that was expected.
local function act_and_think(desk)
  t.ok(desk.keyboard.press "Return")
  local pressed, expected = task.now(), expected_change(desk)
  t.ok(desk.settle())
  local seconds, changed = task.now() - pressed, desk.native:last_change() / 1e9 - pressed
  task.sleep(0.8)
  local late = desk.native:last_change() / 1e9 - pressed > seconds
  return { expected = expected, seconds = seconds, changed = changed, late = late }
end

-- Acts until enough(act, the act before) says so.
local function act_until(desk, acts, enough)
  repeat
    if #acts >= MOST_TRIES then error("acts without that: " .. t.show(acts)) end
    acts[#acts + 1] = act_and_think(desk)
  until enough(acts[#acts], acts[#acts - 1])
end

-- A change that came late is waited for the next time, and given up where it comes no more. On a busy machine it comes
-- even later at times: it is waited for as long as it took before, and a quarter more.
function tests.late_changes_are_learned()
  local no_more = files.join(files.temporary_folder(), "no_more")
  with_terminal(("while read x; do [ -e %s ] || (sleep 0.4; seq 9); done"):format(no_more), function(desk)
    local acts = {}
    act_until(desk, acts, function(act, before)
      local in_time = not act.expected or act.changed > 0.35 or act.seconds >= act.expected * 1.2
      if not in_time then error("too early for what was expected: " .. t.show(acts)) end
      return act.expected and before and before.expected
    end)
    t.ok(files.write(no_more, ""))
    act_until(desk, acts, function(act) return not act.expected end)
  end)
end

-- What draws the same pixels again late is not waited for; a change that comes instead is learned.
function tests.what_is_drawn_again_is_no_late_change()
  local changes = files.join(files.temporary_folder(), "changes")
  local script = "stty -echo; printf '\\e[?25l\\e[5;1Hwords '; while read x; do sleep 0.4;"
    .. " [ -e %s ] && n=$((n + 1)); printf '\\e[5;1Hwords %%s' $n; done"
  with_terminal(script:format(changes), function(desk)
    local acts, late = {}, 0
    act_until(desk, acts, function(act)
      t.eq(act.expected, nil, "nothing is expected")
      late = late + (act.late and 1 or 0)
      return late == 4
    end)
    t.ok(files.write(changes, ""))
    act_until(desk, acts, function(act) return act.expected end)
  end)
end

-- A change that comes late on another page, to which an act has led, is expected of acts that lead there, and of no
-- other act on the page before.
function tests.late_changes_of_another_page()
  local server = page_server.start {
    ["/"] = "<title>First</title><button>Stay</button> <a href='/other'>Leave</a>",
    ["/other"] = "<title>Other</title><script>setTimeout(() => document.body.append('late'), 700)</script>"
      .. "<a href='/'>Back</a> ",
  }
  desktop.with({ size = { 800, 600 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    t.ok(desk.browser.start { url = server.url .. "/" })
    local known, acts = desk.pending_work.late.known, 0
    local function change_is_known()
      for kind, of_kind in pairs(known) do
        if of_kind.late then return kind end
      end
    end
    local kind
    while not kind do
      if acts >= MOST_TRIES then error("acts after which no change came late: " .. acts) end
      acts = acts + 1
      t.ok(desk.settle { quiet = 1, cap = 10 })
      click(desk, element(desk, "Leave"))
      t.ok(desk.settle())
      task.sleep(1) -- a model thinks
      click(desk, element(desk, "Back"))
      t.ok(desk.settle { quiet = 1, cap = 10 })
      click(desk, element(desk, "Stay"))
      kind = change_is_known()
    end
    t.eq(kind:match "[^|]*$", "another page", kind)
    t.eq(desk.pending_work:expected(), nil, "of an act that stays")
  end)
  server:stop()
end

-- Beside an animation without an end the next frame comes soon after each settle: it is no change of the act's.
function tests.the_next_frame_of_a_motion_is_not_late()
  local server = page_server.start { ["/"] = [[<title>Turning</title><style>@keyframes turn { to { rotate: 360deg } }
    div { width: 60px; height: 60px; border: 8px dashed red; animation: turn 1s linear infinite }</style>
    <div></div> <button onclick="this.textContent += '!'">More</button>]] }
  desktop.with({ size = { 800, 600 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    t.ok(desk.browser.start { url = server.url .. "/" })
    t.ok(desk.settle { quiet = 0.3, cap = 1 })
    local moving, acts = 0, 0
    while moving < 5 do
      if acts >= MOST_TRIES then error(("%d of %d acts settled beside the animation"):format(moving, acts)) end
      acts = acts + 1
      click(desk, element(desk, "More"))
      local settled = t.ok(desk.settle())
      moving = moving + (settled.reason == "animation" and 1 or 0)
      task.sleep(0.1) -- less than it takes to see that it moves by itself
    end
    click(desk, element(desk, "More"))
    for kind, of_kind in pairs(desk.pending_work.late.known) do t.eq(of_kind.late, nil, kind) end
  end)
  server:stop()
end

-- The browser's own buttons would show tooltips half a second after the Tab key has brought the focus to them.
function tests.no_tooltips_of_the_browser()
  local server = page_server.start { ["/"] = "<title>Fields</title><input autofocus> <input> <input>" }
  desktop.with({ size = { 800, 600 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    local tab = t.ok(t.ok(desk.browser.start { url = server.url .. "/" }):tab())
    local function has_focus() return tab:evaluate("document.hasFocus()", { world = "own" }) end
    t.wait_until("the page with the focus", has_focus)
    local in_page, outside = 0, 0
    for _ = 1, MOST_TRIES do
      t.ok(desk.settle { quiet = 1, cap = 10 })
      t.ok(desk.keyboard.press "Tab")
      local settled = t.ok(desk.settle())
      local soon = settled.reason == "idle" and settled.seconds < 0.3
      if has_focus() then in_page = in_page + (soon and 1 or 0)
      else
        outside = outside + (soon and 1 or 0)
        t.eq(desk.wait_for_change { timeout = 0.8 }, nil, "what comes later")
      end
      if outside >= 8 and in_page > 0 then return end
    end
    error(("settled by cause and soon: in the page %d, outside of it %d"):format(in_page, outside))
  end)
  server:stop()
end

function tests.pages()
  local server
  server = page_server.start {
    ["/"] = t.ok(files.read "tests/pages/settling.html"),
    ["/slow"] = function() return { hold = true, body = "late" } end,
  }
  desktop.with({ size = { 1200, 900 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    local browser = t.ok(desk.browser.start { url = server.url .. "/?later=200&scrolls" })
    t.ok(desk.settle { quiet = 1.5, cap = 10 })
    local at_once, later, fetch = element(desk, "At once"), element(desk, "Later"), element(desk, "Fetch")

    -- How soon: tests/bench/settling.lua.
    local clicks = settles_twice(desk, "idle", function() click(desk, at_once) end)
    t.eq(says(desk, "at_once"), "At once " .. clicks)

    -- A timer of the page: its end is waited for.
    for i = 1, TIMERS do
      click(desk, later)
      local settled = t.ok(desk.settle())
      if settled.reason == "idle" then
        t.eq(says(desk, "later"), "Later " .. i, t.show(settled))
        t.ok(settled.seconds > 0.18, settled)
      end
      t.ok(desk.wait_until(function() return says(desk, "later") == "Later " .. i end, { timeout = 20 }))
    end

    -- A page that scrolls itself smoothly has no timer and no animation to tell of.
    local scroll = element(desk, "Scroll")
    for i = 1, SCROLLS do
      click(desk, scroll)
      local settled = t.ok(desk.settle())
      if settled.reason == "idle" then t.eq(says(desk, "scroll"), "Scroll " .. i, t.show(settled)) end
      t.ok(desk.wait_until(function() return says(desk, "scroll") == "Scroll " .. i end, { timeout = 20 }))
    end

    -- The wheel: whatever it moves has moved.
    for i = 1, WHEELS do
      t.ok(desk.mouse.scroll { dy = i % 2 == 1 and 3 or -3, at = { x = 600, y = 450 } })
      local settled = t.ok(desk.settle())
      local y = browser:tab():evaluate("scrollY", { world = "own" })
      if settled.reason == "idle" then
        t.eq(y > 0, i % 2 == 1, t.show(settled))
        task.sleep(0.1)
        t.eq(browser:tab():evaluate("scrollY", { world = "own" }), y, t.show(settled))
      end
      t.ok(desk.wait_until(function() return says(desk, "scroll") == "Scroll " .. SCROLLS + i end, { timeout = 20 }))
    end

    -- An animation without an end does not hold it.
    local spinner = element(desk, "Animate")
    clicks = clicks - 1 + settles_twice(desk, "animation", function(i) click(desk, i == 1 and spinner or at_once) end)
    t.eq(says(desk, "at_once"), "At once " .. clicks)
    click(desk, spinner)
    t.ok(desk.settle())

    -- A request that is open: nothing is claimed.
    click(desk, fetch)
    t.ok(desk.wait_until(function() return server:count "/slow" == 1 end), "the page asks its server")
    local waited = t.ok(desk.settle())
    t.eq(waited.reason, "cap", "an open request is waited for as long as for a screen that changes")
    server:release()
    t.ok(desk.wait_until(function() return says(desk, "fetch") == "Fetch 1" end))

    -- One that was open before is not the act's.
    browser:tab():evaluate("fetch('/never'), 0")
    desk.settle { quiet = 0.5 }
    click(desk, at_once)
    desk.settle()
    t.eq(says(desk, "at_once"), "At once " .. clicks + 1)
  end)
  server:stop()
end

-- A browser looks half a second after the wheel at what is under the pointer, here a line that is drawn otherwise then.
-- It is made to look sooner.
function tests.what_is_under_the_pointer_after_the_wheel()
  local page = "data:text/html,<style>body{margin:0;height:3000px} b{display:block;height:100px} "
    .. "b:hover{background:red}</style><b></b><b>a</b><b></b><b>b</b><b></b><b>c</b><b></b>"
  desktop.with({ size = { 1200, 900 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    t.ok(desk.browser.start { url = page })
    t.ok(desk.mouse.move { x = 600, y = 450 })
    local idle, acts = 0, 0
    while idle < WHEELS do
      acts = acts + 1
      t.ok(acts <= MOST_TRIES, idle)
      t.ok(desk.settle { quiet = 1, cap = 20 }) -- what came late has come
      t.ok(desk.mouse.scroll { dy = acts % 2 == 1 and 1 or -1 })
      local settled = t.ok(desk.settle())
      if settled.reason == "idle" then
        idle = idle + 1
        local before = t.ok(desk.screen.shot())
        task.sleep(0.8)
        t.eq(before:difference(t.ok(desk.screen.shot())), nil, t.show(settled))
      end
      for kind, of_kind in pairs(desk.pending_work.late.known) do t.eq(of_kind.late, nil, kind) end
    end
  end)
end

-- The browser's own wheel turns where its own pointer is: the other one is left where it is.
function tests.the_browsers_own_wheel_moves_no_pointer()
  local page = "data:text/html,<body style='height:3000px' onmousemove='moves.push(event.clientX)'><script>moves=[]"
    .. "</script>"
  desktop.with({ size = { 1200, 900 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    local tab = t.ok(desk.browser.start { url = page }):tab()
    t.ok(desk.mouse.move { x = 100, y = 450 })
    local before = t.ok(tab:scroll { dy = 200, input = "cdp" })
    local at = tab:evaluate("moves.length")
    settles_twice(desk, "idle", function(i)
      desk.pending_work:begin()
      t.eq(t.ok(tab:scroll { dy = i % 2 == 1 and 200 or -200, input = "cdp" }).y > before.y, i % 2 == 1)
    end)
    t.eq(tab:evaluate("moves.length"), at)
  end)
end

-- The elements that a settle reads while it waits for the last frames are those that the act has led to, as the browser
-- tells of them elsewhere than the page does.
function tests.elements_that_are_read_meanwhile()
  local server = page_server.start { ["/"] = t.ok(files.read "tests/pages/settling.html") }
  desktop.with({ size = { 1200, 900 } }, function(desk)
    desk.timing.settle_by_cause = true
    t.ok(desk:watch())
    t.ok(desk.browser.start { url = server.url .. "/", accessibility = true })
    t.ok(desk.settle { quiet = 1.5, cap = 10 })
    local at_once, held, clicks = element(desk, "At once"), 0, 0
    while held < 2 or clicks < AHEAD do
      t.ok(clicks < MOST_TRIES, "elements that were read meanwhile, and held: " .. held)
      clicks = clicks + 1
      click(desk, at_once)
      local settled = t.ok(desk.settle { elements = true })
      local list = settled.reason == "idle" and desk.elements_ahead:take()
      if list then
        held = held + 1
        local name = "At once " .. clicks
        local button = find.all(list, { name = name, role = "push button" })[1]
        t.ok(button, ("the elements have no button '%s'"):format(name))
        t.eq(#list, #t.ok(desk.elements.list()))
      end
    end
  end)
  server:stop()
end

return tests
