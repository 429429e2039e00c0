local information = require "deskpilot.agent.information"

-- The lines that have a text, in whatever case.
local function matching(words, part)
  local lines = {}
  for line in words:gmatch "[^\n]+" do
    if line:lower():find(part:lower(), 1, true) then lines[#lines + 1] = line end
  end
  return lines
end

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "inspect_page",
  description = "List what is on the page or the desktop whole: also what was left out of the message.",
  properties = {
    { name = "contains", optional = true, type = "string", minLength = 1, maxLength = 200,
      description = "Only lines with this text." },
  },
  run = function(ctx, args)
    local seen, err = information.seen(ctx)
    if not seen then return nil, err end
    local words = information.words(ctx, seen)
    if not args.contains then return words end
    local lines = matching(words, args.contains)
    if #lines == 0 then return ("no line has %q"):format(args.contains) end
    return table.concat(lines, "\n")
  end,
}
