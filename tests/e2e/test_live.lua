--- The live page of a run, driven in a real browser: the run is a process of its own with a private desktop and a
--- scripted model server; the page is open in a browser on another desktop.
local t = require "harness"
local browsing = require "browsing"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local raw_client = require "raw_client"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local terminal = require "terminal"

local tests = {}

t.time_limit(180) -- each has a run and a browser

local program = files.absolute(spawn.program)

local policy = [[
local persona = require "deskpilot.agent.persona"
return { api = 1, personas = { agent = {} }, turn = function(run)
  local box = persona.toolbox(run, { "press_key", "ask_user" })
  local reply, err = persona.ask(run, "agent", { system = "Press keys.", toolbox = box, tools = box:names(),
    acts = true, brief = { mission = true, history = true, screen = true, turn = true } })
  if run.outcome then return end
  local call = reply and reply.calls[1]
  if not call then return run:stop("error", tostring(err)) end
  run:act { tool = call.name, args = call.args, persona = "agent", toolbox = box }
end }]]

local mission = [[
return { task = "Press <b>keys</b> until you are told to stop.", policy = "stepper",
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  safety = { approve = { "close" } }, limits = { turns = 5000, seconds = %s },
  loop = { threshold = 1000000 }, timing = { settle_quiet = 0.05, settle_cap = 0.5 } }]]

-- What the model answers next; keys where nothing is planned.
local function scripted()
  local plan = {}
  plan.server = model_server.start(function()
    local call = table.remove(plan, 1)
    if call then return model_server.reply_tool(call[1], call[2]) end
    local reply = model_server.reply_tool("press_key", { key = "1", justification = "The task says so." })
    reply.delay = 0.1
    return reply
  end)
  return plan
end

local function run_folder(folder)
  local names = files.list(folder .. "/runs")
  return names and #names > 0 and folder .. "/runs/" .. names[#names] or nil
end

local function events_of(folder) return (journal.read(run_folder(folder))) or {} end

local function only(folder, name)
  local list = {}
  for _, event in ipairs(events_of(folder)) do
    if event.event == name then list[#list + 1] = event end
  end
  return list
end

local function start(folder, ...)
  local child = spawn.start({ program, ... }, { cwd = folder, env = { XDG_CONFIG_HOME = folder } })
  local url = t.wait_until("the address", function()
    return child.stderr:match "live: (%S+)" or child.status and error(child.stderr)
  end, 60)
  return child, url
end

local function make(folder, seconds)
  assert(files.make_folder(folder .. "/deskpilot/policies"))
  assert(files.write(folder .. "/deskpilot/policies/stepper.lua", policy))
  assert(files.write(folder .. "/m.lua", mission:format(seconds or 600)))
end

-- fn(place): a run under way with its page in a browser.
local function with_run(fn, seconds)
  local folder = spawn.folder()
  make(folder, seconds)
  local plan = scripted()
  local child, url
  local closing <close> = setmetatable({}, { __close = function()
    if child and not child.status then child:kill "sigkill" child:wait() end
    plan.server:stop()
    files.remove(folder)
  end })
  assert(closing)
  browsing.on_desktop(function(desk)
    child, url = start(folder, "run", "m.lua", "--runs", "runs", "--live", "--endpoint", plan.server.endpoint,
      "--model", "scripted")
    local tab = assert(desk.browser.start {}):tabs()[1]
    assert(tab:navigate(url))
    fn { tab = tab, desk = desk, folder = folder, plan = plan, child = child, url = url }
  end)
end

local function state(tab) return tab:evaluate "document.getElementById('state').textContent" end

local function wait_for_state(place, wanted, seconds)
  local last
  local ok = place.desk.wait_until(function()
    last = state(place.tab)
    return last == wanted
  end, { timeout = seconds or 20 })
  t.ok(ok, ("waited for %q; the page says %q, and %s"):format(wanted, tostring(last),
    tostring(place.tab:evaluate "document.getElementById('words').textContent")))
end

-- A real click in the middle of what the page has there, or at those shares of its width and height.
local function click(place, selector, x, y)
  local at, view
  t.wait_until(selector .. " in sight", function() -- a busy browser may be scrolling
    at = place.tab:evaluate(("{ const one = document.querySelector(%s), box = one.getBoundingClientRect(); "
      .. "const x = box.x + box.width * %g, y = box.y + box.height * %g; "
      .. "document.elementFromPoint(x, y) === one ? [x, y] : null }"):format(json.encode(selector), x or 0.5, y or 0.5))
    local page = place.tab:observe {}
    view = page and page.viewport
    return at and view and view.y >= 0
  end, 20)
  t.ok(place.desk.mouse.click { view.x + at[1] // 1, view.y + at[2] // 1 })
end

-- The same of a button that can be pressed.
local function press(place, selector)
  local found = place.desk.wait_until(function()
    return place.tab:evaluate(("{ const b = document.querySelector(%s); b && !b.disabled }"):format(
      json.encode(selector)))
  end, { timeout = 20 })
  t.ok(found, selector .. " can be pressed")
  click(place, selector)
end

local function order(name) return ("[data-order=%s]"):format(name) end

local function acts(place) return #only(place.folder, "action_result") end

local function wait_for_acts(place, count)
  t.wait_until(count .. " acts", function() return acts(place) >= count end, 30)
end

local function pause(place)
  press(place, order "pause")
  wait_for_state(place, "paused")
end

function tests.pause_step_and_stop()
  with_run(function(place)
    wait_for_acts(place, 2)
    local before = acts(place)
    press(place, order "pause")
    wait_for_state(place, "paused")
    local held = acts(place)
    t.ok(held - before <= 4, "it was held within a step of the click")
    task.sleep(1.5)
    t.eq(acts(place), held, "nothing is done while it is held")
    local turns = place.tab:evaluate "document.querySelectorAll('#turns section').length"
    t.ok(turns >= held, "the page has its turns")
    t.eq(place.tab:evaluate "document.querySelector('h1').textContent", "Press <b>keys</b> until you are told to stop.")
    for step = 1, 2 do
      press(place, order "step")
      wait_for_acts(place, held + step)
      wait_for_state(place, "paused")
      task.sleep(0.5)
      t.eq(acts(place), held + step, "one step is one act")
    end
    t.ok(place.desk.wait_until(function()
      return place.tab:evaluate "[...document.querySelectorAll('#turns img')].some(i => i.naturalWidth > 0)"
    end, { timeout = 20 }), "its pictures are there")
    press(place, order "go")
    wait_for_state(place, "running")
    wait_for_acts(place, held + 5)
    -- A reload of the page loses nothing.
    pause(place)
    place.tab:reload()
    wait_for_state(place, "paused")
    t.ok(place.tab:evaluate "document.querySelectorAll('#turns section').length" >= held + 5)
    press(place, order "stop")
    wait_for_state(place, "over")
    place.child:wait()
    t.eq(place.child.status, 130, place.child.stderr)
    local ends = only(place.folder, "run_end")
    t.eq({ ends[1].status, ends[1].reason }, { "interrupted", "stopped by the live page" })
    local whats = {}
    for _, event in ipairs(only(place.folder, "control")) do whats[#whats + 1] = event.what end
    t.eq(table.concat(whats, ", "), "paused, one step, paused, one step, paused, goes on, paused")
  end)
end

-- What a person decides is done, and nothing else.
function tests.answer_approve_and_refuse()
  with_run(function(place)
    wait_for_acts(place, 1)
    pause(place)
    table.insert(place.plan, { "ask_user", { question = "Which <i>number</i>?", options = { "seven", "eight" } } })
    table.insert(place.plan, { "ask_user", { question = "What is its name?" } })
    table.insert(place.plan, { "press_key", { key = "ctrl+q", justification = "It is done." } })
    table.insert(place.plan, { "press_key", { key = "ctrl+q", justification = "It is done." } })
    press(place, order "go")
    wait_for_state(place, "asks")
    t.eq(place.tab:evaluate "document.querySelector('#ask p').textContent", "Which <i>number</i>?")
    press(place, "#ask [data-answer=eight]")
    t.ok(place.desk.wait_until(function()
      return place.tab:evaluate "{ const p = document.querySelector('#ask p'); p ? p.textContent : '' }"
        == "What is its name?"
    end, { timeout = 20 }))
    click(place, "#answer")
    place.desk.keyboard.type "Größe"
    place.desk.keyboard.press "enter"
    t.ok(place.desk.wait_until(function()
      local words = place.tab:evaluate "{ const p = document.querySelector('#ask p'); p ? p.textContent : '' }"
      return words and words:find("ctrl+q", 1, true)
    end, { timeout = 20 }), "it is asked whether the window may be closed")
    t.eq(place.tab:evaluate "document.querySelector('#ask [data-answer=no]').textContent", "refuse")
    press(place, "#ask [data-answer=no]")
    t.wait_until("the refusal", function() return #only(place.folder, "answer") == 3 end)
    local refused = t.wait_until("what came of it", function()
      for _, event in ipairs(only(place.folder, "action_result")) do
        if event.args.key == "ctrl+q" then return event end
      end
    end)
    t.eq(refused.ok, false)
    t.has(refused.text, "a person does not allow this")
    t.ok(place.desk.wait_until(function()
      return place.tab:evaluate "document.getElementById('ask').dataset.id" == "4"
    end, { timeout = 20 }), "it is asked again")
    press(place, "#ask [data-answer=yes]")
    t.wait_until("the act", function()
      for _, event in ipairs(only(place.folder, "action_result")) do
        if event.args.key == "ctrl+q" and event.ok then return true end
      end
    end, 30)
    local answers = {}
    for i, event in ipairs(only(place.folder, "answer")) do answers[i] = event.answer end
    t.eq({ table.unpack(answers, 1, 4) }, { "eight", "Größe", "no", "yes" })
    wait_for_state(place, "running") -- what it asked is gone from the page
    press(place, order "stop")
    place.child:wait()
  end)
end

-- The agent waits, sees that a person was there, and does not do what it had chosen before.
function tests.take_over_and_give_back()
  with_run(function(place)
    wait_for_acts(place, 2)
    press(place, order "take")
    wait_for_state(place, "yours")
    local held = acts(place)
    t.ok(place.desk.wait_until(function()
      return place.tab:evaluate "{ const i = document.querySelector('#view img'); i ? i.naturalWidth : 0 }" == 800
    end, { timeout = 20 }), "the desktop is shown")
    task.sleep(5) -- longer than the run's own limit leaves: a person's time is not the run's
    t.eq(acts(place), held)
    click(place, "#view img", 0.4, 0.32) -- the calculator's display
    t.wait_until("the person's click", function()
      return place.tab:evaluate "document.activeElement.alt" == "the desktop"
    end)
    place.desk.keyboard.press "ctrl+q" -- closes the calculator, without being asked: it is the person's
    t.wait_until("the calculator has gone", function()
      local middle = place.tab:evaluate [[{ const i = document.querySelector("#view img");
        const c = document.createElement("canvas"); c.width = i.naturalWidth; c.height = i.naturalHeight;
        const g = c.getContext("2d"); g.drawImage(i, 0, 0); [...g.getImageData(400, 300, 1, 1).data].join() }]]
      return middle == "0,0,0,255"
    end, 30)
    press(place, order "go")
    wait_for_state(place, "running")
    wait_for_acts(place, held + 2)
    local given = {}
    for _, event in ipairs(only(place.folder, "control")) do given[event.what] = event end
    t.ok(given["given back"].seconds >= 5, t.show(given["given back"]))
    t.has(given["given back"].text, 'windows that went: "galculator"')
    local told, requests = false, run_folder(place.folder) .. "/requests/"
    for _, name in ipairs(files.list(requests)) do
      told = told or (files.read(requests .. name) or ""):find("a person took over the desktop for", 1, true) ~= nil
    end
    t.ok(told, "the model was told")
    press(place, order "stop")
    place.child:wait()
  end, 600)
end

-- A page that is open goes on with the run that takes over from the one that was killed.
function tests.it_survives_a_restart_by_resume()
  with_run(function(place)
    wait_for_acts(place, 2)
    pause(place)
    local first = run_folder(place.folder)
    place.child:kill "sigkill"
    place.child:wait()
    local child, url = start(place.folder, "resume", first, "--live")
    place.child = child
    t.eq(url, place.url, "the same address")
    t.ok(place.desk.wait_until(function()
      local run = place.tab:evaluate "document.getElementById('live').dataset.run"
      return run and run ~= first:match "[^/]*$" and state(place.tab) == "running"
    end, { timeout = 60 }), "the page shows the new run")
    press(place, order "stop")
    child:wait()
    t.eq(child.status, 130, child.stderr)
  end)
end

local function ask(url, lines, body)
  local host, port, path = url:match "^http://([%d.]+):(%d+)(/.*)$"
  local head = { ("%s %s HTTP/1.1"):format(body and "POST" or "GET", lines.path or path .. (lines.below or "")),
    "Host: " .. (lines.host or host .. ":" .. port), "Connection: close" }
  for _, line in ipairs(lines) do head[#head + 1] = line end
  if body then head[#head + 1] = "Content-Length: " .. #body end
  local answer = raw_client.talk(tonumber(port), table.concat(head, "\r\n") .. "\r\n\r\n" .. (body or ""))
  return tonumber(answer:match "^HTTP/1.1 (%d+)"), answer
end

-- Without the token, from another site, by another name: nothing is told and nothing is done.
function tests.strangers_get_nothing()
  with_run(function(place)
    wait_for_acts(place, 1)
    local url = place.url
    local function status(lines, body) return (ask(url, lines, body)) end
    local own = "Origin: " .. url:match "^http://[^/]+"
    local type_ = "Content-Type: application/json"
    local wrong, words = ask(url, { path = "/" .. ("0"):rep(48) .. "/" })
    t.eq(wrong, 403)
    t.has(words, "This address is not the run's")
    t.ok(not words:find("keys", 1, true))
    for _, path in ipairs { "/", "/events", "/order", "/screenshots/step_0001.png", "/favicon.ico" } do
      t.eq(status { path = path }, 403, path)
    end
    t.eq(status { host = "evil.example:80" }, 421, "another name")
    t.eq(status({ below = "order", type_ }, '{"order":"stop"}'), 403, "no origin")
    t.eq(status({ below = "order", type_, "Origin: http://evil.example" }, '{"order":"stop"}'), 403, "another origin")
    t.eq(status({ below = "order", own, "Content-Type: text/plain" }, '{"order":"stop"}'), 415, "what a form can send")
    t.eq(status({ below = "order", own, type_ }, '{"order":"dance"}'), 400)
    t.eq(status({ below = "order", own, type_ }, "nonsense"), 400)
    t.eq(status({ below = "order", own, type_ }, '{"answer":"yes","id":1}'), 409, "nothing was asked")
    t.eq(status({ below = "order", own, type_ }, '{"act":"click","x":0.5,"y":0.5}'), 409, "the desktop is the agent's")
    t.eq(status { below = "screen" }, 409)
    t.eq(status { below = "mission.lua" }, 404, "only pictures and requests")
    t.eq(status { below = "live.json" }, 404)
    t.eq(status { below = "screenshots/..%2f..%2fmission.lua" }, 400)
    local ok, page = ask(url, {})
    t.eq(ok, 200)
    for _, header in ipairs { "X-Frame-Options: DENY", "frame-ancestors 'none'", "Referrer-Policy: no-referrer" } do
      t.has(page, header)
    end
    t.ok(not page:lower():find "set%-cookie")
    t.eq(state(place.tab), "running", "nobody has stopped it")
    local shown = spawn.run { program, "live", run_folder(place.folder) }
    t.eq({ shown.status, shown.stdout }, { 0, url .. "\n" }, "who may read the run's folder finds the address")
    if t.platform == "linux" then
      local mode = require "luv".fs_stat(run_folder(place.folder) .. "/live.json").mode & 511
      t.eq(mode, 384, "0600")
    end
  end)
end

-- A letter and Enter; while something is asked, what is typed is the answer.
function tests.by_keys()
  local folder = spawn.folder()
  make(folder)
  local plan = scripted()
  local term = terminal.start({ program, "run", "m.lua", "--runs", "runs", "--live", "--endpoint", plan.server.endpoint,
    "--model", "scripted" }, { cwd = folder, columns = 110, env = { XDG_CONFIG_HOME = folder } })
  local closing <close> = setmetatable({}, { __close = function()
    term:stop()
    plan.server:stop()
    files.remove(folder)
  end })
  assert(closing)
  term:wait_for "keys, each with Enter: p pause"
  t.wait_until("two acts", function() return run_folder(folder) and #only(folder, "action_result") >= 2 end, 60)
  local function controlled(count)
    t.wait_until(count .. " orders", function() return #only(folder, "control") >= count end, 30)
    return only(folder, "control")[count]
  end
  term:line "p"
  t.eq({ controlled(1).what, controlled(1).by }, { "paused", "the terminal" })
  local held = #only(folder, "action_result")
  term:line "s"
  controlled(3)
  t.eq(#only(folder, "action_result"), held + 1)
  table.insert(plan, { "ask_user", { question = "Go on?" } })
  term:line "g"
  term:wait_for "? Go on?"
  term:line "p" -- an answer
  t.wait_until("the answer", function() return #only(folder, "answer") == 1 end, 30)
  t.eq(only(folder, "answer")[1].answer, "p")
  term:line "t"
  t.eq(controlled(5).what, "taken over")
  term:line "q"
  term:wait_for "status 130"
  term:wait_for "terminal sane"
end

-- A run of another process that was not started with --live is watched.
function tests.another_processes_run_is_watched()
  local folder = spawn.folder()
  make(folder)
  local plan = scripted()
  browsing.on_desktop(function(desk)
    local child = spawn.start({ program, "run", "m.lua", "--runs", "runs", "--endpoint", plan.server.endpoint,
      "--model", "scripted" }, { cwd = folder, env = { XDG_CONFIG_HOME = folder } })
    t.wait_until("two acts", function() return run_folder(folder) and #only(folder, "action_result") >= 2 end, 60)
    local watcher = spawn.start({ program, "live", run_folder(folder) }, {})
    local url = t.wait_until("its address", function() return watcher.stdout:match "(http://%S+)\n" end, 30)
    local tab = assert(desk.browser.start {}):tabs()[1]
    assert(tab:navigate(url))
    local place = { tab = tab, desk = desk }
    wait_for_state(place, "watching")
    local before = tab:evaluate "document.querySelectorAll('#turns section').length"
    t.ok(desk.wait_until(function()
      return tab:evaluate "document.querySelectorAll('#turns section').length" >= before + 3
    end, { timeout = 30 }), "what is new comes")
    t.eq(tab:evaluate "[...document.querySelectorAll('[data-order]')].every(b => b.disabled)", true)
    child:kill "sigint"
    child:wait()
    wait_for_state(place, "over")
    t.eq(watcher:wait().status, 0, watcher.stderr)
    t.eq(spawn.run({ program, "live", run_folder(folder) }).status, 1, "it is over")
  end)
  plan.server:stop()
  files.remove(folder)
end

return tests
