-- Keys of one's own, in any window: ctrl+alt+d types today's date where the caret is, ctrl+alt+q ends it.
--   deskpilot run missions/cookbook/hotkeys.lua
---@type deskpilot.mission
return {
  desktop = { kind = "current" },
  limits = { seconds = 8 * 3600 },
  run = function(m)
    local desk, over, count = m.desk, false, 0
    local date = desk.hotkeys.on("ctrl+alt+d", function()
      desk.keyboard.type(os.date "%Y-%m-%d ")
      count = count + 1
      m:note("the date was typed")
    end)
    local quit = desk.hotkeys.on("ctrl+alt+q", function() over = true end)
    m:note "ctrl+alt+d types the date, ctrl+alt+q ends this"
    desk.wait_until(function() return over end, { timeout = 8 * 3600 - 10 })
    date:remove()
    quit:remove()
    return count > 0, "the date was never asked for"
  end,
}
