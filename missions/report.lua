-- Figures from files, shown in a terminal: a Technician computes them by commands that the mission allows, an Operator
-- shows the result in the terminal that is open. Whether it was shown is read from the terminal's own record. It needs
-- a language model that sees, and Linux.
local files = require "deskpilot.base.files"
local uv = require "luv"

local folder = files.join(assert(files.own_temporary_folder()), ("deskpilot-report-%d"):format(uv.os_getpid()))
local report, record = files.join(folder, "report.txt"), files.join(folder, "terminal.txt")
local command = ("awk -F, -v out=%s -f %s/total.awk %s/north.csv %s/south.csv"):format(report, folder, folder, folder)
local total

-- A script of the user's, and two tables with figures that are others in every run.
local function prepare()
  total = 0
  assert(files.make_folder(folder))
  assert(files.write(files.join(folder, "total.awk"), [[
# Adds up the column euro of the files, and writes the report into the file `out`.
FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "euro") column = i; next }
{ sum += $column }
END { printf "Total: %d euro\n", sum > out }
]]))
  for _, name in ipairs { "north", "south" } do
    local lines = { "month,euro,boats" }
    for month = 1, 12 do
      local euro = math.random(100, 9999)
      total = total + euro
      lines[month + 1] = ("%d,%d,%d"):format(month, euro, math.random(1, 50))
    end
    assert(files.write(files.join(folder, name .. ".csv"), table.concat(lines, "\n") .. "\n"))
  end
end

---@type deskpilot.mission
return {
  task = ([[
Work out the total of the column euro of north.csv and south.csv in %s, and show the report in the terminal
that is open. The command that makes the report is: %s
It writes the report into %s.]]):format(folder, command, report),
  policy = "manager",
  desktop = { kind = "private", size = { 1000, 600 } },
  -- What the Technician may run, and that the Operator may type into the terminal of this desktop.
  safety = { shell = "allow-list", shell_allow = { command, "ls *", "cat *", "head *", "wc *" }, approve = {} },
  limits = { turns = 60, seconds = 600 },
  before_run = function(m)
    m:on_close(function()
      assert(m.dir:save("terminal.txt", files.read(record) or "")) -- for people to read in the run's folder
      files.remove(folder)
    end)
    prepare()
    m.desk.apps.start { "xterm", "-fa", "DejaVu Sans Mono", "-fs", "14", "-e", "script", "-q", "-f", record }
    assert(m.desk.wait_for_window { class = "XTerm", active = true, timeout = 30 })
  end,
  verify = function(m)
    local wanted = ("Total: %d euro"):format(total)
    return m.checks.all { m.checks.file { path = report, equals = wanted .. "\n" },
      m.checks.file { path = record, contains = wanted } }
  end,
}
