--- Checks which addresses a tab may navigate to.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"

local address = {}

local schemes = { http = true, https = true, file = true, data = true }

--- Accepts http, https, file and data addresses and about:blank. An address without a scheme is invalid, because
--- "localhost:80" could be a host or a scheme. Addresses that run code or belong to the browser (javascript:, chrome:)
--- are refused.
---@param url string
---@return string? url, deskpilot.error? err code "invalid" or "refused"
function address.check(url)
  if type(url) ~= "string" then errors.mistake("an address is a string, not a %s", type(url)) end
  if url == "about:blank" then return url end
  local scheme = url:match("^(%a[%w+.-]*):")
  if not scheme or url:find("[%c]") then
    return errors.fail("invalid", "an address begins with http:// or https:// and is one line, not '%s'",
      text.cut(text.one_line(url), 100))
  end
  if not schemes[scheme:lower()] then
    return errors.fail("refused", "addresses that begin with %s: are not opened, only http, https, file, data and "
      .. "about:blank", text.cut(scheme, 40))
  end
  return url
end

--- Whether an address is of the web: no link, redirect or script leads from there to a file or to a page of the browser
--- itself (HTML Standard, "navigate"; Fetch Standard, "HTTP-redirect fetch"; the permissions test tries it).
---@param url string
---@return boolean
function address.is_of_the_web(url)
  return url:find "^https?://" ~= nil
end

--- Whether a tab that has shown this page has something else in its history than pages of the web and empty ones.
---@param url string
---@return boolean
function address.leaves_the_web(url)
  local is_empty = url == "" or url:find "^about:" or url:find "^data:" or url:find "^chrome://new%-?tab"
  return not (is_empty or address.is_of_the_web(url))
end

local usual_ports = { http = "80", https = "443", ws = "80", wss = "443" }

--- The origin of an address, as browsers read and write it: "https://example.org", with the port where it is not the
--- usual one. Of an address without a host it is the scheme: "file:", "about:", "data:".
---@param url string
---@return string? origin nil for what is no address
function address.origin(url)
  local scheme, rest = url:gsub("%c", ""):match("^%s*(%a[%w+.-]*):(.*)$")
  if not scheme then return nil end
  scheme = scheme:lower()
  local port = usual_ports[scheme]
  -- On the web any number of slashes of either kind stands before the host.
  local authority = port and rest:gsub("\\", "/"):match("^/*([^/?#]*)") or rest:match("^//([^/?#]+)")
  if scheme == "file" or not authority or authority == "" then return scheme .. ":" end
  local host = text.after_last(authority, "@"):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  local name, own = host:match("^(.-):(%d*)$")
  if not name or name:find(":", 1, true) and not name:find("%]$") then name, own = host, "" end
  own = own:gsub("^0+(%d)", "%1")
  name = name:lower():gsub("%.$", "")
  return scheme .. "://" .. name .. ((own == "" or own == port) and "" or ":" .. own)
end

return address
