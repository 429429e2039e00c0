-- The disk is full at the Nth kilobyte.
local missions = require "torture.missions"

return {
  about = "the disk is full at the Nth kilobyte",
  share = 8,
  case = function(pick)
    return { mission = pick:of(missions.quick), fail = { ROOM = pick:number(200) * 1024 - pick:integer(0, 1023) } }
  end,
}
