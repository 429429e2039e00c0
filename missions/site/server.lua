-- The conference's web site, which the browser missions use: a form with suggestions, an upload and a receipt, and a
-- page of figures. It serves 127.0.0.1 from the mission's own process and writes down what it was sent, so that a
-- mission can be judged by what arrived and not by what an agent says.
local http_form = require "deskpilot.net.http_form"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"

local site = {}

local cities = { "Bergen, Norway", "Bologna, Italy", "Lisbon, Portugal", "Liverpool, United Kingdom",
  "Ljubljana, Slovenia", "Londonderry, United Kingdom", "London, Canada", "London, United Kingdom", "Lund, Sweden",
  "Lyon, France", "Madrid, Spain", "Malmö, Sweden", "Münster, Germany", "Naples, Italy", "Oulu, Finland",
  "Reykjavík, Iceland", "Tartu, Estonia", "Zürich, Switzerland" }
local tickets = { one = 120, two = 200, student = 60 } -- euro
local meals = { anything = true, vegetarian = true, vegan = true }
local largest_poster = 1024 * 1024
local most_places = 50
local most_remembered = 1000 -- requests and refusals

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function html(text)
  return (text:gsub('[&<>"]', escapes))
end

-- A page beside this file, its {{names}} filled in with HTML.
local function page(name, values, status)
  local words = assert(lookup.beside_mission("site/" .. name))
  words = words:gsub("{{(%w+)}}", values or {})
  return { status = status, headers = { ["Content-Type"] = "text/html; charset=utf-8" }, body = words }
end

local function known_city(name)
  for _, city in ipairs(cities) do
    if city == name then return true end
  end
end

-- What is wrong with a registration; nil when nothing is.
local function problem(fields, poster)
  if (fields.name or "") == "" then return "Your name is missing." end
  if not (fields.mail or ""):find("^[^@%s]+@[^@%s]+$") then return "That is no e-mail address." end
  if not tickets[fields.ticket] then return "Please choose a ticket." end
  if not known_city(fields.city) then return "Please choose a city from the suggestions." end
  if not meals[fields.meal] then return "Please choose a meal." end
  if fields.rules ~= "accepted" then return "The rules of conduct are not accepted." end
  if not poster or poster.filename == "" then return "The poster is missing." end
  if #poster.value > largest_poster then return "The poster is larger than 1 MB." end
end

local function receipt(registration)
  local fields = registration.fields
  return ("RECEIPT %d\nHarbour Conference\n\n%s <%s>\nfrom %s\nTicket: %s, %d euro\nMeal: %s\nPoster: %s, %d bytes\n")
    :format(registration.number, fields.name, fields.mail, fields.city, fields.ticket, tickets[fields.ticket],
      fields.meal, registration.poster.filename, #registration.poster.value)
end

local function refused(record, why, status)
  if #record.refused < most_remembered then table.insert(record.refused, why) end
  return page("refused.html", { why = html(why) }, status)
end

local function register(record, request)
  local list, err = http_form.read(request)
  if not list then return refused(record, tostring(err), err.code == "unsupported" and 415 or 400) end
  local fields, poster = {}, nil
  for _, field in ipairs(list) do
    if fields[field.name] or (field.name == "poster" and poster) then
      return refused(record, "The form names something twice.", 400)
    end
    if field.name == "poster" then poster = field else fields[field.name] = field.value end
  end
  local why = problem(fields, poster)
  if why then return refused(record, why, 422) end
  if #record.registrations >= most_places then return refused(record, "The conference is full.", 409) end
  local registration = { number = #record.registrations + 1, fields = fields, poster = poster }
  registration.receipt = receipt(registration)
  table.insert(record.registrations, registration)
  return { status = 303, headers = { Location = "/registrations/" .. registration.number } }
end

local function suggestions(request)
  local fields = http_form.pairs(request.query)
  local typed = fields and fields[1] and fields[1].name == "q" and fields[1].value:lower() or ""
  local found = json.list()
  for _, city in ipairs(cities) do
    if typed ~= "" and city:lower():find(typed, 1, true) == 1 then table.insert(found, city) end
  end
  return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(found) }
end

local function thanks(registration)
  return page("thanks.html", { name = html(registration.fields.name), number = tostring(registration.number) })
end

local function download(registration)
  return { body = registration.receipt, headers = { ["Content-Type"] = "application/octet-stream",
    ["Content-Disposition"] = ('attachment; filename="receipt-%d.txt"'):format(registration.number) } }
end

-- "48,215.70"
local function euro(cents)
  local whole = tostring(cents // 100):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return ("%s.%02d"):format(whole, cents % 100)
end

local function sales(sold)
  local rows, total = {}, 0
  for _, line in ipairs(sold) do
    total = total + line.cents
    rows[#rows + 1] = ("<tr><td>%s</td><td>%d</td><td>%s</td></tr>"):format(html(line.ticket), line.count,
      euro(line.cents))
  end
  return page("sales.html", { rows = table.concat(rows, "\n"), total = euro(total) }), euro(total)
end

local function route(self, request)
  local path, registration = request.path, nil
  local number, rest = path:match("^/registrations/(%d+)(.*)$")
  if number then registration = self.record.registrations[tonumber(number)] end
  if path == "/registrations" then
    if request.method ~= "POST" then return { status = 405, headers = { Allow = "POST" } } end
    return register(self.record, request)
  end
  if request.method ~= "GET" then return { status = 405, headers = { Allow = "GET, HEAD" } } end
  if path == "/" then return page "form.html" end
  if path == "/sales" then return (sales(self.sold)) end
  if path == "/cities" then return suggestions(request) end
  if registration and rest == "" then return thanks(registration) end
  if registration and rest == "/receipt" then return download(registration) end
end

--- Starts the site.
---@param sold { ticket: string, count: integer, cents: integer }[]? the lines of the page /sales
---@return table site url, record { requests, registrations, refused }, total (of the sales, as the page shows it) and
--- stop()
function site.start(sold)
  local self = { record = { requests = json.list(), registrations = json.list(), refused = json.list() },
    sold = sold or {} }
  local server = assert(http_server.start(function(request)
    local reply = route(self, request)
    if #self.record.requests < most_remembered then
      table.insert(self.record.requests, ("%s %s %d"):format(request.method, request.path,
        reply and reply.status or reply and 200 or 404))
    end
    return reply
  end, { max_body = 2 * 1024 * 1024 }))
  self.url, self.total = server.url, select(2, sales(self.sold))
  self.stop = function() server:stop() end
  return self
end

return site
