--- Reads what an HTML form sends: pairs in a query or in a body, and multipart bodies, which may hold files. The input
--- is untrusted: the number of fields and the syntax are checked, and of a file's name the folder part is removed.
local errors = require "deskpilot.base.errors"
local http_message = require "deskpilot.net.http_message"
local text = require "deskpilot.base.text"

local http_form = {}

local most_fields = 200
local longest_head = 4096 -- bytes of one part's header lines

---@class deskpilot.http_form.field
---@field name string
---@field value string its text, or the file's bytes
---@field filename string? for a file: its name without folders, as the sender gives it; "" where no file was chosen
---@field type string? for a file: its Content-Type, as the sender gives it

local function malformed(what)
  return errors.fail("protocol", "the form cannot be read: %s", what)
end

--- The fields of "a=1&b=2", in their order.
---@param s string
---@return deskpilot.http_form.field[]? fields, deskpilot.error? err code "protocol"
function http_form.pairs(s)
  local fields = {}
  for pair in s:gmatch("[^&]+") do
    local name, value = pair:gsub("+", " "):match("^([^=]*)=?(.*)$")
    name, value = http_message.unescape(name), http_message.unescape(value)
    if not name or not value then return malformed("a % in it is not followed by two hexadecimal digits") end
    fields[#fields + 1] = { name = name, value = value }
    if #fields > most_fields then return malformed("it has more than " .. most_fields .. " fields") end
  end
  return fields
end

-- In names of fields and files, browsers percent-encode only the quotation mark and line ends (HTML, "multipart form
-- data"), so only these are decoded.
local function unquote(s)
  return s and (s:gsub("%%22", '"'):gsub("%%0D", "\r"):gsub("%%0A", "\n"))
end

local function read_part(part)
  local stop = part:find("\r\n\r\n", 1, true)
  if not stop or stop > longest_head then return nil, "a part of it has no header lines, or too many" end
  local head, field = part:sub(1, stop + 1), { value = part:sub(stop + 4) }
  for line in head:gmatch("(.-)\r\n") do -- pattern: a head is short, and ends with a line end
    local name, value = line:match("^([%w-]+):%s*(.*)$")
    name = name and name:lower()
    if name == "content-disposition" then
      field.name = unquote(value:match('^form%-data;.*%f[%w]name="([^"]*)"'))
      local filename = unquote(value:match('%f[%w]filename="([^"]*)"'))
      field.filename = filename and text.after_last(filename, "/\\"):gsub("%c", "_")
    elseif name == "content-type" then
      field.type = value
    end
  end
  if not field.name then return nil, "a part of it has no name" end
  return field
end

--- The fields of a multipart/form-data body, in their order.
---@param body string
---@param content_type string the request's header, which has the boundary
---@return deskpilot.http_form.field[]? fields, deskpilot.error? err code "protocol"
function http_form.multipart(body, content_type)
  local boundary = content_type:match('boundary="([^"]+)"') or content_type:match("boundary=([^%s;]+)")
  if not boundary or #boundary > 70 then return malformed("its Content-Type has no valid boundary") end
  local mark, fields = "\r\n--" .. boundary, {}
  body = "\r\n" .. body
  local _, at = body:find(mark, 1, true)
  if not at then return malformed("its boundary is not in the body") end
  while body:sub(at + 1, at + 2) == "\r\n" do
    local first, last = body:find(mark, at + 1, true)
    if not first then return malformed("its last part has no end") end
    local field, why = read_part(body:sub(at + 3, first - 1))
    if not field then return malformed(why) end
    fields[#fields + 1] = field
    if #fields > most_fields then return malformed("it has more than " .. most_fields .. " fields") end
    at = last
  end
  if body:sub(at + 1, at + 2) ~= "--" then return malformed("its last boundary is missing") end
  return fields
end

--- The fields of a request's body, urlencoded or multipart.
---@param request deskpilot.http_server.request
---@return deskpilot.http_form.field[]? fields, deskpilot.error? err code "protocol", or "unsupported" for a body
--- of another kind
function http_form.read(request)
  local kind = request.headers["content-type"] or ""
  local name = kind:lower():match("^[^;%s]*")
  if name == "multipart/form-data" then return http_form.multipart(request.body, kind) end
  if name == "application/x-www-form-urlencoded" then return http_form.pairs(request.body) end
  return errors.fail("unsupported", "the request's Content-Type must be multipart/form-data or "
    .. "application/x-www-form-urlencoded")
end

return http_form
