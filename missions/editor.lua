-- Types two lines into a text editor and saves them. Whether it is done is read from the file's bytes.
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "deskpilot-editor.txt")
local lines = "Grüße aus dem Editor — naïve café\nZweite Zeile: 日本語, עברית, 😀\n"

---@type deskpilot.mission
return {
  task = ([[
1. Click "Text area"
2. Type "%s"
3. Press ctrl+s
4. Wait for "Save As"
5. Press ctrl+a
6. Type "%s"
7. Press enter
8. Wait for "deskpilot-editor.txt - Mousepad"
]]):format(lines:gsub("\n", "\\n"), path),
  policy = "three_body",
  desktop = { kind = "private", size = { 1280, 800 }, apps = { { "mousepad", "--disable-server" } } },
  limits = { turns = 60, seconds = 600 },
  before_run = function() files.remove(path) end,
  verify = function(m) return m.checks.file { path = path, equals = lines } end,
}
