--- HTTP/1.1 messages (RFC 9112) for a server: reads and checks a request's head, and formats a response. A request that
--- is not accepted raises a refusal: the reply to send.
local text = require "deskpilot.base.text"

local http_message = {}

local max_head = 16 * 1024

local reasons = {
  [200] = "OK", [202] = "Accepted", [204] = "No Content", [303] = "See Other", [400] = "Bad Request",
  [401] = "Unauthorized", [403] = "Forbidden", [404] = "Not Found", [405] = "Method Not Allowed",
  [408] = "Request Timeout", [409] = "Conflict",
  [413] = "Content Too Large", [415] = "Unsupported Media Type", [421] = "Misdirected Request",
  [422] = "Unprocessable Content", [429] = "Too Many Requests",
  [431] = "Request Header Fields Too Large", [500] = "Internal Server Error",
  [501] = "Not Implemented",
}

local refusal = { __name = "deskpilot.http_refusal" }

local function refuse(status, sentence)
  error(setmetatable({ status = status, body = sentence .. "\n" }, refusal), 0)
end

--- Whether a raised value is a refusal.
---@param value any
---@return boolean
function http_message.is_refusal(value)
  return getmetatable(value) == refusal
end

--- Decodes %XX; nil where a % is not followed by two hexadecimal digits.
---@param s string
---@return string?
function http_message.unescape(s)
  if s:gsub("%%%x%x", ""):find("%", 1, true) then return nil end
  return (s:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

local function read_headers(lines)
  local headers = {}
  for line in lines:gmatch("(.-)\r\n") do -- pattern: a head is short, and ends with a line end
    local name, value = line:match("^([%w!#$%%&'*+.^_`|~-]+):[ \t]*(.*)$")
    value = value and text.without_end(value, " \t")
    if not name or value:find("[\0-\8\10-\31\127]") then refuse(400, "A header line is malformed.") end
    name = name:lower()
    if headers[name] and (name == "content-length" or name == "host") then
      refuse(400, "The header " .. name .. " is given twice.")
    end
    headers[name] = headers[name] and headers[name] .. ", " .. value or value
  end
  return headers
end

--- Reads the head of a request; nil until all of it has arrived.
---@param buffer string the bytes received so far
---@return deskpilot.http_server.request? request, integer? at position of its body in the buffer
function http_message.head(buffer)
  local stop = buffer:find("\r\n\r\n", 1, true)
  if (stop or #buffer) > max_head then refuse(431, "The request's headers are too long.") end
  if not stop then return nil end
  local method, target, minor, lines = buffer:sub(1, stop + 1):match("^(%u+) (/[^%s%c]*) HTTP/1%.([01])\r\n(.*)$")
  if not method then refuse(400, "The request's first line is malformed.") end
  local path, query = target:match("^([^?]*)%??(.*)$")
  path = http_message.unescape(path)
  if not path or path:find("[%c\\]") then refuse(400, "The path is malformed.") end
  if (path .. "/"):find("/%.%.?/") then refuse(400, "The path may not contain . or .. as a part.") end
  local headers = read_headers(lines)
  local connection = (headers.connection or ""):lower()
  return { method = method == "HEAD" and "GET" or method, head_only = method == "HEAD", path = path, query = query,
    headers = headers, minor = minor, keep = minor == "1" and not connection:find("close", 1, true) }, stop + 4
end

--- Refuses a request by its headers, before its body is read. Sets request.length.
---@param request deskpilot.http_server.request
---@param port integer the server's own
---@param max_body integer bytes
function http_message.check(request, port, max_body)
  local headers = request.headers
  local host = headers.host
  if not host and request.minor == "1" then refuse(400, "There is no Host header.") end
  -- Protects against DNS rebinding: another name means that a foreign site has directed a browser to this address.
  if host and host ~= "127.0.0.1:" .. port and host:lower() ~= "localhost:" .. port then
    refuse(421, "This server is 127.0.0.1:" .. port .. ".")
  end
  if headers["transfer-encoding"] then refuse(501, "A body needs a Content-Length here.") end
  local length = headers["content-length"] or "0"
  if not length:find("^%d+$") then refuse(400, "The Content-Length is not a number.") end
  if #length > 15 or tonumber(length) > max_body then
    refuse(413, ("The body may have %d bytes at most."):format(max_body))
  end
  request.length = math.tointeger(tonumber(length))
end

--- Formats a reply; of one with a `stream` what comes before its pieces.
---@param reply deskpilot.http_server.reply
---@param keep boolean? whether the connection stays open
---@param head_only boolean? whether the body is left out, as for HEAD
---@return string
function http_message.response(reply, keep, head_only)
  local status, body = reply.status or 200, reply.body or ""
  local headers = { ["Content-Type"] = "text/plain; charset=utf-8", ["Cache-Control"] = "no-store",
    ["X-Content-Type-Options"] = "nosniff" }
  for name, value in pairs(reply.headers or {}) do headers[name] = value end
  if reply.stream then headers["Transfer-Encoding"] = "chunked"
  else headers["Content-Length"] = ("%d"):format(#body) end
  headers["Connection"] = keep and "keep-alive" or "close"
  local lines = { ("HTTP/1.1 %d %s"):format(status, reasons[status] or "Status") }
  for _, name in ipairs(text.keys(headers)) do
    if (name .. headers[name]):find("[\0\r\n]") then
      error("a header contains a line end or a zero byte: " .. name, 0)
    end
    lines[#lines + 1] = name .. ": " .. headers[name]
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. (head_only and "" or body)
end

--- One piece of a body whose length was not known before; the last one is empty.
---@param bytes string
---@return string
function http_message.chunk(bytes)
  return ("%x\r\n%s\r\n"):format(#bytes, bytes)
end

return http_message
