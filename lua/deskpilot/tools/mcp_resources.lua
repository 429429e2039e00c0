local fields = require "deskpilot.agent.fields"
local mcp = require "deskpilot.agent.mcp"

local most = 100

local function line_of(server, resource)
  local about = {}
  for _, words in ipairs { resource.name or "", resource.about or "", resource.mime or "" } do
    if words ~= "" then about[#about + 1] = words end
  end
  return ("%s %s%s%s"):format(server, resource.uri, resource.template and " (a template: fill in what is in braces)"
    or "", #about > 0 and " - " .. table.concat(about, "; ") or "")
end

---@type deskpilot.tool
return {
  api = 1,
  name = "mcp_resources",
  group = "resources",
  description = "List what the configured MCP servers have to read: addresses, with what is there.",
  parameters = fields.object {
    { name = "server", type = "string", minLength = 1, maxLength = 100, optional = true,
      description = "Only this server's." },
    { name = "containing", type = "string", minLength = 1, maxLength = 200, optional = true,
      description = "Only those whose line contains these words." },
  },
  acts = false,
  looks = true,
  anywhere = true,
  run = function(ctx, args)
    local list, err = mcp.servers(ctx.run, args.server)
    if not list then return nil, err end
    local lines, more, wanted = {}, 0, args.containing and args.containing:lower()
    for _, entry in ipairs(list) do
      local found, why = entry.server:resources(entry.options.timeout)
      if not found then lines[#lines + 1] = tostring(why) end
      for _, resource in ipairs(found or {}) do
        local line = line_of(entry.name, resource)
        if not wanted or line:lower():find(wanted, 1, true) then
          if #lines < most then lines[#lines + 1] = line else more = more + 1 end
        end
      end
    end
    if more > 0 then lines[#lines + 1] = ("%d more: name some of their words"):format(more) end
    return #lines > 0 and table.concat(lines, "\n") or "there are none"
  end,
}
