-- Another user of the machine looks at all that a run makes, at random moments; the run's own user lets everybody in
-- (umask 000). Needs root, for two real users.
local uv = require "luv"

return {
  about = "another user looks at everything a run makes",
  share = 5,
  possible = function() return uv.getuid() == 0 end,
  case = function(pick)
    local looks = {}
    for i = 1, 3 do looks[i] = pick:integer(0, 900) / 1000 end
    table.sort(looks)
    return { mission = pick:of { "script", "agent", "server" }, looks = looks }
  end,
}
