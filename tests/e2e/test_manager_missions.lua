--- Missions of the policy manager, end to end: the real program, a real browser and a real terminal on a private
--- desktop, with a scripted model over HTTP that goes by what its requests say, and with the embedded `literal`. Judged
--- by what the quiz and the terminal have written down themselves.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "manager_play"
local spawn = require "spawn"
local told = require "told"

local tests = {}

-- Runs a mission that ships, with nothing but the program, from a temporary folder of its own.
local function run(mission, script, ...)
  local folder = spawn.folder()
  local server = script and model_server.start(play.answerer(script))
  local model = server and { "--endpoint", server.endpoint, "--model", "qwen3-vl" } or { "--model", "literal" }
  local child = spawn.run({ files.absolute(spawn.program), "run", mission, "--json", "--set",
    "model.calls_per_minute=0", "--policy", "manager", model[1], model[2], model[3], model[4], ... },
    { cwd = folder, env = { TMPDIR = folder } })
  if server then
    server:stop()
    t.eq(server:problems(), "", "every request is what a strict server takes")
  end
  local result = json.decode(child.stdout) or {}
  t.eq({ child.status, result.status }, { 0, "succeeded" }, tostring(result.reason) .. "\n" .. child.stderr)
  t.eq(child:left(), {}, "processes left behind")
  result.run_dir = files.join(folder, result.run_dir or "")
  return result, folder, server and server.requests or {}
end

-- The states that a run went through.
local function states(result)
  local names = {}
  for _, event in ipairs(journal.read(result.run_dir) or {}) do
    if event.event == "phase_change" then names[#names + 1] = event.to end
  end
  return table.concat(names, " ")
end

local function index(request, role, name)
  local found = told.words(request):match("\n%[(%d+)%] " .. role .. ' "' .. name:gsub("%p", "%%%0") .. '"')
  return math.tointeger(tonumber(found))
end

local because = "It is the next thing that the subtask wants, and the screen shows it."

local function browser(tool, args)
  args.justification = because
  return play.call(tool, args)
end

-- --- the quiz -----------------------------------------------------------------------------------------------

local function plan_quiz()
  return play.plan(play.subtask("operator", "Gather the six questions", { gives = { "questions" } }),
    play.subtask("analyst", "Answer the six questions", { needs = { "questions" }, gives = { "answers" } }),
    play.subtask("operator", "Fill in the answer sheet and hand it in", { needs = { "answers" } }))
end

-- The questions of the page in front, with the fees that stand above them.
local function items_of(words)
  local list, fees = json.list {}, {}
  for fee in words:gmatch "Fee: (%a+; [%d.]+)" do fees[#fees + 1] = fee end
  for number, question, how in words:gmatch "Question (%d): ([^\n]-) %(Answer: ([^\n]-)%)" do
    list[#list + 1] = { name = "q" .. number, question = question, guidance = how,
      data = #fees > 0 and "Boat; Fee\n" .. table.concat(fees, "\n") or "in the question" }
  end
  return list
end

local function gather(request)
  local words = told.words(request)
  if words:find("${q6}", 1, true) then return play.done "All six questions are memorized." end
  if words:find("page two", 1, true) or not words:find("${q1}", 1, true) then
    return play.call("memorize", { items = items_of(words) })
  end
  return browser("browser_click", { index = index(request, "link", "Next page") })
end

local function apply(request)
  local words = told.words(request)
  if words:find("You have %d of 6") then return play.done "The sheet is handed in." end
  local link = index(request, "link", "Answer sheet")
  if link then return browser("browser_click", { index = link }) end
  local answers = words:match "%${answers} = ([^\n]*)"
  for i = 1, 6 do
    local line = words:match("\n(%[%d+%] textbox \"Answer " .. i .. '"[^\n]*)')
    local answer = answers:match("q" .. i .. ": (%S+)")
    if not line:find(answer, 1, true) then
      return browser("browser_type", { index = index(request, "textbox", "Answer " .. i), text = answer })
    end
  end
  return browser("browser_click", { index = index(request, "button", "Hand in") })
end

-- What a question takes to be answered.
local function expression(question, data)
  local count, price = question:match "What do (%d+) notebooks cost, at ([%d.]+)"
  if count then return ("%s * %s"):format(count, price) end
  local from, to = question:match "days are there from (%S+) to (%S+)%?"
  if from then return ("days(%s, %s)"):format(from, to) end
  local day = question:match "day of the week is (%S+)%?"
  if day then return ("weekday(%s)"):format(day) end
  local boat, fees = question:match "the fees of the (%a+)", {}
  for name, fee in data:gmatch "(%a+); ([%d.]+)" do
    if not boat or name == boat then fees[#fees + 1] = fee end
  end
  local fn = question:find "sum" and "sum" or question:find "mean" and "mean" or "max"
  return ("%s(%s)"):format(fn, table.concat(fees, ", "))
end

-- The items as the Analyst is told of them.
local function gathered(words)
  local items, item = {}, nil
  for line in words:gmatch "[^\n]+" do
    local name = line:match "^%d+%. (q%d)$"
    if name then
      item = { name = name, data = "" }
      items[#items + 1] = item
    end
    local field, value = line:match "^  (%u+): (.*)$"
    if field and item then item[field:lower()] = value end
    if item and line:find "^    " then item.data = item.data .. "\n" .. line end
  end
  return items
end

local function analyse(request)
  local expressions, wanted = json.list {}, {}
  for i, item in ipairs(gathered(told.words(request))) do
    expressions[i] = expression(item.question, item.data)
    wanted[i] = { name = item.name, decimals = item.guidance:find "two decimals" ~= nil }
  end
  local last = request.messages[#request.messages]
  if last.role ~= "tool" then return play.call("calculate", { expressions = expressions }) end
  local answers, values = json.list {}, {}
  for value in last.content:gmatch "[^\n]+ = (%S+)" do values[#values + 1] = value end
  for i, one in ipairs(wanted) do
    answers[i] = { item = one.name, how = expressions[i],
      answer = one.decimals and ("%.2f"):format(values[i]) or values[i] }
  end
  return play.call("answer", { answers = answers })
end

function tests.a_quiz_is_gathered_analysed_and_applied()
  local result, folder, requests = run("quiz", { manager = plan_quiz, evaluator = play.yes, analyst = analyse,
    operator = function(request)
      local words = told.words(request)
      return words:find("SUBTASK S1:", 1, true) and not words:find("SUBTASK S3:", 1, true) and gather(request)
        or apply(request)
    end })
  local quiz = json.decode(files.read(files.join(result.run_dir, "quiz.json")) or "") or { record = { sheets = {} } }
  t.eq(#quiz.record.sheets, 1, "handed in once")
  t.eq((quiz.record.sheets[1] or {}).right, 6)
  t.eq(states(result), "INIT PLAN ASSIGN EXECUTE CHECK ASSIGN EXECUTE CHECK ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK "
    .. "DONE")
  t.eq({ result.task_result.operations.analyst, result.task_result.replans }, { 1, 0 })
  for _, entry in ipairs(requests) do
    if play.persona(entry.json) == "analyst" then
      t.ok(not entry.body:find("image_url", 1, true), "the Analyst is sent no picture")
      t.ok(not entry.body:find("SCREEN:", 1, true), "and nothing of the screen")
    end
  end
  files.remove(folder)
end

-- --- the report ---------------------------------------------------------------------------------------------

local function plan_report()
  return play.plan(play.subtask("technician", "Make the report of both tables", { gives = { "report" } }),
    play.subtask("operator", "Show the report in the terminal", { needs = { "report" } }))
end

local function make_report(request)
  local words = told.words(request)
  local command = words:match "makes the report is: ([^\n]*)"
  local path = words:match "writes the report into (%S+)%."
  if not words:find("$ " .. command, 1, true) then
    return play.call("run_command", { command = command, justification = because })
  elseif not words:find("$ cat " .. path, 1, true) then
    return play.call("run_command", { command = "cat " .. path, justification = because })
  end
  return play.done(words:match "Total: %d+ euro")
end

function tests.a_report_is_made_by_commands_and_shown_in_a_terminal()
  local result, folder, requests = run("report", { manager = plan_report, evaluator = play.yes,
    technician = make_report, operator = function(request)
      local words = told.words(request)
      if words:find("type_text(\"cat ", 1, true) then return play.done "The terminal shows the report." end
      local path = words:match "writes the report into (%S+)%."
      return play.call("type_text", { text = "cat " .. path .. "\n", justification = because })
    end })
  local shown = (files.read(files.join(result.run_dir, "terminal.txt")) or ""):match "Total: %d+ euro"
  t.ok(shown, "the terminal's record has the report")
  t.eq(states(result), "INIT PLAN ASSIGN EXECUTE CHECK ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
  t.eq(result.task_result.operations, { operator = 2, analyst = 0, technician = 3 })
  for _, entry in ipairs(requests) do
    if play.persona(entry.json) == "technician" then
      t.ok(not entry.body:find("image_url", 1, true), "the Technician is sent no picture")
    end
  end
  files.remove(folder)
end

-- --- literal ------------------------------------------------------------------------------------------------

function tests.literal_does_the_steps_of_a_task_as_the_operator()
  local result, folder = run("calculator")
  t.eq(states(result), "INIT PLAN ASSIGN EXECUTE CHECK ASSIGN FINAL_CHECK DONE")
  t.eq({ result.actions, result.task_result.subtasks }, { 4, 1 })
  files.remove(folder)
end

return tests
