-- The program may open few files: 12 to 200.
local missions = require "torture.missions"

return {
  about = "12 to 200 descriptors",
  share = 6,
  case = function(pick)
    return { mission = pick:of(missions.quick), descriptors = pick:integer(1, 3) > 1 and pick:integer(12, 40)
      or pick:integer(12, 200) }
  end,
}
