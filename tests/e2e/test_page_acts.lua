-- Acting on what is on a page, in a real browser, judged by the page's own log.
local harness = require "harness"
local pages = require "pages"
local task = require "deskpilot.base.task"

local cases = {}

local function timed(what, ...)
  print(what, harness.show((select(1, ...))), harness.show(tostring((select(2, ...)))))
end

function cases.a_all(tab)
  local page = pages.open(tab, "acts.html")
  local function e(name) return pages.element(page, name) end
  for _, input in ipairs { "real", "cdp" } do
    page = assert(tab:observe())
    for _, n in ipairs { "dot a", "dot b", "dot c", "Under", "Low", "Greyed" } do
      local t = task.now()
      timed(n, tab:click(e(n), { input = input }))
      print(task.now() - t)
    end
    timed("double", tab:click(e "Double", { input = input, count = 2 }))
    print(harness.show(pages.log(tab)))
    for _, n in ipairs { "Name", "Secret", "Story", "Notes", "Phone", "Short", "City" } do
      page = assert(tab:observe())
      local t = task.now()
      timed(n, tab:type(e(n), "4155550123 Grüße 漢", { input = input }))
      print(task.now() - t)
      timed(n, tab:type(e(n), "5", { input = input, replace = true }))
    end
    page = assert(tab:observe())
    print(harness.show(e "City"))
    timed("clear", tab:clear(e "Name", { input = input }))
    timed("day", tab:type(e "Day", "2026-11-21", { input = input }))
    timed("size", tab:select(e "Size", "m", { input = input }))
    timed("size", tab:select(e "Size", "Huge", { input = input }))
    timed("size", tab:select(e "Size", "Gigantic", { input = input }))
    timed("top", tab:select(e "Toppings", { "Ham", "Corn" }, { input = input }))
    timed("Colour", tab:select(e "Colour", "Green", { input = input }))
    page = assert(tab:observe())
    timed("photo", tab:upload(e "Photo", "README.md", { input = input }))
    timed("Choose files", tab:upload(e "Choose files", { "README.md", "dev" }, { input = input }))
    page = assert(tab:observe())
    timed("Attach", tab:upload(e "Attach", "README.md", { input = input }))
    timed("Report", tab:download(e "Report", { input = input }))
    timed("scroll", tab:scroll { dy = 500, input = input })
    timed("scroll", tab:scroll_to(e "Low"))
    timed("Alert", tab:click(e "Alert", { input = input }))
    page = assert(tab:observe())
    print(harness.show(page))
    tab:accept_dialog()
    print(harness.show(pages.log(tab)))
    tab:evaluate "log.length = 0"
  end
  page = assert(tab:observe())
  timed("Leave", tab:click(e "Leave"))
  print(tab.url)
end

return { page = function() pages.run(cases) end }
