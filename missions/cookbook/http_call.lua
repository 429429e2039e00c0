-- Asks a web service for data and uses the answer, then sends something back. Works everywhere. Any address: without
-- one the recipe is the service itself.
--   deskpilot run missions/cookbook/http_call.lua -- https://example.org/api
local http = require "deskpilot.net.http"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"

local got -- by the service

local function serve(request)
  if request.method == "POST" then
    got = json.decode(request.body)
    return { status = 201, body = "" }
  end
  return { headers = { ["Content-Type"] = "application/json" }, body = '{"rate":1.25,"from":"EUR","to":"USD"}' }
end

-- An answer of the server is a result whatever its status: look at it.
local function asked(request)
  request.timeout = { connect = 5, total = 20 }
  local result = assert(http.request(request))
  if result.status >= 300 then error(("%s answered %d"):format(request.url, result.status), 0) end
  return result.body
end

---@type deskpilot.mission
return {
  limits = { seconds = 60 },
  run = function(m)
    local server = not m.args[1] and assert(http_server.start(serve)) or nil
    if server then m:on_close(function() server:stop() end) end
    local url = (server and server.url or m.args[1]) .. "/rate"
    local rate = assert(json.decode(asked { url = url }))
    m:note(("1 %s is %.2f %s"):format(rate.from, rate.rate, rate.to))
    asked { method = "POST", url = url, headers = { ["Content-Type"] = "application/json" },
      body = json.encode { seen = rate.rate } }
    return m.args[1] ~= nil or got ~= nil and got.seen == 1.25, "the service was not told"
  end,
}
