local files = require "deskpilot.base.files"
local page_tools = require "deskpilot.agent.page_tools"

return page_tools.element_tool {
  name = "browser_download",
  description = "Click an element of the page that downloads a file, and wait until the file is there.",
  repeatable = false,
  act = function(ctx, tab, element)
    return tab:download(element, { folder = files.join(ctx.run.dir.path, "downloads") })
  end,
  done = function(element, _, path) return ("downloaded %s by %s"):format(path, element) end,
}
