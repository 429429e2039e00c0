-- Works out 7 times 6 in a real calculator. Whether it is done is read from the calculator itself.
---@type deskpilot.mission
return {
  task = [[Click "7", click "*", click "6", click "=", then expect "42".]],
  policy = "three_body",
  desktop = { kind = "private", size = { 1280, 800 }, apps = { { "galculator" } } },
  limits = { turns = 40, seconds = 600 },
  verify = function(m)
    return m.checks.element { app = "galculator", role = "text", shows = "42" }
  end,
}
