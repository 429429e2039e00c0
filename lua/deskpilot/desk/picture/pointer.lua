--- Whether a picture of the whole screen has to show the pointer.
local pointer = {}

--- Where the pointer is to be drawn, as a pixel of the screen. On its last pixel, where private desktops begin with it,
--- next to nothing of it would show, and that at an edge which could be left out. Pictures with it and without lie in
--- memory of their own, so who takes one that will be followed by another's look asks this as well.
---@param desk deskpilot.desk
---@return { x: integer, y: integer }? place nil where it is left out
function pointer.shown(desk)
  local x, y = desk.mouse.position()
  local screen = x and desk.screen.size()
  if not screen or x == screen.x + screen.width - 1 and y == screen.y + screen.height - 1 then return nil end
  return { x = x, y = y }
end

return pointer
