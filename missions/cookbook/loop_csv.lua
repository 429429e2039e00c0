-- Works through the rows of a CSV file: each sum goes through the calculator, and the results into another CSV file.
-- Linux (galculator).
--   deskpilot run missions/cookbook/loop_csv.lua -- sums.csv results.csv       (sums.csv: Item,Count,Price)
local csv = require "deskpilot.base.csv"
local files = require "deskpilot.base.files"

local folder = assert(files.own_temporary_folder())
local sample = "Item,Count,Price\nchart,3,24.5\ncompass,2,69\nrope,12,1.25\n"

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { seconds = 300 },
  timing = { type_interval = 0.3 }, -- this program drops a key that comes again within a quarter of a second
  run = function(m)
    local desk = m.desk
    local rows = assert(csv.records(m.args[1] and assert(files.read(m.args[1])) or sample))
    local lines = { "Item,Total" }
    desk.wait_for_element { app = "galculator", role = "text" }
    for _, row in ipairs(rows) do
      desk.keyboard.press "escape" -- empties the display
      desk.wait_for_element { app = "galculator", role = "text", text = "0" }
      desk.keyboard.type(("%s*%s="):format(row.Count, row.Price))
      local total = desk.wait_until(function()
        local shown = desk.elements.find { app = "galculator", role = "text" }
        return shown and tonumber(shown.text) == tonumber(row.Count) * tonumber(row.Price) and shown.text
      end)
      lines[#lines + 1] = ("%s,%s"):format(row.Item, total)
    end
    assert(files.write(m.args[2] or files.join(folder, "cookbook-totals.csv"), table.concat(lines, "\n") .. "\n"))
  end,
}
