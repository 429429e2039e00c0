local page_tools = require "deskpilot.agent.page_tools"

-- What few runs need is loaded by those that do.
local function allowed_files() return require "deskpilot.agent.allowed_files" end

return page_tools.element_tool {
  api = 1,
  name = "browser_upload",
  group = "browser",
  description = "Give a file to a file field of the page. Only files of this mission can be given.",
  properties = {
    { name = "path", type = "string", minLength = 1, maxLength = 1000, description = "The file's path." },
  },
  lasting = true,
  check = function(ctx, args)
    local path, err = allowed_files().resolve(ctx.run, args.path)
    return path and true, err
  end,
  act = function(ctx, tab, element, args)
    local path, err = allowed_files().resolve(ctx.run, args.path)
    if not path then return nil, err end
    return tab:upload(element, { path })
  end,
  done = function(element, args) return ("gave %s to %s"):format(args.path, element) end,
}
