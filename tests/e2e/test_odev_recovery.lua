--- What the policy odev does about steps that do not work, with pages in a real Chromium: doing them again, asking the
--- page once more, and showing the screen to a vision model.
local t = require "harness"
local play = require "odev_play"

local tests, goals = {}, {}

local function click(request, role, name)
  return { tool = "browser_click", args = { index = play.index(request, role, name) } }
end

-- The window is not what the plan believed; the page is: its URL and text are enough, and nobody sees the screen.
goals.page_verifies = {
  page = [[<title>Inbox</title><a href="/message">Open</a>]],
  planner = function(request)
    return play.plan { anchor = { application = "Firefox", url = "/message" }, indicators = { "Thank you" },
      completes_goal = true, actions = { click(request, "link", "Open") } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE VERIFY ESCALATE_BROWSER DONE")
    t.has(part:why("ESCALATE_BROWSER"), 'not "Firefox"')
    t.has(part:why("ESCALATE_BROWSER"), "not retried: the page is", "a link is not followed on another page")
    t.eq(part.result.escalations, { browser = 1, vision = 0 })
    t.eq({ part.result.verified, part.result.unverified }, { 1, 0 })
    t.eq(#server:paths("/message"), 1)
  end,
}

-- Neither the screen nor the page shows it, twice more; the vision model repairs it, and the planner goes on.
goals.vision_repairs = {
  page = [[<title>Lamp</title><button onclick="fetch('/tried')">Switch</button>
    <button onclick="state.textContent = 'It is bright'">Fuse</button><p id="state">It is dark</p>]],
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { title = "Lamp" }, indicators = { "bright" }, actions = {
        click(request, "button", "Switch") } }
    end
    t.has(play.words(request), "a model that sees the screen has corrected with browser_click")
    t.has(play.words(request), "It is bright")
    return play.plan { anchor = { title = "Lamp" }, indicators = { "bright" }, completes_goal = true, actions = {
      { tool = "wait", args = { seconds = 0.1 } } } }
  end,
  vision = function(request)
    t.ok(play.has_picture(request), "vision sees the screen")
    t.has(play.words(request), '"bright" is not on the screen')
    return play.correct("browser_click", { index = play.index(request, "button", "Fuse") })
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE VERIFY EXECUTE VERIFY EXECUTE VERIFY ESCALATE_BROWSER "
      .. "ESCALATE_VISION EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq(#server:paths("/tried"), 3)
    t.eq(part.result.escalations, { browser = 1, vision = 1 })
    t.eq({ part.result.retries, part.result.verified, part.result.unverified }, { 2, 1, 1 })
  end,
}

-- Three steps in a row that do not work: the third is not asked of the page first.
goals.forced = {
  page = [[<title>Wall</title><p>Nothing here</p>]],
  planner = function(_, n)
    return play.plan { anchor = { title = "Wall" }, indicators = { n < 4 and "Door" or "Nothing here" },
      completes_goal = n == 4, actions = { { tool = "type_text", args = { text = "x" } } } }
  end,
  vision = function() return play.correct("press_key", { key = "shift" }) end,
  check = function(part)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), ("OBSERVE DECIDE EXECUTE VERIFY ESCALATE_BROWSER ESCALATE_VISION EXECUTE "):rep(2)
      .. "OBSERVE DECIDE EXECUTE VERIFY ESCALATE_VISION EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.has(part:why("ESCALATE_VISION", 3), "3 failures in a row (odev.force_vision)")
    t.eq(part.result.escalations, { browser = 2, vision = 3 })
  end,
}

function tests.steps_that_do_not_work()
  play.series(goals, { "--set", "odev.verify_seconds=1.5" })
end

return tests
