local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

---@type deskpilot.tool
return {
  api = 1,
  name = "recall",
  group = "memory",
  description = "Read what was remembered: the values of some names, or everything.",
  parameters = fields.object {
    { name = "names", type = "array", items = { type = "string" }, maxItems = 50, optional = true,
      description = "Without names everything is told." },
  },
  acts = false,
  looks = true,
  anywhere = true,
  run = function(ctx, args)
    local memory = ctx.run.memory
    if not args.names or #args.names == 0 then return memory:render() or "nothing is remembered yet" end
    local lines = {}
    for i, name in ipairs(args.names) do
      local value = memory:get(name)
      if not value then
        local names = memory:names()
        return errors.fail("not_found", "%s", ("there is no value ${%s}; %s"):format(text.cut(name, 80),
          #names > 0 and "there is " .. text.join(names) or "nothing is remembered yet"))
      end
      lines[i] = ("${%s} = %s"):format(name, value)
    end
    return table.concat(lines, "\n")
  end,
}
