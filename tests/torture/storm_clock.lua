-- The time of day is set while the program runs, by seconds or by decades, forward and back.
local missions = require "torture.missions"

return {
  about = "the time of day jumps, by seconds or decades",
  share = 5,
  case = function(pick)
    local jumps = {}
    for i = 1, pick:integer(1, 3) do
      jumps[i] = ("%d:%d"):format(pick:integer(0, 1200), pick:of { 1, -1 } * pick:number(20 * 366 * 86400))
    end
    return { mission = pick:of(missions.quick), clock = table.concat(jumps, ",") }
  end,
}
