-- A long job that goes on where it stopped: what is done is kept in `m.state`. Each line of a file is an amount that
-- goes into a ledger; a wrong line ends the run, and when it is mended `deskpilot resume RUN` goes on from there.
-- Works everywhere.
--   deskpilot run missions/cookbook/resume.lua -- amounts.txt ledger.txt
--   deskpilot resume runs/...-resume
local files = require "deskpilot.base.files"

local function paths(m)
  local folder = assert(files.own_temporary_folder())
  return m.args[1] or files.join(folder, "cookbook-amounts.txt"), m.args[2] or files.join(folder, "cookbook-booked.txt")
end

---@type deskpilot.mission
return {
  resumable = true, -- the script is started again from its beginning, with m.state as it was kept last
  limits = { seconds = 60 },
  run = function(m)
    local from, to = paths(m)
    if not m.args[1] and not files.exists(from) then assert(files.write(from, "12.50\n7\n3.25\n")) end
    m.state.done = m.state.done or 0
    local number = 0
    for line in assert(files.read(from)):gmatch "[^\n]+" do
      number = number + 1
      if number > m.state.done then
        local amount = tonumber(line) or error(("line %d of %s is no amount: %s"):format(number, from, line), 0)
        local before = number > 1 and assert(files.read(to)) or ""
        assert(files.write(to, ("%s%d: %.2f\n"):format(before, number, amount)))
        m.state.done = number
        m:keep_state() -- from here on this line is not booked again
      end
    end
    m:note(("%d amounts are booked in %s"):format(number, to))
  end,
}
