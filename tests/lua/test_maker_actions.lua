--- Actions of a maker's own tool in a run on the imagined desktop: what of an answer is done, what is looked up, and
--- what the maker's server is told of the rest.
local t = require "harness"
local client = require "deskpilot.model.client"
local null_run = require "null_run"
local vendor_server = require "vendor_server"

local tests = {}

local click = { "left_click", { coordinate = { 500, 400 } } }
local zoom = { "zoom", { region = { 0, 0, 400, 400 } } }
local blind = { "zoom", { region = { 10, 10, 10, 10 } } } -- nothing is there to be seen

-- Asks once; the names of the calls that come of it, the requests, and the run's look-ups.
local function ask(answers, tools)
  local calls
  local server = vendor_server.start("anthropic", function(_, number) return answers[number] or { text = "enough" } end)
  local _, events = null_run.play({ task = "x" }, { screen = null_run.thousand, turn = function(run)
    run.model = assert(client.new { endpoint = server.endpoint, api_key = server.key, wire = "anthropic", retries = 0,
      model = "claude-opus-5-5" })
    local reply = assert(run:ask { persona = "p", system = "s", text = "t", acts = true, tools = tools
      or { "click_element", "look_closely", "type_text", "wait" } })
    calls = reply.calls
    run:stop("succeeded", "asked")
  end })
  server:stop()
  t.eq(server.problems, {}, "the server takes every request")
  local names = {}
  for i, call in ipairs(calls) do names[i] = call.args and call.name or call.error end
  return names, server.requests, null_run.only(events, "lookup")
end

local function results(request)
  local list = {}
  for _, block in ipairs(request.json.messages[3].content) do
    if block.type == "tool_result" then list[#list + 1] = block end
  end
  return list
end

function tests.several_in_their_order()
  local names, requests = ask { { computer = { click, { "type", { text = "hello" } }, click } } }
  t.eq(names, { "click_element", "type_text", "click_element" })
  t.eq(#requests, 1)
end

-- The next request has the picture.
function tests.a_look_at_the_end_is_left_out()
  for _, look in ipairs { zoom, { "screenshot" } } do
    local names, requests, looked = ask { { computer = { click, look } } }
    t.eq({ names, #requests, #looked }, { { "click_element" }, 1, 0 })
  end
end

function tests.a_look_comes_before_what_follows_it()
  local names, requests, looked = ask { { thought = "hm", computer = { zoom, click } }, { computer = { click } } }
  t.eq({ names, #requests, #looked }, { { "click_element" }, 2, 1 })
  local seen, rest = table.unpack(results(requests[2]))
  t.eq({ seen.toolset_name, seen.is_error, seen.content[#seen.content].type }, { "computer", nil, "image" })
  t.has(rest.content[1].text, "NOT DONE")
  t.eq(rest.is_error, nil)
end

function tests.after_a_failure_nothing_more_is_done()
  local _, requests, looked = ask { { computer = { blind, zoom, click } } }
  t.eq(#looked, 1, "the second look is not tried")
  local list = results(requests[2])
  t.eq({ #list, list[1].is_error }, { 3, true })
  for i = 2, 3 do
    t.eq({ list[i].is_error, list[i].content[1].text },
      { true, "Not executed: an earlier computer action in this turn failed." })
  end
end

-- What no tool of the request can do is told once, and nothing of the answer is done.
function tests.what_has_no_tool()
  local names = ask({ { computer = { { "type", { text = "x" } } } }, { computer = { { "type", { text = "x" } } } } },
    { "click_element" })
  t.has(names[1], "type")
  t.ok(names[1] ~= "type_text", "a tool that was not offered is not called")
end

return tests
