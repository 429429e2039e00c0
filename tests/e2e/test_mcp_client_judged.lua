--- The client as others judge it: the official conformance suite starts the real program as its client, for every
--- scenario that a revision requires of clients, but for those about OAuth, which deskpilot does not do.
local t = require "harness"
local files = require "deskpilot.base.files"
local packages = require "mcp_packages"
local spawn = require "spawn"

local tests = {}

-- Runs a scenario; what the suite says of it.
local function judge(scenario, revision, pinned)
  return spawn.in_folder(function(folder)
    local command = packages.command(packages.conformance, "client", "--command",
      "sh " .. files.absolute "tests/mcp/conformance_client.sh", "--scenario", scenario, "--spec-version", revision)
    local child = spawn.run(command, { cwd = folder, env = { DESKPILOT_BIN = files.absolute(spawn.program),
      MCP_RUNS = files.join(folder, "runs"), MCP_REVISION = pinned and revision or false } })
    local said = child.stdout .. child.stderr
    t.eq(child.status, 0, said)
    local passed, of, failed, warnings = said:match "Passed: (%d+)/(%d+), (%d+) failed, (%d+) warnings"
    t.ok(tonumber(of or 0) > 0, "something was judged: " .. said)
    t.eq({ passed, failed, warnings }, { of, "0", "0" }, said)
    t.eq(child:left(), {}, "processes left behind")
  end)
end

local not_scored = { "json-schema-2020-12-preservation" } -- added after both revisions

for revision, least in pairs { ["2025-11-25"] = 4, ["2026-07-28"] = 7 } do
  local scenarios = packages.scenarios(revision, "client")
  table.move(not_scored, 1, #not_scored, #scenarios + 1, scenarios)
  local count = 0
  for _, scenario in ipairs(scenarios) do
    if not scenario:find "^auth/" then
      count = count + 1
      local name = (revision .. "_" .. scenario):gsub("[^%w]", "_")
      tests[name] = judge(scenario, revision)
      tests[name .. "_as_it_is_told"] = judge(scenario, revision, true)
    end
  end
  assert(count == least + #not_scored, ("%d scenarios of %s are not all that were known"):format(count, revision))
end

return tests
