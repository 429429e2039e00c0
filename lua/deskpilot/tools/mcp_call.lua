local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local mcp = require "deskpilot.agent.mcp"
local questions = require "deskpilot.agent.questions"

---@type deskpilot.tool
return {
  api = 1,
  name = "mcp_call",
  group = "mcp",
  description = "Call a tool of one of the configured MCP servers, by its name.",
  parameters = fields.object {
    { name = "tool", type = "string", minLength = 1, maxLength = 300,
      description = "SERVER__TOOL, or TOOL where only one server has it." },
    { name = "args", type = "object", optional = true, description = "Its arguments." },
  },
  acts = false,
  anywhere = true,
  lasting = true,
  repeatable = false,
  tells = 4000,
  run = function(ctx, args)
    local run = ctx.run
    mcp.refresh(run)
    local name, missing = mcp.find(run, args.tool)
    if not name then return nil, missing end
    local given, ignored = run.toolbox:validate(name, args.args or {}, run)
    if not given then return nil, ignored end
    if #ignored > 0 then
      return errors.fail("invalid", "%s does not know these arguments: %s", name, table.concat(ignored, ", "))
    end
    local allowed, refusal = questions.allow_call(run, name, given)
    if not allowed then return nil, refusal end
    return run.toolbox:run(name, ctx, given)
  end,
}
