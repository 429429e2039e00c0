local fields = require "deskpilot.agent.fields"
local errors = require "deskpilot.base.errors"

local MIN_EVIDENCE = 100 -- characters; less than that has never been a description of a screen

---@type deskpilot.tool
return {
  name = "report_completion",
  description = "Say that the whole mission is done. Only when the screen shows it: the claim is checked.",
  parameters = fields.object({
    evidence = { type = "string",
      description = "At least 100 characters: what is on the screen now that proves the result, "
        .. "with the exact values and names you can read." },
  }, { "evidence" }),
  anywhere = true,
  acts = false, -- nothing on the desktop changes, so there is nothing to settle
  run = function(ctx, args)
    local evidence = args.evidence:match("^%s*(.-)%s*$")
    local length = utf8.len(evidence) or #evidence
    if length < MIN_EVIDENCE then
      return errors.fail("invalid", "the evidence has %d characters and needs at least %d: describe what "
        .. "the screen shows that proves the result", length, MIN_EVIDENCE)
    end
    return ctx.run:claim(evidence)
  end,
}
