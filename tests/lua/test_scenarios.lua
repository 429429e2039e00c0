--- The scenarios of the description of an executor, each of which has a test that names it, in the line above it:
---   -- Scenario: Observation Construction / Observation caching
--- docs/executor.md says which.
local t = require "harness"
local files = require "deskpilot.base.files"

files.remove = t.plain_remove -- what is documented

local tests = {}

local requirements = {
  ["Autonomous Execution Loop"] = { "Execute multi-step task to completion", "Terminate on FINISH action",
    "Terminate on max steps limit", "Progress tracking during execution" },
  ["Observation Construction"] = { "Construct basic observation", "Include step count in observation",
    "Observation caching", "Accessibility tree enrichment" },
  ["Action Dispatch and Execution"] = { "Execute tap action", "Execute swipe action", "Execute type action",
    "Execute navigation action", "Invalid action handling" },
  ["Tool Call Routing"] = { "Handle ask_user tool call", "Handle mcp_call tool call", "Tool call timeout",
    "Tool not available" },
  ["Error Recovery and Retry Logic"] = { "Retry failed action", "Agent prediction failure",
    "Device disconnection recovery", "Screen state validation" },
  ["Trajectory Tracking and Export"] = { "Record trajectory step", "Export trajectory to JSON",
    "Trajectory compression", "Incremental trajectory saving" },
  ["Execution Configuration and Tuning"] = { "Configure step delay", "Configure max steps limit",
    "Enable/disable accessibility tree", "Configure retry behavior" },
  ["Termination Conditions and Cleanup"] = { "Graceful shutdown on success", "Graceful shutdown on failure",
    "Interrupt handling (Ctrl+C)", "Resource cleanup on exception" },
}

-- The files of tests, as their names in a run: "lua.test_x".
local function test_files()
  local list = {}
  for _, kind in ipairs { "lua", "e2e" } do
    for _, name in ipairs(files.list("tests/" .. kind)) do
      local base = name:match "^(test_[%w_]+)%.lua$"
      if base then list[kind .. "." .. base] = ("tests/%s/%s"):format(kind, name) end
    end
  end
  return list
end

-- The name of the test that a line begins: function tests.x(), or tests.x = ...
local function name_in(line)
  return line:match "^function tests%.([%w_]+)" or line:match "^tests%.([%w_]+) ="
end

-- Each scenario that a test names -> a list of "FILE: TEST".
local function named()
  local found = {}
  for name, path in pairs(test_files()) do
    local wanted
    for line in (t.ok(files.read(path), path) .. "\n"):gmatch "([^\n]*)\n" do
      local scenario = line:match "^%-%- Scenario: (.+)$"
      if wanted then
        found[wanted] = found[wanted] or {}
        table.insert(found[wanted], ("`%s`: `%s`"):format(name, t.ok(name_in(line),
          ("%s: no test stands below the scenario %q, but %q"):format(path, wanted, line)) or "?"))
      end
      wanted = scenario
    end
  end
  return found
end

local function scenarios()
  local list = {}
  for requirement, names in pairs(requirements) do
    for _, name in ipairs(names) do list[#list + 1] = requirement .. " / " .. name end
  end
  table.sort(list)
  return list
end

function tests.each_of_the_33_scenarios_has_a_test_and_the_page_names_it()
  local found, page, missing = named(), t.ok(files.read "docs/executor.md") or "", {}
  t.eq(#scenarios(), 33)
  for _, scenario in ipairs(scenarios()) do
    local its = found[scenario] or {}
    if #its == 0 then missing[#missing + 1] = scenario end
    t.ok(#its < 2, ("%s is named by several tests: %s"):format(scenario, table.concat(its, ", ")))
    for _, test in ipairs(its) do t.has(page, ("| %s | %s |\n"):format(scenario, test)) end
    found[scenario] = nil
  end
  t.eq(missing, {}, ("%d of 33 scenarios have a test"):format(33 - #missing))
  t.eq(next(found), nil, "a test names a scenario that there is not")
end

return tests
