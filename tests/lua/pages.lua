--- A real browser with a page of tests/pages on a private desktop, for tests of what is on pages and of acting on it.
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local private = require "deskpilot.desk.private.session"

local pages = {}

--- The address of a page of tests/pages.
---@param name string
---@return string
function pages.url(name)
  return "file://" .. files.absolute("tests/pages/" .. name)
end

--- Runs the cases of a table in the order of their names, each with (tab, desk, browser), in one browser whose window
--- has that size and lies somewhere on the screen. A case that fails is named, and the others run.
---@param cases table<string, fun(tab: deskpilot.tab, desk: deskpilot.desk, browser: deskpilot.browser)>
---@param only string? the beginning of the names that run
---@param args string[]? more flags for the browser
function pages.run(cases, only, args)
  local session = assert(private.start { size = { 1400, 1000 } })
  local guard <close> = setmetatable({}, { __close = function() session:abandon() end })
  assert(guard)
  -- Many tests run on few cores: limits of what ends by itself when all is well are long.
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session,
    timing = { type_verify = 6, page_hears = 10, page_load = 90, page_act = 40, page_look = 30, focus = 5,
      element_action = 10 } })
  local browser = assert(desk.browser.start { window = { 1000, 800 }, args = args })
  local names = {}
  for name in pairs(cases) do
    if not only or text.starts(name, only) then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local began = task.now()
    local ok, why = xpcall(cases[name], debug.traceback, browser:tab(), desk, browser)
    harness.ok(ok, name .. ": " .. tostring(why))
    io.stdout:write(("      %s %.1f s\n"):format(name, task.now() - began))
  end
  desk:close()
  session:stop()
end

--- The element of that name (and role), which must be there.
---@return deskpilot.page_element
function pages.element(page, name, role)
  for _, element in ipairs(page.elements) do
    if element.name == name and (not role or element.role == role) then return element end
  end
  local names = {}
  for i, element in ipairs(page.elements) do
    names[i] = ('[%d] %s "%s"'):format(element.index, element.role, element.name)
  end
  error(("no element '%s' among %s"):format(name, table.concat(names, ", ")), 2)
end

--- Opens a page of tests/pages and looks at it.
function pages.open(tab, name, how)
  assert(tab:navigate(pages.url(name)))
  return assert(tab:observe(how))
end

--- Runs a script in the page, which must not fail.
function pages.script(tab, script)
  local value, err = tab:evaluate(script)
  if err then error(tostring(err), 2) end
  return value
end

--- What the page's script has in its `log`, by lines.
---@return string[]
function pages.log(tab)
  return assert(tab:evaluate "log")
end

return pages
