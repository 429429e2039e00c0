return require("deskpilot.agent.page_tools").element_tool {
  api = 1,
  name = "browser_type",
  group = "browser",
  description = "Type text into a field of the page, in place of what it holds. If the field offers suggestions, "
    .. "choose one in the next step.",
  properties = {
    { name = "text", type = "string", minLength = 1, description = "The text, exactly as it should arrive." },
    { name = "replace", optional = true, type = "boolean",
      description = "false to add to what the field holds; true if left out." },
  },
  repeatable = function(args) return args.replace ~= false end,
  lasting = function(args) return args.text:find "[\r\n]" ~= nil end, -- Enter may send a form
  act = function(_, tab, element, args) return tab:type(element, args.text, { replace = args.replace ~= false }) end,
  done = function(element, args)
    return ("typed %d characters into %s"):format(utf8.len(args.text) or #args.text, element)
  end,
}
