local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local notebook = require "deskpilot.agent.notebook"

---@type deskpilot.tool
return {
  api = 1,
  name = "memorize",
  group = "memory",
  description = "Keep questions, and what is needed to answer them, for somebody who does not see the screen. "
    .. "Everything that is visible now goes into one call, before you scroll or leave the page.",
  parameters = fields.object {
    { name = "items", type = "array", minItems = 1, maxItems = 50, items = fields.object {
      { name = "name", type = "string", pattern = "^[A-Za-z_][A-Za-z0-9_.-]*$", maxLength = 64,
        description = "A name of its own, such as q1. A name that is there already is completed." },
      { name = "question", type = "string", optional = true, description = "The whole question, word for word." },
      { name = "data", type = "string", optional = true,
        description = "What is needed for the answer, word for word: options, figures, a table." },
      { name = "guidance", type = "string", optional = true,
        description = "How the answer is found, and in which form it is wanted." },
    } },
  },
  acts = false,
  anywhere = true,
  run = function(ctx, args)
    local kept, wrong = {}, {}
    for _, item in ipairs(args.items) do
      local ok, err = notebook.write(ctx.run.memory, item.name, item)
      if ok then kept[#kept + 1] = item.name else wrong[#wrong + 1] = tostring(err) end
    end
    local words = #kept > 0 and "memorized " .. table.concat(kept, ", ") or nil
    -- What was wrong with some of it does not undo the rest, so both are told.
    if #wrong > 0 then
      return errors.fail("invalid", "%s", table.concat(wrong, "; ") .. (words and "; but " .. words or ""))
    end
    return { text = words, data = { names = kept } }
  end,
}
