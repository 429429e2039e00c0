-- Fills in a form: fields by the labels beside them, then its button. Linux (zenity).
--   deskpilot run missions/cookbook/fill_form.lua -- "Ada Lovelace" London
local task = require "deskpilot.base.task"

local said -- by the program that showed the form

-- The field that stands on the line of a label: many forms do not tell which label belongs to which field.
local function field(desk, label)
  local place = desk.elements.find { role = "label", name = label }
  for _, element in ipairs(desk.elements.list { role = "text", pid = place.pid }) do
    if element.y == place.y then return element end
  end
  error("no field is beside " .. label)
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 800, 600 } },
  limits = { seconds = 60 },
  run = function(m)
    local desk = m.desk
    local name, town = m.args[1] or "Zoë Müller", m.args[2] or "Köln"
    local form = task.start(function()
      return desk.apps.run { "zenity", "--forms", "--title", "Contact", "--add-entry", "Name", "--add-entry", "Town" }
    end)
    desk.wait_for_element { role = "push button", name = "OK", timeout = 15 }
    desk.elements.set_text(field(desk, "Name"), name)
    desk.elements.set_text(field(desk, "Town"), town)
    desk.elements.press { role = "push button", name = "OK" }
    said = select(2, form:wait()).stdout
    m:note("the form was sent: " .. said)
    return said == name .. "|" .. town .. "\n", "the program was told " .. said
  end,
}
