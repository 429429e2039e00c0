-- Personas with models of their own: a large model plans, a small one does each step. Names and servers as yours have
-- them; where an endpoint is missing the run's own is asked. Linux (galculator).
--   deskpilot run missions/cookbook/personas.lua
---@type deskpilot.mission
return {
  task = "Work out the square root of 9 in the calculator.",
  policy = "three_body", -- its personas: strategist, tactician, executor
  personas = {
    strategist = { model = "qwen3-vl-32b", temperature = 0.6 }, -- also endpoint = "http://...", max_tokens
    executor = { model = "qwen3-vl-4b", temperature = 0 },
  },
  desktop = { kind = "private", size = { 800, 600 }, apps = { { "galculator" } } },
  limits = { turns = 30, seconds = 600 },
  verify = function(m) return m.checks.element { app = "galculator", role = "text", shows = "3" } end,
}
