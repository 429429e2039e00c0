--- Plays the model of the policy `manager` as a real HTTP server: who is asked is known by the tools of the request,
--- and a test says what each of them answers.
local t = require "harness"
local client = require "deskpilot.model.client"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local null_run = require "null_run"
local report = require "deskpilot.cli.commands.report"
local told = require "told"

local manager_play = {}

local function offers(request, name)
  for _, tool in ipairs(request.tools or {}) do
    if tool["function"].name == name then return tool["function"] end
  end
end

--- The definition of a tool that a request offers, or nil.
manager_play.tool = offers

--- Who is asked.
function manager_play.persona(request)
  if offers(request, "write_plan") then return "manager" end
  if offers(request, "judge") then return "evaluator" end
  if offers(request, "report_missing") then return "analyst" end
  if offers(request, "memorize") then return "operator" end
  return offers(request, "run_command") and "technician" or "nobody"
end

--- The names of the tools that a request offers, sorted.
function manager_play.tools(request)
  local names = {}
  for i, tool in ipairs(request.tools or {}) do names[i] = tool["function"].name end
  table.sort(names)
  return table.concat(names, " ")
end

--- How many pictures went along.
function manager_play.pictures(request)
  local count = 0
  for _, message in ipairs(request.messages) do
    for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
      if part.type ~= "text" then count = count + 1 end
    end
  end
  return count
end

--- All that a request says.
function manager_play.words(request)
  return request.messages[1].content .. "\n" .. told.words(request)
end

--- A subtask as the Manager writes it; what a test does not care for is filled in.
function manager_play.subtask(role, title, more)
  local made = { title = title, role = role, intent = title .. ", with all that belongs to it",
    completion = "It is so.", needs = json.list {}, gives = json.list {} }
  for key, value in pairs(more or {}) do
    made[key] = type(value) == "table" and json.list(value) or value
  end
  return made
end

--- An answer of the Manager's.
function manager_play.plan(...)
  return model_server.reply_tool("write_plan", { reason = "This is what the screen shows to be left.",
    subtasks = json.list { ... } })
end

--- An answer of the Evaluator's.
function manager_play.judge(answer, decision, more)
  local args = { evidence = "The words on the screen say so: \"42\".", answer = answer, decision = decision }
  for key, value in pairs(more or {}) do args[key] = value end
  return model_server.reply_tool("judge", args)
end

--- The Evaluator who believes everything.
function manager_play.yes() return manager_play.judge("yes", "done") end

--- A call of any tool.
function manager_play.call(name, args)
  return model_server.reply_tool(name, args)
end

--- An answer that ends a subtask.
function manager_play.done(result)
  return model_server.reply_tool("subtask_done", { result = result or "All of it is there." })
end

--- An action that changes nothing.
function manager_play.wait(seconds)
  return model_server.reply_tool("wait", { justification = "It takes a moment.", seconds = seconds or 0.1 })
end

--- What answers a request: script[persona](request, n), n counting the requests to that persona.
function manager_play.answerer(script)
  local counts = {}
  return function(request)
    local who = manager_play.persona(request)
    counts[who] = (counts[who] or 0) + 1
    local answer = script[who]
    return answer and answer(request, counts[who]) or { status = 500, body = who .. " was not expected" }
  end
end

local Played = {}
Played.__index = Played

--- The states that were gone through, each that follows another one.
function Played:states()
  local names = {}
  for _, event in ipairs(null_run.only(self.events, "phase_change")) do
    t.eq(event.from, names[#names] or "START", "each state is left from where it was entered")
    names[#names + 1] = event.to
  end
  return table.concat(names, " ")
end

--- The requests to a persona.
function Played:asked(who)
  local list = {}
  for _, request in ipairs(self.requests) do
    if manager_play.persona(request) == who then list[#list + 1] = request end
  end
  return list
end

--- The events of a kind.
function Played:only(name) return null_run.only(self.events, name) end

--- The subtask of that id as it was left.
function Played:subtask(id)
  for _, subtask in ipairs(self.run.state.plan) do
    if subtask.id == id then return subtask end
  end
end

--- That a run has ended so, in the state FAILED, and that its report shows why.
function manager_play.ends(played, status, reason)
  t.eq(played.run.outcome.status, status, played.run.outcome.reason)
  t.has(played.run.outcome.reason, reason)
  t.ok(played:states():find(" FAILED$"), played:states())
  local page = report.html(played.events, "run")
  t.has(page, "-&gt; FAILED")
  t.has(page, (played.run.outcome.reason:match("^[^\n\"'<>&]*")))
  for _, name in ipairs { "plan", "evaluation" } do
    if #played:only(name) > 0 then t.has(page, name == "plan" and ">plan</b>" or ">evaluated ") end
  end
end

--- A plan of one subtask, an Operator's.
function manager_play.one_operator()
  return manager_play.plan(manager_play.subtask("operator", "Write the total into the note"))
end

--- A plan of three roles one after the other, as the questions of a form take them.
function manager_play.pipeline()
  local subtask = manager_play.subtask
  return manager_play.plan(
    subtask("operator", "Gather the questions", { gives = { "questions" } }),
    subtask("analyst", "Answer the questions", { needs = { "questions" }, gives = { "answers" } }),
    subtask("operator", "Fill in the answers", { needs = { "answers" } }))
end

--- Runs a mission on the imagined desktop.
---@param script table<string, function> by persona: function(request, n) -> a reply
---@param mission table? fields of it
---@param options { flags: table?, past: deskpilot.past?, lenient: boolean?, keep: boolean? }?
function manager_play.play(script, mission, options)
  options = options or {}
  local server = model_server.start(manager_play.answerer(script))
  server.lenient = options.lenient
  local whole = { task = "Work out the total.", policy = "manager", timing = { verify = 0.1 },
    limits = { turns = 400, seconds = 200 }, model = { calls_per_minute = 0 } }
  for key, value in pairs(mission or {}) do whole[key] = value end
  local run, events = null_run.play(whole, { flags = options.flags, past = options.past, keep = options.keep,
    client = assert(client.new { endpoint = server.endpoint, model = "scripted", retries = 0 }) })
  server:stop()
  if not options.lenient then t.eq(server:problems(), "", "every request is what a strict server takes") end
  local played = setmetatable({ run = run, events = events, requests = {}, bodies = {} }, Played)
  for i, entry in ipairs(server.requests) do played.requests[i], played.bodies[i] = entry.json, entry.body end
  return played
end

--- An Operator's call that keeps these items.
---@param list table[]
function manager_play.memorize(list) return manager_play.call("memorize", { items = json.list(list) }) end

--- An Operator that memorizes them, then says that it is done.
---@param list table[]
function manager_play.gatherer(list)
  return function(_, n) return n == 1 and manager_play.memorize(list) or manager_play.done() end
end

--- A question with all that an Analyst needs, and its answer.
manager_play.item = { name = "q1", question = "What is 5 plus 6?", data = "A 10\nB 11", guidance = "one letter" }

--- An Analyst's call that answers it.
function manager_play.answer()
  return manager_play.call("answer", { answers = json.list { { item = "q1", how = "11 is B", answer = "B" } } })
end

return manager_play
