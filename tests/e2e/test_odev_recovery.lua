--- What the policy odev does about steps that do not work, with pages in a real Chromium: asking the page once more,
--- showing the screen to a vision model, and getting back a browser that has gone.
local t = require "harness"
local files = require "deskpilot.base.files"
local play = require "odev_play"
local uv = require "luv"

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
    t.has(part:why("ESCALATE_BROWSER"), "not done again: the page is", "a link is not followed on another page")
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
  play.series(goals)
end

-- --- a browser that goes away ---------------------------------------------------------------------------------

local page = "<!DOCTYPE html><title>Shop</title><form action='/bought'><input name='what' aria-label='What'>"
  .. "<button>Buy</button></form>"

-- Plays with a browser that is killed while the planner thinks about its first plan.
local function play_killed(start)
  local site = require("model_server").start(function(_, _, request)
    local bought = request.path:find("^/bought")
    return { headers = { ["Content-Type"] = "text/html" }, body = bought and "<title>Bought</title>Thank you" or page }
  end)
  site.lenient = true
  local played = play.play {
    mission = 'task = "Buy bread.",\ndesktop = { kind = "private", size = { 900, 600 } },\nbefore_run = function(m)\n'
      .. ("local SITE = %q\n"):format(site.origin) .. start .. [[
        local file = io.open(FOLDER .. "/pid", "w")
        file:write(m.desk.browser.current().pid, "\n")
        file:close()
      end,]],
    planner = function(request, n, folder)
      if n == 1 then
        uv.kill(math.tointeger(tonumber(files.read(folder .. "/pid"):match("%d+"))), "sigkill")
      end
      return play.plan { anchor = { url = "/bought?what=bread" }, indicators = { "Thank you" }, completes_goal = true,
        actions = { { tool = "browser_type", args = { index = play.index(request, "textbox", "What"),
          text = "bread" } }, click(request, "button", "Buy") } }
    end }
  site:stop()
  local bought = {}
  for _, request in ipairs(site.requests) do
    if request.path:find("^/bought") then bought[#bought + 1] = request.path end
  end
  return played, bought
end

function tests.a_killed_browser_is_started_again_and_the_step_is_done()
  local played, bought = play_killed "assert(m.desk.browser.start { url = SITE })\n"
  t.eq(played.result.status, "succeeded", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE RECONNECT EXECUTE VERIFY DONE")
  t.eq(bought, { "/bought?what=bread" })
  t.eq(played.result.task_result.retries, 1)
  t.eq(#played:asked("planner"), 1)
  played:close()
end

function tests.a_browser_that_cannot_be_had_back_ends_the_run_with_a_sentence()
  local played, bought = play_killed [[
    local first = assert(m.desk.browser.start { url = SITE })
    local profile, binary = FOLDER .. "/profile", first.process.binary
    first:close()
    assert(m.desk.apps.start { binary, "--no-sandbox", "--no-first-run", "--remote-debugging-port=0",
      "--user-data-dir=" .. profile, SITE, wait = 30 })
    assert(m.desk.wait_until(function() return m.desk.browser.attach { profile = profile } end, { timeout = 20 }))
  ]]
  t.eq(played.result.status, "failed")
  t.has(played.result.reason, "the browser has gone and cannot be had back")
  t.has(played:states(), "EXECUTE RECONNECT FAILED")
  t.eq(bought, {})
  played:close()
end

return tests
