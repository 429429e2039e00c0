-- Registers somebody for a conference in a browser: a form with suggestions, a popup in between, an upload and a
-- download. Whether it is done is read from what the site's server was sent, and from the receipt's bytes.
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local site_server = require "site.server"
local uv = require "luv"

local folder = files.join(assert(files.own_temporary_folder()), ("deskpilot-web-form-%d"):format(uv.os_getpid()))
local poster = files.join(folder, "poster.png")
local picture = "\137PNG\r\n\26\n" .. ("A poster's bytes, whatever they are: \0\255\r\n"):rep(300)
local wanted = { name = "Ada Lovelace", mail = "ada@example.org", ticket = "two", city = "London, United Kingdom",
  meal = "vegetarian", rules = "accepted" }
local site

-- What the server was sent, for people to read in the run's folder.
local function save_record(m)
  if not site then return end
  local record = { requests = site.record.requests, refused = site.record.refused, registrations = json.list() }
  for i, made in ipairs(site.record.registrations) do
    record.registrations[i] = { fields = made.fields, receipt = made.receipt,
      poster = { filename = made.poster.filename, type = made.poster.type, bytes = #made.poster.value } }
    assert(m.dir:save(("poster-%d.png"):format(i), made.poster.value))
  end
  assert(m.dir:save_json("site.json", record))
end

---@type deskpilot.mission
return {
  task = ([[
Register Ada Lovelace for the conference:
1. Type "Ada Lovelace" into "Full name"
2. Type "ada@example.org" into "E-mail"
3. Choose "Two days" in "Ticket"
4. Click "Vegetarian"
5. Click "I accept the rules of conduct"
6. Type "Lond" into "Travelling from"
7. Click "London, United Kingdom"
8. Upload "%s" to "Poster"
9. Click "Register"
10. Expect "Thank you, Ada Lovelace"
11. Download "Download the receipt"
Close any popup.
]]):format(poster),
  policy = "odev",
  desktop = { kind = "private", size = { 1280, 800 } },
  files = { folder },
  limits = { turns = 40, seconds = 600 },
  before_run = function(m)
    m:on_close(function() files.remove(folder) end)
    assert(files.make_folder(folder))
    assert(files.write(poster, picture))
    site = site_server.start()
    m:on_close(site.stop)
    assert(m.desk.browser.start { url = site.url .. "/" })
  end,
  after_run = save_record,
  verify = function(m)
    local made = site.record.registrations[1]
    if not made or #site.record.registrations > 1 then
      return false, ("the server has %d registrations, not one"):format(#site.record.registrations)
    end
    if json.encode(made.fields) ~= json.encode(wanted) then
      return false, "the server was sent " .. json.encode(made.fields)
    end
    if made.poster.value ~= picture then return false, "the poster that the server was sent is another" end
    local receipt, why = files.read(files.join(m.dir.path, "downloads", "receipt-1.txt"))
    if not receipt then return false, tostring(why) end
    return receipt == made.receipt, "the downloaded receipt is not the server's"
  end,
}
