-- What is on a page, in a real browser: elements, text, boxes, popups.
local harness = require "harness"
local pages = require "pages"

local cases = {}

function cases.a_kinds(tab)
  local page = pages.open(tab, "kinds.html")
  for _, e in ipairs(page.elements) do print(e.index, e.role, e.name, e.value, harness.show(e.states), harness.show(e.box), e.in_view) end
  print(page.text, harness.show(page.viewport))
end

return { page = function() pages.run(cases) end }
