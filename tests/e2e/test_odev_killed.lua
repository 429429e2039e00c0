--- The browser is killed while the policy odev works with it: it is restored and the step done, or the run says why.
local t = require "harness"
local files = require "deskpilot.base.files"
local model_server = require "model_server"
local play = require "odev_play"
local uv = require "luv"

local tests = {}

local page = "<!DOCTYPE html><title>Shop</title><form action='/bought'><input name='what' aria-label='What'>"
  .. "<button>Buy</button></form>"

-- Plays with a browser that is killed while the planner thinks about its first plan.
local function play_killed(start)
  local site = model_server.start(function(_, _, request)
    local bought = request.path:find("^/bought")
    return { headers = { ["Content-Type"] = "text/html" }, body = bought and "<title>Bought</title>Thank you" or page }
  end)
  site.lenient = true
  local played = play.play {
    mission = 'task = "Buy bread.",\nsafety = { approve = {} },\n'
      .. 'desktop = { kind = "private", size = { 900, 600 } },\nbefore_run = function(m)\n'
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
          text = "bread" } }, { tool = "browser_click",
            args = { index = play.index(request, "button", "Buy") } } } }
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
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE RECONNECT EXECUTE VERIFY DONE")
  t.eq(bought, { "/bought?what=bread" })
  t.eq(played.result.task_result.retries, 1)
  t.eq(#played:asked("planner"), 1)
  played:close()
end

function tests.a_browser_lost_between_two_steps_is_restored_before_the_next()
  local played = play.play {
    mission = [[
      task = "Wait for it.",
      desktop = { kind = "private", size = { 900, 600 } },
      before_run = function(m) assert(m.desk.browser.start { url = "data:text/html,<title>Shop</title>Open" }) end,
      turn_start = function(m, event)
        if event.turn == 2 then require("luv").kill(m.desk.browser.current().pid, "sigkill") end
      end,]],
    planner = function(request, n)
      t.has(play.words(request), "BROWSER: \"Shop\"")
      return play.plan { anchor = { title = "Shop" }, indicators = { "Open" }, completes_goal = n == 2, actions = {
        { tool = "wait", args = { seconds = 0.1 } } } }
    end }
  t.eq(played.result.status, "claimed", played.result.reason)
  t.eq(played:states(), "OBSERVE DECIDE EXECUTE VERIFY OBSERVE RECONNECT OBSERVE DECIDE EXECUTE VERIFY DONE")
  played:close()
end

function tests.a_browser_that_cannot_be_restored_ends_the_run_with_a_sentence()
  local played, bought = play_killed [[
    local first = assert(m.desk.browser.start { url = SITE })
    local profile, binary = FOLDER .. "/profile", first.process.binary
    first:close()
    assert(m.desk.apps.start { binary, "--no-sandbox", "--no-first-run", "--remote-debugging-port=0",
      "--user-data-dir=" .. profile, SITE, wait = 30 })
    local browser = assert(m.desk.wait_until(function()
      return m.desk.browser.attach { profile = profile }
    end, { timeout = 30 }))
    assert(browser:tab():wait_for { element = { role = "button", name = "Buy" }, timeout = 30 })
    assert(m.desk.windows.focus(assert(browser:window())))
  ]]
  t.eq(played.result.status, "failed")
  t.has(played.result.reason, "the connection to the browser is lost and cannot be restored")
  t.has(played:states(), "EXECUTE RECONNECT FAILED")
  t.eq(bought, {})
  played:close()
end

return tests
