--- A model server that sends back the key that it was given wherever it can: in words, arguments, names, errors, pages,
--- redirects and headers, whole, in two parts of a stream, in URLs and in base64. No part of the key may be in what the
--- terminal was sent, byte by byte, or in any file that the run leaves.
local t = require "harness"
local files = require "deskpilot.base.files"
local image = require "native.image"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local terminal = require "terminal"
local three_body = require "three_body_play"

local tests = {}

local key = "Zq7/mT3vK9wR-x2LbN8cY5dH" -- no form that a pattern would know
local password = "hXw4Tn9Qv2Ks"
local window = 7 -- bytes: so much of it is a leak

local program = files.absolute(spawn.program)

-- --- looking for it --------------------------------------------------------------------------------------------------

-- Each form in which it was sent, in pieces: a key that is cut somewhere is found too.
local function pieces()
  local list = {}
  local function add(words, from, to)
    for at = from, to - window + 1 do list[words:sub(at, at + window - 1)] = true end
  end
  add(key, 1, #key)
  add(password, 1, #password)
  for before = 0, 2 do
    local words = image.base64(("u"):rep(before) .. key)
    add(words, before + 3, #words - 4)
  end
  return list
end

local wanted = pieces()

local function search(where, bytes)
  for piece in pairs(wanted) do
    local at = bytes:find(piece, 1, true)
    if at then
      error(("%s holds %s: ...%q..."):format(where, piece, bytes:sub(math.max(1, at - 80), at + 60)), 0)
    end
  end
end

-- Names of the chunks of a PNG: those with text could hold it compressed.
local function chunks_of(bytes)
  local names, at = {}, 9
  while at < #bytes do
    local size, name = (">I4c4"):unpack(bytes, at)
    names[#names + 1] = name
    at = at + 12 + size
  end
  return names
end

local plain_chunks = { IHDR = true, PLTE = true, tRNS = true, pHYs = true, IDAT = true, IEND = true }

local function search_folder(folder, counts)
  for _, name in ipairs(files.list(folder)) do
    local path = files.join(folder, name)
    search("the name of a file", name)
    if files.is_folder(path) then search_folder(path, counts)
    else
      local bytes = assert(files.read(path))
      search(path, bytes)
      counts.files = counts.files + 1
      if bytes:sub(1, 4) == "\137PNG" then
        counts.pictures = counts.pictures + 1
        for _, chunk in ipairs(chunks_of(bytes)) do t.ok(plain_chunks[chunk], path .. " has a chunk " .. chunk) end
      end
    end
  end
  return counts
end

-- --- the server ------------------------------------------------------------------------------------------------------

-- All that a text can do with it; `token` is what the header of the answered request has.
local function said(token)
  return ("the key is %s, or http://me:%s@host/?api_key=%s, {\"k\":\"%s\"}, OPENAI_API_KEY=%s, in base64 %s %s, hidden "
    .. "%s\u{200B}%s \u{9b}31m\u{202e}x"):format(token, token, token, (token:gsub("/", "\\/")), token,
    image.base64(token), image.base64("u:" .. token), token:sub(1, 11), token:sub(12))
end

local function token_of(request)
  return assert(request.headers.authorization, "a key was sent"):match("^Bearer (.+)$")
end

local function plays(request, index, http)
  local words = said(token_of(http))
  local token = token_of(http)
  local who = three_body.persona(request)
  if who == "strategist" then return three_body.doctrine({ words }, { mission = words, directives = words }) end
  if who == "tactician" then return three_body.orders("EXECUTION" .. token, { "type_text", "wait", token }, words) end
  local calls = { { "type_text", { text = words, justification = words } }, { "run_" .. token, { [token] = words } },
    { "wait", { seconds = token, justification = words } }, { "report_completion", { evidence = words } } }
  local reply = three_body.calls(calls[index % #calls + 1])
  reply.body.choices[1].message.content = "<think>" .. words .. "</think>" .. words
  reply.body.model, reply.body.id, reply.body.system_fingerprint = token, token, words
  reply.headers = { ["x-request-id"] = token, Server = token }
  return reply
end

-- The same answer as a stream, cut within the key.
local function streams(request, index, http)
  local message = plays(request, index, http).body.choices[1].message
  local function event(delta, finish)
    return "data: " .. json.encode { choices = { { index = 0, delta = delta, finish_reason = finish } } } .. "\n\n"
  end
  -- Not within a character: that would be no UTF-8.
  local function each(words, fn)
    local ends = #words + 1
    for at = 1, utf8.len(words), 9 do
      fn(words:sub(utf8.offset(words, at), (utf8.offset(words, at + 9) or ends) - 1), at == 1)
      if not utf8.offset(words, at + 9) then break end
    end
  end
  local parts, words = { event { role = "assistant" } }, type(message.content) == "string" and message.content or ""
  each(words, function(part) parts[#parts + 1] = event { content = part } end)
  for i, call in ipairs(message.tool_calls or {}) do
    local name, arguments = call["function"].name, call["function"].arguments
    each(arguments, function(part, is_first)
      parts[#parts + 1] = event { tool_calls = json.list { { index = i - 1, id = call.id,
        ["function"] = { name = is_first and name or nil, arguments = part } } } }
    end)
  end
  parts[#parts + 1] = event({}, "tool_calls") .. "data: [DONE]\n\n"
  return { headers = { ["Content-Type"] = "text/event-stream" }, body = table.concat(parts) }
end

-- Behind words of such a length that where a message is shortened lies within the key.
local function fails(_, index, http)
  local token, fill = token_of(http), ("x"):rep(490)
  local bodies = { { error = { message = fill .. token .. said(token), type = token } }, said(token),
    { detail = { { msg = said(token) } } }, "{" .. said(token) }
  return { status = ({ 400, 500, 429, 401, 200 })[index % 5 + 1], body = bodies[index % #bodies + 1],
    headers = { ["Retry-After"] = "0", ["WWW-Authenticate"] = token } }
end

local function redirects(_, _, http)
  local token = token_of(http)
  return { status = 302, body = said(token), headers = { Location =
    "http://me:" .. token .. "@127.0.0.1:9/?key=" .. token } }
end

local function shows_pages(_, index, http)
  local token = token_of(http)
  return { status = index % 2 == 0 and 404 or 200, headers = { ["Content-Type"] = "text/html" },
    body = "<!doctype html><title>" .. ("y"):rep(50) .. token .. "</title>" .. said(token) }
end

-- --- the program at a terminal ---------------------------------------------------------------------------------------

-- What a terminal obeys or hides, but for what the progress display itself uses.
local function search_controls(bytes)
  local own = bytes:gsub("\r\27%[K", ""):gsub("\27%[%?2004[hl]", ""):gsub("\27%[[%d;]*[%a]", "")
  for _, bad in ipairs { "\u{9b}", "\u{202e}", "\u{200B}", "\27" } do
    local at = own:find(bad, 1, true)
    if at then error(("the terminal was sent %q: %q"):format(bad, own:sub(math.max(1, at - 60), at + 20)), 0) end
  end
end

-- Runs it, and returns what it wrote on the terminal. It begins when every byte is seen.
local function at_terminal(folder, argv, typed)
  local words = { "/bin/sh", "-c", 'read go; exec "$@"', "sh", program }
  table.move(argv, 1, #argv, #words + 1, words)
  local log = folder .. ".log"
  local term = terminal.start(words, { cwd = folder, columns = 4000, rows = 200, env = { XDG_CONFIG_HOME = folder,
    XDG_STATE_HOME = folder .. "/state", DESKPILOT_API_KEY = key, SERVICE_PASSWORD = password } })
  local ok, err = xpcall(function()
    term:log(log)
    term:line "go"
    for _, line in ipairs(typed or {}) do
      term:wait_for_last "desk>"
      term:line(line)
    end
    if typed then
      term:wait_for_last "desk>"
      term:press "C-d"
    end
    term:wait_for("status ", 120)
  end, debug.traceback)
  term:stop()
  local bytes = files.read(log) or ""
  files.remove(log)
  if not ok then error(err, 0) end
  t.ok(#bytes > 20, "the terminal was seen: " .. bytes)
  return bytes
end

local mission = [[
return { task = "Type something.", desktop = { kind = "private", size = { 640, 480 } }, timing = { verify = 0.1 },
  before_run = function(m)
    local environment = {}
    for name, value in pairs(require "luv".os_environ()) do environment[#environment + 1] = name .. "=" .. value end
    m:note(table.concat(environment, "\n"))
    m:note(os.getenv "DESKPILOT_API_KEY")
    print(os.getenv "DESKPILOT_API_KEY", "\u{9b}31m\u{202e}", os.getenv "SERVICE_PASSWORD")
  end,
  after_action = function(m) error("of " .. os.getenv "DESKPILOT_API_KEY" .. "\u{9b}31m") end }]]

local function leaks_nothing(server_plays, least, own_mission)
  return function()
    local folder = spawn.folder()
    local cleaning <close> = setmetatable({}, { __close = function() files.remove(folder) end })
    assert(files.write(files.join(folder, "m.lua"), own_mission or mission))
    local server = model_server.start(server_plays)
    local bytes = at_terminal(folder, { "run", "m.lua", "-v", "--runs", "runs", "--endpoint", server.endpoint,
      "--model", "qwen3-vl", "--policy", "three_body", "--set", "model.calls_per_minute=0", "--set", "model.retries=1",
      "--set", "limits.turns=5", "--set", "limits.failures=3" })
    server:stop()
    t.ok(#server.requests >= least, ("%d requests were answered: %s"):format(#server.requests, bytes))
    search("the terminal", bytes)
    search_controls(bytes)
    local runs = files.join(folder, "runs")
    local run = files.join(runs, (assert(files.list(runs)[1], bytes)))
    local report = spawn.run({ program, "report", run }) -- by whoever has no key
    t.eq(report.status, 0, report.stderr)
    search("what report says", report.stdout .. report.stderr)
    local counts = search_folder(folder, { files = 0, pictures = 0 })
    t.ok(counts.files >= 5 and counts.pictures >= 1, json.encode(counts))
    for _, request in ipairs(server.requests) do
      for piece in pairs(wanted) do
        t.eq(request.body:find(piece, 1, true), nil, "a request's body has the key, which came back from the server")
      end
    end
    return cleaning
  end
end

local quiet_mission = mission:gsub("  after_action.*$", "}")

tests.answers_in_one_piece = leaks_nothing(plays, 4, quiet_mission)
tests.answers_in_parts = leaks_nothing(streams, 4, quiet_mission)
tests.a_hook_that_fails = leaks_nothing(plays, 3)
tests.errors = leaks_nothing(fails, 2, quiet_mission)
tests.redirects = leaks_nothing(redirects, 1, quiet_mission)
tests.web_pages = leaks_nothing(shows_pages, 1, quiet_mission)

-- --- the other commands ----------------------------------------------------------------------------------------------

local with_folder = spawn.in_folder

tests.doctor_and_its_answers = with_folder(function(folder)
  for _, reply in ipairs { plays, fails, redirects, shows_pages } do
    local server = model_server.start(function(request, index, http)
      if reply ~= plays then return reply(request, index, http) end
      return { body = { object = "list", data = { { id = said(token_of(http)) } } } }
    end)
    server.models = "scripted"
    local bytes = at_terminal(folder, { "doctor", "--endpoint", server.endpoint, "--model", "qwen3-vl" })
    server:stop()
    t.ok(#server.requests >= 1, bytes)
    search("doctor", bytes)
    search_controls(bytes)
  end
end)

tests.eval_and_its_json = with_folder(function(folder)
  for _, source in ipairs { "os.getenv 'DESKPILOT_API_KEY'",
    "error(os.getenv 'DESKPILOT_API_KEY' .. '\\u{9b}\\u{202e}')",
    "{ [os.getenv 'SERVICE_PASSWORD'] = os.getenv 'DESKPILOT_API_KEY', '\\u{9b}\\u{202e}\\u{200b}' }",
    "print(os.getenv 'DESKPILOT_API_KEY', '\\u{9b}\\u{202e}')", "nil, 'a\\u{9b}'", "error { '\\u{9b}' }",
    "setmetatable({}, { __tostring = function() return '\\u{9b}' .. os.getenv 'DESKPILOT_API_KEY' end })",
    "require 'luv'.os_environ()" } do
    for _, flag in ipairs { {}, { "--json" } } do
      local bytes = at_terminal(folder, { "eval", table.unpack(flag), source })
      search(source, bytes)
      search_controls(bytes)
    end
  end
  local child = spawn.run({ program, "eval", "--json", "'a\u{9b}\u{202e}\u{E0041}z'" })
  t.eq(child.stdout, '"a\\u009b\\u202e\\udb40\\udc41z"\n')
  t.eq(json.decode(child.stdout), "a\u{9b}\u{202e}\u{E0041}z", "nothing of the value is lost")
end)

tests.the_prompt_and_its_history = with_folder(function(folder)
  local bytes = at_terminal(folder, { "repl" }, { "os.getenv 'DESKPILOT_API_KEY'",
    "error(os.getenv 'SERVICE_PASSWORD')",
    "print(os.getenv 'DESKPILOT_API_KEY', '\\u{9b}')", "'\\u{9b}\\u{202e}'" })
  search("the prompt", bytes)
  search_controls(bytes)
  search_folder(folder, { files = 0, pictures = 0 })
  -- A person may type it, and sees that; it is not kept.
  at_terminal(folder, { "repl" }, { "#'" .. key .. "'" })
  local counts = search_folder(folder, { files = 0, pictures = 0 })
  t.ok(counts.files >= 1, "there is a history")
end)

return tests
