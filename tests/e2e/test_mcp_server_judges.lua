-- deskpilot mcp before others' judges: the protocol's conformance suite, for both revisions, and the official
-- inspector. Both come from npm (./dev test installs them), with a node that is new enough for them.
local environment = require "deskpilot.desk.platform.environment"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local packages = require "mcp_packages"
local program = require "deskpilot.desk.app.program"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

-- Scenarios of a revision that do not apply, and why. One that passes all the same does not belong here.
local subscriptions = "an optional capability (resources.subscribe) that the server does not declare: a client reads a "
  .. "journal again where it wants to know more"
local not_applicable = {
  ["2025-11-25"] = { ["resources-subscribe"] = subscriptions, ["resources-unsubscribe"] = subscriptions },
  ["2026-07-28"] = {},
}

local function with_server(words, fn)
  local folder = spawn.folder()
  local child = spawn.start({ spawn.program, "mcp", "--desktop", "private", "--http", "0", "--runs", folder .. "/runs",
    table.unpack(words) })
  local closing <close> = setmetatable({}, { __close = function()
    if not child.status then child:kill "sigterm" end
    child:wait()
    files.remove(folder)
  end })
  t.ok(closing)
  child:wait_for_word "serving MCP at "
  fn((child.stderr:match "serving MCP at ([^;,%s]+)"), folder)
end

-- Runs one of the packages; what it has said, and its status.
local function judge(folder, file, ...)
  local env = environment.of("child", { HOME = folder, MCP_CATALOG_PATH = folder .. "/catalog.json" })
  local done = assert(program.run { argv = packages.command(file, ...), cwd = folder, timeout = 200,
    max_output = 16 << 20, env = env })
  return done.stdout .. done.stderr, done.status, done.stdout
end

-- Not required, because they were added later; they pass all the same.
local added_later = { ["2025-11-25"] = { "server-session-lifecycle" }, ["2026-07-28"] = { "http-header-validation" } }

local function conforms(revision, least)
  return function()
    with_server({ "--no-token", "--offer", files.absolute "tests/mcp/fixtures.lua" }, function(url, folder)
      local list = packages.scenarios(revision, "server")
      t.ok(#list >= least, ("%d scenarios are listed, %d at the least"):format(#list, least))
      table.move(added_later[revision], 1, #added_later[revision], #list + 1, list)
      local words = judge(folder, packages.conformance, "server", "--url", (url:gsub("127%.0%.0%.1", "localhost")),
        "--requirements", revision, "-o", folder .. "/results")
      local reasons = not_applicable[revision]
      for _, name in ipairs(list) do
        local line = ("\n[^\n]+ %s: (%%d+) passed, (%%d+) failed"):format((name:gsub("%-", "%%-")))
        local passed, failed = words:match(line)
        if reasons[name] then
          t.ok(failed ~= "0", name .. " passes, and is said not to apply: " .. reasons[name])
        else
          t.eq(failed, "0", ("%s %s:\n%s"):format(revision, name, failed ~= "0" and words or ""))
          t.ok((tonumber(passed) or 0) > 0, name .. " has judged something")
        end
      end
    end)
  end
end

tests.the_suite_of_2026_07_28_passes = conforms("2026-07-28", 37)
tests.the_suite_of_2025_11_25_passes = conforms("2025-11-25", 30)

-- What each tool is called with, in this order; what it answers, in part.
local calls = {
  { "look", { picture = false }, "SCREEN: 1280x800" },
  { "window", { action = "focus", title = "galculator" }, "is in front" },
  { "find", { text = "AC" }, 'toggle button "AC"' },
  { "click", { at = { 512, 235 } }, "clicked" },
  { "press", { keys = "7" }, "pressed 7" },
  { "type", { text = "*6" }, "typed 2 characters" },
  { "scroll", { direction = "down", at = { 512, 345 } }, "scrolled down" },
  { "drag", { from = { 200, 600 }, to = { 260, 610 } }, "dragged" },
  { "app", { name = "mousepad" }, "Mousepad" },
  { "wait", { text = "Mousepad", seconds = 30 }, "it is there" },
  { "run", { mission = "calculator" }, "succeeded" },
  { "page", { action = "read" }, "no page is in front" },
}

function tests.the_inspector_lists_and_calls_every_tool()
  local token = spawn.folder()
  with_server({ "--token", token .. "/token", "--app", "galculator", "--model", "literal" }, function(url, folder)
    local header = "Authorization: Bearer " .. assert(files.read(token .. "/token")):match "%S+"
    local function inspect(...)
      return judge(folder, packages.inspector, "--cli", "--transport", "http", "--server-url", url, "--header", header,
        ...)
    end
    local words, status, out = inspect("--method", "tools/list", "--strict")
    t.eq(status, 0, words)
    local listed, called = {}, {}
    for _, tool in ipairs(json.decode(out).tools) do listed[tool.name] = true end
    for _, call in ipairs(calls) do
      local name, args, part = table.unpack(call)
      called[name] = true
      words = inspect("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.encode(args))
      t.has(words, (json.encode(part):sub(2, -2)), name)
    end
    t.eq(called, listed, "every tool is called, and no other")
    words, status = inspect("--method", "resources/list")
    t.eq(status, 0, words)
    t.has(words, "journal.jsonl")
  end)
  files.remove(token)
end

-- As it starts a server itself, with nothing in between.
tests.the_inspector_starts_a_server = spawn.in_folder(function(folder)
  local function inspect(method)
    local list = { "--", files.absolute(spawn.program), "mcp", "--desktop", "private", "--app", "galculator", "--runs",
      folder .. "/runs" }
    return judge(folder, packages.inspector, "--cli", "--method", method, table.unpack(list))
  end
  local words, status, out = inspect "tools/list"
  t.eq(status, 0, words)
  t.eq(#json.decode(out).tools, 12)
  words, status = inspect "resources/list"
  t.eq(status, 0, words)
  t.has(words, "journal.jsonl")
end)

return tests
