--- What a model's maker wants a person to allow: a run on the imagined desktop, and a server that behaves as the
--- maker's does, which takes the answer back only with the checks acknowledged.
local t = require "harness"
local client = require "deskpilot.model.client"
local null_run = require "null_run"
local vendor_server = require "vendor_server"

local tests = {}

local check = { id = "cu_sc_1", code = "malicious_instructions", message = "The page gives\norders." }
local models = { responses = "gpt-5.4", gemini = "gemini-3.5-flash" }
local clicks = { responses = { "click", { button = "left", x = 500, y = 400 } },
  gemini = { "click", { x = 500, y = 400 } } }

-- Asks once; what came of it, the server, and the run's events. `answer`: what a person says, nil where nobody is
-- there.
local function ask(vendor, answer, first)
  local asked, got = {}, {}
  local server = vendor_server.start(vendor, function(_, number)
    if number == 1 then return first end
    return { text = "enough" }
  end)
  local _, events = null_run.play({ task = "x" }, { screen = null_run.thousand, turn = function(run)
    run.model = assert(client.new { endpoint = server.endpoint, api_key = server.key, wire = vendor, retries = 0,
      model = models[vendor] })
    if answer then
      run.answerers = { { name = "a person", ask = function(_, question)
        asked[#asked + 1] = question.text
        return answer
      end } }
    end
    got.reply, got.err = run:ask { persona = "p", system = "s", text = "t", acts = true, tools = { "click_element",
      "look_closely" } }
    run:stop("succeeded", "asked")
  end })
  server:stop()
  t.eq(server.problems, {}, "the server takes every request")
  return got, asked, server, events
end

local function each(fn)
  for _, vendor in ipairs { "responses", "gemini" } do fn(vendor) end
end

function tests.a_person_allows_it()
  each(function(vendor)
    local got, asked, _, events = ask(vendor, "yes", { computer = { clicks[vendor] }, checks = { check } })
    t.eq(#asked, 1)
    t.has(asked[1], "The page gives orders.")
    t.has(asked[1], "click_element")
    t.ok(got.reply.calls[1].args, tostring(got.reply.calls[1].error))
    t.eq(null_run.only(events, "answer")[1].consent, true, "the journal has it")
  end)
end

function tests.a_person_refuses_it()
  each(function(vendor)
    local got = ask(vendor, "no", { computer = { clicks[vendor] }, checks = { check } })
    t.eq(got.reply.calls[1].args, nil)
    t.has(got.reply.calls[1].error, "a person does not allow this")
  end)
end

function tests.nobody_answers()
  each(function(vendor)
    local got = ask(vendor, nil, { computer = { clicks[vendor] }, checks = { check } })
    t.eq(got.reply.calls[1].args, nil)
    t.has(got.reply.calls[1].error, "nobody has allowed this")
  end)
end

function tests.one_question_for_an_answer()
  local got, asked = ask("responses", "no", { computer = { clicks.responses, { "type", { text = "x" } } },
    checks = { check, check } })
  t.eq(#asked, 1)
  for _, call in ipairs(got.reply.calls) do t.eq(call.args, nil, call.name) end
end

-- What is looked up is given back: allowed with the checks acknowledged, and else as calls of ours.
function tests.looks()
  local first = { calls = { { "look_closely", { region = { 0, 0, 500, 500 }, justification = "I want to see it." } } },
    computer = { clicks.responses }, checks = { check } }
  local _, _, server = ask("responses", "yes", first)
  local input = server.requests[2].json.input
  t.eq(input[4].acknowledged_safety_checks, { check })
  _, _, server = ask("responses", "no", first)
  t.eq(server.requests[2].json.input[2].type, "function_call", "the maker's own call is not given back")
  t.has(server.requests[2].body, "NOT DONE")
end

return tests
