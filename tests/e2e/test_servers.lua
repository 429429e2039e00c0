-- A shipped mission, unchanged, against servers that behave like those that people run or rent: the real program, a
-- private desktop, a real calculator. Judged by the calculator, the journal and what each server had to refuse.
local t = require "harness"
local compatible_server = require "compatible_server"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local because = "The key is in front and easy to see, so it is pressed next."

local doctrine = { thought = "A plan is wanted.", calls = { { "write_doctrine", {
  mission = "The calculator shows 42.", reconnaissance = "The calculator is open.", phases = { "VERIFICATION: "
    .. "press the keys, look at the display." },
  verification = "Look at the display.", success_criteria = { "The display shows 42." },
  risks = { "An old value: clear it." }, directives = "Verify soon." } } } }

local orders = { text = "The keys are there – all of them.", calls = {
  { "spawn_executor_prompt", { prompt = "Press the keys.", phase = "VERIFICATION", rationale = "They are all "
    .. "there." } },
  { "update_phase_tools", { rationale = "They are needed.",
    tool_names = { "click_element", "wait", "report_completion" } } } } }

local keys = { "7", "*", "6", "=" }

-- A model that reads where the next key is and points there.
local function player()
  return function(view)
    if view.tools.write_doctrine then return doctrine end
    if view.tools.spawn_executor_prompt then return orders end
    local words = table.concat(view.text, "\n")
    local done = 0
    for _, key in ipairs(keys) do
      if words:find(('click_element("%s") -> '):format(key), 1, true) then done = done + 1 end
    end
    local key = keys[done + 1]
    if not key then
      return { thought = "That is all.", calls = { { "report_completion", { evidence = because
        .. " The display shows 42, since all of the keys were pressed in their order." } } } }
    end
    local x, y = words:match('toggle button "' .. key:gsub("%p", "%%%0") .. '" %[([%d.]+),([%d.]+)%]')
    assert(x, "the key " .. key .. " is not told of")
    return { thought = "I press " .. key .. ".", calls = { { "click_element", { label = key,
      position = { tonumber(x), tonumber(y) }, justification = because } } } }
  end
end

local function play(name, cache, more)
  local folder = spawn.folder()
  local server = compatible_server.start(name, player())
  local words = { spawn.program, "run", "missions/calculator.lua", "--json", "--runs", folder, "--endpoint",
    server.endpoint, "--model", server.model }
  table.move(more or {}, 1, #(more or {}), #words + 1, words)
  local child = spawn.run(words, { env = { DESKPILOT_API_KEY = server.key or false, XDG_CACHE_HOME = cache or folder,
    OPENAI_API_KEY = false } })
  server:stop()
  local result = json.decode(child.stdout) or {}
  t.eq(server:wrong(), "", name)
  t.eq(result.status, "succeeded", ("%s: %s\n%s"):format(name, result.reason or "", child.stderr))
  local seen = { clicks = 0, notes = {}, server = server, usage = result.model, streams = 0 }
  for _, event in ipairs(journal.read(result.run_dir or "") or {}) do
    if event.event == "action_result" and event.tool == "click_element" and event.ok then
      seen.clicks = seen.clicks + 1
    elseif event.event == "note" then
      table.insert(seen.notes, event.message)
    end
  end
  for _, request in ipairs(server.requests) do
    if request.json.stream then seen.streams = seen.streams + 1 end
  end
  t.eq(seen.clicks, #keys, name .. ": every click came to where it was meant")
  seen.told = table.concat(seen.notes, "\n")
  files.remove(folder)
  return seen
end

function tests.lmstudio()
  local seen = play "lmstudio"
  t.eq(seen.server.refused, {})
  t.eq(seen.streams, #seen.server.requests, "all of them as streams")
  t.eq(seen.usage.input_tokens, 900 * seen.usage.calls)
end

function tests.ollama()
  local cache = spawn.folder()
  local seen = play("ollama", cache)
  t.eq(seen.server.refused, {})
  t.eq(seen.streams, 1, "after one that lost its calls, no stream is asked for")
  t.has(seen.told, "loses the calls of tools in streams")
  files.remove(cache)
end

function tests.llamacpp()
  local seen = play "llamacpp"
  t.eq(seen.server.refused, { "503: Loading model" })
  t.eq(seen.streams, #seen.server.requests)
end

function tests.vllm()
  local seen = play "vllm"
  t.eq(seen.server.refused, {})
  t.eq(seen.streams, #seen.server.requests)
end

function tests.openrouter()
  local cache = spawn.folder()
  local seen = play("openrouter", cache)
  t.eq(#seen.server.refused, 2, table.concat(seen.server.refused, "\n"))
  t.has(seen.server.refused[1], "429: Provider returned error")
  t.has(seen.server.refused[2], "404: No endpoints found that support the provided 'tool_choice' value.")
  local _, count = seen.told:gsub("does not take tool_choice", "")
  t.eq(count, 1, "told once: " .. seen.told)
  for i, request in ipairs(seen.server.requests) do
    t.eq(request.json.tool_choice ~= nil, i <= 2, "request " .. i)
  end
  files.remove(cache)
end

return tests
