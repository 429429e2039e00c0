local fields = require "deskpilot.agent.fields"
local errors = require "deskpilot.base.errors"

---@type deskpilot.tool
return {
  api = 1,
  name = "report_completion",
  description = "Say that the whole mission is done. Only when the screen shows it: the claim is checked.",
  options = {
    min_evidence = { type = "integer", default = 100, min = 0, max = 10000,
      about = "shortest evidence that a claim of completion may have, in characters" },
  },
  parameters = function(config)
    return fields.object {
      { name = "evidence", type = "string",
        description = ("At least %d characters: what is on the screen now that proves the result, "
          .. "with the exact values and names you can read."):format(config:get("report_completion.min_evidence")) },
    }
  end,
  anywhere = true,
  acts = false, -- nothing on the desktop changes, so there is nothing to settle
  run = function(ctx, args)
    local evidence = args.evidence:match("^%s*(.-)%s*$")
    local length, shortest = utf8.len(evidence) or #evidence, ctx.config:get("report_completion.min_evidence")
    if length < shortest then
      return errors.fail("invalid", "the evidence has %d characters and needs at least %d: describe what "
        .. "the screen shows that proves the result", length, shortest)
    end
    return ctx.run:claim(evidence)
  end,
}
