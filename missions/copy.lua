-- The same on every system: types into its text editor, copies everything, and is done when the clipboard
-- holds what was typed.
local editors = {
  linux = { "mousepad", "--disable-server" },
  windows = { "notepad" },
}
local words = "Grüße — 日本語, עברית, 😀\nand a second line"

---@type deskpilot.mission
return {
  task = ([[
1. Click "Text area"
2. Type "%s"
3. Press ctrl+a
4. Press ctrl+c
]]):format((words:gsub("\n", "\\n"))),
  policy = "three_body",
  desktop = { apps = { editors[require("native.system").platform] } },
  limits = { turns = 30, seconds = 300 },
  before_run = function(m) assert(m.desk.clipboard.set "nothing was copied yet") end,
  verify = function(m)
    local copied, err = m.desk.clipboard.get()
    if copied == words then return true end
    return false, err and tostring(err) or ("the clipboard holds %q"):format(copied)
  end,
}
