local differences = require "deskpilot.agent.differences"
local information = require "deskpilot.agent.information"
local text = require "deskpilot.base.text"
local viewpoint = require "deskpilot.agent.viewpoint"
local visible_texts = require "deskpilot.agent.visible_texts"

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "verify_action_result",
  fresh = true,
  description = "Ask whether texts are on the screen now, and what has changed since the look before.",
  properties = {
    { name = "expect", type = "array", items = { type = "string", minLength = 1 }, minItems = 1, maxItems = 10,
      description = "What the last commands should have brought." },
  },
  run = function(ctx, args)
    local run = ctx.run
    local missing = visible_texts.collect(run):missing(args.expect)
    local quoted = {}
    for i, words in ipairs(missing) do quoted[i] = ("%q"):format(text.cut(words, 80)) end
    local said = #missing == 0 and "YES: all of it is on the screen" or "NO: not on the screen is " .. text.join(quoted)
    local before = run.goal.before
    if not (before and run.observation) then return said end
    return ("%s\n%s"):format(said, differences.describe(before, run.observation, true,
      viewpoint.space(run, ctx.persona)))
  end,
}
