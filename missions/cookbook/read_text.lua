-- Reads text from the pixels of a window's region (OCR), for programs that tell nothing of their elements. Linux
-- (mousepad); `desk.screen.read_text` works the same on Windows. It needs Tesseract.
--   deskpilot run missions/cookbook/read_text.lua
local files = require "deskpilot.base.files"

local folder = assert(files.own_temporary_folder())
local note, result = files.join(folder, "cookbook-invoice.txt"), files.join(folder, "cookbook-total.txt")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    assert(files.write(note, "Invoice 2044\n\nTotal: 118.50 euro\n"))
    local _, window = desk.apps.start { "mousepad", "--disable-server", note, wait = 15 }
    local label = desk.wait_for_text("Total:", { window = window }) -- a place: desk.mouse.click would take it
    local region = { label.x, label.y - 4, 400, label.height + 8 } -- x, y, width, height on the screen
    local line = desk.screen.read_text { region = region }
    local total = line:match "Total:%s*(%d+%.%d%d)"
    if not total then return false, "no total was read in: " .. line end
    assert(files.write(result, total))
  end,
}
