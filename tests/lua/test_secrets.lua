--- What is masked, in which forms, how long that takes; and that no command writes to a terminal by another way.
local t = require "harness"
local files = require "deskpilot.base.files"
local image = require "native.image"
local inspect = require "deskpilot.cli.inspect"
local chat = require "deskpilot.model.wires.chat"
local invisible = require "deskpilot.base.invisible"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local secrets = require "deskpilot.model.secrets"
local spawn = require "spawn"
local stream = require "deskpilot.model.stream"
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"

local tests = {}

local key = 'aQ/7"mT3+vK9wR\\x2Lb'
secrets.register(key)

local function quoted(words, times)
  for _ = 1, times do words = json.encode(words):sub(2, -2) end
  return words
end

function tests.a_key_in_whichever_form()
  for times = 0, 4 do
    t.eq(secrets.mask("<" .. quoted(key, times) .. ">"), "<***>", times .. " times within JSON")
  end
  t.eq(secrets.mask((quoted(key, 1):gsub("/", "\\/"))), "***")
  t.eq(secrets.mask("x=" .. key:gsub("[^%w]", function(c) return ("%%%02X"):format(c:byte()) end)), "x=***")
  t.eq(secrets.mask(key .. key), "******")
  for before = 0, 5 do
    for after = 0, 3 do
      local coded = image.base64(("u"):rep(before) .. key .. ("v"):rep(after))
      for _, form in ipairs { coded, (coded:gsub("[+/]", { ["+"] = "-", ["/"] = "_" })), (coded:gsub("/", "\\/")) } do
        local masked = secrets.mask(form)
        t.has(masked, "***", form)
        t.ok(#masked <= before * 4 // 3 + after * 4 // 3 + 11, form .. " became " .. masked)
      end
    end
  end
  t.eq(secrets.mask("a " .. key:sub(1, 6) .. "\u{200B}" .. key:sub(7) .. " z"), "a *** z", "taken apart unseen")
  t.eq(secrets.mask("a\u{200B}z"), "a\u{200B}z", "what hides nothing stays")
end

function tests.what_looks_like_a_secret()
  local cases = {
    ["http://me:pass@word@host/x"] = "http://me:***@host/x",
    ["see http://host:8080/a@b and ws://u:p@h"] = "see http://host:8080/a@b and ws://u:***@h",
    ['{"a":"http://h:1","b":"x@y"}'] = '{"a":"http://h:1","b":"x@y"}',
    ["https://h/?q=1&api_key=abc&x=2#top"] = "https://h/?q=1&api_key=***&x=2#top",
    ["https://h/?access_token=abc"] = "https://h/?access_token=***",
    ["https://h/?monkeys=abc"] = "https://h/?monkeys=abc",
    ["OPENAI_API_KEY=abc def\nPATH=/bin"] = "OPENAI_API_KEY=*** def\nPATH=/bin",
    ['{"text":"A_TOKEN=abc","n":1}'] = '{"text":"A_TOKEN=***","n":1}',
    ["Authorization: Basic dXNlcjpwYXNz"] = "Authorization: ***",
    ['"Authorization":"Token abc.def"'] = '"Authorization":"***"',
    ["a basic thing, KEY = 5, the key=value of it"] = "a basic thing, KEY = 5, the key=value of it",
  }
  for words, masked in pairs(cases) do t.eq(secrets.mask(words), masked) end
  t.eq(secrets.mask_all { GITHUB_TOKEN = "12345678", TOKEN = "no", token = "12345678" },
    { GITHUB_TOKEN = "***", TOKEN = "no", token = "12345678" })
end

function tests.masked_while_it_is_encoded()
  local fixed = json.constant(json.ordered({ z = key, a = { "plain", key } }, { "z", "a" }))
  for i, value in ipairs { {}, json.list(), key, "a/b", { 1, 2.5, key, false, json.null, { key } },
    { [key] = 1, A = 2 },
    json.ordered({ b = key, a = { [key] = key } }, { "b", "a" }), { fixed, fixed = fixed, list = nil },
    { tools = { fixed, fixed }, words = "x " .. key }, { GITHUB_TOKEN = "12345678", TOKEN = "no", token = "12345678" },
    { GITHUB_TOKEN = { "12345678" }, deep = { { { { SOME_KEY = "abcdefgh", other = "\xff" } } } } },
    setmetatable({ content = "c" }, { __index = { role = key } }) } do
    local ok, plain = pcall(function() return json.encode(secrets.mask_all(value)) end)
    local again, encoded = pcall(secrets.encode, value)
    t.eq({ again, encoded }, { ok, plain }, i)
    t.ok(not tostring(encoded):find("aQ", 1, true), encoded)
  end
  t.eq(json.encode(fixed), '{"z":' .. json.encode(key) .. ',"a":["plain",' .. json.encode(key) .. "]}", "as it is")
  local tool = json.constant { description = "says swordfish-99" }
  t.eq(secrets.encode { tool }, '[{"description":"says swordfish-99"}]')
  secrets.register "swordfish-99"
  t.eq(secrets.encode { tool }, '[{"description":"says ***"}]', "a secret that is known since then")
  local round = {}
  round.self = round
  t.raises("too deep", secrets.encode, round)
  t.raises("cannot hold a function", secrets.encode, { print })
end

function tests.variables()
  secrets.register_environment { SOME_API_KEY = "value-of-this", KEY = "/etc/keys/mine", SHORT_TOKEN = "true",
    KEYBOARD = "value-of-that", Db_Password = "value-of-those" }
  t.eq(secrets.mask "value-of-this value-of-that value-of-those /etc/keys/mine true",
    "*** value-of-that *** /etc/keys/mine true")
end

function tests.names_of_fields_and_tables_within_themselves()
  t.eq(secrets.mask_all { [key] = { key, { ["x" .. key] = 1 } } }, { ["***"] = { "***", { ["x***"] = 1 } } })
  local round = { key }
  round.self = round
  local copy = secrets.mask_all(round)
  t.eq(copy[1], "***")
  t.ok(rawequal(copy.self, copy), "the same shape")
end

function tests.a_journal_takes_what_is_no_data()
  local folder = spawn.folder()
  local writer = assert(journal.open(folder))
  local round = { key }
  round.self = round
  writer:every { event = "note", at = 0, message = key, more = round }
  writer.close()
  local words = assert(files.read(files.join(folder, "journal.jsonl")))
  t.eq(words:find("mT3", 1, true), nil, words)
  t.has(words, "not_encodable")
  files.remove(folder)
end

-- In place, and only the receiver's own: what a mission types may be a secret of somebody else's.
function tests.what_the_receiver_of_a_key_says()
  secrets.register "another-secret"
  local said = { "a " .. key, { [key] = "another-secret", n = 1 }, true }
  t.ok(rawequal(secrets.strip(said, { key }), said))
  t.eq(said, { "a ***", { ["***"] = "another-secret", n = 1 }, true })
  local parts = {}
  for at = 1, #key do
    parts[at] = "data: " .. json.encode { choices = { { index = 0, delta = { content = key:sub(at, at) } } } } .. "\n\n"
  end
  local raw = assert(stream.read(table.concat(parts) .. "data: [DONE]\n\n", chat.events()))
  t.eq(secrets.strip(raw, { key }).choices[1].message.content, "***", "a byte at a time")
end

-- Outside text of the worst kinds: none takes more than a moment.
function tests.time_is_linear()
  for _, piece in ipairs { "A", "\\", "http://", "http://a:", "?a=", "?", "A_KEY", "sk-", "Bearer ", "Bearer", " ",
    "a@", "uthorization:", "uthorization: a", "\u{200B}", "\u{202E}", key:sub(1, 8), "=", "aQ\\\\" } do
    local words = piece:rep(400000 // #piece)
    local began = uv.hrtime()
    terminal.line(words)
    inspect.value(words)
    local seconds = (uv.hrtime() - began) / 1e9
    t.ok(seconds < 3, ("%q takes %.2f s"):format(piece, seconds))
  end
end

function tests.words_for_a_terminal()
  t.eq(terminal.line "a\27[2J\u{9b}31m\r\nb\u{202E}\u{200B}\u{2066}c\u{E0041}\0d\xFFe", "a [2J 31m bc d\u{FFFD}e")
  t.eq(terminal.lines "a\tb\nc\27d", "a\tb\nc d")
  t.eq(terminal.line("\u{200B}" .. key:sub(1, 4) .. "\u{2060}" .. key:sub(5)), "***")
  local words = "\u{9b}\u{202E}\u{E0041}\u{FE0F}é\u{1F600}\27"
  local shown = terminal.json { words }
  t.eq(json.decode(shown), { words }, "the same value")
  t.eq(shown, '["\\u009b\\u202e\\udb40\\udc41\\ufe0fé\u{1F600}\\u001b"]')
  t.eq(inspect.value "\u{9b}\u{202E}é", '"\\u{9B}\\u{202E}é"')
  t.eq(invisible.escape("\xFF\u{9b}", function() return "?" end), "\xFF\u{9b}", "what is no UTF-8 stays")
end

-- --- no other way to a terminal --------------------------------------------------------------------------------------

-- Texts without anything to mask are remembered, until there is another secret.
function tests.what_was_harmless_before_it_was_registered()
  local value = "harmless until then"
  for i = 1, 2500 do t.eq(secrets.mask("text " .. i), "text " .. i) end
  t.eq(secrets.mask_all { value, [value] = "x " .. value }, { value, [value] = "x " .. value })
  secrets.register(value)
  t.eq(secrets.mask(value), "***")
  t.eq(secrets.mask_all { value, [value] = "x " .. value }, { "***", ["***"] = "x ***" })
end

-- Who writes by itself, how many times, and why that is right.
local own_ways = {
  ["cli/terminal.lua"] = 3, -- the way itself
  ["cli/progress.lua"] = 1, -- what a live line is drawn with; words are made safe before
  ["cli/fleet/waiting_table.lua"] = 1, -- what the table is drawn with; words are made safe before
  ["cli/pick/view.lua"] = 1, -- what the block is drawn with; words are made safe before
  ["cli/prompt/typed.lua"] = 1, -- what the line is edited with
  ["cli/commands/repl.lua"] = 1, -- a picture's pixels, for the terminal
  ["cli/commands/shot.lua"] = 1, -- a picture, for a program
  ["cli/mcp/stdio.lua"] = 1, -- messages, for a program
  ["cli/commands/eval.lua"] = 1, -- lines of JSON by terminal.json
  ["cli/init.lua"] = 5, -- its own help and version, before anything is loaded
  ["desk/private/windows/host.lua"] = 1, -- JSON for the process that has started it
}

function tests.nothing_is_printed_by_another_way()
  local shipped = require "native.shipped"
  local checked = 0
  for _, path in ipairs(shipped.list "deskpilot/") do
    local source = path:find "%.lua$" and shipped.read(path) or shipped.read("deskpilot/" .. path) or ""
    local name, count = path:gsub("^deskpilot/", ""), 0
    for line in source:gmatch "[^\n]+" do
      local code = line:gsub("%-%-.*$", "")
      if code:find "io%.std%a+:write" or code:find "io%.write" then count = count + 1 end
    end
    checked = checked + #source
    t.ok(count <= (own_ways[name] or 0), ("%s writes to a stream by itself %d times: use cli/terminal.lua, or warn "
      .. "below it"):format(name, count))
  end
  t.ok(checked > 500000, "the files were read: " .. checked)
end

return tests
