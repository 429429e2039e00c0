--- The three-body policy against a real HTTP server that plays an OpenAI-compatible model, with
--- scripted and faulty replies, on a private desktop with a real calculator.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"
local native = require "native.image"
local spawn = require "spawn"
local told = require "told"

local because = "The calculator is in front and its keys are easy to see, so this is the next thing to do."
local evidence = "The display of the calculator shows the number 7, which is what was asked for; the window is "
  .. "in front, nothing covers it, and no error can be seen."

local function persona(request)
  for _, tool in ipairs(request.tools) do
    if tool["function"].name == "write_doctrine" then return "strategist" end
    if tool["function"].name == "spawn_executor_prompt" then return "tactician" end
  end
  return "executor"
end

local function tool_names(request)
  local names = {}
  for _, tool in ipairs(request.tools or {}) do names[#names + 1] = tool["function"].name end
  table.sort(names)
  return names
end

local function user_text(request)
  return told.words(request)
end

-- Where the request's element list says that thing is.
local function find(request, name)
  local x, y = user_text(request):match('toggle button "' .. name .. '" %[(%d+),(%d+)%]')
  return x and { tonumber(x), tonumber(y) }
end

local function calls(...)
  local list = {}
  for i, call in ipairs { ... } do
    list[i] = { id = "call_" .. i, type = "function", ["function"] = { name = call[1],
      arguments = type(call[2]) == "string" and call[2] or json.encode(call[2]) } }
  end
  return { id = "chatcmpl-1", object = "chat.completion", created = 1, model = "scripted",
    choices = { { index = 0, finish_reason = "tool_calls",
      message = { role = "assistant", content = json.null, tool_calls = list } } },
    usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } }
end

local function words(content)
  return { id = "chatcmpl-1", object = "chat.completion", created = 1, model = "scripted",
    choices = { { index = 0, finish_reason = "stop", message = { role = "assistant", content = content } } },
    usage = { prompt_tokens = 100, completion_tokens = 10, total_tokens = 110 } }
end

local function orders(phase, tools)
  return calls({ "spawn_executor_prompt", { prompt = "Orders for " .. phase, phase = phase, rationale = "seen" } },
    { "update_phase_tools", { tool_names = tools, rationale = "needed" } })
end

-- Runs a mission on the calculator with a model given as { strategist, tactician, executor }, each a
-- function(request, n) -> response body or { status=... }.
local function play(model, options)
  options = options or {}
  local folder, counts = spawn.folder(), {}
  local server = model_server.start(function(request)
    local who = persona(request)
    counts[who] = (counts[who] or 0) + 1
    local reply = model[who] and model[who](request, counts[who])
      or who == "strategist" and words("1. MISSION RESTATEMENT\nShow a 7.")
    if reply.choices then return { body = json.encode(reply) } end
    return reply
  end)
  local path = files.join(folder, "m.lua")
  assert(files.write(path, ([[return { task = "Show the number 7.",
    desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },
    limits = { turns = %d, failures = %d }, timing = { verify = 0.5 },
    verify = function(m)
      return m.desk.elements.find { app = "galculator", text = "7" } ~= nil, "the display does not show 7"
    end }]]):format(options.turns or 12, options.failures or 10)))
  local argv = { spawn.program, "run", path, "--json", "--runs", folder .. "/runs",
    "--endpoint", server.endpoint, "--model", "qwen3-vl", "--set", "model.calls_per_minute=0" }
  for _, word in ipairs(options.flags or {}) do argv[#argv + 1] = word end
  local child = spawn.run(argv, { cwd = folder })
  local result = t.ok(json.decode(child.stdout), child.stderr) or {}
  local events = journal.read(result.run_dir) or {}
  server:stop()
  local requests = {}
  for _, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    requests[#requests + 1] = entry.json or entry.body
  end
  files.remove(folder)
  return result, events, requests, child
end

local function results(events, tool)
  local found = {}
  for _, event in ipairs(events) do
    if event.event == "action_result" and (not tool or event.tool == tool) then found[#found + 1] = event end
  end
  return found
end

local function click_seven(request)
  return calls { "click_element", { label = "7", position = find(request, "7"), justification = because } }
end

local tests = {}

function tests.a_whole_mission()
  local result, events, requests = play {
    tactician = function(_, n)
      if n == 1 then return orders("EXECUTION", { "click_element", "press_key", "click_element" }) end
      return orders("VERIFICATION", { "click_element" })
    end,
    executor = function(request, n)
      if table.concat(tool_names(request), " "):find("report_completion") then
        return calls { "report_completion", { evidence = evidence } }
      end
      if n == 1 then return click_seven(request) end
      return calls { "press_key", { key = n % 2 == 0 and "shift" or "ctrl", justification = because } }
    end,
  }
  t.eq(result.status, "succeeded", result.reason)
  t.eq(result.turns, 5, "the second look of the Tactician brings the verification")
  t.eq(result.model.input_tokens, 100 * result.model.calls)
  local seen = {}
  for _, request in ipairs(requests) do
    local who = persona(request)
    seen[who] = (seen[who] or 0) + 1
    t.eq(request.temperature, who == "strategist" and 0.3 or who == "tactician" and 0.4
      or request.temperature >= 0.75 and 0.75 or 0.5)
    t.eq(request.max_tokens, ({ strategist = 1200, tactician = 800, executor = 1024 })[who])
    t.eq(request.tool_choice, "auto")
    if who == "executor" then
      local names = tool_names(request)
      t.eq(names, #names == 2 and seen.executor <= 4 and { "click_element", "press_key" }
        or { "click_element", "give_up", "report_completion" }, "only the phase's tools")
    end
  end
  t.eq(seen.strategist, 1)
  t.eq(seen.tactician, 2)
  local changes = {}
  for _, event in ipairs(events) do
    if event.event == "phase_change" then changes[#changes + 1] = event.to end
  end
  t.eq(changes, { "EXECUTION", "VERIFICATION" })
end

-- A server that refuses large pictures is sent a JPEG that is small enough; positions stay what they are.
function tests.pictures_for_a_server_with_a_cap()
  local most = 9000
  local result, events, requests = play({
    tactician = function() return orders("EXECUTION", { "click_element" }) end,
    executor = click_seven,
  }, { turns = 1, flags = { "--set", "screen.image_max_bytes=" .. most } })
  t.eq(result.status, "succeeded", result.reason)
  for _, request in ipairs(requests) do
    local data = request.messages[2].content[2].image_url.url:match("^data:image/jpeg;base64,(.+)$")
    local bytes = t.ok(native.from_base64(t.ok(data, "a JPEG")))
    t.ok(#bytes <= most, #bytes)
    local image = t.ok(native.load(bytes))
    for _, event in ipairs(events) do
      if event.event == "observed" then
        t.eq(event.screenshot, "screenshots/step_0001.jpg")
        t.eq({ image:size() }, { event.image.width, event.image.height })
      end
    end
  end
end

-- Clicks on one key of the calculator, each a norm beside the last one; the temperatures, and whether it was warned.
local function click_again_and_again(name, turns)
  local temperatures, warned = {}, false
  play({
    tactician = function() return orders("EXECUTION", { "click_element" }) end,
    executor = function(request, n)
      temperatures[n] = request.temperature
      warned = warned or user_text(request):find("CHANGE YOUR APPROACH", 1, true) ~= nil
      local place = find(request, name)
      return calls { "click_element", { label = name, position = { place[1] + n - 1, place[2] },
        justification = because } }
    end,
  }, { turns = turns })
  return temperatures, warned
end

function tests.a_loop_is_noticed_and_answered_step_by_step()
  local temperatures, warned = click_again_and_again("=", 6)
  t.eq(temperatures, { 0.5, 0.5, 0.5, 0.75, 1, 1.2 })
  t.ok(warned, "the warning was in a request")
end

function tests.the_same_key_is_no_loop_while_the_display_changes()
  local temperatures, warned = click_again_and_again("8", 6)
  t.eq(temperatures, { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 })
  t.ok(not warned)
end

function tests.every_bad_answer_is_a_step_that_the_model_sees()
  local texts, n = {}, 0
  local bad = {
    function() return words("I would click the seven.") end,
    function() return calls { "click_element", '{"label": "7", "position": [1' } end,
    function() return calls { "click_element", { label = "7", justification = because } } end,
    function() return calls { "click_element", { label = "7", position = { 1500, -3 }, justification = because } } end,
    function() return calls { "type_text", { text = "7", justification = because } } end,
    function() return calls { "fly_away", { justification = because } } end,
    function(request)
      return calls({ "click_element", { label = "7", position = find(request, "7"), justification = because } },
        { "click_element", { label = "8", position = find(request, "8"), justification = because } })
    end,
    function() return calls { "report_completion", { evidence = "done" } } end,
    function() return calls { "click_element", '{"label":"7","position":[null,500],"justification":"\255"}' } end,
  }
  local result, events = play({
    tactician = function() return orders("VERIFICATION", { "click_element", "report_completion" }) end,
    executor = function(request)
      n = n + 1
      texts[n] = user_text(request)
      return (bad[n] or function() return calls { "report_completion", { evidence = evidence } } end)(request)
    end,
  })
  t.eq(result.status, "succeeded", result.reason)
  t.eq(result.turns, 10)
  t.eq(#results(events), 10, "each turn left one result")
  t.has(texts[2], "no tool was called")
  t.has(texts[3], "ERROR")
  t.has(texts[4], "position")
  t.has(texts[5], "between 0 and 1000")
  t.has(texts[6], "not among the tools of this phase")
  t.has(texts[7], "fly_away")
  t.has(texts[8], "1 more tool call")
  t.has(texts[9], "at least 100")
  t.has(texts[10], "click_element(\"7\") -> ERROR")
end

function tests.unknown_tools_are_reported_back_and_an_empty_list_is_safe()
  local reports, offered = {}, {}
  play({
    tactician = function(request, n)
      reports[n] = user_text(request)
      if n == 1 then
        return calls { "update_phase_tools", { tool_names = { "click_elemnt" }, rationale = "x" } }
      end
      return words("All is well.")
    end,
    executor = function(request)
      offered[#offered + 1] = tool_names(request)
      return click_seven(request)
    end,
  }, { turns = 5 })
  t.eq(offered[1], { "click_element", "press_key", "scroll_down", "scroll_up", "type_text" })
  t.has(reports[2], "There is no tool \"click_elemnt\"; the nearest is \"click_element\"")
end

function tests.without_orders_there_is_a_fallback_and_later_an_emergency()
  local result, events = play({
    tactician = function() return { status = 400, body = '{"error":{"message":"no such thing"}}' } end,
    executor = function(request, n)
      if table.concat(tool_names(request), " "):find("report_completion") then
        return calls { "report_completion", { evidence = evidence } }
      end
      if n == 1 then return click_seven(request) end
      return calls { "press_key", { key = "shift", justification = because } }
    end,
  }, { turns = 30, flags = { "--set", "three_body.tactician_interval=2" } })
  t.eq(result.status, "succeeded", result.reason)
  local changes = {}
  for _, event in ipairs(events) do
    if event.event == "phase_change" then changes[#changes + 1] = event.to end
  end
  t.eq(changes, { "FALLBACK", "EMERGENCY" })
end

function tests.a_long_interval_is_no_emergency()
  local _, events = play({
    tactician = function() return orders("EXECUTION", { "press_key" }) end,
    executor = function(_, n)
      return calls { "press_key", { key = n % 2 == 0 and "shift" or "ctrl", justification = because } }
    end,
  }, { turns = 20, flags = { "--set", "three_body.tactician_interval=100" } })
  local changes = {}
  for _, event in ipairs(events) do
    if event.event == "phase_change" then changes[#changes + 1] = event.to end
  end
  t.eq(changes, { "EXECUTION" })
end

function tests.forbidden_keys_and_long_texts_are_refused()
  local _, events = play({
    tactician = function() return orders("EXECUTION", { "press_key", "type_text" }) end,
    executor = function(_, n)
      if n == 1 then return calls { "press_key", { key = "Alt+F4", justification = because } } end
      return calls { "type_text", { text = ("x"):rep(1001), justification = because } }
    end,
  }, { turns = 2 })
  local all = results(events)
  t.eq(all[1].ok, false)
  t.has(all[1].text, "forbidden")
  t.eq(all[2].ok, false)
  t.has(all[2].text, "1001 characters")
end

function tests.a_claim_is_checked_in_the_world()
  local result, events = play({
    tactician = function() return orders("VERIFICATION", { "report_completion" }) end,
    executor = function() return calls { "report_completion", { evidence = evidence } } end,
  }, { turns = 30, failures = 3 })
  t.eq(result.status, "failed")
  t.has(result.reason, "the display does not show 7")
  t.eq(#results(events, "report_completion"), 3)
end

return tests
