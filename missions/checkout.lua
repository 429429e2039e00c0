-- Buys something in a small shop in a browser, in five goals: signing in, the basket, the order, its number, and a wish
-- for that order, which is found by the number. Whether it is done is read from what the shop was sent.
local json = require "deskpilot.base.json"
local shop_server = require "site.shop"

local shop

local function order_of()
  local orders = shop.record.orders
  if #orders ~= 1 then return nil, ("the shop has %d orders, not one"):format(#orders) end
  return orders[1]
end

local function was_ordered()
  local order, why = order_of()
  if not order then return false, why end
  local lines = json.encode(order.lines)
  if lines ~= '{"chart":2,"compass":1}' then return false, "the shop was sent " .. lines end
  return order.street == "12 Quay Lane" and order.town == "Bergen", "the order goes to " .. order.street
end

local function number_is_known(m)
  local order, why = order_of()
  if not order then return false, why end
  local known = m.memory:get "order"
  return known == order.number, ("${order} is %s, and the order is %s"):format(tostring(known), order.number)
end

---@type deskpilot.mission
return {
  task = [[
Buy two sea charts and a compass, and have them wrapped:
1. Type "ada" into "Name"
2. Type "harbour" into "Password"
3. Click "Sign in"
4. Type "2" into "Sea chart, 24.50 euro"
5. Type "1" into "Compass, 69.00 euro"
6. Click "Put into the basket"
7. Click "Go to the checkout"
8. Type "12 Quay Lane" into "Street"
9. Type "Bergen" into "Town"
10. Click "Place the order"
11. Read what follows "Order number:"
12. Click "Find an order"
13. Type what was read into "Order number"
14. Click "Find"
15. Click "Wrap it as a gift"
16. Expect "It will be wrapped as a gift."
]],
  goals = {
    'Type "ada" into "Name", type "harbour" into "Password", click "Sign in", expect "Signed in as ada"',
    'Type "2" into "Sea chart, 24.50 euro", type "1" into "Compass, 69.00 euro", click "Put into the basket", '
      .. 'expect "Total: 118.00 euro"',
    { goal = 'Click "Go to the checkout", type "12 Quay Lane" into "Street", type "Bergen" into "Town", '
      .. 'click "Place the order", expect "Your order was received."', verify = was_ordered },
    { goal = 'Keep what follows "Order number:" as "order"', verify = number_is_known },
    'Click "Find an order", type "${order}" into "Order number", click "Find", click "Wrap it as a gift", '
      .. 'expect "It will be wrapped as a gift."',
  },
  policy = "orchestrator",
  desktop = { kind = "private", size = { 1280, 800 } },
  limits = { turns = 60, seconds = 600 },
  safety = { approve = {} }, -- the shop is the mission's own: nobody has to be asked before it is paid
  before_run = function(m)
    shop = shop_server.start()
    m:on_close(shop.stop)
    assert(m.desk.browser.start { url = shop.url .. "/" })
  end,
  after_run = function(m)
    if shop then assert(m.dir:save_json("shop.json", shop.record)) end
  end,
  verify = function()
    local ok, why = was_ordered()
    if not ok then return false, why end
    local order = shop.record.orders[1]
    if #shop.record.refused > 0 then return false, "the shop refused: " .. shop.record.refused[1] end
    if order.found ~= 1 then return false, ("the order was looked for %d times by its number"):format(order.found) end
    return order.wrapped, "the order is not to be wrapped"
  end,
}
