local errors = require "deskpilot.base.errors"
local fields = require "deskpilot.agent.fields"
local page_tools = require "deskpilot.agent.page_tools"
local text = require "deskpilot.base.text"

local most_text = 400000 -- characters of a page that are looked through
local most_read = 150 -- as much of it as the history can hold

---@type deskpilot.tool
return {
  api = 1,
  name = "browser_read",
  group = "browser",
  description = "Read the text of the page that follows certain words.",
  parameters = fields.object {
    fields.optional(fields.justification),
    { name = "after", type = "string", minLength = 1, maxLength = 200,
      description = "The words before it, for example 'Total:'." },
  },
  acts = false,
  looks = true,
  run = function(ctx, args)
    local tab, err = page_tools.tab(ctx)
    if not tab then return nil, err end
    local page, failure = tab:observe { max_elements = 0, max_text = most_text }
    if not page then return nil, failure end
    local words = text.one_line(page.text)
    local _, last = words:lower():find(text.one_line(args.after):lower(), 1, true)
    if not last then
      return errors.fail("not_found", "the page does not say %q", args.after)
    end
    -- On its line first: what stands further down is something else.
    local line = page.text:lower():find(args.after:lower(), 1, true)
    local rest = line and page.text:sub(line + #args.after):match("^[^\n]*") or ""
    if not rest:find("%S") then rest = words:sub(last + 1) end
    return ("after %q the page says: %s"):format(args.after, text.cut(text.one_line(rest), most_read))
  end,
}
