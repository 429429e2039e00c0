-- A mission that the official conformance suite has as its client: it uses the server at $MCP_URL as an agent would, by
-- the tools of its toolbox. conformance_client.sh starts it.
local json = require "deskpilot.base.json"

-- Scenarios in which not every tool is to be called.
local only = ({ ["json-schema-ref-no-deref"] = {},
  ["json-schema-2020-12-preservation"] = { "suite__json_schema_echo" } })[os.getenv "MCP_CONFORMANCE_SCENARIO"]
local context = json.decode(os.getenv "MCP_CONFORMANCE_CONTEXT" or "") or {}

-- Arguments that fit a schema.
local function example(definition)
  if definition.type == "object" then
    local value = {}
    for name, inner in pairs(definition.properties or {}) do value[name] = example(inner) end
    return value
  end
  return ({ number = 5, integer = 5, boolean = true, array = json.list {}, string = "x" })[definition.type]
end

-- The calls that the scenario asks for; without any, each tool once.
local function calls(m)
  local list = {}
  for _, call in ipairs(context.toolCalls or {}) do
    list[#list + 1] = { tool = "mcp_call", args = { tool = call.name, args = call.arguments } }
  end
  if #list > 0 then return list end
  for _, name in ipairs(only or m.toolbox:scope { groups = { "suite" } }:names()) do
    local args = example(m.toolbox:parameters(name))
    if name == "suite__json_schema_echo" then
      args.schema = m.toolbox:parameters "suite__json_schema_2020_12_tool"
    end
    list[#list + 1] = { tool = name, args = args }
  end
  return list
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 320, 240 } },
  mcp = { suite = { url = os.getenv "MCP_URL", revision = os.getenv "MCP_REVISION", approved = { "*" } } },
  ask = function() return "defaults" end, -- what the server wants to know
  run = function(m)
    for _, call in ipairs(calls(m)) do
      local done = m:act(call)
      m:note(("%s: %s"):format(call.tool, done.text))
      if not done.ok then return false, done.text end
    end
    local listed = m:act { tool = "mcp_resources", args = {} }
    for uri in listed.text:gmatch "suite (%S+)" do
      m:act { tool = "mcp_read", args = { server = "suite", uri = uri } }
    end
  end,
}
