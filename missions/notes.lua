-- A script: no model at all. Opens a text editor, writes today's date into it, saves the file, and
-- checks it. Another file: deskpilot run notes -- PATH
local files = require "deskpilot.base.files"

local function path_of(m)
  return files.absolute(m.args[1] or files.join(assert(files.own_temporary_folder()), "deskpilot-notes.txt"))
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "mousepad", "--disable-server" } } },
  limits = { seconds = 120 },
  run = function(m)
    local desk, path = m.desk, path_of(m)
    files.remove(path)
    desk.keyboard.type(os.date("Notes of %Y-%m-%d\n"))
    desk.keyboard.press("ctrl+s")
    desk.wait_for_window { title = "Save As" }
    desk.settle() -- the dialog clears its name field when it has read the folder
    desk.keyboard.press("ctrl+a")
    desk.keyboard.type(path)
    desk.keyboard.press("enter")
    desk.wait_for_window { title = select(2, files.split(path)) }
    m:note("saved as " .. path)
  end,
  verify = function(m)
    return m.checks.file { path = path_of(m), matching = "^Notes of %d+%-%d+%-%d+\n$" }
  end,
}
