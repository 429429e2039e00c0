-- mcp/protocol: messages are read with limits and written as one line; bytes become lines.
local json = require "deskpilot.base.json"
local protocol = require "deskpilot.mcp.protocol"
local t = require "harness"

local tests = {}

function tests.messages_are_written_and_read()
  local line = protocol.request(7, "tools/call", { name = "a\nb", arguments = {} })
  t.eq(line, '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{},"name":"a\\nb"}}')
  t.eq(protocol.read(line), { kind = "request", id = 7, method = "tools/call",
    params = { name = "a\nb", arguments = {} } })
  t.eq(protocol.read(protocol.notification("notifications/x")),
    { kind = "notification", method = "notifications/x", params = {} })
  t.eq(protocol.read(protocol.result("a", { tools = json.list() })),
    { kind = "result", id = "a", result = { tools = {} } })
  t.eq(protocol.read(protocol.failure(nil, protocol.codes.parse, "what?", { x = 1 })),
    { kind = "error", error = { code = -32700, message = "what?", data = { x = 1 } } })
  t.eq(protocol.read('{"jsonrpc":"2.0","id":2.0,"result":{}}').id, 2, "a whole number, however it is written")
end

function tests.what_is_no_message_is_told()
  for _, row in ipairs {
    { "", "is no JSON that can be read", -32700 },
    { "nonsense", "is no JSON that can be read", -32700 },
    { "null", "is no JSON that can be read", -32700 },
    { "[]", "is no message: it is no JSON-RPC 2.0 object", -32600 },
    { '[{"jsonrpc":"2.0","id":1,"method":"a"}]', "no JSON-RPC 2.0 object", -32600 },
    { '{"jsonrpc":"1.0","id":4,"method":"a"}', "no JSON-RPC 2.0 object", -32600, 4 },
    { '{"jsonrpc":"2.0","id":5}', "neither a method nor", -32600, 5 },
    { '{"jsonrpc":"2.0","id":5,"method":7}', "its method is no name", -32600, 5 },
    { '{"jsonrpc":"2.0","id":5,"method":"a","params":[1]}', "its params are no object", -32600, 5 },
    { '{"jsonrpc":"2.0","id":1.5,"method":"a"}', "its id is neither", -32600 },
    { '{"jsonrpc":"2.0","id":{},"method":"a"}', "its id is neither", -32600 },
    { '{"jsonrpc":"2.0","result":{}}', "without an id", -32600 },
    { '{"jsonrpc":"2.0","id":5,"result":"x"}', "its result is no object", -32600, 5 },
    { '{"jsonrpc":"2.0","id":5,"error":{"code":"x","message":"y"}}', "no code and message", -32600, 5 },
    { '{"jsonrpc":"2.0","id":5,"error":{"code":1}}', "no code and message", -32600, 5 },
    { ("["):rep(1000), "nested 1000 deep", -32700 },
    { '{"jsonrpc":"2.0","id":1,"result":{"a":[' .. ("0,"):rep(300000) .. "0]}}", "more than 200000 values", -32700 },
  } do
    local message, why, code, id = protocol.read(row[1])
    t.eq(message, nil, row[1]:sub(1, 80))
    t.has(why, row[2])
    t.eq({ code, id }, { row[3], row[4] }, row[1]:sub(1, 80))
  end
  t.has(select(2, protocol.read((" "):rep(100), { bytes = 50, values = 10, depth = 5 })), "at most 50 are read")
  t.eq(#protocol.read(protocol.failure(1, 1, ("x"):rep(5000))).error.message <= 2003, true)
end

function tests.revisions()
  t.eq({ protocol.knows "2026-07-28" }, { true, true })
  t.eq({ protocol.knows "2025-06-18" }, { true, false })
  t.eq({ protocol.knows "2024-11-05" }, { false, false })
  t.eq({ protocol.knows(nil) }, { false, false })
  t.eq(protocol.is_stateless_error(-32022), true)
  t.eq(protocol.is_stateless_error(-32002), false)
  t.eq(protocol.is_stateless_error(-32601), false)
end

function tests.bytes_become_lines()
  local lines = protocol.lines(10)
  t.eq(lines:feed "one\r\ntwo\n\nth", { "one", "two" })
  t.eq(lines:feed "ree", {})
  t.eq(lines:feed "\n0123456789\n", { "three", "0123456789" })
  t.eq(lines:feed "0123456789a\nnext\n", { false, "next" }, "one byte too many")
  for _ = 1, 1000 do t.eq(lines:feed "0123456789", {}) end
  t.ok(lines.size <= 10, "of a line that never ends nothing is kept: " .. lines.size)
  t.eq(lines:feed "end\nx\n", { false, "x" })
end

function tests.every_split_gives_the_same_lines()
  local whole = "a\n\r\nbcd\r\n" .. ("x"):rep(12) .. "\ne\n"
  for cut = 0, #whole do
    local lines = protocol.lines(8)
    local found = lines:feed(whole:sub(1, cut))
    for _, line in ipairs(lines:feed(whole:sub(cut + 1))) do found[#found + 1] = line end
    t.eq(found, { "a", "bcd", false, "e" }, "cut at " .. cut)
  end
end

-- The examples of the specification.
function tests.header_values()
  for value, header in pairs {
    ["us-west1"] = "us-west1", ["Hello, 世界"] = "=?base64?SGVsbG8sIOS4lueVjA==?=",
    [" padded "] = "=?base64?IHBhZGRlZCA=?=", ["line1\nline2"] = "=?base64?bGluZTEKbGluZTI=?=",
    ["=?base64?literal?="] = "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", ["a b"] = "a b", [""] = "",
  } do
    t.eq(protocol.header_value(value), header)
    t.eq(protocol.header_text(header), value)
  end
  t.eq(protocol.header_text "=?base64?%%%?=", nil)
end

return tests
