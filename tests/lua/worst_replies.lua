--- The worst answers that a model server can give, by name: what is long, deep, many, broken or half. Each is made when
--- it is asked for, since some have tens of megabytes.
local json = require "deskpilot.base.json"
local limits = require "deskpilot.model.limits"

local worst = {}

--- The bytes of those that are long and end nowhere near a limit of their own. What they may cost is so much for each
--- megabyte; how long the whole takes is test_reply_limits's subject.
worst.long = 3e7

local most = limits.most
local list = {}

-- `make` gives the body of the answer, or an answer of tests/lua/model_server.lua.
local function add(name, make) list[#list + 1] = { name = name, make = make } end

local function message(fields) return '{"choices":[{"index":0,"message":{"role":"assistant",' .. fields .. "}}]}" end
local function said(content) return message('"content":' .. json.encode(content)) end

local function call(name, arguments, id)
  return ('{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}'):format(json.encode(id or "c"),
    json.encode(name), json.encode(arguments))
end

local function called(...) return message('"content":"","tool_calls":[' .. table.concat({ ... }, ",") .. "]") end

-- As often as it fits into so many bytes.
local function fill(part, bytes) return part:rep(bytes // #part) end

-- --- what is said: as much as is read ------------------------------------------------------------------------

local whole = most.content - 100

for name, part in pairs {
  blanks = " ", line_ends = "\n", tabs = "\t", control_characters = "\1", zeros = "\0", letters = "a",
  digits = "1",
  wide_blanks = "\u{A0}", emojis = "\u{1F600}", quotation_marks = '"', single_quotation_marks = "'a ",
  curly_quotes = "“",
  backslashes = "\\", commas = ",", braces = "{", closing_braces = "}", lists = "[",
  empty_lists = "[],",
  objects = '{"a":', dashes = "- ", headings = "#", stars = "*", colons = "a:", sentences = "A. ", hyphens = "sk-",
  bearers = "Bearer ", thinking = "<think>", thought = "</think>", tags = "<tool_call>", open_tags = "<tool_call>{",
  closing_tags = "</tool_call>", marks = "[TOOL_CALLS]", named_marks = "[TOOL_CALLS]a[ARGS]",
  fences = "```", opened_fences = "```json\n", filled_fences = "```\n[1,2,3]\n```\n",
  broken_fences = "```json\n{,\n```\n",
  criteria = "SUCCESS CRITERIA:\n- it is done\n", percents = "%", names = '{"name":"wait","arguments":',
  trues = "True ",
  carriage_returns = "\r", ellipses = "\u{2026}", brackets = "(", angles = "<", words = "a b",
} do
  add("said: " .. name, function() return said(fill(part, whole)) end)
end
for name, part in pairs { blanks = " ", line_ends = "\n", tabs = "\t", quotation_marks = '"' } do
  add("said inside: " .. name, function() return said("a" .. fill(part, whole) .. "b") end)
end
add("said: a list that ends too early", function() return said("[" .. fill("[1,],", 200000)) end)
add("said: a call with blanks", function() return said('{"name"' .. fill(" ", whole)) end)
add("said: calls", function() return said(fill('<tool_call>{"name":"wait","arguments":{}}</tool_call>', whole)) end)
add("said: bytes that are no UTF-8", function() return message('"content":"' .. fill("\xff", whole) .. '"') end)
add("said: halves of characters", function() return message('"content":"' .. fill("\\ud83d", whole * 3) .. '"') end)
add("said: escapes", function() return message('"content":"' .. fill("\\u0001", whole * 6) .. '"') end)
add("said: escaped backslashes, then half a character", function()
  return message('"content":"' .. fill("\\\\", whole * 2) .. '\\ud83d"')
end)
add("said: in parts", function() return message('"content":[' .. fill('{"text":"a"},', 60000) .. '{"text":"a"}]') end)
add("said: more than is read", function() return said(fill(" ", 3 * whole)) end)

-- --- calls ---------------------------------------------------------------------------------------------------

for name, arguments in pairs {
  blanks = fill(" ", most.arguments), digits = fill("1", most.arguments), brackets = fill("[", most.arguments),
  objects = fill('{"a":', most.arguments), letters = fill("a", most.arguments),
  long_text = '{"text":"' .. fill("a", most.arguments - 100) .. '"}',
  blanks_in_text = '{"label":"a' .. fill(" ", most.arguments - 100) .. 'b"}',
  blanks_for_a_reason = '{"justification":"a' .. fill(" ", most.arguments - 100) .. 'b"}',
  digits_for_a_number = '{"seconds":"' .. fill("1", most.arguments - 100) .. 'x"}',
  a_long_number = '{"seconds":' .. fill("1", most.arguments - 100) .. "}",
  a_long_pair = '{"position":"(' .. fill("1 ", most.arguments - 100) .. '"}',
  empty_lists = '{"text":[' .. fill("[],", 20000) .. "[]]}", repeated_keys = "{" .. fill('"a":1,', 19000) .. '"a":1}',
  commas = '{"text":[' .. fill("1,", 30000) .. "]}", unclosed = fill('{"a":[1,', most.arguments),
} do
  add("arguments: " .. name, function() return called(call("wait", arguments)) end)
end
for name, arguments in pairs {
  blanks = fill(" ", most.arguments), brackets = fill("[", most.arguments), unclosed = fill('{"a":[1,', most.arguments),
  a_long_number = '{"seconds":' .. fill("1", most.arguments) .. "}",
} do
  add("arguments in text: " .. name, function()
    return said('<tool_call>{"name":"wait","arguments":' .. arguments .. "}</tool_call>")
  end)
end
add("arguments: many keys", function()
  local keys = {}
  for i = 1, 9000 do keys[i] = ('"key%d":1'):format(i) end
  return called(call("click_element", "{" .. table.concat(keys, ",") .. "}"))
end)
add("arguments: encoded twice", function()
  return called(call("wait", json.encode('{"text":"' .. fill("\\n", 30000) .. '"}')))
end)
add("arguments: more than are read", function() return called(call("wait", fill(" ", 2 * most.arguments))) end)
add("calls: as many as are read", function()
  local calls = {}
  for i = 1, most.calls do calls[i] = call("wait", '{"seconds":"' .. fill("1", 3000) .. '"}', "c" .. i) end
  return called(table.unpack(calls))
end)
add("calls: some more", function() return message('"tool_calls":[' .. fill('{"function":{}},', 40000) .. "{}]") end)
add("calls: 300,000", function() return message('"tool_calls":[' .. fill(call("wait", "{}") .. ",", 2e7) .. "{}]") end)
add("calls: a name of 3 MB", function() return called(call(fill("a", 3e6), "{}")) end)
add("calls: an id of 3 MB", function() return called(call("wait", "{}", fill("a", 3e6))) end)

-- --- JSON ----------------------------------------------------------------------------------------------------

add("json: 10,000,000 empty lists", function() return "[" .. fill("[],", 3e7) .. "[]]" end)
add("json: as many empty lists as are read", function() return message('"x":[' .. fill("[],", 29000) .. "[]]") end)
add("json: as many empty objects as are read", function() return message('"x":[' .. fill("{},", 29000) .. "{}]") end)
add("json: 1,000,000 lists inside each other", function() return fill("[", 1e6) end)
add("json: 1,000,000 objects inside each other", function() return fill('{"a":', 5e6) end)
add("json: as deep as is read", function() return message('"x":' .. ("["):rep(56) .. ("]"):rep(56)) end)
add("json: keys", function() return "{" .. fill('"a":[],', 3e6) .. '"a":1}' end)
add("json: a long key", function() return message('"' .. fill("a", most.bytes - 500) .. '":1') end)
add("json: a long number", function() return message('"x":' .. fill("1", most.bytes - 500)) end)
add("json: a long fraction", function() return message('"x":0.' .. fill("1", most.bytes - 500)) end)
add("json: words that nobody reads", function()
  return message('"reasoning_content":"' .. fill("a ", most.bytes - 500) .. '"')
end)
add("json: escapes that nobody reads", function()
  return message('"reasoning_content":"' .. fill("\\n", most.bytes - 500) .. '"')
end)
add("json: a string without an end", function() return '{"choices":"' .. fill("\\\\", worst.long) end)
add("json: many choices", function() return '{"choices":[' .. fill("{},", 29000) .. "{}]}" end)
add("json: nothing", function() return "" end)
add("json: blanks", function() return fill(" ", 3e7) end)
add("json: zeros", function() return fill("\0", 3e7) end)
add("json: broken", function() return '{"choices":[' .. fill('"a', worst.long) end)
add("json: backslashes", function() return fill("\\", 3e7) end)
add("json: more than is received", function() return fill(" ", most.body + 1) end)

-- --- streams -------------------------------------------------------------------------------------------------

local function stream(body, more)
  local reply = { headers = { ["Content-Type"] = "text/event-stream" }, body = body }
  for key, value in pairs(more or {}) do reply[key] = value end
  return reply
end

local function event(delta) return 'data: {"choices":[{"index":0,"delta":' .. delta .. "}]}\n\n" end
local done = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

for name, part in pairs {
  line_ends = "\n", returns = "\r", comments = ":\n", empty_data = "data:\n", empty_events = "data: {}\n\n",
  numbers = "data: 1\n\n", fields = "a: b\n", letters = "a", one_character_each = event '{"content":"a"}',
  calls = event '{"tool_calls":[{"id":"x","function":{"name":"a","arguments":"{}"}}]}',
  names = event '{"tool_calls":[{"index":0,"function":{"name":"ab"}}]}',
  arguments = event '{"tool_calls":[{"index":0,"function":{"name":"wait","arguments":" "}}]}',
  lists = event('{"x":[' .. fill("[],", 50000) .. "[]]}"),
} do
  add("stream: " .. name, function() return stream(fill(part, worst.long)) end)
end
add("stream: one character each, to its end", function()
  return stream(event('{"content":"a"}'):rep(60000) .. done)
end)
add("stream: one event with all", function()
  return stream(event('{"content":"' .. fill(" ", whole) .. '"}') .. done)
end)
add("stream: pieces of one byte", function()
  return stream(event('{"content":"' .. fill(" ", 3000) .. '"}') .. done, { slow = { bytes = 1, seconds = 0 } })
end)
add("stream: calls with other places", function()
  local events = {}
  for i = 1, 20000 do
    events[i] = event(('{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"a"}}]}'):format(-i, i))
  end
  return stream(table.concat(events) .. done)
end)

-- --- answers that are none -----------------------------------------------------------------------------------

add("page: 30 MB", function() return { headers = { ["Content-Type"] = "text/html" }, body = fill("<title", 3e7) } end)
add("failure: 30 MB of blanks", function() return { status = 500, body = fill(" ", 3e7) } end)
add("failure: 30 MB of words", function() return { status = 400, body = fill("no ", 3e7) } end)
add("failure: lists", function() return { status = 400, body = fill("[", 3e7) } end)
add("failure: a message of 3 MB", function()
  return { status = 400, body = '{"error":"' .. fill("a ", 3e6) .. '"}' }
end)
add("failure: when to ask again", function()
  return { status = 503, headers = { ["Retry-After"] = fill("1", 60000) .. "x" }, body = "" }
end)

table.sort(list, function(a, b) return a.name < b.name end)

--- All of them.
---@return { name: string, make: fun(): string|table }[]
function worst.all() return list end

return worst
