--- `deskpilot compare`: a mission by several policies with the embedded `literal`, each on a private desktop; judged by
--- the runs that it leaves and by the page.
local t = require "harness"
local comparison = require "deskpilot.cli.policy_comparison"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local spawn = require "spawn"

local tests = {}

local function compare(folder, ...)
  return spawn.run({ files.absolute(spawn.program), "compare", ... }, { cwd = folder, env = { TMPDIR = folder } })
end

function tests.policies_side_by_side()
  local folder = spawn.folder()
  local child = compare(folder, "calculator", "--model", "literal", "--policies", "odev,orchestrator,odev", "--times",
    "2", "--output", "page.html")
  t.eq(child.status, 0, child.stderr)
  t.eq(child:left(), {}, "processes left behind")
  local runs = files.list(folder .. "/runs") or {}
  t.eq(#runs, 4, "each was run twice, and a policy that is named twice counts once")
  t.ok(child.stdout:find("| policy       | succeeded | calls", 1, true), child.stdout)
  t.ok(child.stdout:find "\n| odev         | 2 of 2    | %d", child.stdout)
  t.ok(child.stdout:find "\n| orchestrator | 2 of 2    | %d", child.stdout)
  t.eq(select(2, child.stdout:gsub("\n", "")), 4)
  local page = files.read(folder .. "/page.html") or ""
  t.has(page, "deskpilot compare calculator --policies odev,orchestrator --times 2 --model literal")
  t.eq(select(2, page:gsub("<td>succeeded</td>", "")), 4, "each run is on the page")
  for _, name in ipairs(runs) do t.has(page, name) end
  files.remove(folder)
end

function tests.a_policy_of_ones_own()
  local folder = spawn.folder()
  assert(files.make_folder(folder .. "/deskpilot/policies"))
  assert(files.write(folder .. "/deskpilot/policies/idle.lua",
    [[return { turn = function(run) run:stop("succeeded", "there is nothing to do") end }]]))
  assert(files.write(folder .. "/m.lua", [[return { task = "Do nothing.",
    desktop = { kind = "private", size = { 400, 300 } }, verify = function() return true end }]]))
  local child = compare(folder, "m.lua", "--model", "literal", "--policies", "idle")
  t.eq(child.status, 0, child.stderr)
  t.ok(child.stdout:find "\n| idle +| 1 of 1 ", child.stdout)
  child = compare(folder, "m.lua", "--model", "literal", "--policies", "idel")
  t.eq(child.status, 2, child.stdout)
  t.has(child.stderr, "did you mean 'idle'?")
  files.remove(folder)
end

function tests.a_failure_counts_and_is_compared()
  local folder = spawn.folder()
  assert(files.write(folder .. "/m.lua", [[return { task = 'click "Nowhere"', limits = { turns = 3, seconds = 30 },
    desktop = { kind = "private", size = { 400, 300 } }, verify = function() return false, "it is never so" end }]]))
  local child = compare(folder, "m.lua", "--model", "literal", "--policies", "three_body,orchestrator", "--json")
  t.eq(child.status, 0, child.stderr)
  local result = json.decode(child.stdout) or { rows = {}, runs = {} }
  for i, policy in ipairs { "three_body", "orchestrator" } do
    local row = result.rows[i] or {}
    t.eq({ row.policy, row.runs, row.succeeded }, { policy, 1, 0 })
    t.ok((row.seconds or { median = 0 }).median > 0, "it has taken time")
    t.ok(result.runs[policy][1].status ~= "succeeded", result.runs[policy][1].reason)
  end
  t.ok(files.exists(folder .. "/compare.html"))
  files.remove(folder)
end

function tests.slips_are_told_before_anything_is_run()
  local folder = spawn.folder()
  for words, why in pairs { ["--policies odevv"] = "there is no policy \"odevv\"; did you mean 'odev'?",
    ["--times 0"] = "--times must be a whole number", ["--policies ,"] = "--policies names none" } do
    local argv = { "calculator", "--model", "literal" }
    for word in words:gmatch "%S+" do argv[#argv + 1] = word end
    local child = compare(folder, table.unpack(argv))
    t.eq(child.status, 2, words)
    t.has(child.stderr, why)
  end
  local child = compare(folder, "no_such_mission", "--model", "literal", "--policies", "odev")
  t.eq(child.status, 2)
  t.has(child.stderr, "no_such_mission")
  t.eq(files.list(folder .. "/runs") or {}, {}, "nothing was run")
  files.remove(folder)
end

function tests.the_median_and_its_spread()
  local function run(calls, seconds)
    return { status = calls == 1 and "failed" or "succeeded", reason = "<b>", calls = calls, tokens = 1000 * calls,
      seconds = seconds, steps = 2, escalations = 0 }
  end
  local function line(...)
    return comparison.table(comparison.rows({ odev = { ... } }, { "odev" })):match "\n(| odev[^\n]*)\n"
  end
  t.eq(line(run(1, 1), run(4, 2.25)),
    "| odev   | 1 of 2    | 2.5 (1-4) | 2500 (1000-4000) | 1.6 (1.0-2.2) | 2     | 0           |")
  t.eq(line(run(9, 9), run(2, 1), run(3, 2)),
    "| odev   | 3 of 3    | 3 (2-9) | 3000 (2000-9000) | 2.0 (1.0-9.0) | 2     | 0           |")
  local free = run(2, 1)
  free.tokens = 0
  t.eq(line(free), "| odev   | 1 of 1    | 2     | -      | 1.0     | 2     | 0           |")
  local runs = { odev = { run(1, 1), run(4, 2.25) } }
  local rows = comparison.rows(runs, { "odev" })
  local page = comparison.page("m <i>", "c", rows, runs)
  t.has(page, "&lt;b&gt;")
  t.ok(not page:find("<i>", 1, true), "what a run says never becomes markup")
end

return tests
