--- Acts that are only to find something out, by the policy orchestrator with a scripted model over HTTP in a real
--- Chromium and a real editor: what was led to by accident is undone, and told.
local t = require "harness"
local model_server = require "model_server"
local odev_play = require "odev_play"
local play = require "orchestrator_play"

local tests = {}

local page = [[<!DOCTYPE html><meta charset="utf-8"><title>Plans</title><h1>Plans</h1>
<span id="tip" style="visibility:hidden">Only for schools</span>
<button onmouseover="tip.style.visibility = 'visible'">What is this?</button>
<button onclick="menu.hidden = false">More</button> <div id="menu" hidden><a href="/never">Cheaper plans</a></div>
<button onclick="location = '/bought'">Info</button>
<button onclick="window.open('/advert')">Help</button>
<button onclick="confirm('Delete everything?') && fetch('/deleted')">Details</button>
<label>Name <input></label>]]

local mission = [[
task = "Find out what there is.",
desktop = { kind = "private", size = { 1000, 700 } },
before_run = function(m) assert(m.desk.browser.start { url = SITE .. "/plans" }) end,
]]

local function serve()
  local server = model_server.start(function(_, _, request)
    return { body = request.path == "/plans" and page or "<title>Elsewhere</title><p>Bought!</p>",
      headers = { ["Content-Type"] = "text/html", ["Cache-Control"] = "no-store" } }
  end)
  server.lenient = true
  return server
end

local steps = { { "hover", "button", "What is this?" }, { "open_menu", "button", "More" }, { "info", "button", "Info" },
  { "info", "button", "Help" }, { "info", "button", "Details" }, { "focus", "textbox", "Name" },
  { "focus", "button", "More" } }

local found = { "nothing was left by it\n.*new: | Only for schools", "nothing was left by it\n.*Cheaper plans",
  "UNEXPECTED: it led to another page, http://127%.0%.0%.1:%d+/bought %(undone%)",
  "UNEXPECTED: it led to a new tab, .* %(undone%)",
  "UNEXPECTED: it led to a question of the page %(Delete everything%?%) %(undone%)",
  'nothing was left by it\n.*textbox "Name" focused', "only a field can be given the focus" }

function tests.what_a_page_does_by_accident_is_undone()
  local server = serve()
  local played = play.play { mission = mission:gsub("SITE", ("%q"):format(server.origin)), agent = function(request, n)
    t.has(play.words(request), 'BROWSER: "Plans"')
    local step = steps[n]
    if n == #steps + 1 then return play.ask { "take_screenshot", { whole_page = true } } end
    if n == #steps + 2 then
      t.has(play.results(request)[1], "a picture of the whole page")
      t.ok(play.has_picture(request), "it goes along")
    end
    if not step then return play.decide { status = "stuck", status_why = "That was all." } end
    return play.decide { commands = { { "explore", { how = step[1],
      index = play.index(request, step[2], step[3]) } } } }
  end, flags = { "--set", "orchestrator.iterations=20" } }
  local results = played:all "action_result"
  t.eq(#results, #steps, played.child.stderr)
  for i, event in ipairs(results) do
    t.ok(event.text:find(found[i]), ("%s: %s"):format(steps[i][3], event.text))
  end
  local guards = 0
  for _, event in ipairs(played:all "guard") do guards = guards + (event.name == "exploring" and 1 or 0) end
  t.eq(guards, 3, "what was unexpected is told of")
  local paths = {}
  for _, request in ipairs(server.requests) do paths[request.path] = true end
  t.eq({ paths["/deleted"], paths["/never"], paths["/bought"] }, { nil, nil, true })
  played:close()
  server:stop()
end

function tests.a_window_that_comes_up_is_closed()
  local played = play.play { mission = odev_play.editor, before = odev_play.empty_note, agent = function(request, n)
    if n == 1 then
      return play.decide { commands = { { "explore", { how = "open_menu",
        element = tonumber(play.words(request):match '%[(%d+)%] menu "Help"') } } } }
    elseif n == 2 then
      t.has(play.words(request), "explored")
      local about = play.words(request):match '%[(%d+)%] menu item "About[^"]*"'
      t.ok(about, play.words(request))
      return play.decide { commands = { { "explore", { how = "info", element = tonumber(about) } } } }
    end
    t.ok(play.words(request):find 'active window: "[^"]*note.txt', "the editor is in front again")
    return play.decide { status = "stuck" }
  end }
  local results = played:all "action_result"
  t.has(results[1].text, "nothing was left by it")
  t.has(results[1].text, "About")
  t.ok(results[2].text:find 'UNEXPECTED: it led to a window, "About.*%(undone%)', results[2].text)
  played:close()
end

return tests
