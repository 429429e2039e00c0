--- Every recipe of missions/cookbook, as people run it: the real program, a private desktop, real applications, and a
--- scripted model where one is needed. Judged by what files and applications hold afterwards; each recipe's own check
--- of the application has to hold too. A recipe without a test here fails.
local t = require "harness"
local desktop = require "desktop"
local executor_play = require "executor_play"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local spawn = require "spawn"
local three_body_play = require "three_body_play"
local uv = require "luv"

local cookbook = "missions/cookbook"

-- What is temporary for a recipe that runs in that folder.
local function saved(folder, name)
  return files.read(files.join(folder, "deskpilot-" .. uv.getuid(), "cookbook-" .. name))
end

local function result_of(child)
  local result = json.decode(child.stdout) or {}
  t.ok(result.status, child.stderr)
  return result
end

-- Runs a recipe in a folder; the flags are a list, and so are the arguments behind "--".
local function start(folder, name, how)
  local argv = { files.absolute(spawn.program), "run", files.absolute(files.join(cookbook, name .. ".lua")), "--json",
    "--runs", files.join(folder, "runs") }
  for _, flag in ipairs(how.flags or {}) do argv[#argv + 1] = flag end
  argv[#argv + 1] = "--"
  for _, argument in ipairs(how.args or {}) do argv[#argv + 1] = argument end
  local env = { TMPDIR = folder }
  for key, value in pairs(how.env or {}) do env[key] = value end
  return spawn.start(argv, { cwd = folder, env = env })
end

local function run(folder, name, how)
  local child = start(folder, name, how or {}):wait()
  return result_of(child), child
end

local function succeeds(folder, name, how)
  local result, child = run(folder, name, how)
  t.eq(result.status, "succeeded", result.reason)
  t.eq(child.status, 0, child.stderr)
  t.eq(child:left(), {}, "processes left behind")
  return result
end

-- One that a scripted model works on: answer(request, n) for each request. What it was asked comes back.
local function asked(folder, name, answer)
  local count = 0
  local server = model_server.start(function(request)
    count = count + 1
    return answer(request, count)
  end)
  local result = run(folder, name, { flags = { "--endpoint", server.endpoint, "--set", "model.calls_per_minute=0" } })
  server:stop()
  t.eq(result.status, "succeeded", result.reason)
  local requests = {}
  for i, entry in ipairs(server.requests) do
    t.eq(entry.problems or {}, {}, "every request is valid")
    requests[i] = entry.json
  end
  return requests
end

-- Recipes that check an application themselves and leave no file; and the words of their notes, where they say more.
local function by_its_own_check(name, how, noted)
  return function(folder)
    local result = succeeds(folder, name, how)
    if not noted then return end
    local notes = {}
    for _, event in ipairs(journal.read(result.run_dir) or {}) do notes[#notes + 1] = event.message end
    t.has(table.concat(notes, "\n"), noted)
  end
end

-- Recipes that leave one file, which has to hold exactly that.
local function leaves(name, file, words, how)
  return function(folder)
    succeeds(folder, name, how)
    t.eq(saved(folder, file), words)
  end
end

local literal = { flags = { "--model", "literal" } }
local without_programs = { flags = { "--desktop", "private:640x480" } } -- there may be no display

local recipes = {
  agent_step = leaves("agent_step", "answer.txt", "3\n", literal),
  check_state = leaves("check_state", "ledger.csv", "Item,Total\nrope,24\n"),
  click_element = by_its_own_check "click_element",
  click_picture = by_its_own_check "click_picture",
  clipboard = leaves("clipboard", "names.txt", "BERGEN\nOSLO\nROME\n"),
  download = leaves("download", "report.csv", "Month,Euro\nMay,1204\n"),
  drag = by_its_own_check "drag",
  fallback = by_its_own_check("fallback", nil, "pressed by"),
  fill_form = by_its_own_check("fill_form", { args = { "Ada Lovelace", "Malmö" } },
    "the form was sent: Ada Lovelace|Malmö"),
  loop_csv = leaves("loop_csv", "totals.csv", "Item,Total\nchart,73.5\ncompass,138\nrope,15\n"),
  menu = by_its_own_check "menu",
  private_desktop = leaves("private_desktop", "desktop.txt", "1600 x 1000: galculator\n"),
  read_text = leaves("read_text", "total.txt", "118.50"),
  refuse = by_its_own_check("refuse", literal, "the agent was refused "),
  two_windows = leaves("two_windows", "result.txt", "0.125"),
  wait_for_window = by_its_own_check "wait_for_window",
}

function recipes.http_call(folder)
  local result = succeeds(folder, "http_call", without_programs)
  t.has(files.read(files.join(result.run_dir, "journal.jsonl")), "1 EUR is 1.25 USD")
end

function recipes.timeouts(folder)
  local result = succeeds(folder, "timeouts", without_programs)
  t.has(files.read(files.join(result.run_dir, "journal.jsonl")), "all three limits held")
end

function recipes.type_unicode(folder)
  local path = files.join(folder, "a letter.txt")
  succeeds(folder, "type_unicode", { args = { path } })
  t.eq(files.read(path), "Grüße, naïve café — Ελληνικά, русский, עברית, 日本語, 😀\n")
end

function recipes.screenshot(folder)
  local path = files.join(folder, "window.png")
  succeeds(folder, "screenshot", { args = { path } })
  local picture = assert(require "native.image".load(files.read(path)))
  local width, height = picture:size()
  local red = 0
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local r, g, b = picture:pixel(x, y)
      if r == 255 and g == 0 and b == 0 then red = red + 1 end
    end
  end
  t.ok(width < 1024 and height < 700, "the window alone")
  t.ok(red > 100 and red < 2000, ("the frame has %d pixels"):format(red))
end

function recipes.on_change(folder)
  succeeds(folder, "on_change")
  local first, second = saved(folder, "change-1.png"), saved(folder, "change-2.png")
  t.ok(first and second and first ~= second, "two pictures that differ")
end

function recipes.hooks(folder)
  succeeds(folder, "hooks", literal)
  local words = saved(folder, "acts.txt") or ""
  t.ok(words:find("^1 tap 9 done [%d.]+ s\n2 tap sqrt done [%d.]+ s\n3 finish .*\nsucceeded\n$"), words)
  t.ok(saved(folder, "act-2.png"), "a picture of each act")
end

function recipes.hotkeys()
  desktop.with({ apps = { { "mousepad", "--disable-server" } } }, function(desk, session, folder)
    local field = { app = "mousepad", role = "text" }
    assert(desk.wait_for_element(field))
    local child = start(folder, "hotkeys", { env = desktop.env(session) })
    child:wait_for_word "ctrl+alt+q ends this"
    assert(desk.keyboard.press "ctrl+alt+d")
    field.text = os.date "%Y-%m-%d"
    t.ok(desk.wait_for_element(field))
    assert(desk.keyboard.press "ctrl+alt+q")
    t.eq(result_of(child:wait()).status, "succeeded")
  end)
end

function recipes.login(folder)
  local secret = "harbour-" .. uv.hrtime()
  local result = succeeds(folder, "login", { env = { SHOP_PASSWORD = secret } })
  for _, name in ipairs(files.list(result.run_dir)) do
    local path = files.join(result.run_dir, name)
    t.ok(files.is_folder(path) or not files.read(path):find(secret, 1, true), name .. " does not hold the password")
  end
  result = run(folder, "login", { env = { SHOP_PASSWORD = false } })
  t.eq(result.status, "failed")
  t.has(result.reason, "set SHOP_PASSWORD")
end

-- A line that is wrong ends it; when it is mended, it goes on, and nothing is booked twice.
function recipes.resume(folder)
  local from, to = files.join(folder, "amounts.txt"), files.join(folder, "ledger.txt")
  assert(files.write(from, "5\n7\nmany\n9\n"))
  local how = { args = { from, to }, flags = without_programs.flags }
  local result = run(folder, "resume", how)
  t.eq(result.status, "error")
  t.has(result.reason, "line 3 of ")
  t.eq(files.read(to), "1: 5.00\n2: 7.00\n")
  assert(files.write(from, "5\n7\n8.5\n9\n"))
  local child = spawn.run({ files.absolute(spawn.program), "resume", result.run_dir, "--json" }, { cwd = folder })
  t.eq(result_of(child).status, "succeeded", child.stderr)
  t.eq(files.read(to), "1: 5.00\n2: 7.00\n3: 8.50\n4: 9.00\n")
end

function recipes.own_tool(folder)
  local answers = {
    executor_play.action("type", { text = "17*23=" }),
    model_server.reply_tool("file_amount", { account = "food", euro = 391 }), -- there is no such account
    model_server.reply_tool("file_amount", { account = "travel", euro = 391 }),
    model_server.reply_tool("finish", { reason = "The ledger says that 391 euro are filed under travel." }),
  }
  local requests = asked(folder, "own_tool", function(_, n) return answers[n] end)
  t.eq(saved(folder, "filed.csv"), "account,euro\ntravel,391.00\n")
  t.has(executor_play.words(requests[3]), "file_amount: account")
end

function recipes.extract(folder)
  local order = { number = 4711, date = "9 March", customer = "Ada Lovelace",
    lines = json.list { { item = "chart", count = 2 }, { item = "compass", count = 1 } } }
  local requests = asked(folder, "extract", function(request, n)
    t.has(executor_play.words(request), "Order 4711 of 2025-03-09")
    if n == 2 then order.date = "2025-03-09" end
    if n > 2 then return model_server.reply_tool("finish", { reason = "The order is written down as data." }) end
    return model_server.reply_tool("give_order", order)
  end)
  t.eq(json.decode(saved(folder, "order.json") or ""), order)
  t.has(executor_play.words(requests[2]), "give_order: date")
end

function recipes.personas(folder)
  local keys, models = { "9", "sqrt" }, {}
  asked(folder, "personas", function(request)
    local who = three_body_play.persona(request)
    models[who] = request.model
    if who == "strategist" then return three_body_play.doctrine { "The display shows 3." } end
    if who == "tactician" then return three_body_play.orders("EXECUTION", { "click_element" }) end
    local key = table.remove(keys, 1)
    return key and three_body_play.click(request, key)
      or three_body_play.claim "The display of the calculator shows 3, which is what was asked for."
  end)
  t.eq({ models.strategist, models.executor }, { "qwen3-vl-32b", "qwen3-vl-4b" })
  local own = models.tactician
  t.ok(own and own ~= models.strategist and own ~= models.executor, "the Tactician asks: " .. tostring(own))
end

function recipes.keep(folder)
  local result = succeeds(folder, "keep", literal)
  local export = spawn.run({ files.absolute(spawn.program), "export", result.run_dir, "--lua", "--output",
    "again.lua" }, { cwd = folder })
  t.eq(export.status, 0, export.stderr)
  local child = spawn.run({ files.absolute(spawn.program), "run", "again.lua", "--json" }, { cwd = folder })
  local again = result_of(child)
  t.eq({ again.status, again.model.calls }, { "succeeded", 0 }, again.reason)
end

function recipes.read_journal(folder)
  local result = succeeds(folder, "agent_step", literal)
  local path = files.join(folder, "acts.csv")
  succeeds(folder, "read_journal", { flags = without_programs.flags, args = { result.run_dir, path } })
  local rows = assert(require "deskpilot.base.csv".records(files.read(path)))
  t.eq({ rows[1].turn, rows[1].tool, rows[1].ok }, { "1", "tap", "true" })
  t.eq(rows[#rows].tool, "finish")
end

local tests = {}

for name, recipe in pairs(recipes) do tests[name] = spawn.in_folder(recipe) end

function tests.a_recipe_has_its_test_its_place_in_the_page_and_no_mistake()
  local page = files.read "docs/cookbook.md" or ""
  local argv, count = { spawn.program, "check" }, 0
  for _, file in ipairs(files.list(cookbook)) do
    t.ok(recipes[file:match "^(.*)%.lua$"], file .. " has no test")
    t.has(page, ("](../missions/cookbook/%s)"):format(file))
    argv[#argv + 1], count = files.join(cookbook, file), count + 1
    local source = files.read(files.join(cookbook, file))
    t.has(source, "deskpilot run missions/cookbook/" .. file, "it says how it is run")
  end
  t.ok(count >= 30, count .. " recipes")
  local child = spawn.run(argv)
  t.eq({ child.status, child.stdout, child.stderr }, { 0, "", "" })
end

return tests
