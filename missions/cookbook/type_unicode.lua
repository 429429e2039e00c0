-- Types text of any script into an editor, whatever the keyboard's layout, and saves it by the dialog. Linux
-- (mousepad); `desk.keyboard.type` is the same on Windows.
--   deskpilot run missions/cookbook/type_unicode.lua -- letter.txt
local files = require "deskpilot.base.files"

local words = "Grüße, naïve café — Ελληνικά, русский, עברית, 日本語, 😀\n"

local function path_of(m)
  return files.absolute(m.args[1] or files.join(assert(files.own_temporary_folder()), "cookbook-letter.txt"))
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "mousepad", "--disable-server" } } },
  limits = { seconds = 60 },
  run = function(m)
    local desk, path = m.desk, path_of(m)
    files.remove(path) -- else the dialog asks whether it may be replaced
    desk.wait_for_element { role = "text", app = "mousepad" }
    desk.keyboard.type(words)
    desk.wait_for_window { title = "*", active = true } -- now it knows that there is something to save
    desk.keyboard.press "ctrl+s"
    desk.wait_for_window { title = "Save As", active = true }
    desk.settle() -- the dialog empties its field when it has read the folder
    desk.keyboard.press "ctrl+a"
    desk.keyboard.type(path)
    desk.keyboard.press "enter"
    desk.wait_for_window { title = "Save As", gone = true }
  end,
  verify = function(m) return m.checks.file { path = path_of(m), equals = words } end,
}
