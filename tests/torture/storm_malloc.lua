-- Memory runs out: one request for it fails, or every one from there on. For a release build: a sanitizer has an
-- allocator of its own.
local missions = require "torture.missions"

return {
  about = "memory fails once, or for good, at the Nth request",
  share = 24,
  case = function(pick)
    local mission = pick:of(missions.quick)
    return { mission = mission, fail = { CALL = "malloc", AT = pick:number(missions.all[mission].calls.malloc),
      TIMES = pick:of { "1", "3", "all" } } }
  end,
}
