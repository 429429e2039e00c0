local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local text = require "deskpilot.base.text"

-- What few runs need is loaded by those that do.
local function criteria() return require "deskpilot.agent.criteria" end

-- Refused in a way that the loop, the journal and the model see.
local function refuse(ctx, why)
  ctx.run:emit("guard", { name = "criteria", message = "the claim of completion was not accepted: " .. why })
  return errors.fail("refused", "NOT ACCEPTED: %s. Put in double quotes only what can be read on the screen now. If "
    .. "something is missing, do it first.", why)
end

---@type deskpilot.tool
return {
  api = 1,
  name = "report_completion",
  group = "finish",
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
  -- Where only the success criteria can decide, each needs evidence of its own.
  parameters_for = function(run)
    local list = criteria().to_show(run)
    if not list then return nil end
    return fields.object({
      evidence = { type = "array", items = { type = "string" },
        description = ("%d text%s, one for each of the SUCCESS CRITERIA, in their order. Each says what is on the "
          .. "screen now that shows the criterion, and puts the words that you read there in double quotes.")
          :format(#list, #list == 1 and "" or "s") },
    }, { "evidence" })
  end,
  anywhere = true,
  acts = false, -- nothing on the desktop changes, so there is nothing to settle
  run = function(ctx, args)
    local list = criteria().to_show(ctx.run)
    local evidence = type(args.evidence) == "table" and table.concat(args.evidence, "\n") or args.evidence
    evidence = text.trim(evidence)
    local length, shortest = utf8.len(evidence) or #evidence, ctx.config:get("report_completion.min_evidence")
    if length < shortest then
      return errors.fail("invalid", "the evidence has %d characters and needs at least %d: describe what "
        .. "the screen shows that proves the result", length, shortest)
    end
    if list then
      local shown, why = criteria().compare(ctx.run, list, args.evidence)
      if not shown then return refuse(ctx, why) end
      evidence = shown
    end
    return ctx.run:claim(evidence)
  end,
}
