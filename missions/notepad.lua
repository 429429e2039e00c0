-- Windows: types lines of many scripts into Notepad and saves them as UTF-8 by its dialog. Whether it is
-- done is read from the file's bytes.
local files = require "deskpilot.base.files"

local path = files.native(files.join(assert(files.own_temporary_folder()), "deskpilot-notepad.txt"))
local lines = "Grüße aus dem Editor — naïve café\nZweite Zeile: 日本語, עברית, 😀 𝄞\n"

-- As a quotation of a task.
local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"'
end

---@type deskpilot.mission
return {
  -- The last of the encodings is UTF-8 (with a byte order mark on some versions).
  task = ([[
1. Click "Text area"
2. Type %s
3. Press ctrl+s
4. Wait for "Save As"
5. Click the "Encoding:" box
6. Press end
7. Press enter
8. Click the "File name:" box
9. Press home
10. Press shift+end
11. Type %s
12. Press enter
13. Wait for "deskpilot-notepad"
]]):format(quoted(lines), quoted(path)),
  policy = "three_body",
  desktop = { apps = { { "notepad" } } },
  limits = { turns = 80, seconds = 600 },
  before_run = function() files.remove(path) end,
  verify = function()
    local saved, why = files.read(path)
    if not saved then return false, tostring(why) end
    local plain = saved:gsub("^\xEF\xBB\xBF", ""):gsub("\r\n", "\n")
    if plain == lines then return true end
    return false, ("%s holds %q instead of %q"):format(path, saved, lines)
  end,
}
