--- What the torture is done to: small missions that use much of the program. Each has hooks that kill a part of its
--- surroundings at a chosen event (TORTURE_KILLS=NAME of the program, TORTURE_AT=number of the event).
local files = require "deskpilot.base.files"
local model_server = require "model_server"
local play = require "three_body_play"

local missions = {}

local hooks = [[
local uv, files = require "luv", require "deskpilot.base.files"
local processes = require "deskpilot.desk.platform.linux.processes"
local victim, at, count = os.getenv "TORTURE_KILLS", math.tointeger(tonumber(os.getenv "TORTURE_AT" or "")), 0
local function strike()
  count = count + 1
  if count ~= at then return end
  for _, process in ipairs(processes.descendants(uv.os_getpid())) do
    local name = (files.read("/proc/" .. process.pid .. "/comm") or ""):match "^[^\n]*"
    if name == victim then uv.kill(process.pid, "sigkill") end
  end
end
local mission = { limits = { seconds = 20, turns = 12 }, accept_claims = true }
for _, event in ipairs { "run_start", "before_run", "turn_start", "observed", "model_request", "model_reply", "action",
  "action_result", "settled", "turn_end", "note", "picture", "desk_call" } do
  if victim then mission[event] = strike end
end
]]

-- What scripts do with a desk: pictures, windows, elements, keys, the clipboard, a program, a file.
local desk_work = [[
mission.run = function(m)
  local desk = m.desk
  m:note "a picture"
  desk.screen.shot():save(files.join(m.dir.path, "shot.png"))
  desk.apps.start { "zenity", "--entry", "--title", "Torture", "--text", "Words" }
  local field = desk.wait_for_element { app = "zenity", role = "text", timeout = 10 }
  m:note "words"
  desk.windows.focus { title = "Torture" }
  desk.keyboard.type "Grüße 漢字 "
  desk.elements.set_text(field, "all of it")
  desk.clipboard.set "copied"
  desk.mouse.move(50, 50)
  m:note "a file"
  assert(files.write(files.join(m.dir.path, "words.txt"), ("words\n"):rep(2000)))
  desk.elements.press { app = "zenity", role = "push button", name = "OK" }
  m:note "done"
end
]]

local calculator = 'mission.desktop = { kind = "private", size = { 500, 400 }, apps = { { "galculator" } } }\n'

-- A browser with a page of its own, driven by a script.
local browser_work = [[
mission.run = function(m)
  local browser = assert(m.desk.browser.start { url = "data:text/html,<title>One</title><button>Press</button>" })
  local tab = browser:tab()
  assert(tab:wait_for { element = { role = "button", name = "Press" }, timeout = 10 })
  m:note "the page is there"
  m.desk.screen.shot():save(files.join(m.dir.path, "page.png"))
end
]]

-- The three personas of three_body press a key of the calculator, then claim that it is done.
local function personas()
  local orders = 0
  return function(request)
    local who = play.persona(request)
    if who == "strategist" then return play.doctrine { { text = "The display shows 7", strategy = "DESKTOP" } } end
    if who == "tactician" then
      orders = orders + 1
      if orders == 1 then return play.orders("EXECUTION", { "click_element" }) end
      return play.orders("VERIFICATION", { "report_completion" })
    end
    local _, words = play.words(request)
    if play.tool(request, "click_element") and words:find 'toggle button "7"' then return play.click(request, "7") end
    return play.claim(("The display of the calculator shows 7, as the mission wants. "):rep(3))
  end
end

--- By name: source, words of the command line, `display` ("shared": one that outlives the run), `server` (a function
--- that answers), `stays` (the application that the run leaves on the display that goes on), `calls` (about how many
--- there are of each family of calls).
missions.all = {
  script = { source = 'mission.desktop = { kind = "private", size = { 400, 300 } }\n' .. desk_work,
    calls = { malloc = 112000, read = 1100, write = 170, send = 59, recv = 270, open = 1100, rename = 6, mkdir = 4,
      unlink = 19, truncate = 1, fsync = 12, connect = 6 } },
  live = { display = "shared", stays = "zenity", source = 'mission.desktop = { kind = "current" }\n' .. desk_work,
    calls = { malloc = 110000, read = 26, write = 160, send = 59, recv = 235, open = 16, rename = 6, mkdir = 4,
      unlink = 1, truncate = 1, fsync = 12, connect = 6 } },
  agent = { source = calculator .. 'mission.task = [[Click "7", then expect "7"]]\n', words = { "--model", "literal" },
    calls = { malloc = 157000, read = 960, write = 450, send = 360, recv = 900, open = 900, rename = 26, mkdir = 4,
      unlink = 20, truncate = 1, fsync = 9, connect = 7 } },
  server = { source = calculator .. 'mission.task = "Show a 7."\n', server = personas,
    words = { "--model", "qwen3-vl", "--set", "model.calls_per_minute=0", "--set", "model.retries=1" },
    calls = { malloc = 170000, read = 950, write = 580, send = 330, recv = 1080, open = 900, rename = 29, mkdir = 4,
      unlink = 20, truncate = 1, fsync = 9, connect = 8 } },
  browser = { source = 'mission.desktop = { kind = "private", size = { 800, 600 } }\n' .. browser_work,
    calls = { malloc = 133000, read = 1500, write = 100, send = 23, recv = 187, open = 1500, rename = 6, mkdir = 9,
      unlink = 188, truncate = 1, fsync = 12, connect = 3 } },
}

--- Those that take a second or two.
missions.quick = { "script", "live", "agent", "server" }

--- Writes a mission into a folder; the arguments of the program that run it there, and what ends its server.
---@param name string
---@param folder string
---@return string[] words, fun() stop
function missions.prepare(name, folder)
  local mission = assert(missions.all[name], name)
  assert(files.write(files.join(folder, "m.lua"), hooks .. mission.source .. "return mission\n"))
  local words = { "run", "m.lua", "--json", "--runs", "runs", table.unpack(mission.words or {}) }
  if not mission.server then return words, function() end end
  local server = model_server.start(mission.server())
  words[#words + 1], words[#words + 2] = "--endpoint", server.endpoint
  return words, function() server:stop() end
end

return missions
