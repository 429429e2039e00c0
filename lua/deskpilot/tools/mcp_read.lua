local fields = require "deskpilot.agent.fields"
local mcp = require "deskpilot.agent.mcp"
local mcp_results = require "deskpilot.agent.mcp_results"

---@type deskpilot.tool
return {
  api = 1,
  name = "mcp_read",
  group = "resources",
  description = "Read what an MCP server has at an address that mcp_resources told of.",
  parameters = fields.object {
    { name = "server", type = "string", minLength = 1, maxLength = 100, description = "The server." },
    { name = "uri", type = "string", minLength = 1, maxLength = 2000, description = "The address." },
  },
  acts = false,
  looks = true,
  anywhere = true,
  run = function(ctx, args)
    local list, err = mcp.servers(ctx.run, args.server)
    if not list then return nil, err end
    local contents, why = list[1].server:read(args.uri, mcp.request_options(ctx.run, list[1], "mcp_read"))
    if not contents then return nil, why end
    return mcp_results.of_contents(contents, args.uri)
  end,
}
