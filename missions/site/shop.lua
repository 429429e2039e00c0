-- A small shop, which the mission `checkout` uses: signing in, goods, a basket, an order with a number of its own, and
-- a page where an order is found by that number. It serves 127.0.0.1 from the mission's own process and writes down
-- what it was sent, so that the mission can be judged by what arrived and not by what an agent says.
local http_form = require "deskpilot.net.http_form"
local http_server = require "deskpilot.net.http_server"
local json = require "deskpilot.base.json"
local lookup = require "deskpilot.base.lookup"

local shop = {}

local goods = { { id = "chart", name = "Sea chart", cents = 2450 }, { id = "compass", name = "Compass", cents = 6900 },
  { id = "rope", name = "Rope, 10 m", cents = 1795 } }
local people = { ada = "harbour" }
local most_remembered = 1000

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function html(text)
  return (text:gsub('[&<>"]', escapes))
end

local function page(self, title, body, status)
  local values = { title = title, body = body, who = "" }
  if self.person then
    values.who = ('<span>Signed in as %s</span><a href="/goods">Goods</a><a href="/basket">Basket</a>'
      .. '<a href="/find">Find an order</a>'):format(html(self.person))
  end
  local words = assert(lookup.beside_mission "site/shop.html"):gsub("{{(%w+)}}", values)
  return { status = status, headers = { ["Content-Type"] = "text/html; charset=utf-8" }, body = words }
end

local function to(place)
  return { status = 303, headers = { Location = place } }
end

local function refused(self, why)
  if #self.record.refused < most_remembered then table.insert(self.record.refused, why) end
  return page(self, "That cannot be done", ("<p>%s</p>"):format(html(why)), 422)
end

local function row(name, label, kind)
  return ('<div class="row"><label for="%s">%s</label><input id="%s" name="%s" type="%s"></div>'):format(name, label,
    name, name, kind or "text")
end

local function form(action, rows, button)
  return ('<form method="post" action="%s">%s<button>%s</button></form>'):format(action, rows, button)
end

local function euro(cents)
  return ("%d.%02d euro"):format(cents // 100, cents % 100)
end

local function lines(amounts)
  local rows, total = {}, 0
  for _, good in ipairs(goods) do
    local amount = amounts[good.id]
    if amount then
      total = total + amount * good.cents
      rows[#rows + 1] = ("<tr><td>%s</td><td>%d</td><td>%s</td></tr>"):format(good.name, amount,
        euro(amount * good.cents))
    end
  end
  return ("<table><tr><th>Goods</th><th>Number</th><th>Price</th></tr>%s</table><p>Total: %s</p>"):format(
    table.concat(rows), euro(total))
end

local views = {}

function views.home(self)
  if self.person then return to "/goods" end
  return page(self, "Sign in", form("/session", row("person", "Name") .. row("password", "Password", "password"),
    "Sign in"))
end

function views.goods(self)
  local rows = {}
  for i, good in ipairs(goods) do
    rows[i] = ('<div class="row"><label for="%s">%s, %s</label><input id="%s" name="%s" type="text"></div>'):format(
      good.id, good.name, euro(good.cents), good.id, good.id)
  end
  return page(self, "Goods", "<p>How many of each?</p>" .. form("/basket", table.concat(rows), "Put into the basket"))
end

function views.basket(self)
  if not next(self.basket) then return page(self, "Basket", "<p>The basket is empty.</p>") end
  return page(self, "Basket", lines(self.basket) .. '<p><a href="/checkout">Go to the checkout</a></p>')
end

function views.checkout(self)
  return page(self, "Checkout", lines(self.basket) .. form("/orders", row("street", "Street") .. row("town", "Town"),
    "Place the order"))
end

function views.find(self)
  return page(self, "Find an order", form("/find", row("number", "Order number"), "Find"))
end

local function of_number(self, number)
  for _, order in ipairs(self.record.orders) do
    if order.number == number then return order end
  end
end

local function order_page(self, order)
  local wrapped = order.wrapped and "<p>It will be wrapped as a gift.</p>"
    or form("/orders/" .. order.number .. "/wrap", "", "Wrap it as a gift")
  return page(self, "Order " .. order.number, lines(order.lines) .. wrapped)
end

local posts = {}

function posts.session(self, fields)
  if people[fields.person or ""] ~= fields.password then return refused(self, "Name or password is wrong.") end
  self.person = fields.person
  return to "/goods"
end

function posts.basket(self, fields)
  local some = false
  for _, good in ipairs(goods) do
    local amount = fields[good.id] or ""
    if amount ~= "" then
      local number = math.tointeger(tonumber(amount))
      if not number or number < 1 or number > 99 then return refused(self, "That is no number of goods: " .. amount) end
      self.basket[good.id], some = number, true
    end
  end
  if not some then return refused(self, "Nothing was chosen.") end
  return to "/basket"
end

function posts.orders(self, fields)
  if not next(self.basket) then return refused(self, "The basket is empty.") end
  if (fields.street or "") == "" or (fields.town or "") == "" then return refused(self, "The address is missing.") end
  local order = { number = ("HC-%04d-%02d"):format(math.random(1000, 9999), math.random(10, 99)), lines = self.basket,
    street = fields.street, town = fields.town, wrapped = false, found = 0 }
  table.insert(self.record.orders, order)
  self.basket = {}
  return to("/thanks/" .. order.number)
end

function posts.find(self, fields)
  local order = of_number(self, fields.number)
  if not order then return refused(self, "There is no order with the number " .. tostring(fields.number)) end
  order.found = order.found + 1
  return to("/orders/" .. order.number)
end

local function post(self, request)
  local list, err = http_form.read(request)
  if not list then return refused(self, tostring(err)) end
  local fields = {}
  for _, field in ipairs(list) do fields[field.name] = field.value end
  local number = request.path:match "^/orders/([%w-]+)/wrap$"
  local order = number and of_number(self, number)
  if order then
    order.wrapped = true
    return to("/orders/" .. number)
  end
  local name = request.path:match "^/(%l+)$"
  if name ~= "session" and not self.person then return to "/" end
  local answer = posts[name or ""]
  return answer and answer(self, fields) or { status = 404 }
end

local function route(self, request)
  if request.method == "POST" then return post(self, request) end
  if request.method ~= "GET" then return { status = 405, headers = { Allow = "GET, HEAD, POST" } } end
  if request.path == "/" or not self.person then return views.home(self) end
  local number = request.path:match "^/thanks/([%w-]+)$"
  if number then
    return page(self, "Thank you", ("<p>Your order was received.</p><p>Order number: %s</p>"):format(html(number)))
  end
  local order = of_number(self, request.path:match "^/orders/([%w-]+)$")
  if order then return order_page(self, order) end
  local view = views[request.path:match "^/(%l+)$" or ""]
  return view and view(self) or nil
end

--- Starts the shop. One customer uses it at a time.
---@return table shop url, record { orders, refused } and stop()
function shop.start()
  local self = { record = { orders = json.list(), refused = json.list() }, basket = {} }
  local server = assert(http_server.start(function(request) return route(self, request) end))
  self.url = server.url
  self.stop = function() server:stop() end
  return self
end

return shop
