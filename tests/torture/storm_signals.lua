-- The program, or the host of its private desktop, is told to end or is killed at a random moment.
local missions = require "torture.missions"

return {
  about = "SIGTERM, SIGINT, SIGHUP, SIGKILL at random moments",
  share = 16,
  least = 200,
  case = function(pick)
    local mission = pick:integer(1, 10) == 1 and "browser" or pick:of(missions.quick)
    return { mission = mission, signal = pick:of { "sigterm", "sigkill", "sigkill", "sigterm", "sigint", "sighup" },
      whom = pick:integer(1, 6) == 1 and "host" or "program", moment = pick:integer(0, 1200) / 1000,
      again = pick:integer(1, 4) == 1 and pick:integer(0, 300) / 1000 or nil }
  end,
}
