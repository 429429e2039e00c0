--- Documents that are made from the code are as the code says.
local t = require "harness"
local files = require "deskpilot.base.files"
local annotations = require "deskpilot.cli.annotations"
local config_reference = require "deskpilot.cli.config_reference"
local plugins = require "deskpilot.agent.plugins"
local reference = require "deskpilot.cli.reference"
local text = require "deskpilot.base.text"

files.remove = t.plain_remove -- what is documented

local tests = {}

local head = "# Configuration\n\n"

function tests.configuration()
  local page = t.ok(files.read("docs/configuration.md")) or ""
  t.has(page, head)
  t.ok(config_reference.renewed(page) == page, "docs/configuration.md is stale: run ./dev docs")
  for _, row in ipairs { "\n### `limits`\n", "| `limits.turns` | integer, 1 or more | `600` |", "| guard `budgets` |\n",
    "| `personas.NAME.temperature` | number, 0 to 2 |", "| `planner` | `odev` | 0.2 | 1500 |",
    "| `scroll.notches` |", "| tool `scroll_down` and tool `scroll_up` |",
    "| `desktop.kind` | `current` or `private` |" } do
    t.has(page, row)
  end
  for _, key in ipairs(config_reference.shipped().keys:list()) do
    t.has(page, "| `" .. key.name .. (key.option.type == "entries" and "` | table of tables |" or "` | "))
  end
  for kind, version in pairs(plugins.api) do t.has(page, ("%s %d"):format(kind, version), "the versions in words") end
end

function tests.a_page_without_its_marks_is_not_written()
  t.fails("invalid", "no place for the tables", config_reference.renewed "# Configuration\n")
end

function tests.the_journal()
  for name, words in pairs(require "deskpilot.cli.journal_reference".files()) do
    t.ok(files.read(name) == words, name .. " is stale: run ./dev docs")
  end
end

function tests.the_hooks()
  local words = require "deskpilot.cli.hooks_reference".text()
  t.ok(files.read "docs/hooks.md" == words, "docs/hooks.md is stale: run ./dev docs")
  for _, part in ipairs { "## action\n", "| `point` | object, may be missing |", "### click_element\n",
    "| `position` | array of number, 0 to 1000, 2 items, may be missing |", "before_action = function(m, action)" } do
    t.has(words, part)
  end
end

-- The pages that people and programs begin with, by their paths.
local function pages_of_docs()
  local list = { "README.md", "docs/llms.txt" }
  for _, name in ipairs(files.list "docs") do
    if name:find "%.md$" then list[#list + 1] = "docs/" .. name end
  end
  return list
end

function tests.links_lead_to_files()
  local count = 0
  for _, page in ipairs(pages_of_docs()) do
    for target in files.read(page):gmatch "%]%(([^)%s]+)%)" do
      local path = target:match "^[^#]+"
      if path and not path:find "^%a+:" then
        t.ok(files.exists(files.join((files.split(page)), path)), ("%s links to %s"):format(page, target))
        count = count + 1
      end
    end
  end
  t.ok(count > 100, count)
end

function tests.llms_txt_names_every_page()
  local words = files.read "docs/llms.txt"
  t.ok(words:find "^# deskpilot\n\n> ", "a title and a summary")
  for _, page in ipairs(pages_of_docs()) do
    local name = page:match "^docs/(.+%.md)$"
    if name then t.has(words, "](" .. name .. "): ") end
  end
end

-- As coding agents read it.
function tests.the_skill_has_its_head()
  local page = files.read "docs/SKILL.md"
  t.ok(page:find "^%-%-%-\nname: [%l%-]+\ndescription: [^\n]+\n%-%-%-\n", "its head")
  t.ok(#page:match "\ndescription: ([^\n]+)" <= 1024, "a description as long as may be")
end

-- What is named by the pages that teach, and called by the recipes.
function tests.functions_that_are_taught_are_there()
  local known, count = {}, 0
  for _, words in pairs(reference.pages()) do
    for name in words:gmatch "\n### ([%w_.]+)%(" do known[name] = true end
  end
  local list = { "docs/SKILL.md", "docs/tutorial.md", "docs/cookbook.md" }
  for _, name in ipairs(files.list "missions/cookbook") do list[#list + 1] = "missions/cookbook/" .. name end
  for _, path in ipairs(list) do
    local words = files.read(path):gsub("%f[%w]try%.", "desk."):gsub("desk%.desk%.", "desk.")
    for part, name in words:gmatch "%f[%w_]desk%.(%l+)%.([%l_]+)%f[^%l_]" do
      t.ok(known[("desk.%s.%s"):format(part, name)], ("%s names desk.%s.%s"):format(path, part, name))
      count = count + 1
    end
    for name in words:gmatch "%f[%w_]desk%.(wait_[%l_]+)" do
      t.ok(known["desk." .. name], ("%s names desk.%s"):format(path, name))
    end
    for name in words:gmatch "m%.checks%.(%l+)%f[^%l]" do
      t.ok(known["m.checks." .. name], ("%s names m.checks.%s"):format(path, name))
    end
  end
  t.ok(count > 80, count)
end

local folder = "docs/api"

function tests.the_api_pages_are_those_of_the_code()
  local pages = reference.pages()
  t.eq(files.list(folder), text.keys(pages), "the files of docs/api: run ./dev docs")
  for name, words in pairs(pages) do
    t.ok(files.read(folder .. "/" .. name) == words, "docs/api/" .. name .. " is stale: run ./dev docs")
  end
  local screen, index = pages["screen.md"] or "", pages["README.md"] or ""
  t.has(screen, "### desk.screen.shot(options)\n\n")
  t.has(screen, "### desk.screen.find_text(wanted, options)\n\n")
  t.has(pages["desk.md"] or "", "### desk.settle(options)\n\nWaits until the screen has not changed")
  t.has(pages["shot.md"] or "", "### shot:crop(area)")
  t.has(pages["mission.md"] or "", "### m:achieve(goal, options)")
  t.has(pages["tools.md"] or "", "### browser_type\n\nType text into a field of the page")
  t.has(pages["tools.md"] or "", "\n- `direction` (`down` or `up` or `left` or `right`; may be left out): Where to.\n"
    .. "- `index` (integer, 0 to 100000; may be left out): ")
  for _, name in ipairs { "desk", "screen", "mouse", "windows", "elements", "task", "errors", "tools" } do
    t.has(index, ("](%s.md)"):format(name))
  end
end

function tests.every_public_function_is_documented()
  t.eq(table.concat(reference.gaps(), "\n"), "")
end

--- Joins two things. They stay as
--- they are.
---@param first { x: integer, y: integer? }|nil the one; may be
--- nil
---@param how fun(a: string, b: string): boolean
---@param ... any the rest
---@return table<string, number>? joined, string|nil why when there are none
local function documented(first, how, ...)
  return first, how, ...
end

-- A promise without a test is not made.
function tests.each_promise_of_security_has_its_test()
  local places = { lua = { "tests/lua/%s.lua" }, e2e = { "tests/e2e/%s.lua" }, c = { "tests/c/%s.c" },
    ["windows.c"] = { "tests/windows/c/%s.c", "tests/c/%s.c" },
    windows = { "tests/windows/%s.lua", "tests/windows/browser/%s.lua", "tests/windows/nats/%s.lua" },
    binary = { "tests/binary/%s.sh" },
    fuzz = { "tests/fuzz/%s.lua", "tests/fuzz/fuzz_%s.c" } }
  local page = t.ok(files.read("docs/security.md")) or ""
  local promises = page:match("\n## What is promised\n(.*)\n## The worst answers\n") or ""
  local count = 0
  for row in promises:gmatch "\n|([^\n]+)" do
    local shown = not row:find "^ promise |" and not row:find "^ %-" and text.after_last(row:sub(1, -2), "|")
    if shown then
      local found = 0
      for place, name in shown:gmatch "`([%w.]+)%.([%w_]+)`" do
        found = found + 1
        local there = false
        for _, path in ipairs(places[place] or {}) do there = there or files.exists(path:format(name)) end
        t.ok(there, ("%s.%s of docs/security.md does not exist"):format(place, name))
      end
      t.ok(found > 0, "a promise of docs/security.md without a test: " .. row)
      count = count + 1
    end
  end
  t.ok(count > 20, count)
end

function tests.annotations_are_read()
  local doc, first_line = annotations.of_function(documented)
  t.eq(first_line, "local function documented(first, how, ...)")
  t.eq(doc.text, "Joins two things. They stay as\nthey are.")
  t.eq(doc.params, {
    { name = "first", type = "{ x: integer, y: integer? }|nil", text = "the one; may be nil" },
    { name = "how", type = "fun(a: string, b: string): boolean", text = "" },
    { name = "...", type = "any", text = "the rest" } })
  t.eq(doc.returns, { { type = "table<string, number>?", name = "joined", text = "" },
    { type = "string|nil", name = "why", text = "when there are none" } })
  t.eq(annotations.parameters(documented), { "first", "how", "..." })
  local none = annotations.of_function(print)
  t.eq(none, nil)
  local classes = annotations.classes("deskpilot/desk/picture/points.lua")
  t.eq(classes[1].class, "deskpilot.point")
  t.eq(classes[1].fields[1], { name = "x", type = "number", text = "" })
  t.has(annotations.header("deskpilot/desk/picture/points.lua"), "A point is { x = , y = }")
end

return tests
