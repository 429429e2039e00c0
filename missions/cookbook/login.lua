-- Logs in with a password from the environment. It is in no file of the run: texts that are typed are kept as their
-- length. Any address; without one the recipe serves a page that takes the user ada.
--   SHOP_PASSWORD=... deskpilot run missions/cookbook/login.lua -- https://example.org/login
local http_form = require "deskpilot.net.http_form"
local http_server = require "deskpilot.net.http_server"

local page = [[<form method="post"><label>Name <input name="name"></label>
<label>Password <input name="password" type="password"></label><button>Sign in</button></form>]]

local function serve(request)
  local words = page
  if request.method == "POST" then
    local sent = {}
    for _, field in ipairs(assert(http_form.read(request))) do sent[field.name] = field.value end
    words = sent.name == "ada" and sent.password == os.getenv "SHOP_PASSWORD" and "Welcome, ada" or "Wrong password"
  end
  return { headers = { ["Content-Type"] = "text/html" }, body = words }
end

local function find(tab, role, name)
  for _, element in ipairs(tab:observe().elements) do
    if element.role == role and element.name == name then return element end
  end
  error("the page has no " .. role .. " " .. name)
end

---@type deskpilot.mission
return {
  desktop = { kind = "private", size = { 1024, 700 } },
  limits = { seconds = 120 },
  run = function(m)
    local password = os.getenv "SHOP_PASSWORD"
    if not password then return false, "set SHOP_PASSWORD in the environment" end
    local server = not m.args[1] and assert(http_server.start(serve)) or nil
    if server then m:on_close(function() server:stop() end) end
    local tab = m.desk.browser.start({ url = server and server.url or m.args[1] }):tab()
    tab:wait_for { element = { role = "button", name = "Sign in" } }
    tab:type(find(tab, "textbox", "Name"), "ada")
    tab:type(find(tab, "textbox", "Password"), password)
    tab:click(find(tab, "button", "Sign in"))
    tab:wait_for { text = "Welcome, ada" }
  end,
}
