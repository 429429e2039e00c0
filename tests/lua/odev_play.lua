--- Runs missions with the policy `odev` and a planner and a vision model that a test scripts, over HTTP, and gives
--- back what the run left: its result, its journal, what was asked, and what the desktop's own applications say.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"

local odev_play = {}

--- Who is asked: the persona's tool says it.
function odev_play.persona(request)
  local name = request.tools and request.tools[1]["function"].name
  return name == "plan" and "planner" or name == "correct" and "vision" or "nobody"
end

--- What the request says in words.
function odev_play.words(request)
  return told.words(request)
end

--- Whether a picture went along.
function odev_play.has_picture(request)
  for _, part in ipairs(request.messages[2].content) do
    if part.type == "image_url" then return true end
  end
  return false
end

--- An answer of the planner's; the fields that a test does not care for are filled in.
function odev_play.plan(fields)
  return model_server.reply_tool("plan", {
    rationale = fields.rationale or "The state shows that this is the next step.", actions = fields.actions,
    anchor = fields.anchor or json.decode("{}"), success_indicators = json.list(fields.indicators or {}),
    completes_goal = fields.completes_goal or false })
end

--- An answer of the vision persona's.
function odev_play.correct(tool, args)
  local rationale = "The picture shows what is in the way."
  return model_server.reply_tool("correct", { rationale = rationale, tool = tool, args = args })
end

--- The index of the page's element that is listed with that role and name, or nil.
function odev_play.index(request, role, name)
  local pattern = "\n%[(%d+)%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '"'
  return math.tointeger(tonumber(odev_play.words(request):match(pattern)))
end

--- Where the desktop's element stands that is listed with that role and name, or nil.
function odev_play.place(request, role, name)
  local x, y = odev_play.words(request):match("%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '" %[(%d+),(%d+)%]')
  return x and { tonumber(x), tonumber(y) }
end

--- Of a mission: an editor with a file, on a desktop of its own, which is to be given the word hello and saved.
odev_play.editor = [[
task = "Write hello into the note and save it.",
desktop = { kind = "private", size = { 900, 600 },
  apps = { { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
before_run = function(m)
  assert(m.desk.wait_for_window { title = "note.txt", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { role = "text", text = "first", timeout = 30 })
end,
verify = function()
  local file = io.open(FOLDER .. "/note.txt", "rb")
  local words = file and file:read("a") or ""
  if file then file:close() end
  return words:find("hello", 1, true) ~= nil, "the note says " .. words
end,
]]

--- What is to be done before it.
---@param folder string
function odev_play.empty_note(folder)
  assert(files.write(folder .. "/note.txt", "first\n"))
end

--- Of a mission: a form that is told of as elements.
odev_play.question = [[
task = "Answer the question.",
desktop = { kind = "private", size = { 700, 500 }, apps = { { "zenity", "--forms", "--title", "Survey", "--text",
  "Say something", "--add-entry", "Answer" } } },
before_run = function(m)
  assert(m.desk.wait_for_window { title = "Survey", active = true, timeout = 30 })
  assert(m.desk.wait_for_element { name = "OK", timeout = 30 })
end,
]]

---@class odev_played
---@field result table result.json
---@field events table[]
---@field requests table[] of the model server, in order
---@field bodies string[] of the same, as they came
---@field folder string the mission's, which the caller removes by played:close()

local Played = {}
Played.__index = Played

function Played:close()
  files.remove(self.folder)
end

--- The states that were gone through, each turn's from OBSERVE on: "OBSERVE DECIDE EXECUTE VERIFY OBSERVE ...".
function Played:states()
  local names = {}
  for _, event in ipairs(self.events) do
    if event.event == "phase_change" then
      t.eq(event.from, names[#names] or "START", "each state is left from where it was entered")
      names[#names + 1] = event.to
    end
  end
  return table.concat(names, " ")
end

--- The why of the nth change to that state.
function Played:why(state, n)
  local count = 0
  for _, event in ipairs(self.events) do
    if event.event == "phase_change" and event.to == state then
      count = count + 1
      if count == (n or 1) then return event.why end
    end
  end
end

--- The results of the actions, of one tool's alone if it is named.
function Played:actions(tool)
  local list = {}
  for _, event in ipairs(self.events) do
    if event.event == "action_result" and (not tool or event.tool == tool) then list[#list + 1] = event end
  end
  return list
end

--- The requests to that persona.
function Played:asked(who)
  local list = {}
  for _, request in ipairs(self.requests) do
    if odev_play.persona(request) == who then list[#list + 1] = request end
  end
  return list
end

--- Plays a mission: the fields of its table as Lua source, in which FOLDER is its folder.
---@param script { mission: string, planner: function, vision: function?, flags: string[]?, before: function? }
---   planner and vision: function(request, n, folder) -> a reply
---@return odev_played
function odev_play.play(script)
  local folder, counts = spawn.folder(), {}
  local self = setmetatable({ folder = folder, requests = {}, bodies = {}, events = {} }, Played)
  local server = model_server.start(function(request)
    local who = odev_play.persona(request)
    counts[who] = (counts[who] or 0) + 1
    local answer = script[who]
    return answer and answer(request, counts[who], folder) or { status = 500, body = who .. " was not expected" }
  end)
  if script.before then script.before(folder) end
  local path = files.join(folder, "m.lua")
  assert(files.write(path, "local FOLDER = " .. ("%q"):format(folder) .. "\nreturn {\n" .. script.mission
    .. '\nlimits = { turns = 60, seconds = 90 },\n}\n'))
  local argv = { spawn.program, "run", path, "--json", "--runs", folder .. "/runs", "--endpoint", server.endpoint,
    "--model", "qwen3-vl", "--policy", "odev", "--set", "model.calls_per_minute=0", "--set", "model.retries=0",
    "--set", "timing.verify=5", "--set", "odev.verify_seconds=10", "--set", "odev.read_screen=false" }
  table.move(script.flags or {}, 1, #(script.flags or {}), #argv + 1, argv)
  local child = spawn.run(argv, { cwd = folder })
  server:stop()
  self.child, self.result = child, json.decode(child.stdout) or {}
  self.events = journal.read(self.result.run_dir or "") or {}
  for _, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    self.requests[#self.requests + 1] = entry.json
    self.bodies[#self.bodies + 1] = entry.body
  end
  t.ok(self.result.status, child.stderr)
  if self.result.task_result then t.eq(self.result.task_result.status, self.result.status) end
  return self
end

-- --- several goals in one browser ----------------------------------------------------------------------------

-- What a page tells the server arrives, even if the page is left at once.
local reply_page = '<!DOCTYPE html><meta charset="utf-8">'
  .. "<script>{ const send = fetch; window.fetch = path => send(path, { keepalive: true }) }</script>"

-- A server of pages: /NAME is the page of the goal of that name; whatever else is asked for is thanked for.
local function serve(goals)
  local server = model_server.start(function(_, _, request)
    local name = request.path:match("^/([%w_]*)")
    local goal = goals[name]
    local page = goal and goal.page or "<title>Done</title><p>Thank you</p>"
    -- Links lead to a page that takes its time: what is done meanwhile would be done on the page before.
    return { delay = name == "target" and 1 or nil, body = reply_page .. page,
      headers = { ["Content-Type"] = "text/html", ["Cache-Control"] = "no-store" } }
  end)
  server.lenient = true
  -- What was asked for below a path, in order.
  function server:paths(start)
    local list = {}
    for _, request in ipairs(self.requests) do
      if request.path:sub(1, #start) == start then list[#list + 1] = request.path end
    end
    return list
  end
  return server
end

local series_mission = [[
run = function(m)
  local json = require "deskpilot.base.json"
  local browser = assert(m.desk.browser.start {})
  for _, name in ipairs(NAMES) do
    assert(browser:tab():navigate(SITE .. "/" .. name))
    local ok, reason, result = m:achieve("GOAL " .. name, { policy = "odev", indicators = INDICATORS[name],
      accept_claims = true })
    m:note("PART " .. json.encode { name = name, ok = ok, reason = reason, result = result })
  end
end,
desktop = { kind = "private", size = { 1000, 700 } },
-- A key reaches the page when the browser gets to it, and the next look goes another way: what the key is to make is
-- waited for.
after_action = function(m, action)
  local shown = action.tool == "press_key" and SHOWS[action.args.key]
  if shown then assert(m.desk.browser.current():tab():wait_for { text = shown, timeout = 20 }) end
end,
]]

-- The goal that a request is about.
local function goal_of(request)
  return odev_play.words(request):match("GOAL:\nGOAL ([%w_]+)")
end

-- The part of the journal that belongs to each goal, with what came of it.
local function parts_of(played)
  local parts, events = {}, {}
  for _, event in ipairs(played.events) do
    local said = event.event == "note" and event.message:match("^PART (.*)")
    if said then
      local part = setmetatable(json.decode(said), Played)
      part.events, part.requests = events, {}
      for _, request in ipairs(played.requests) do
        if goal_of(request) == part.name then table.insert(part.requests, request) end
      end
      parts[part.name], events = part, {}
    elseif event.event ~= "run_start" then
      events[#events + 1] = event
    end
  end
  return parts
end

--- Works on several goals, each on a page of its own, in one browser on one desktop.
---@param goals table<string, { page: string, planner: function, vision: function?, indicators: string[]?,
---  shows: table<string, string>?, check: function }> check(part, server): what became of it, and the server of the
---  pages; shows: what the page says after a key
---@param flags string[]?
function odev_play.series(goals, flags)
  local server, names, indicators, shows = serve(goals), {}, {}, {}
  for name, goal in pairs(goals) do
    names[#names + 1] = ("%q"):format(name)
    local quoted = {}
    for i, words in ipairs(goal.indicators or {}) do quoted[i] = ("%q"):format(words) end
    for key, words in pairs(goal.shows or {}) do shows[#shows + 1] = ("[%q] = %q"):format(key, words) end
    if goal.indicators then
      indicators[#indicators + 1] = ("%s = { %s }"):format(name, table.concat(quoted, ", "))
    end
  end
  table.sort(names)
  local counts = {}
  local function answer(who)
    return function(request)
      local name = goal_of(request)
      local script = goals[name] and goals[name][who]
      local key = tostring(name) .. who
      counts[key] = (counts[key] or 0) + 1
      return script and script(request, counts[key]) or { status = 500, body = who .. " was not expected" }
    end
  end
  local played = odev_play.play { planner = answer "planner", vision = answer "vision", flags = flags,
    mission = series_mission:gsub("%u+", { NAMES = "{ " .. table.concat(names, ", ") .. " }",
      INDICATORS = "({ " .. table.concat(indicators, ", ") .. " })", SITE = ("%q"):format(server.origin),
      SHOWS = "({ " .. table.concat(shows, ", ") .. " })" }) }
  server:stop()
  t.eq(played.result.status, "succeeded", tostring(played.result.reason) .. played.child.stderr)
  local parts = parts_of(played)
  for name, goal in pairs(goals) do
    if t.ok(parts[name], "the goal " .. name .. " was worked on: " .. played.child.stderr) then
      goal.check(parts[name], server)
    end
  end
  played:close()
end

return odev_play
