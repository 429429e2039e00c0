--- The browser missions, end to end: the real program, a real Chromium on a private desktop, the policy `odev`; planned
--- by the embedded `literal` and by a scripted model over HTTP. Judged by what the site's server was sent and by the
--- bytes of files.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local journal = require "deskpilot.agent.journal"
local model_server = require "model_server"
local spawn = require "spawn"
local told = require "told"
local uv = require "luv"

local poster = "\137PNG\r\n\26\n" .. ("A poster's bytes, whatever they are: \0\255\r\n"):rep(300)

-- Runs a mission that ships, with nothing but the program, from a temporary folder of its own.
local function run(mission, ...)
  local folder = spawn.folder()
  local child = spawn.run({ files.absolute(spawn.program), "run", mission, "--json", ... },
    { cwd = folder, env = { TMPDIR = folder } })
  local result = json.decode(child.stdout)
  t.ok(result, "one JSON object on standard output, with stderr " .. child.stderr)
  result = result or {}
  result.run_dir = files.join(folder, result.run_dir or "")
  return child, result, folder
end

local function read_json(...)
  return json.decode(files.read(files.join(...)) or "") or {}
end

local function ended_well(child, result)
  t.eq(child.status, 0, child.stderr)
  t.eq(result.status, "succeeded", result.reason)
  t.eq(child:left(), {}, "processes left behind")
  local account = result.task_result or {}
  t.eq((account.escalations or {}).vision, 0, "vision is not asked in the normal path: " .. json.encode(account))
  t.ok((account.verified or 0) > 0, "steps were verified")
  return account
end

-- The tools that were called, in their order, without those that failed.
local function done(result)
  local tools = {}
  for _, event in ipairs(journal.read(result.run_dir) or {}) do
    if event.event == "action_result" and event.ok then tools[#tools + 1] = event.tool end
  end
  return table.concat(tools, " ")
end

local function count(text, part)
  return select(2, text:gsub(part, ""))
end

-- files.own_temporary_folder() of the program that has run there.
local function own(folder)
  return files.join(folder, "deskpilot-" .. uv.getuid())
end

local function check_form(result, folder)
  local site = read_json(result.run_dir, "site.json")
  t.eq(#(site.registrations or {}), 1, json.encode(site))
  local made = (site.registrations or {})[1] or { poster = {} }
  t.eq(made.fields, { name = "Ada Lovelace", mail = "ada@example.org", ticket = "two", city = "London, United Kingdom",
    meal = "vegetarian", rules = "accepted" })
  t.eq(site.refused, {}, "the server had nothing to refuse")
  t.eq({ made.poster.filename, made.poster.type }, { "poster.png", "image/png" })
  t.ok(files.read(files.join(result.run_dir, "poster-1.png")) == poster, "the server has the poster's bytes")
  local there = table.concat(files.list(own(folder)), " ")
  t.eq(there:find("deskpilot-web-form", 1, true), nil, "the poster was tidied away")
  local receipt = files.read(files.join(result.run_dir, "downloads", "receipt-1.txt"))
  t.has(receipt, "Ada Lovelace <ada@example.org>")
  t.eq(receipt, made.receipt, "the downloaded file has the receipt's bytes")
  t.eq(count(table.concat(site.requests or {}, "\n"), "GET /registrations/1/receipt 200"), 1)
end

local function check_total(result, folder)
  local site = read_json(result.run_dir, "site.json")
  t.ok((site.total or ""):find("^%d+,%d%d%d%.%d%d$"), "a figure: " .. tostring(site.total))
  t.eq(files.read(files.join(own(folder), "deskpilot-total.txt")), site.total)
end

--- A model that plans by what the request's words say -----------------------------------------------

local function words_of(request)
  return told.words(request)
end

-- The index of the page's element of that role and name; with a value, only if it has that.
local function index(words, role, name, value)
  for line in words:match("PAGE ELEMENTS.*$"):gmatch("[^\n]+") do
    local found = line:match("^%[(%d+)%] " .. role .. " " .. json.encode(name):gsub("%p", "%%%0"))
    if found and (not value or line:find("= " .. json.encode(value), 1, true)) then return tonumber(found) end
  end
end

local function plan(actions, more)
  local args = { rationale = "This is what the page needs next.", actions = json.list(), anchor = more.anchor or {},
    success_indicators = json.list(more.indicators or {}), completes_goal = more.completes_goal or false }
  for i, action in ipairs(actions) do args.actions[i] = { tool = action[1], args = action[2] } end
  return model_server.reply_tool("plan", args)
end

local page_of = { anchor = { url = "http://127.0.0.1:" } }

local function plan_form(words, path)
  if words:find("\nPOPUP:", 1, true) then
    return plan({ { "browser_click", { index = index(words, "button", "No, thanks") } } }, page_of)
  end
  if words:find('BROWSER: "Registered', 1, true) then
    return plan({ { "browser_download", { index = index(words, "link", "Download the receipt") } } },
      { anchor = { title = "Registered" }, completes_goal = true })
  end
  local city = "London, United Kingdom"
  if index(words, "combobox", "Travelling from", city) then
    return plan({ { "browser_upload", { index = index(words, "%a+", "Poster"), path = path } },
      { "browser_click", { index = index(words, "button", "Register") } } },
      { anchor = { title = "Registered", keywords = json.list { "registration", "number" } },
        indicators = { "Thank you, Ada Lovelace" } })
  end
  if index(words, "option", city) then
    return plan({ { "browser_click", { index = index(words, "option", city) } } }, page_of)
  end
  local rest = { { "browser_click", { index = index(words, "radio", "Vegetarian") } },
    { "browser_click", { index = index(words, "checkbox", "I accept the rules of conduct") } },
    { "browser_type", { index = index(words, "combobox", "Travelling from"), text = "Lond", replace = true } } }
  if index(words, "textbox", "Full name", "Ada Lovelace") then return plan(rest, page_of) end
  return plan({ { "browser_type", { index = index(words, "textbox", "Full name"), text = "Ada Lovelace" } },
    { "browser_type", { index = index(words, "textbox", "E-mail"), text = "ada@example.org" } },
    { "browser_select", { index = index(words, "combobox", "Ticket"), option = "Two days" } }, rest[1], rest[2] },
    page_of)
end

local function plan_total(words, path)
  if words:find('active window: "Save As"', 1, true) then
    return plan({ { "press_key", { key = "ctrl+a" } }, { "type_text", { text = path } },
      { "press_key", { key = "enter" } } }, { anchor = { title = "deskpilot-total.txt" }, completes_goal = true })
  end
  if words:find("BROWSER:", 1, true) then
    return plan({ { "browser_read", { after = "Total:" } }, { "open_app", { name = "mousepad" } } },
      { anchor = { application = "mousepad" } })
  end
  local x, y = words:match('%] text "" %[(%d+),(%d+)%]')
  return plan({ { "click_element", { label = "Text area", position = { tonumber(x), tonumber(y) } } },
    { "type_text", { text = words:match("browser_read%b() %->[^\n]-([%d,]+%.%d%d)") } },
    { "press_key", { key = "ctrl+s" } } }, { anchor = { title = "Save As" } })
end

local function with_model(planner, fn)
  local server = model_server.start(function(request)
    local ok, reply = pcall(planner, words_of(request))
    if ok then return reply end
    return { status = 400, body = { error = { message = "the script failed: " .. tostring(reply) } } }
  end)
  local closing <close> = setmetatable({}, { __close = function() server:stop() end })
  assert(closing)
  fn(server)
  t.eq(server:problems(), "")
  for _, request in ipairs(server.requests) do
    for _, message in ipairs(request.json.messages) do
      for _, part in ipairs(type(message.content) == "table" and message.content or {}) do
        t.eq(part.type, "text", "the planner is sent words alone")
      end
    end
  end
end

local tests = {}

function tests.web_form_by_literal()
  local child, result, folder = run("web_form", "--model", "literal")
  local account = ended_well(child, result)
  check_form(result, folder)
  t.ok((account.cut_short or 0) >= 1, "the popup stopped the batch that it came up in: " .. json.encode(account))
  t.eq(done(result), "browser_type browser_type browser_select browser_click browser_click browser_click browser_type "
    .. "browser_click browser_upload browser_click browser_download")
  files.remove(folder)
end

function tests.web_form_by_a_scripted_planner()
  with_model(function(words)
    return plan_form(words, words:match('Upload "([^"]+)"'))
  end, function(server)
    local child, result, folder = run("web_form", "--model", "qwen3-vl", "--endpoint", server.endpoint)
    ended_well(child, result)
    check_form(result, folder)
    t.ok(result.model and result.model.calls <= 8, "batches, not single actions: " .. json.encode(result.model))
    files.remove(folder)
  end)
end

function tests.desktop_and_web_by_literal()
  local child, result, folder = run("desktop_and_web", "--model", "literal")
  ended_well(child, result)
  check_total(result, folder)
  files.remove(folder)
end

function tests.desktop_and_web_by_a_scripted_planner()
  with_model(function(words)
    return plan_total(words, words:match('Type "([^"]+)"'))
  end, function(server)
    local child, result, folder = run("desktop_and_web", "--model", "qwen3-vl", "--endpoint", server.endpoint)
    ended_well(child, result)
    check_total(result, folder)
    files.remove(folder)
  end)
end

return tests
