--- Counting the tokens of requests: parts, and what an earlier request had too.
local t = require "harness"
local json = require "deskpilot.base.json"
local token_count = require "deskpilot.agent.token_count"

local tests = {}

local model = { name = "m" }

local function chat(texts, tools)
  local content = {}
  for i, one in ipairs(texts) do
    content[i] = type(one) == "string" and { type = "text", text = one }
      or { type = "image", path = one[1], width = one[2], height = one[3], base64 = "" }
  end
  return { persona = "executor", tools = tools, messages = { { role = "system", content = "You are it." },
    { role = "user", content = content } } }
end

function tests.words_digits_and_signs()
  t.eq(token_count.of_text "", 0)
  t.eq(token_count.of_text "click the button", 3)
  t.eq(token_count.of_text "[512,300]", 9)
  t.eq(token_count.of_text "internationalization", 2)
  t.ok(token_count.of_text "Größe 東京" >= 5)
end

function tests.pictures_by_their_patches()
  t.eq(token_count.of_picture(1280, 800), 1000)
  t.eq(token_count.of_picture(1281, 800), 1025, "a patch in part is one")
  t.eq(token_count.of_picture(1280, 800, { picture = { factor = 28 } }), 46 * 29)
end

function tests.what_an_earlier_request_begins_with_is_not_new()
  local run, tools = {}, { { type = "function", ["function"] = { name = "wait" } } }
  local first = token_count.of_request(run, chat({ "The screen shows much.", { "a.png", 320, 320 } }, tools), model)
  t.eq(first.new, first.input)
  t.eq(first.pictures, 100)
  t.eq(first.tools, token_count.of_text(json.encode(tools[1]) .. "\n"))
  t.eq(first.input, first.tools + first.system + first.text + first.pictures)
  local longer = { "The screen shows much.", { "a.png", 320, 320 }, "It has changed." }
  local second = token_count.of_request(run, chat(longer, tools), model)
  t.eq(second.new, token_count.of_text "It has changed.")
  local other = token_count.of_request(run, chat({ "The screen shows more.", { "a.png", 320, 320 } }, tools), model)
  t.ok(other.new >= 100, "a picture behind a changed text is read again")
  t.ok(other.new < other.input)
  local fresh = token_count.of_request(run, chat({ "The screen shows much." }, {}), model)
  t.eq(fresh.new, fresh.input, "other tools are another beginning")
  t.eq(token_count.of_request(run, chat({ "x" }), { name = "another" }).new, token_count.of_request({}, chat { "x" },
    model).input)
end

function tests.all_tools_are_counted_beside_those_of_the_phase()
  local tools = { { type = "function", ["function"] = { name = "wait" } } }
  local counted = token_count.of_request({}, chat({ "x" }, tools), model, { tools[1], tools[1], tools[1] })
  t.eq(counted.all_tools, 3 * counted.tools)
  local sums = token_count.add(token_count.add(nil, counted), { input = 10, new = 4, tools = 3 })
  t.eq({ sums.input, sums.tools, sums.all_tools }, { counted.input + 10, counted.tools + 3, 3 * counted.tools + 3 })
  t.has(token_count.words(sums), ("tools %d (%d if all"):format(sums.tools, sums.all_tools))
end

return tests
