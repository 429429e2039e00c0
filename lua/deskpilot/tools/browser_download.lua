local uv = require "luv"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local page_tools = require "deskpilot.agent.page_tools"
local task = require "deskpilot.base.task"

-- A name that the folder does not have yet: "report.pdf", "report-2.pdf".
local function free_path(folder, name)
  local stem, extension = name:match("^(.+)(%.[^.]*)$")
  if not stem then stem, extension = name, "" end
  local path, number = files.join(folder, name), 1
  while files.exists(path) do
    number = number + 1
    path = files.join(folder, ("%s-%d%s"):format(stem, number, extension))
  end
  return path
end

-- A browser may put its files anywhere, and one of ours takes its folder with it when it ends: the run keeps a copy.
local function keep(run, path)
  local folder = files.join(files.absolute(run.dir.path), "downloads")
  local from, name = files.split(path)
  if files.absolute(from) == folder then return path end
  local ok, err = files.make_folder(folder)
  if not ok then return nil, err end
  local copy = free_path(folder, name)
  local why = task.await(function(done) uv.fs_copyfile(path, copy, { excl = true }, done) end)
  if why then return errors.fail("io", "%s was downloaded, but the run cannot keep it as %s: %s", path, copy, why) end
  return copy
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
