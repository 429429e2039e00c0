-- Tries the best way first and others after it, several times, before it gives up: by element, by its text on the
-- screen, by the keyboard. Linux (zenity).
--   deskpilot run missions/cookbook/fallback.lua
local task = require "deskpilot.base.task"

-- What `desk.try` gives is nil, err where the desk itself would raise.
local function press_ok(try)
  local ways = {
    { "element", function() return try.elements.press { role = "push button", name = "Okay" } end }, -- it has no such
    { "text", function()
      local place, err = try.screen.find_text "Okay"
      if not place then return nil, err end
      return try.mouse.click(place)
    end },
    { "keyboard", function() return try.keyboard.press "enter" end },
  }
  local why
  for _, way in ipairs(ways) do
    local ok, err = way[2]()
    if ok then return way[1] end
    why = ("by %s: %s"):format(way[1], tostring(err))
  end
  return nil, why
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    local shown = task.start(function() return desk.apps.run { "zenity", "--info", "--text", "All is well." } end)
    desk.wait_for_element { role = "push button", name = "OK", timeout = 15 }
    for attempt = 1, 3 do
      local way, why = press_ok(desk.try)
      m:note(way and ("pressed by " .. way) or ("attempt %d: %s"):format(attempt, why))
      -- Judged by what it brought, not by that no error came.
      if way and desk.try.wait_until(function() return shown:ended() end, { timeout = 3 }) then break end
    end
    local ok, result = shown:wait()
    return ok and result.status == 0, "the message was not confirmed"
  end,
}
