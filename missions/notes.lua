-- A script: no model at all. Opens a text editor, writes today's date into it, saves the file, and
-- checks it.
local folder = os.getenv("TMPDIR") or "/tmp"
local path = folder .. "/deskpilot-notes.txt"

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 }, apps = { { "mousepad", "--disable-server" } } },
  limits = { seconds = 120 },
  run = function(m)
    local desk = m.desk
    os.remove(path)
    desk.keyboard.type(os.date("Notes of %Y-%m-%d\n"))
    desk.keyboard.press("ctrl+s")
    desk.wait_for_window { title = "Save As" }
    desk.settle() -- the dialog clears its name field when it has read the folder
    desk.keyboard.press("ctrl+a")
    desk.keyboard.type(path)
    desk.keyboard.press("enter")
    desk.wait_for_window { title = "deskpilot-notes.txt" }
    m:note("saved as " .. path)
  end,
  verify = function()
    local file = io.open(path, "rb")
    if not file then return false, "there is no file " .. path end
    local saved = file:read("a")
    file:close()
    return saved:match("^Notes of %d+%-%d+%-%d+\n$") ~= nil, "the file holds " .. saved
  end,
}
