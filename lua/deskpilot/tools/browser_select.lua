return require("deskpilot.agent.page_tools").element_tool {
  api = 1,
  name = "browser_select",
  group = "browser",
  description = "Choose an option of a list or combobox of the page.",
  properties = {
    { name = "option", type = "string", minLength = 1, maxLength = 500, description = "The option's words." },
  },
  act = function(_, tab, element, args) return tab:select(element, args.option) end,
  done = function(element, args) return ("chose %q in %s"):format(args.option, element) end,
}
