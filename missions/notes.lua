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
    assert(desk.keyboard.type(os.date("Notes of %Y-%m-%d\n")))
    assert(desk.keyboard.press("ctrl+s"))
    assert(desk.wait_for_window { title = "Save As" })
    desk.settle() -- the dialog clears its name field when it has read the folder
    assert(desk.keyboard.press("ctrl+a"))
    assert(desk.keyboard.type(path))
    assert(desk.keyboard.press("enter"))
    assert(desk.wait_for_window { title = "deskpilot-notes.txt" })
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
