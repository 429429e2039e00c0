-- What moved by itself before an act is not waited for after it; what the act has set off is.
local desk_module = require "deskpilot.desk"
local desktop = require "desktop"
local pages = require "pages"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local CAP = 2 -- seconds, after which a screen that still changes is taken as it is
local MOST_ACTS = 40 -- where others keep both cores busy, what moves does so at no pace that can be known

-- A clock at the top, and further down what is typed. There is no cursor, which would go to and fro.
local clock = [[
printf '\e[?25l\e[2J\e[5;1H'
while :; do printf '\e7\e[1;1Htick %s\e8' $((n++)); sleep 0.05; done &
cat]]

-- Acts until two of them have settled as an animation, while it goes on.
local function settles_soon(desk, act)
  local soon, reasons = 0, {}
  while soon < 2 do
    if #reasons == MOST_ACTS then error("it has settled otherwise: " .. t.show(reasons)) end
    act(#reasons + 1)
    local settled = t.ok(desk.settle())
    reasons[#reasons + 1] = settled.reason
    if settled.reason == "animation" then
      soon = soon + 1
      t.ok(settled.seconds < CAP, settled)
      t.eq(desk.wait_for_change { timeout = 20 }, true, "it goes on")
    end
  end
  return reasons
end

-- By the quiet time, and by cause: nothing can be known of programs that are never at rest.
function tests.a_clock_in_a_terminal()
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-fa", "DejaVuSansMono", "-e", "bash", "-c", clock } } },
    function(desk)
      desk.timing.settle_cap = CAP
      t.ok(desk:watch())
      for _, by_cause in ipairs { false, true } do
        desk.timing.settle_by_cause = by_cause
        settles_soon(desk, function()
          local before = desk.native:last_act_change()
          t.ok(desk.keyboard.type "a")
          t.ok(desk.wait_until(function() return desk.native:pump() and desk.native:last_act_change() > before end,
            { timeout = 20 }), "what was typed is no part of the clock")
        end)
      end
      t.eq(t.ok(desk.settle { cap = 1 }).reason, "cap", "without an act all that moves counts")
    end)
end

-- While a model thinks of the first act nobody waits for anything.
function tests.before_the_first_act()
  desktop.with({ size = { 800, 600 }, apps = { { "xterm", "-fa", "DejaVuSansMono", "-e", "bash", "-c", clock } } },
    function(_, session)
      local reasons = {}
      repeat
        if #reasons == MOST_ACTS then error("it has settled otherwise: " .. t.show(reasons)) end
        local desk = t.ok(desk_module.open { display = session.display, bus = session.bus_address, session = session,
          timing = { settle_cap = CAP } })
        desk.timing.settle_by_cause = true
        t.ok(desk:watch())
        desk.pending_work:notice()
        task.sleep(1.5) -- the model's thinking
        t.ok(desk.keyboard.type "a")
        reasons[#reasons + 1] = t.ok(desk.settle()).reason
        desk:close()
      until reasons[#reasons] == "animation"
    end)
end

-- A script that draws before each frame has no end that its page could tell of.
function tests.a_page_that_draws_all_the_time()
  desktop.with({}, function(desk)
    desk.timing.settle_by_cause, desk.timing.settle_cap = true, CAP
    t.ok(desk.browser.start { url = pages.url "moving.html" })
    local tab = desk.browser.current():tab()
    t.ok(tab:wait_for { text = "Count 0" })
    local function click(name)
      t.ok(tab:click(pages.element(t.ok(tab:observe()), name)))
    end
    local acts = #settles_soon(desk, function() click "Count" end)
    t.eq(tab:evaluate "words.textContent", "Count " .. acts)
    click "Start"
    -- For longer than a busy machine takes to begin it, and from one picture to the next.
    t.eq(t.ok(desk.settle { quiet = 2, cap = 5 }).reason, "cap", "the act itself has begun this")
    settles_soon(desk, function() click "Count" end)
  end)
end

return tests
