-- Reads a figure from a page, which is another one each time, and saves it with a text editor. Whether it is done is
-- read from the file's bytes.
local files = require "deskpilot.base.files"
local site_server = require "site.server"

local path = files.join(assert(files.own_temporary_folder()), "deskpilot-total.txt")
local site

local function sales()
  return { { ticket = "One day", count = math.random(100, 400), cents = math.random(1200000, 4800000) },
    { ticket = "Two days", count = math.random(100, 400), cents = math.random(2000000, 8000000) } }
end

---@type deskpilot.mission
return {
  task = ([[
Put the month's total into a file:
1. Read what follows "Total:"
2. Open "mousepad"
3. Click "Text area"
4. Type what was read
5. Press ctrl+s
6. Wait for "Save As"
7. Press ctrl+a
8. Type "%s"
9. Press enter
10. Wait for "deskpilot-total.txt - Mousepad"
]]):format(path),
  policy = "odev",
  desktop = { kind = "private", size = { 1280, 800 } },
  limits = { turns = 40, seconds = 600 },
  before_run = function(m)
    files.remove(path)
    site = site_server.start(sales())
    m:on_close(site.stop)
    assert(m.desk.browser.start { url = site.url .. "/sales" })
  end,
  after_run = function(m)
    if not site then return end
    assert(m.dir:save_json("site.json", { total = site.total, requests = site.record.requests }))
  end,
  verify = function()
    local saved, why = files.read(path)
    if not saved then return false, tostring(why) end
    return saved == site.total, ("%s holds %q instead of %q"):format(path, saved, site.total)
  end,
}
