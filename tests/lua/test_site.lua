-- missions/site: what the server of the browser missions takes, refuses and writes down.
local t = require "harness"
local http = require "deskpilot.net.http"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"
local raw = require "raw_client"

local tests = {}

local boundary = "----a-boundary"
local poster = "\137PNG\r\n\26\n" .. ("\0\1\2\r\n--"):rep(50)

local function with_site(fn)
  lookup.set_roots {} -- as a mission that ships
  local site = require("site.server").start { { ticket = "One day", count = 3, cents = 36000 },
    { ticket = "Two days & more", count = 1200, cents = 123456789 } }
  local closing <close> = setmetatable({}, { __close = function() site.stop() end })
  assert(closing)
  fn(site)
end

-- A registration with some fields other than usual (false: left out).
local function body_of(changes, file)
  local fields = { name = "Ada <Lovelace>", mail = "ada@example.org", ticket = "two", city = "London, United Kingdom",
    meal = "vegan", rules = "accepted" }
  for name, value in pairs(changes or {}) do fields[name] = value end
  local parts = {}
  for name, value in pairs(fields) do
    if value then
      parts[#parts + 1] = ('--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'):format(boundary, name,
        value)
    end
  end
  if file ~= false then
    parts[#parts + 1] = ('--%s\r\nContent-Disposition: form-data; name="poster"; filename="%s"\r\n'
      .. 'Content-Type: image/png\r\n\r\n%s\r\n'):format(boundary, file and file.name or "poster.png",
      file and file.bytes or poster)
  end
  return table.concat(parts) .. "--" .. boundary .. "--\r\n"
end

local function post(site, body)
  return assert(http.request { url = site.url .. "/registrations", method = "POST", body = body,
    headers = { ["Content-Type"] = "multipart/form-data; boundary=" .. boundary } })
end

function tests.pages()
  with_site(function(site)
    local page = assert(http.request { url = site.url .. "/" })
    t.eq(page.status, 200)
    t.has(page.headers["content-type"], "text/html")
    t.has(page.body, "Full name")
    t.ok(not page.body:find("{{", 1, true))
    page = assert(http.request { url = site.url .. "/sales" })
    t.eq(site.total, "1,234,927.89")
    t.has(page.body, "Total: <strong>1,234,927.89</strong>")
    t.has(page.body, "Two days &amp; more")
    t.eq(assert(http.request { url = site.url .. "/", method = "HEAD" }).body, "")
    t.eq(assert(http.request { url = site.url .. "/server.lua" }).status, 404)
    t.eq(assert(http.request { url = site.url .. "/site/server.lua" }).status, 404)
    t.eq(assert(http.request { url = site.url .. "/", method = "DELETE" }).status, 405)
    t.eq(assert(http.request { url = site.url .. "/registrations" }).status, 405)
    t.eq(assert(http.request { url = site.url .. "/registrations/1" }).status, 404)
    t.eq(assert(http.request { url = site.url .. "/registrations/99999999999999999999/receipt" }).status, 404)
    t.has(table.concat(site.record.requests, "\n"), "GET /registrations/1 404")
  end)
end

function tests.suggestions()
  with_site(function(site)
    local function ask(query)
      local reply = assert(http.request { url = site.url .. "/cities" .. query })
      t.has(reply.headers["content-type"], "application/json")
      return json.decode(reply.body), reply.body
    end
    t.eq(ask "?q=lond", { "Londonderry, United Kingdom", "London, Canada", "London, United Kingdom" })
    t.eq(ask "?q=London%2C+U", { "London, United Kingdom" })
    for _, none in ipairs { "", "?q=", "?q=%25", "?q=%zz", "?x=l", "?q=.*" } do
      t.eq(select(2, ask(none)), "[]", none)
    end
  end)
end

function tests.a_registration()
  with_site(function(site)
    local reply = post(site, body_of())
    t.eq(reply.status, 303)
    t.eq(reply.headers.location, "/registrations/1")
    local made = site.record.registrations[1]
    t.eq(made.fields, { name = "Ada <Lovelace>", mail = "ada@example.org", ticket = "two",
      city = "London, United Kingdom", meal = "vegan", rules = "accepted" })
    t.ok(made.poster.value == poster, "every byte of the poster")
    t.eq({ made.poster.filename, made.poster.type }, { "poster.png", "image/png" })
    t.has(assert(http.request { url = site.url .. "/registrations/1" }).body, "Thank you, Ada &lt;Lovelace&gt;")
    local receipt = assert(http.request { url = site.url .. "/registrations/1/receipt" })
    t.eq(receipt.headers["content-disposition"], 'attachment; filename="receipt-1.txt"')
    t.eq(receipt.body, made.receipt)
    t.has(receipt.body, "Ticket: two, 200 euro")
    t.has(receipt.body, ("poster.png, %d bytes"):format(#poster))
    for number = 2, 50 do t.eq(post(site, body_of()).headers.location, "/registrations/" .. number) end
    local full = post(site, body_of())
    t.eq(full.status, 409)
    t.has(full.body, "full")
  end)
end

function tests.what_is_not_registered()
  with_site(function(site)
    for _, case in ipairs {
      { { city = "London" }, "from the suggestions" }, { { city = false }, "from the suggestions" },
      { { name = "" }, "name is missing" }, { { mail = "ada" }, "no e-mail" },
      { { ticket = "free" }, "choose a ticket" },
      { { meal = "<b>" }, "choose a meal" }, { { rules = false }, "rules of conduct" },
      { {}, "poster is missing", { name = "", bytes = "" } }, { {}, "poster is missing", false },
      { {}, "larger than 1 MB", { name = "p", bytes = ("x"):rep(1024 * 1024 + 1) } },
    } do
      local reply = post(site, body_of(case[1], case[3]))
      t.eq(reply.status, 422, case[2])
      t.has(reply.body, case[2])
      t.has(site.record.refused[#site.record.refused], case[2])
    end
    t.eq(post(site, body_of():gsub('name="mail"', 'name="name"')).status, 400)
    t.eq(post(site, "nonsense").status, 400)
    t.eq(assert(http.request { url = site.url .. "/registrations", method = "POST", body = "{}",
      headers = { ["Content-Type"] = "application/json" } }).status, 415)
    t.eq(post(site, ("x"):rep(3 * 1024 * 1024)).status, 413)
    t.eq(#site.record.registrations, 0)
  end)
end

function tests.hostile_requests()
  with_site(function(site)
    local port = tonumber(site.url:match("%d+$"))
    for _, path in ipairs { "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/site/../../x" } do
      local came = raw.talk(port, ("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"):format(path,
        port))
      t.ok(came:find("^HTTP/1%.1 40[04] "), came)
    end
    local came = raw.talk(port, "GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n")
    t.has(came, "421")
    t.eq(assert(http.request { url = site.url .. "/" }).status, 200)
  end)
end

return tests
