--- Steps of a run as a mission: telling elements that are alike, and writing the file, whatever the steps hold.
local t = require "harness"
local alike = require "deskpilot.agent.alike"
local repeated = require "deskpilot.agent.repeated"

local tests = {}

function tests.elements_are_told_by_role_name_and_place_among_those_alike()
  local list = { { role = "button", name = "Add" }, { role = "link", name = "Add" }, { role = "button", name = "Add" },
    { role = "button", name = ("long "):rep(100) } }
  t.eq({ alike.of(list, list[1]), alike.of(list, list[2]), alike.of(list, list[3]) },
    { { role = "button", name = "Add", nth = 1 }, { role = "link", name = "Add" },
      { role = "button", name = "Add", nth = 2 } })
  for i, element in ipairs(list) do t.ok(alike.find(list, alike.of(list, element)) == element, i) end
  t.eq(alike.find(list, { role = "button", name = "Add", nth = 3 }), nil)
  t.eq(alike.find(list, { role = "menu", name = "Add" }), nil)
end

-- What a page or a model has said is data in the file, and nothing else.
function tests.a_file_holds_the_steps_as_they_were()
  local words = 'a "quoted" \\ ]] -- \27[2J\r\n\0 end ${x} ä'
  local steps = { { tool = "type_text", args = { text = words, ["end"] = { 1, 2.5 }, ["a-b"] = { deep = true },
    none = {}, replace = false } }, { tool = "x", args = {}, on = { role = words, name = words } } }
  local source = repeated.source("title\nos.exit(1)", '-- a comment\nreturn { task = "x", policy = "y",\n'
    .. "  goals = { 'a' }, verify = function() return true end } -- as this one is", steps)
  t.ok(not source:find "[%z\1-\9\11-\31\127]", "nothing that a terminal obeys")
  local seen
  local chunk = assert(load(source:gsub("return repeated.mission%(", "return check("), "=file", "t", setmetatable({
    check = function(mission, list)
      seen = list
      return repeated.mission(mission, list)
    end }, { __index = _G })))
  local mission = chunk()
  t.eq(seen, steps)
  t.eq({ mission.task, mission.goals, mission.policy, type(mission.run), mission.verify() },
    { nil, nil, "y", "function", true })
end

return tests
