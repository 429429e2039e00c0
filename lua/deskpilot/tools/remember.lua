local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"

-- What was wrong with some of it does not undo the rest, so both are told.
local function told(done, wrong)
  if #wrong == 0 then return table.concat(done, "; ") end
  return errors.fail("invalid", "%s", table.concat(wrong, "; ")
    .. (#done > 0 and "; but " .. table.concat(done, "; ") or ""))
end

---@type deskpilot.tool
return {
  api = 1,
  name = "remember",
  group = "memory",
  description = "Keep values under names, for later in this task, and what you have learned that will help again. All "
    .. "that belongs together goes into one call.",
  parameters = fields.object {
    { name = "values", type = "array", maxItems = 50, optional = true, items = fields.object {
      { name = "name", type = "string", pattern = "^[A-Za-z_][A-Za-z0-9_.-]*$", maxLength = 64 },
      { name = "value", type = "string", description = "Exactly as it stands on the screen." } } },
    { name = "experience", type = "string", minLength = 1, maxLength = 2000, optional = true,
      description = "One sentence that would have saved you time had you known it before." },
  },
  acts = false,
  anywhere = true,
  run = function(ctx, args)
    local memory, done, wrong = ctx.run.memory, {}, {}
    for _, item in ipairs(args.values or {}) do
      local ok, err = memory:set(item.name, item.value)
      if ok then done[#done + 1] = "remembered ${" .. item.name .. "}" else wrong[#wrong + 1] = tostring(err) end
    end
    if args.experience then
      local new, known = memory:learn(args.experience)
      if new then done[#done + 1] = "learned this"
      elseif new == false then done[#done + 1] = "this was known: " .. known
      else wrong[#wrong + 1] = tostring(known) end
    end
    if #done + #wrong == 0 then return errors.fail("invalid", "remember needs values or an experience") end
    return told(done, wrong)
  end,
}
