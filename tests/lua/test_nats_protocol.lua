-- NATS's protocol without a connection: what servers may say, cut anywhere, and what they may not.
local protocol = require "deskpilot.net.nats_protocol"
local credentials = require "deskpilot.net.nats_credentials"
local files = require "deskpilot.base.files"
local nats_accounts = require "nats_accounts"
local signing = require "native.signing"
local spawn = require "spawn"
local t = require "harness"
local wires = require "deskpilot.net.nats_wire"

local tests = {}

-- All words of some bytes, which come in pieces of that size; and what is wrong with them.
local function read(bytes, size)
  local reader, words = protocol.reader(), {}
  for at = 1, #bytes, size do
    reader:add(bytes:sub(at, at + size - 1))
    while true do
      local word, why = reader:next()
      if why then return words, why end
      if not word then break end
      words[#words + 1] = word
    end
  end
  return words
end

local SAID = 'INFO {"server_id":"X","max_payload":1048576,"headers":true} \r\n'
  .. "+OK\r\nPING\r\npong\r\nMSG a.b 1 5\r\na\r\nb\0\r\n"
  .. "MSG a.b 12 reply.1 0\r\n\r\n"
  .. "HMSG a.b 3 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
  .. "HMSG\ta.b  3 r 48 51\r\nNATS/1.0 409 Consumer Deleted\r\nKind: test: 1\r\n\r\nxyz\r\n"
  .. "-ERR 'Permissions Violation for Publish to \"a\"'\r\n"

function tests.what_a_server_says_may_be_cut_anywhere()
  for _, size in ipairs { 1, 2, 3, 7, 16, 61, 1000 } do
    local words, why = read(SAID, size)
    t.eq(why, nil)
    t.eq(#words, 9)
    t.eq({ words[1].kind, words[1].info.max_payload }, { "info", 1048576 })
    t.eq({ words[2].kind, words[3].kind, words[4].kind }, { "ok", "ping", "pong" })
    t.eq({ words[5].id, words[5].message }, { 1, { subject = "a.b", data = "a\r\nb\0", headers = {} } })
    t.eq({ words[6].id, words[6].message }, { 12, { subject = "a.b", reply = "reply.1", data = "", headers = {} } })
    t.eq(words[7].message, { subject = "a.b", data = "", headers = { Status = "503" } })
    t.eq(words[8].message, { subject = "a.b", reply = "r", data = "xyz", headers = { Status = "409",
      Description = "Consumer Deleted", Kind = "test: 1" } })
    t.eq({ words[9].kind, words[9].words }, { "error", 'Permissions Violation for Publish to "a"' })
  end
end

function tests.what_no_server_says_ends_it()
  for bytes, part in pairs {
    ["HTTP/1.1 400 Bad Request\r\n"] = "something else", ["\r\n"] = "something else", ["\0\0\0\n"] = "something else",
    ["INFO {\r\n"] = "greeting", ["INFO 7\r\n"] = "greeting", ["INFO " .. ("["):rep(5000) .. "\r\n"] = "greeting",
    ["MSG a 1\r\n"] = "impossible size", ["MSG a 1 -1\r\n"] = "impossible size", ["MSG a x 1\r\n"] = "impossible size",
    ["MSG a 1 0x10\r\n"] = "impossible size", ["MSG a 1 99999999999999999999\r\n"] = "impossible size",
    ["MSG a 1 67108865\r\n"] = "impossible size", ["MSG a 2147483648 1\r\n"] = "impossible size",
    ["MSG a 1 r 2 3 4\r\n"] = "impossible size", ["MSG a 1 1e1\r\n"] = "impossible size",
    ["HMSG a 1 9 8\r\n"] = "impossible size", ["HMSG a 1 8\r\n"] = "impossible size",
    ["MSG a 1 2\r\nabcd"] = "longer than it says", ["MSG a 1 2\r\nab\n\n"] = "longer than it says",
    [("x"):rep(70000)] = "a line of more than 65536 bytes", ["INFO " .. (" "):rep(66000) .. "\r\n"] = "a line of more",
  } do
    for _, size in ipairs { 100, 4096, 100000 } do
      local _, why = read(bytes, size)
      t.has(tostring(why), part, bytes:sub(1, 40))
    end
  end
end

function tests.headers_that_cannot_be_read_are_left_out()
  local function headers(block)
    local words = read(("HMSG a 1 %d %d\r\n%s\r\n"):format(#block, #block, block), 1000)
    return words[1] and words[1].message.headers
  end
  t.eq(headers "", {})
  t.eq(headers "nonsense", {})
  t.eq(headers "NATS/2.0\r\nA: 1\r\n\r\n", {})
  t.eq(headers "NATS/1.0\r\nA: 1\r\nno header\r\n: 2\r\nB\r\nA: second\r\n\r\n", { A = "1" })
  t.eq(headers "NATS/1.0\r\nA: 1", {})
  local many = { "NATS/1.0" }
  for i = 1, 1000 do many[#many + 1] = "H" .. i .. ": v" end
  local count = 0
  for _ in pairs(headers(table.concat(many, "\r\n") .. "\r\n\r\n")) do count = count + 1 end
  t.eq(count, 64)
end

-- Bytes of a server's, a few of them changed, taken away or doubled: nothing raises, and what is read keeps its limits.
function tests.broken_bytes_raise_nothing()
  local seed = os.time()
  math.randomseed(seed)
  for _ = 1, 3000 do
    local bytes = SAID
    for _ = 1, math.random(1, 6) do
      local at = math.random(#bytes)
      local kind, letter = math.random(3), string.char(math.random(0, 255))
      bytes = bytes:sub(1, at - 1) .. (kind == 1 and letter or kind == 2 and bytes:sub(at, at):rep(2) or "")
        .. bytes:sub(at + 1)
    end
    local ok, words, why = pcall(read, bytes, math.random(1, 80))
    t.ok(ok, ("seed %d: %s: %q"):format(seed, words, bytes))
    t.ok(why == nil or type(why) == "string")
    for _, word in ipairs(ok and words or {}) do
      if word.kind == "message" then
        t.ok(math.type(word.id) == "integer" and #word.message.data <= #bytes, bytes)
      end
    end
  end
end

function tests.what_is_sent()
  t.eq(protocol.publish { subject = "a", data = "x\r\n" }, "PUB a 3\r\nx\r\n\r\n")
  t.eq(protocol.publish { subject = "a", reply = "b" }, "PUB a b 0\r\n\r\n")
  t.eq(protocol.publish { subject = "a", data = "x", headers = {} }, "PUB a 1\r\nx\r\n")
  t.eq(protocol.publish { subject = "a", reply = "b", data = "xy", headers = { K = "v" } },
    "HPUB a b 18 20\r\nNATS/1.0\r\nK: v\r\n\r\nxy\r\n")
end

function tests.addresses()
  local function eq(text, want) t.eq(wires.address(text), want, text) end
  eq("nats://a", { scheme = "nats", host = "a", port = 4222, path = "" })
  eq("nats://ann:p%40%3A@[::1]:99/", { scheme = "nats", host = "::1", port = 99, path = "", user = "ann",
    password = "p@:" })
  eq("nats://token@a:1", { scheme = "nats", host = "a", port = 1, path = "", user = "token" })
  eq("wss://a/nats?x=1", { scheme = "wss", host = "a", port = 443, path = "/nats?x=1" })
  for _, text in ipairs { "", "a", "nats://", "nats://:1", "nats://a:0", "nats://a:65536", "nats://a:x", "nats://a b",
    "nats://a/b", "http://a", "nats://%zz:a@b", "nats://a:1:2", "nats://[a:1" } do
    t.eq(wires.address(text), nil, text)
  end
end

-- --- credentials -------------------------------------------------------------------------------------------------

tests.a_users_file_signs_what_is_asked = spawn.in_folder(function(folder)
  local path = files.join(folder, "a.creds")
  local user, account = nats_accounts.key "user", nats_accounts.key "account"
  local function write(token, seed)
    assert(files.write(path, ("-----BEGIN NATS USER JWT-----\r\n%s\r\n------END NATS USER JWT------\r\n\r\n"
      .. "-----BEGIN USER NKEY SEED-----\r\n%s\r\n------END USER NKEY SEED------\r\n"):format(token, seed)))
    return credentials.read(path)
  end
  local found = assert(write("a.b-c._d", user.seed))
  t.eq(found.token, "a.b-c._d")
  local from_base64 = require("native.image").from_base64
  local signature = found.sign("nonce"):gsub("[-_]", { ["-"] = "+", _ = "/" })
  t.ok(signing.verify("nonce", from_base64(signature .. "=="), user.secret:sub(33)))
  for _, seed in ipairs { account.seed, user.public, user.seed:sub(1, -2), user.seed .. "A", user.seed:lower(),
    (user.seed:gsub("^(.....).", function(head) return head .. (user.seed:sub(6, 6) == "A" and "B" or "A") end)) } do
    local _, err = t.fails("invalid", "has no user's token (JWT) with its seed", write("a.b.c", seed))
    t.ok(not tostring(err):find(seed, 1, true))
  end
  t.fails("invalid", "has no user's token", write('a"b', user.seed))
  assert(files.write(path, ""))
  t.fails("invalid", "has no user's token", credentials.read(path))
  t.fails("not_found", "none.creds", credentials.read(files.join(folder, "none.creds")))
end)

return tests
