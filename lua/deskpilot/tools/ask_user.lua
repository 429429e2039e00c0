local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"

---@type deskpilot.tool
return {
  api = 1,
  name = "ask_user",
  group = "talk",
  options = {
    seconds = { type = "number", default = 120, min = 1, max = 86400,
      about = "seconds that a person has for an answer" },
    most = { type = "integer", default = 10, min = 0, about = "most questions of a run; an agent that asks on is told "
      .. "to decide itself" },
  },
  description = "Ask the person at the computer something that only they can know or decide. They may be away: then "
    .. "there is no answer.",
  parameters = fields.object {
    { name = "question", type = "string", minLength = 1, maxLength = 1000,
      description = "The whole question, which has to make sense to somebody who has not followed the work." },
    { name = "options", type = "array", items = { type = "string", minLength = 1, maxLength = 200 }, minItems = 2,
      maxItems = 20, optional = true, description = "The answers to choose from, if there are only these. Each is "
        .. "another." }, -- which `check` compares: not every server knows uniqueItems
    { name = "default", type = "string", minLength = 1, maxLength = 200, optional = true,
      description = "The answer to go on with if nobody gives one; of the options, if there are some." },
  },
  acts = false,
  anywhere = true,
  check = function(_, args)
    local problem = require "deskpilot.agent.questions".problem { text = args.question, options = args.options,
      default = args.default }
    if problem then return errors.fail("invalid", "ask_user: %s", problem) end
    return true
  end,
  run = function(ctx, args)
    local run = ctx.run
    local asked, most = run.questions_asked or 0, ctx.config:get "ask_user.most"
    if asked >= most then
      return errors.fail("refused", "%d question%s asked, and there are no more (ask_user.most): decide yourself",
        asked, asked == 1 and " was" or "s were")
    end
    run.questions_asked = asked + 1
    local answer, by = run:question { text = args.question, options = args.options, default = args.default,
      seconds = ctx.config:get "ask_user.seconds" }
    if answer then return ("%s answered: %s"):format(by, answer) end
    return errors.fail(by.code, "there is no answer, %s: go on without it", tostring(by))
  end,
}
