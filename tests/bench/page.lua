--- How long looking at a page of 10,000 elements takes, all of it: the script in the page, the browser's answer, and
--- the table that a script gets. Two pages: elements in a list, and each in a row of five others.
local uv = require "luv"
local desk_module = require "deskpilot.desk"
local files = require "deskpilot.base.files"
local harness = require "harness"
local private = require "deskpilot.desk.private.session"
local spawn = require "spawn"
local statistics = require "bench.statistics"
local task = require "deskpilot.base.task"

local COUNT, ROUNDS = 10000, 9

local forms = { '<a href="#%d">Link %d</a>', "<button>Button %d</button>", '<input aria-label="Field %d">',
  "<span role=button tabindex=0>Role %d</span>", '<span style="cursor:pointer">Word %d</span>' }
local rows = {
  { name = "a page of 10,000 elements", form = "<li>%s</li>", limit = 250 },
  { name = "  among 50,000 others", form = "<div class=row><p>Row <b>words</b></p><ul><li>%s</li></ul></div>" },
}

local function html(form)
  local parts = { "<!doctype html><title>Many</title><ul>" }
  for i = 1, COUNT do parts[i + 1] = form:format(forms[i % #forms + 1]:format(i, i)) end
  return table.concat(parts)
end

local function measure(tab, folder, form)
  local path = folder .. "/page.html"
  assert(files.write(path, html(form)))
  assert(tab:navigate("file://" .. path))
  assert(tab:observe())
  task.sleep(1) -- browsers go on for a moment
  local times, scripts = {}, {}
  for i = 1, ROUNDS do
    local began = uv.hrtime()
    local page = assert(tab:observe())
    times[i] = (uv.hrtime() - began) / 1e6
    scripts[i] = tab.observed.milliseconds
    harness.eq(page.total, COUNT)
    harness.eq(#page.elements, 200)
  end
  return times, statistics.median(scripts)
end

local bench = {}

--- Measures, and tells row(name, value, unit, limit, what) of it.
---@param row fun(name: string, value: number[], unit: string, limit: number?, what: string)
function bench.measure(row)
  local folder = files.absolute(spawn.folder())
  local session = assert(private.start { size = { 1280, 900 } })
  local guard <close> = setmetatable({}, { __close = function()
    session:abandon()
    files.remove(folder)
  end })
  assert(guard)
  local desk = assert(desk_module.open { display = session.display, bus = session.bus_address, session = session })
  local browser = assert(desk.browser.start())
  for _, each in ipairs(rows) do
    local whole, script = measure(browser:tab(), folder, each.form)
    row(each.name, whole, "ms", each.limit, ("%.0f ms in the page"):format(script))
  end
  desk:close()
  session:stop()
end

-- bench.lua takes bench.measure; as a test file of its own this runs.
return setmetatable({ page = function()
  bench.measure(function(name, values, unit, limit, what)
    local value = statistics.median(values)
    io.stdout:write(("%-30s %6.1f %s  (%s)\n"):format(name, value, unit, what))
    harness.ok(not limit or value <= limit, name)
  end)
end }, { __index = bench })
