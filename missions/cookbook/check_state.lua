-- Verifies by the application's own state: a file's bytes, a row of a table, what an element shows, that a window has
-- gone. `verify` alone decides whether a run has succeeded. Linux (galculator).
--   deskpilot run missions/cookbook/check_state.lua
local files = require "deskpilot.base.files"

local path = files.join(assert(files.own_temporary_folder()), "cookbook-ledger.csv")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { seconds = 60 },
  run = function(m)
    m.desk.wait_for_element { app = "galculator", role = "text" }
    m.desk.keyboard.type "120/5="
    local shown = m.desk.wait_for_element { app = "galculator", role = "text", text = "24" }
    assert(files.write(path, "Item,Total\nrope," .. shown.text .. "\n"))
  end,
  verify = function(m)
    local checks = m.checks
    return checks.all {
      checks.element { app = "galculator", role = "text", shows = "24" },
      checks.row { path = path, where = { Item = "rope" }, has = { Total = 24 } },
      checks.any { checks.file { path = path, contains = ",24" }, checks.file { path = path, contains = ";24" } },
      checks.window { title = "Error", gone = true },
    }
  end,
}
