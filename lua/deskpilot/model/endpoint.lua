--- The address of a model server: accepts the usual notations, and derives the URLs for requests.
local errors = require "deskpilot.base.errors"
local text_tools = require "deskpilot.base.text"

local endpoint = {}

endpoint.default = "http://localhost:1234/v1"

-- Whether "localhost", "127.0.0.1:1234" or "[::1]:1234" is of this machine, and not 127.example.com.
local function is_this_machine(host)
  local bare = host:gsub(":%d*$", ""):lower()
  return bare == "localhost" or bare == "[::1]" or bare:find("^127%.%d+%.%d+%.%d+$") ~= nil
end

--- Parses an address: "http://h:1234", ".../v1" or ".../v1/chat/completions" (or /responses, or
--- /messages), with or without a slash at the end and
--- with any path before (https://host/api/openai/v1). A query is kept.
---@param address string
---@param usual string? the path of an address that has none, "/v1" unless given
---@return { base: string, query: string, shown: string, is_local: boolean, is_private: boolean,
---  has_password: boolean }? urls is_local: of this machine; is_private: nobody on the way can read what is sent there
---@return deskpilot.error? err code "invalid"
function endpoint.parse(address, usual)
  local text = text_tools.trim(address)
  if not text:find("^%a[%w+.-]*://") then text = "http://" .. text end
  local scheme, host, path, query = text:match("^([Hh][Tt][Tt][Pp][Ss]?)://([^/?#]+)([^?#]*)(%??[^#]*)")
  if not scheme or host:find("[%s%c]") or path:find("[%s%c]") or query:find("[%s%c]") then
    return errors.fail("invalid", "not the address of a model server: %s (it looks like %s)",
      address:gsub("%c", "?"), endpoint.default)
  end
  path = text_tools.without_end(path, "/")
  local whole = path
  for _, last in ipairs { "/chat/completions", "/responses", "/messages" } do
    if path:sub(-#last) == last then path = text_tools.without_end(path:sub(1, -#last - 1), "/") end
  end
  if path == "" and whole == "" then path = usual or "/v1" end
  local base = scheme:lower() .. "://" .. host .. path
  local name = host:gsub("^.*@", "")
  local is_local = is_this_machine(name)
  return {
    base = base, query = query,
    -- For messages: without a password, and without a query, which may hold a key.
    shown = scheme:lower() .. "://" .. name .. path,
    is_local = is_local, is_private = is_local or scheme:lower() == "https", has_password = name ~= host,
  }
end

--- The URL of a path below a server's address; its query comes last.
---@param urls { base: string, query: string } as parse gives it
---@param path string "/chat/completions"; it may have a query of its own
---@return string
function endpoint.at(urls, path)
  local query = path:find("?", 1, true) and urls.query:gsub("^%?", "&") or urls.query
  return urls.base .. path .. query
end

--- What of an address is a secret: its password, and the values of its query.
---@param address string
---@return string[]
function endpoint.secrets(address)
  local list = { (address:match("://[^/?#@:]*:([^/?#]*)@")) }
  for value in (address:match("%?([^#]*)") or ""):gmatch("=([^&]+)") do list[#list + 1] = value end
  return list
end

--- The seconds that a Retry-After header asks to wait; the header holds a number or an HTTP date. Nil for anything
--- else.
---@param value string?
---@param now integer? seconds since 1970; default: the clock's
---@return number?
function endpoint.retry_after(value, now)
  if not value then return nil end
  local seconds = text_tools.trim(value):match("^%d[%d.]*$")
  if seconds and tonumber(seconds) then return tonumber(seconds) end
  local day, month, year, hour, minute, second =
    value:match("^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT")
  local index = month and ("JanFebMarAprMayJunJulAugSepOctNovDec"):find(month, 1, true)
  if not index then return nil end
  local m, y = (index + 2) // 3, math.tointeger(tonumber(year))
  -- Days since 1970 in the Gregorian calendar, computed here because os.time would use the local time zone.
  if m <= 2 then y = y - 1 end
  local of_year = (153 * (m + (m > 2 and -3 or 9)) + 2) // 5 + tonumber(day) - 1
  local era = y // 400
  local of_era = y % 400 * 365 + y % 400 // 4 - y % 400 // 100 + of_year
  local days = era * 146097 + of_era - 719468
  local at = days * 86400 + tonumber(hour) * 3600 + tonumber(minute) * 60 + tonumber(second)
  return math.max(0, at - (now or os.time()))
end

return endpoint
