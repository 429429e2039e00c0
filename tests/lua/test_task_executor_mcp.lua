--- Servers of the Model Context Protocol by the one action `mcp_call` of the policy task_executor.
local json = require "deskpilot.base.json"
local mcp_peer = require "mcp_peer"
local null_run = require "null_run"
local play = require "executor_answers"
local spawn = require "spawn"
local t = require "harness"

local tests = {}

local finish = '{"action": "FINISH", "reason": "It is done."}'

local source = [[
tool("amap_search", { annotations = { readOnlyHint = true }, inputSchema = { type = "object",
  properties = { query = { type = "string" } }, required = { "query" } } })
calls.amap_search = function(m, args) words(m, "three places for " .. args.query) end
tool("never", { annotations = { readOnlyHint = true } })
calls.never = function() end
]]

tests.a_servers_tool_is_called_by_the_one_action = spawn.in_folder(function(folder)
  local function call(tool, args) return json.encode { action = "mcp_call", tool = tool, args = args } end
  local map = { command = mcp_peer.command(folder, source), connect_timeout = 30 }
  local run, events, told = play({ mcp = { map = map } },
    { call("amap_search", { query = "coffee shop" }), call("no_such_tool", { query = "x" }), call("never"), finish },
    { ["task_executor.mcp_timeout"] = 0.5 })
  t.eq(run.outcome.status, "claimed", run.outcome.reason)
  t.has(told[2], "three places for coffee shop")
  t.has(told[3], 'there is no MCP tool "no_such_tool"')
  t.has(told[4], "within 0.5 s")
  local results = {}
  for i, event in ipairs(null_run.only(events, "action_result")) do results[i] = { event.tool, event.ok } end
  t.eq(results, { { "mcp_call", true }, { "mcp_call", false }, { "mcp_call", false }, { "finish", true } })
end)

return tests
