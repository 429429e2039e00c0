-- model/decode: every fashion of saying a tool call, and malformed ones.
local t = require "harness"
local decode = require "deskpilot.model.decode"
local limits = require "deskpilot.model.limits"
local task = require "deskpilot.base.task"

local tests = {}

local function said(content, calls)
  return decode.reply { content = content, tool_calls = calls or {} }
end

local function one(content)
  local answer = said(content)
  t.eq(#answer.calls, 1, content)
  return answer.calls[1] or {}, answer
end

local click = { label = "OK", position = { 1, 2 } }
local click_text = '{"name": "click_element", "arguments": {"label": "OK", "position": [1, 2]}}'

function tests.native_calls()
  local answer = said("Clicking.", {
    { id = "a", name = "click_element", arguments = '{"label":"OK","position":[1,2.0]}' },
    { id = "b", name = "wait", arguments = "" },
    { id = "c", name = "wait", arguments = "null" },
    { id = "d", name = "wait", arguments = '"{\\"seconds\\":1}"' },
    { id = "e", name = "wait", arguments = { seconds = 1.5 } },
  })
  t.eq(answer.text, "Clicking.")
  t.eq(answer.calls[1], { id = "a", name = "click_element", args = click })
  t.eq(math.type(answer.calls[1].args.position[2]), "integer")
  t.eq(answer.calls[2].args, {})
  t.eq(answer.calls[3].args, {})
  t.eq(answer.calls[4].args, { seconds = 1 })
  t.eq(answer.calls[5].args, { seconds = 1.5 })
end

function tests.native_calls_win_over_text()
  local answer = said(click_text, { { id = "a", name = "wait", arguments = "{}" } })
  t.eq(#answer.calls, 1)
  t.eq(answer.calls[1].name, "wait")
end

function tests.tags()
  local call, answer = one("I click.\n<tool_call>\n" .. click_text .. "\n</tool_call>")
  t.eq(call, { id = "text_1", name = "click_element", args = click })
  t.eq(answer.text, "I click.")
  answer = said("<tool_call>" .. click_text .. "</tool_call>\n<tool_call>" .. click_text:gsub("OK", "No")
    .. "</tool_call> done")
  t.eq(#answer.calls, 2)
  t.eq(answer.calls[2].args.label, "No")
  t.eq(answer.calls[2].id, "text_2")
  t.eq(answer.text, "done")
  t.eq(one("<tool_call>" .. click_text).args, click, "its end is missing")
  t.eq(one('<tool_call>{"name":"wait","arguments":{"seconds":1}</tool_call>').args, { seconds = 1 })
end

function tests.mistral()
  t.eq(one("[TOOL_CALLS][" .. click_text .. "]").args, click)
  t.eq(#said("[TOOL_CALLS] [" .. click_text .. "," .. click_text .. "]").calls, 2)
  local answer = said('Now.[TOOL_CALLS]wait[ARGS]{"seconds":1}[TOOL_CALLS]press_key[ARGS]{"key":"a"}')
  t.eq(#answer.calls, 2)
  t.eq(answer.calls[2].args, { key = "a" })
  t.eq(answer.text, "Now.")
end

function tests.fences_and_bare_json()
  local call, answer = one("First:\n```json\n" .. click_text .. "\n```\nThen I look.")
  t.eq(call.args, click)
  t.eq(answer.text, "First:\n\nThen I look.")
  t.eq(one(click_text).args, click)
  t.eq(one("\n " .. click_text .. "\n").args, click)
  t.eq(one('{"function": {"name": "wait", "arguments": {"seconds": 1}}}').args, { seconds = 1 })
  t.eq(one('{"function": "wait", "arguments": {"seconds": 1}}').name, "wait")
  t.eq(one('{"type":"function","function":{"name":"wait","parameters":{}}}').name, "wait")
  t.eq(one('{"tool_calls":[{"function":{"name":"wait","arguments":"{}"}}]}').name, "wait")
  t.eq(#said("[" .. click_text .. "," .. click_text .. "]").calls, 2)
end

function tests.fences_that_are_repeated()
  local call, broken = "```json\n" .. click_text .. "\n```", "```json\n{,\n```"
  t.eq(#said(call .. call).calls, 2, "each call counts")
  local answer = said(broken .. " a " .. broken .. " b " .. call .. " c " .. broken .. call .. " d " .. broken)
  t.eq(#answer.calls, 2)
  t.eq(answer.text, broken .. " a " .. broken .. " b  c " .. broken .. " d " .. broken)
end

function tests.text_that_is_no_call()
  for _, content in ipairs {
    "Just words.", '{"name": "Bob"}', '{"answer": 42}', "```json\n{\"a\": 1}\n```", "[1, 2]", "{",
    '{"name": 5, "arguments": {}}', "use {curly} braces", "```lua\nos.exit()\n```", "[]", "{}",
    "``` ", "<tool_cal>" .. click_text,
  } do
    local answer = said(content)
    t.eq(#answer.calls, 0, content)
    t.eq(answer.text, content:match("^%s*(.-)%s*$"))
  end
  t.eq(said(nil).text, "")
end

function tests.thinking()
  local call, answer = one("<think>\n{\"name\":\"no\",\"arguments\":{}}\n</think>\n" .. click_text)
  t.eq(call.name, "click_element")
  t.eq(answer.thinking, '{"name":"no","arguments":{}}')
  t.eq(said("so I wonder</think> yes").text, "yes", "its beginning was swallowed")
  answer = said("<think>and on and on")
  t.eq(answer.text, "")
  t.eq(answer.thinking, "and on and on")
end

function tests.mended()
  local function arguments(source)
    local call = said(nil, { { id = "a", name = "x", arguments = source } }).calls[1]
    return call.args, call.error
  end
  t.eq(arguments('{"a": 1,}'), { a = 1 })
  t.eq(arguments('{"a": [1, 2, ], }'), { a = { 1, 2 } })
  t.eq(arguments('{"a": [1, 2'), { a = { 1, 2 } })
  t.eq(arguments('{"a": {"b": "c"}'), { a = { b = "c" } })
  t.eq(arguments('{"a": True, "b": False, "c": None}'), { a = true, b = false })
  t.eq(arguments('```json\n{"a": 1}\n```'), { a = 1 })
  t.eq(arguments('{"a": "True, ] }",}'), { a = "True, ] }" }, "strings stay as they are")
  t.eq(arguments('{"a": "say \\"hi\\",}",}'), { a = 'say "hi",}' })
end

function tests.not_mended()
  for _, source in ipairs {
    '{"a": "unfinished', '{"a": ', '{"a": 1, "b"', '{"a": 1]', '{"a": 1}}', "click OK",
    '{"a": 1} {"b": 2}', "[1, 2]", "5", '"text"', '{"a": 1,, "b": 2}', '{"a": NaN}', '{"a": 1e999}',
    '{a: 1}', '{"a": "x\\', string.rep("[", 2000), string.rep('{"a":', 2000),
  } do
    local call = said(nil, { { id = "a", name = "press_key", arguments = source } }).calls[1]
    t.eq(call.args, nil, source:sub(1, 40))
    t.has(call.error, "The arguments of press_key cannot be read", source:sub(1, 40))
    t.ok(#call.error < 300)
    t.eq(call.raw, source)
  end
end

function tests.calls_without_a_name_or_sense()
  t.has(said(nil, { { id = "a", name = "", arguments = "{}" } }).calls[1].error, "without the tool's name")
  local call = one('<tool_call>{"name": "wait", "arguments": {"seconds": }}</tool_call>')
  t.eq(call.name, "wait")
  t.has(call.error, "cannot be read")
  t.has(one("<tool_call>hello</tool_call>").error, "cannot be read")
  t.has(one('<tool_call>{"a": 1}</tool_call>').error, "names no tool")
  t.has(one("[TOOL_CALLS]nonsense").error, "cannot be read")
end

function tests.calls_alone()
  local calls, why = decode.calls { content = click_text, tool_calls = {} }
  t.eq(#calls, 1)
  t.eq(calls[1].args, click)
  t.eq(why, nil)
  calls, why = decode.calls { content = "<tool_call>hm</tool_call>" .. "<tool_call>" .. click_text, tool_calls = {} }
  t.eq(#calls, 1)
  t.has(why, "cannot be read")
  calls, why = decode.calls { content = "no call", tool_calls = {} }
  t.eq(calls, {})
  t.eq(why, nil)
end

-- What one pattern, or one copy of the rest for each call, made quadratic.
function tests.long_answers_take_linear_time()
  local began, size = task.now(), 250000
  for _, part in ipairs { " ", "\n", "[TOOL_CALLS]a[ARGS]", "[TOOL_CALLS]", "<tool_call>", "</tool_call>", "```json\n",
    "```\n", "{", "[", ",", '"', "\\", '{"name"', "<think>", "1", "a", "True ", "[1,]," } do
    said("a" .. part:rep(size // #part) .. "b")
    said(part:rep(size // #part))
    said('<tool_call>{"name":"wait","arguments":' .. part:rep(size // #part))
  end
  t.ok(task.now() - began < 30, ("%g s"):format(task.now() - began))
end

function tests.more_calls_than_are_read()
  local function calls(content, list) return decode.calls { content = content, tool_calls = list or {} } end
  local most = limits.most.calls
  for _, form in ipairs { "<tool_call>" .. click_text .. "</tool_call>", "```json\n" .. click_text .. "\n```\n",
    "[TOOL_CALLS]wait[ARGS]{}" } do
    t.eq(#calls(form:rep(most)), most, form)
    local found, why = calls(form:rep(most + 1))
    t.eq(found, {}, form)
    t.has(why, ("more than %d tools are called in it"):format(most), form)
  end
end

function tests.calls_that_are_too_large()
  local function call(name, arguments)
    return said(nil, { { id = "a", name = name, arguments = arguments } }).calls[1]
  end
  local most = limits.most
  t.eq(call(("n"):rep(most.name), "{}").args, {})
  t.has(call(("n"):rep(most.name + 1), "{}").error, "the name of a tool has 129 bytes, and at most 128 are read")
  local text = '{"a":"' .. ("b"):rep(most.arguments - 8) .. '"}'
  t.eq(#call("wait", text).args.a, most.arguments - 8)
  t.has(call("wait", text .. " ").error, "the arguments of a tool call have 131073 bytes, and at most 131072 are read")
  t.has(call("wait", '{"a":[' .. ("1,"):rep(most.values) .. "1]}").error, "more than 20000 values")
  t.has(call("wait", '{"a":' .. ("["):rep(60) .. ("]"):rep(60) .. "}").error, "61 deep, and at most 60 are read")
  t.has(one('<tool_call>{"name":"wait","arguments":{"a":[' .. ("1,"):rep(most.values) .. "1]}}</tool_call>").error,
    "more than 20000 values")
end

function tests.any_bytes_at_all()
  local seed = 7
  local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n + 1 end
  local bits = { "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "```json\n", "```", "{", "}", '"', "\\", "[",
    "]", ",", ":", '"name"', '"arguments"', "<think>", "</think>", "\0", "\255", "True", "1", " ", "[ARGS]",
    click_text }
  for _ = 1, 3000 do
    local parts = {}
    for i = 1, random(12) do parts[i] = bits[random(#bits)] end
    local content = table.concat(parts)
    local answer = said(content)
    for _, call in ipairs(answer.calls) do
      if not (call.args or call.error) then t.ok(false, content) end
    end
  end
  t.ok(true)
end

return tests
