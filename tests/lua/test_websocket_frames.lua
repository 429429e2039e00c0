-- The WebSocket client against a server that sends every kind of frame, right and wrong, and judges what comes
-- back: RFC 6455 section by section. The client echoes each message.
local t = require "harness"
local task = require "deskpilot.base.task"
local websocket = require "deskpilot.net.websocket"
local websocket_server = require "websocket_server"

local tests = {}
local bytes_of, closing = websocket_server.frame_bytes, websocket_server.closing
local CLOSE = bytes_of("close", closing(1000))

-- Whatever the server sent, the client's own frames have to be right.
local function check_frames(frames, name)
  local keys = {}
  for i, frame in ipairs(frames) do
    local size = #frame.payload
    local right = frame.masked and frame.final and frame.reserved == 0
      and frame.form == (size < 126 and 7 or size < 65536 and 16 or 64)
    if not right then t.ok(false, name .. ": frame " .. i .. " of the client's is malformed") end
    if keys[frame.key] then t.ok(false, name .. ": frame " .. i .. " has a mask that was used before") end
    keys[frame.key] = true
  end
end

-- The server sends `bytes` (with `step`, so many at a time) and looks at what comes until the client closes.
-- Returns { messages, err, frames }; `frames` without the client's closing, which is in `code` and `reason`.
local function converse(name, bytes, options)
  options = options or {}
  local outcome = { messages = {} }
  local peer_of
  local server = websocket_server.start(function(peer)
    peer_of = peer
    peer:accept()
    if type(bytes) == "function" then bytes(peer) else peer:write(bytes, options.step) end
    for frame in function() return peer:next() end do
      if frame.kind == "close" then break end
    end
  end)
  local socket
  socket = assert(websocket.open(server.url, { max_message = options.max_message,
    on_message = function(message, kind)
      table.insert(outcome.messages, message)
      socket:send(message, { binary = kind == "binary" })
    end,
    on_close = function(err)
      outcome.err = err
      if outcome.told then outcome.told() end
    end }))
  if not task.limit(60, task.await, function(done)
    outcome.told = done
    if outcome.err then done() end
  end) then error(name .. ": did not end") end
  server:finish()
  server:stop()
  outcome.frames = peer_of.frames
  check_frames(outcome.frames, name)
  local last = outcome.frames[#outcome.frames]
  if last and last.kind == "close" then
    table.remove(outcome.frames)
    if #last.payload >= 2 then
      outcome.code = (">I2"):unpack(last.payload)
      outcome.reason = last.payload:sub(3)
    else
      outcome.code = "none"
    end
  end
  return outcome
end

local function show_frames(frames)
  local list = {}
  for _, frame in ipairs(frames) do list[#list + 1] = frame.kind .. ":" .. frame.payload end
  return list
end

-- After these bytes and a proper closing the client has answered exactly `want` ("kind:payload").
local function answers(name, bytes, want, options)
  local outcome = converse(name, bytes .. CLOSE, options)
  t.eq(show_frames(outcome.frames), want, name)
  t.eq(outcome.code, 1000, name)
  t.eq(outcome.err.code, "unavailable", name)
  t.eq(outcome.err.close_code, 1000, name)
end

-- These bytes end the connection by the client, with that code, after it has answered `want`. `words` is a part of
-- the error's sentence.
local function refused(name, bytes, code, words, want, options)
  local outcome = converse(name, bytes, options)
  t.eq(outcome.code, code, name)
  t.eq(outcome.err.code, "protocol", name)
  t.eq(outcome.err.close_code, code, name)
  t.has(tostring(outcome.err), words, name)
  if want then t.eq(show_frames(outcome.frames), want, name) end
end

function tests.messages_of_every_length()
  for _, kind in ipairs { "text", "binary" } do
    for _, size in ipairs { 0, 1, 124, 125, 126, 127, 128, 65534, 65535, 65536, 65537, 300001 } do
      local message = kind == "text" and ("*"):rep(size) or ("\xfe"):rep(size)
      local outcome = converse(kind .. size, bytes_of(kind, message) .. CLOSE)
      t.eq(#outcome.frames, 1, kind .. size)
      t.eq(outcome.frames[1].kind, kind)
      t.ok(outcome.frames[1].payload == message, kind .. " of " .. size .. " bytes came back as it was")
    end
  end
end

function tests.messages_in_small_pieces()
  local message = ("0123456789abcdef"):rep(128)
  answers("7 at a time", bytes_of("text", message), { "text:" .. message }, { step = 7 })
  answers("one at a time", bytes_of("text", message:sub(1, 300)) .. bytes_of("binary", "\0\xff"),
    { "text:" .. message:sub(1, 300), "binary:\0\xff" }, { step = 1 })
  answers("997 at a time", bytes_of("binary", message:rep(64)), { "binary:" .. message:rep(64) }, { step = 997 })
end

function tests.many_messages_in_one_packet()
  local bytes, want = {}, {}
  for i = 1, 3000 do
    bytes[i] = bytes_of(i % 2 == 0 and "text" or "binary", "message " .. i)
    want[i] = (i % 2 == 0 and "text" or "binary") .. ":message " .. i
  end
  answers("3000 messages", table.concat(bytes), want)
end

function tests.pings_are_answered_with_their_bytes()
  answers("empty", bytes_of("ping", ""), { "pong:" })
  answers("text", bytes_of("ping", "Hello"), { "pong:Hello" })
  answers("binary", bytes_of("ping", "\0\xff\xfe\xfd"), { "pong:\0\xff\xfe\xfd" })
  answers("125 bytes", bytes_of("ping", ("\xfe"):rep(125)), { "pong:" .. ("\xfe"):rep(125) })
  answers("bytewise", bytes_of("ping", ("\xfe"):rep(125)), { "pong:" .. ("\xfe"):rep(125) }, { step = 1 })
end

function tests.pongs_nobody_asked_for_are_ignored()
  answers("empty", bytes_of("pong", ""), {})
  answers("with bytes", bytes_of("pong", "unasked"), {})
  answers("then a ping", bytes_of("pong", "unasked") .. bytes_of("ping", "asked"), { "pong:asked" })
end

function tests.a_flood_of_pings_costs_one_pong_at_a_time()
  local outcome = converse("flood", function(peer)
    local flood = {}
    for i = 1, 20000 do flood[i] = bytes_of("ping", ("%099d"):format(i)) end
    peer:stop_reading()
    peer:write(table.concat(flood))
    task.sleep(0.05)
    peer:write(CLOSE)
    peer:read_on()
  end)
  local pongs = 0
  for _, frame in ipairs(outcome.frames) do
    if frame.kind == "pong" then pongs = pongs + 1 end
  end
  t.ok(pongs >= 1 and pongs <= 20000, pongs)
  t.eq(outcome.frames[pongs].payload, ("%099d"):format(20000), "the last ping is answered")
  t.eq(outcome.code, 1000)
end

function tests.control_frames_that_are_too_long_or_in_fragments()
  for _, kind in ipairs { "ping", "pong", "close" } do
    refused(kind, bytes_of(kind, closing(1000) .. ("x"):rep(124)), 1002, "more than 125 bytes", {})
    refused(kind, bytes_of(kind, "", { form = 64, length = 1 << 40 }), 1002, "more than 125 bytes", {})
    refused(kind, bytes_of(kind, closing(1000), { final = false }), 1002, "in fragments", {})
  end
end

function tests.reserved_bits()
  local hello = bytes_of("text", "Hello")
  for reserved = 1, 7 do
    local name = "reserved " .. reserved
    refused(name, bytes_of("text", "x", { reserved = reserved }), 1002, "reserved bit", {})
    refused(name, hello .. bytes_of("ping", "x", { reserved = reserved }), 1002, "reserved bit")
    refused(name, bytes_of("close", closing(1000), { reserved = reserved }), 1002, "reserved bit", {})
  end
  refused("bytewise", hello .. bytes_of("text", "x", { reserved = 4 }), 1002, "reserved bit", { "text:Hello" },
    { step = 1 })
end

function tests.kinds_that_do_not_exist()
  for _, kind in ipairs { 3, 4, 5, 6, 7, 11, 12, 13, 14, 15 } do
    refused("kind " .. kind, bytes_of(kind, ""), 1002, "unknown kind", {})
    refused("kind " .. kind, bytes_of(kind, "payload"), 1002, "unknown kind", {})
  end
  refused("after a text", bytes_of("text", "Hello") .. bytes_of(5, "x"), 1002, "unknown kind", { "text:Hello" },
    { step = 1 })
end

function tests.masked_frames_of_the_servers()
  for _, kind in ipairs { "text", "binary", "ping", "pong", "close" } do
    refused(kind, bytes_of(kind, "\0\0", { mask = "\0\0\0\0" }), 1002, "masked", {})
  end
end

function tests.lengths_that_are_not_written_as_they_must_be()
  refused("16 for 125", bytes_of("text", ("x"):rep(125), { form = 16 }), 1002, "a length", {})
  refused("64 for 65535", bytes_of("text", ("x"):rep(65535), { form = 64 }), 1002, "a length", {})
  refused("64 for 0", bytes_of("text", "", { form = 64 }), 1002, "a length", {})
  refused("negative", bytes_of("binary", "x", { form = 64, length = math.mininteger }), 1002, "a length", {})
end

function tests.fragments()
  local function part(kind, payload, final) return bytes_of(kind, payload, { final = final or false }) end
  local function cont(payload, final) return bytes_of("continuation", payload, { final = final or false }) end
  local a, b = part("text", "frag1"), cont("frag2", true)
  for _, step in ipairs { 0, 1 } do
    local options = { step = step > 0 and step or nil }
    answers("two", a .. b, { "text:frag1frag2" }, options)
    answers("a ping between", a .. bytes_of("ping", "p") .. b, { "pong:p", "text:frag1frag2" }, options)
    answers("a pong between", a .. bytes_of("pong", "p") .. b, { "text:frag1frag2" }, options)
    answers("empty ones", part("text", "") .. cont("") .. cont("", true), { "text:" }, options)
    answers("an empty first", part("binary", "") .. cont("x") .. cont("", true), { "binary:x" }, options)
    answers("two messages", a .. b .. part("binary", "3") .. cont("4", true), { "text:frag1frag2", "binary:34" },
      options)
    refused("a text inside", a .. bytes_of("text", "x"), 1002, "inside another", {}, options)
    refused("a binary inside", a .. part("binary", "x"), 1002, "inside another", {}, options)
  end
  refused("nothing to continue", b, 1002, "a continuation of nothing", {})
  refused("nothing to continue, open", cont("x"), 1002, "a continuation of nothing", {})
  refused("after a whole one", bytes_of("text", "x") .. b, 1002, "a continuation of nothing", { "text:x" })
  refused("after the last", a .. b .. b, 1002, "a continuation of nothing", { "text:frag1frag2" })
  local pieces, whole = { part("binary", "<") }, { "<" }
  for i = 1, 5000 do
    pieces[#pieces + 1], whole[#whole + 1] = cont(tostring(i)), tostring(i)
    if i % 100 == 0 then pieces[#pieces + 1] = bytes_of("pong", "between") end
  end
  answers("5000 pieces", table.concat(pieces) .. cont(">", true), { "binary:" .. table.concat(whole) .. ">" })
end

function tests.larger_than_allowed()
  local limit = { max_message = 1000 }
  answers("as large as allowed", bytes_of("text", ("x"):rep(1000)), { "text:" .. ("x"):rep(1000) }, limit)
  refused("one more", bytes_of("text", ("x"):rep(1001)), 1009, "more than 1000 bytes", {}, limit)
  refused("only told", bytes_of("binary", "", { form = 64, length = 1 << 62 }), 1009, "more than 1000 bytes", {}, limit)
  refused("in pieces", bytes_of("text", ("x"):rep(600), { final = false })
    .. bytes_of("continuation", ("x"):rep(401), { final = false }), 1009, "more than 1000 bytes", {}, limit)
  answers("in pieces, as large", bytes_of("text", ("x"):rep(600), { final = false })
    .. bytes_of("continuation", ("y"):rep(400)), { "text:" .. ("x"):rep(600) .. ("y"):rep(400) }, limit)
  refused("after one", bytes_of("binary", ("x"):rep(1000)) .. bytes_of("binary", ("x"):rep(1001)), 1009, "more than",
    nil, limit)
end

local GOOD = { "", "Hello", "κόσμε", "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}", "\u{d7ff}\u{e000}",
  "\u{fffd}\u{feff}", "\0", "日本語 😀" }
local BAD = { "\x80", "\xbf", "\x80\xbf\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xc1\xbf",
  "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xed\xa0\x80\xed\xb0\x80", "\xf4\x90\x80\x80",
  "\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80", "\xfe", "\xff", "\xc0", "\xe0\xa0", "\xf0\x90\x80", "\xce",
  "Hello\xf0\x9f\x98", ("x"):rep(99) .. "\xff", "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited" }

function tests.text_is_utf8()
  for i, text in ipairs(GOOD) do
    answers("good " .. i, bytes_of("text", text), { "text:" .. text })
    if #text > 1 then
      local pieces = {} -- every byte a fragment of its own
      for at = 1, #text do
        pieces[at] = bytes_of(at == 1 and "text" or "continuation", text:sub(at, at), { final = at == #text })
      end
      answers("good in fragments " .. i, table.concat(pieces), { "text:" .. text })
    end
  end
  for i, text in ipairs(BAD) do
    refused("bad " .. i, bytes_of("text", text), 1007, "not UTF-8", {})
    local pieces = {}
    for at = 1, #text do
      pieces[at] = bytes_of(at == 1 and "text" or "continuation", text:sub(at, at), { final = at == #text })
    end
    refused("bad in fragments " .. i, table.concat(pieces), 1007, "not UTF-8", {})
    answers("bad, but binary " .. i, bytes_of("binary", text), { "binary:" .. text })
  end
end

function tests.bad_text_is_refused_before_its_end()
  refused("first fragment", bytes_of("text", "good\xc0\xaf then more", { final = false }), 1007, "not UTF-8", {})
  refused("half a frame", bytes_of("text", "\xed\xa0\x80 then", { length = 60000, form = 16 }), 1007, "not UTF-8", {})
end

function tests.closings_that_may_be_sent()
  for _, code in ipairs { 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1014, 3000, 3999, 4000, 4999 } do
    local outcome = converse("close " .. code, bytes_of("close", closing(code, "why ☺")))
    t.eq(outcome.code, code)
    t.eq(outcome.err.code, "unavailable")
    t.eq(outcome.err.close_code, code)
    t.eq(outcome.err.reason, "why ☺")
    t.has(tostring(outcome.err), code .. ": why ☺")
  end
  local outcome = converse("without a code", bytes_of("close", ""))
  t.eq(outcome.code, "none")
  t.eq(outcome.err.close_code, 1005)
  t.eq(outcome.err.reason, "")
  outcome = converse("a long reason", bytes_of("close", closing(1000, ("r"):rep(123))), { step = 1 })
  t.eq(outcome.err.reason, ("r"):rep(123))
  outcome = converse("control characters", bytes_of("close", closing(1000, "a\27[2J\0b")))
  t.eq(outcome.err.reason, "a\27[2J\0b")
  t.ok(not tostring(outcome.err):find("%c"), tostring(outcome.err))
end

function tests.closings_that_may_not_be_sent()
  for _, code in ipairs { 0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535 } do
    refused("close " .. code, bytes_of("close", closing(code)), 1002, "may not be sent", {})
  end
  refused("one byte", bytes_of("close", "\3"), 1002, "half a code", {})
  refused("bad reason", bytes_of("close", closing(1000, "\xce\xba\xed\xa0\x80")), 1007, "not UTF-8", {})
  refused("cut reason", bytes_of("close", closing(1000, "\xf0\x9f\x98")), 1007, "not UTF-8", {})
end

function tests.nothing_counts_after_a_closing()
  for name, more in pairs { text = bytes_of("text", "late"), ping = bytes_of("ping", "late"),
    close = bytes_of("close", closing(1001, "late")),
    nonsense = ("\xff"):rep(1000), large = bytes_of("binary", ("x"):rep(300000)) } do
    local outcome = converse(name, CLOSE .. more)
    t.eq(outcome.messages, {}, name)
    t.eq(outcome.frames, {}, name)
    t.eq(outcome.code, 1000, name)
    t.eq(outcome.err.close_code, 1000, name)
    t.eq(outcome.err.reason, "", name)
  end
  answers("in the middle of a message", bytes_of("text", "never ended", { final = false }), {})
end

function tests.nothing_counts_after_a_breach()
  local outcome = converse("breach", bytes_of(3, "") .. bytes_of("text", "late") .. bytes_of("ping", "late") .. CLOSE)
  t.eq(outcome.messages, {})
  t.eq(outcome.frames, {})
  t.eq(outcome.code, 1002)
end

return tests
