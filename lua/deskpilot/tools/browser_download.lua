local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local page_tools = require "deskpilot.agent.page_tools"

local private = { private = true }

-- A browser may put its files anywhere, and one of ours takes its folder with it when it ends: the run keeps a copy.
local function keep(run, path)
  local folder = files.join(files.absolute(run.dir.path), "downloads")
  local from, name = files.split(path)
  if files.absolute(from) == folder then return path end
  local ok, err = files.make_folder(folder, private)
  local copy
  if ok then copy, err = files.copy(path, folder, name, private) end
  if copy then return copy end
  return errors.fail(err.code, "%s was downloaded, but the run cannot keep it: %s", path, tostring(err))
end

return page_tools.element_tool {
  api = 1,
  name = "browser_download",
  group = "browser",
  description = "Click an element of the page that downloads a file, and wait until the file is there.",
  repeatable = false,
  act = function(ctx, tab, element)
    local path, err = tab:download(element)
    if not path then return nil, err end
    return keep(ctx.run, path)
  end,
  done = function(element, _, path) return ("downloaded %s by %s"):format(path, element) end,
}
