-- Downloads a file from a page and puts it where it belongs. Any address: without one it serves a page itself.
--   deskpilot run missions/cookbook/download.lua -- https://example.org/reports "Report 2025"
local files = require "deskpilot.base.files"
local http_server = require "deskpilot.net.http_server"

local function serve(request)
  if request.path == "/" then
    return { headers = { ["Content-Type"] = "text/html" }, body = '<h1>Reports</h1><a href="/r.csv">Report 2025</a>' }
  end
  return { headers = { ["Content-Disposition"] = 'attachment; filename="r.csv"' }, body = "Month,Euro\nMay,1204\n" }
end

local folder = assert(files.own_temporary_folder())
local target = files.join(folder, "cookbook-report.csv")

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 } },
  limits = { seconds = 120 },
  run = function(m)
    local server = not m.args[1] and assert(http_server.start(serve)) or nil
    if server then m:on_close(function() server:stop() end) end
    local name = m.args[2] or "Report 2025"
    local tab = m.desk.browser.start({ url = server and server.url or m.args[1] }):tab()
    tab:wait_for { element = { role = "link", name = name } }
    for _, element in ipairs(tab:observe().elements) do
      if element.role == "link" and element.name == name then
        local path = tab:download(element) -- complete when it returns
        assert(files.write(target, assert(files.read(path))))
        return true
      end
    end
    return false, "the page has no link " .. name
  end,
  verify = function(m) return m.checks.file { path = target, contains = "Month,Euro" } end,
}
