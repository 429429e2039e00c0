-- An agent finds its way once, and the run becomes a mission that repeats it with no model (docs/replay.md). Linux
-- (galculator).
--   deskpilot run missions/cookbook/keep.lua --model literal --runs runs
--   deskpilot export runs/...-keep --lua                    writes keep-replay.lua
--   deskpilot run keep-replay.lua                           with --heal a model mends a step whose target has gone
---@type deskpilot.mission
return {
  task = 'Click "1", click "6", click "sqrt", then expect "4".',
  policy = "task_executor",
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { turns = 20, seconds = 120 },
  verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "4" } end,
}
