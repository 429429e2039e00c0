--- The policy odev with pages in a real Chromium: several goals in one browser, one after the other, each with a
--- scripted planner; judged by what the pages' server was sent and by the order of states in the journal.
local t = require "harness"
local json = require "deskpilot.base.json"
local play = require "odev_play"

local tests = {}

local goals = {}

-- A plain form: what is sent comes back on the next page.
goals.form = {
  page = [[<title>Order</title><form method="get" action="/done"><label>Name <input name="name"></label>
    <label>Size <select name="size"><option>Small</option><option>Large</option></select></label>
    <button>Send</button></form>]],
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { url = "/form", title = "Order" }, indicators = { "Zoë Müller" }, actions = {
        { tool = "browser_type", args = { index = play.index(request, "textbox", "Name"), text = "Zoë Müller" } },
        { tool = "browser_select", args = { index = play.index(request, "combobox", "Size"), option = "Large" } } } }
    end
    return play.plan { anchor = { application = "chromium", url = "/done?", keywords = { "Thank", "you", "nobody" } },
      indicators = { "Thank you" }, completes_goal = true,
      actions = { { tool = "browser_click", args = { index = play.index(request, "button", "Send") } } } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE VERIFY OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq(#part:asked("vision"), 0)
    t.eq(server:paths("/done"), { "/done?name=Zo%C3%AB+M%C3%BCller&size=Large" })
  end,
}

local function click(request, role, name)
  return { tool = "browser_click", args = { index = play.index(request, role, name) } }
end

local function is_refused(request, ...)
  for _, words in ipairs { ... } do t.has(play.words(request), words) end
end

-- A popup covers the page: what is beneath it is refused, what is in it is done.
goals.popup = {
  page = [[<title>News</title><button onclick="fetch('/beneath')">Read on</button>
    <div id="over" style="position:fixed;inset:0;background:#0008"><div role="dialog" aria-modal="true"
    aria-label="Cookies" style="position:absolute;inset:20%;background:#fff"><button
    onclick="over.remove(); fetch('/closed')">Refuse all</button></div></div>]],
  planner = function(request, n)
    if n == 1 then
      t.has(play.words(request), 'POPUP: dialog "Cookies"')
      return play.plan { actions = { click(request, "button", "Read on") } }
    elseif n == 2 then
      is_refused(request, 'dialog "Cookies" covers the page', 'button "Refuse all"')
      return play.plan { anchor = { title = "News" }, actions = { click(request, "button", "Refuse all") } }
    end
    return play.plan { completes_goal = true, anchor = { title = "News" }, actions = {
      click(request, "button", "Read on") } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE OBSERVE DECIDE EXECUTE VERIFY OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq(#server:paths("/closed"), 1)
    t.eq(#server:paths("/beneath"), 1, "once: after the popup had gone")
  end,
}

-- A popup that comes up in the middle of a batch stops it.
goals.midway = {
  page = [[<title>Offer</title><button onclick="over.showModal()">Details</button>
    <button onclick="fetch('/bought')">Buy</button>
    <dialog id="over" aria-label="Newsletter"><button onclick="over.close()">No thanks</button></dialog>]],
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { title = "Offer" }, actions = { click(request, "button", "Details"),
        click(request, "button", "Buy"), click(request, "button", "Buy") } }
    end
    is_refused(request, "a popup came up over the page", "Newsletter", "2 more actions were not done")
    return play.plan { completes_goal = true, anchor = { title = "Offer" }, actions = {
      click(request, "button", "No thanks") } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq(#server:paths("/bought"), 0)
    t.eq(part.result.cut_short, 1)
  end,
}

-- A dialog of the browser's that comes up in the middle of a batch stops it and is answered first.
goals.dialog = {
  page = [[<title>Account</title><button onclick="fetch(confirm('Really?') ? '/deleted' : '/kept')">Delete</button>
    <button onclick="fetch('/other')">Other</button>]],
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { title = "Account" }, actions = { click(request, "button", "Delete"),
        click(request, "button", "Other") } }
    elseif n == 2 then
      is_refused(request, 'DIALOG: confirm "Really?"', "1 more action was not done")
      return play.plan { actions = { { tool = "browser_reload", args = {} } } }
    end
    is_refused(request, "answer it first with browser_dialog")
    return play.plan { completes_goal = true, anchor = { title = "Account" }, actions = {
      { tool = "browser_dialog", args = { accept = false } } } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq({ #server:paths("/kept"), #server:paths("/deleted"), #server:paths("/other") }, { 1, 0, 0 })
  end,
}

-- What is typed into a field with suggestions ends the batch, whether it said so before or shows it then.
goals.suggestions = {
  page = [[<title>Trip</title><form action="/trip"><label>From <input name="from" list="towns"></label>
    <datalist id="towns"><option>Bern<option>Basel</datalist>
    <label>To <input name="to" autocomplete="off" oninput="menu.hidden = false"></label>
    <ul id="menu" role="listbox" hidden style="position:absolute;background:#fff;margin:0"><li role="option"
      onclick="to.value = 'Zürich'; menu.hidden = true">Zürich</li></ul>
    <script>const to = document.querySelector('[name=to]'), menu = document.getElementById('menu');
      menu.style.left = to.offsetLeft + 'px'; menu.style.top = to.offsetTop + to.offsetHeight + 'px'</script>
    <br><br><br><br><button>Go</button></form>]],
  planner = function(request, n)
    local from, to = play.index(request, "combobox", "From"), play.index(request, "textbox", "To")
    if n == 1 then
      return play.plan { anchor = { title = "Trip" }, actions = {
        { tool = "browser_type", args = { index = from, text = "Basel" } }, click(request, "button", "Go") } }
    elseif n == 2 then
      is_refused(request, "the field offers suggestions", "1 more action was not done", '= "Basel"')
      return play.plan { anchor = { title = "Trip" }, actions = {
        { tool = "browser_type", args = { index = to, text = "Z" } }, click(request, "button", "Go") } }
    elseif n == 3 then
      is_refused(request, "the field offers suggestions", 'option "Zürich"')
      return play.plan { anchor = { title = "Trip" }, actions = { click(request, "option", "Zürich") } }
    end
    return play.plan { completes_goal = true, indicators = { "Thank you" }, actions = {
      click(request, "button", "Go") } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY OBSERVE "
      .. "DECIDE EXECUTE VERIFY DONE")
    t.eq(server:paths("/trip"), { "/trip?from=Basel&to=Z%C3%BCrich" })
  end,
}

-- The page changes after it was looked at: the number that was given means another thing, which is not clicked.
goals.stale = {
  page = [[<title>List</title><div id="list"><button onclick="fetch('/first')">First</button>
    <button id="second" onclick="fetch('/second')">Second</button></div><script>
    const list = document.getElementById('list');
    onkeydown = () => { const b = document.createElement('button'); b.textContent = 'New';
      b.onclick = () => fetch('/new'); list.prepend(b) }</script>]],
  shows = { a = "New" },
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { title = "List" }, actions = {
        { tool = "press_key", args = { key = "a" } }, click(request, "button", "Second") } }
    end
    is_refused(request, "look again")
    return play.plan { completes_goal = true, anchor = { title = "List" }, actions = {
      click(request, "button", "Second") } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq({ #server:paths("/first"), #server:paths("/second"), #server:paths("/new") }, { 0, 1, 0 })
    t.eq(part:actions("browser_click")[1].code, "stale")
  end,
}

-- A link that is followed is the last of its batch.
goals.link = {
  page = [[<title>Home</title><a href="/target">Go on</a><button onclick="fetch('/stayed')">Stay</button>]],
  planner = function(request, n)
    if n == 1 then
      return play.plan { anchor = { url = "/target" }, actions = { click(request, "link", "Go on"),
        click(request, "button", "Stay") } }
    end
    is_refused(request, "the page is http", "1 more action was not done")
    return play.plan { completes_goal = true, anchor = { title = "Home" }, actions = {
      { tool = "browser_back", args = {} } } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE OBSERVE DECIDE EXECUTE VERIFY DONE")
    t.eq({ #server:paths("/target"), #server:paths("/stayed") }, { 1, 0 })
  end,
}

-- All that the goal wants is there; of what the next one wants, only a part.
goals.already = {
  page = "<title>Ready</title><p>Your order has been sent</p><input value='No. 4711'>",
  indicators = { "order has been SENT", "No. 4711" },
  planner = function() error "nobody is to be asked" end,
  check = function(part)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DONE")
    t.eq(part.result.steps, 0)
  end,
}
goals.almost = {
  page = "<title>Ready</title><p>Your order</p><button onclick=\"this.textContent = 'has been sent'\">Send it</button>",
  indicators = { "Your order", "has been sent" },
  planner = function(request)
    t.has(play.words(request), "\n2. has been sent")
    return play.plan { anchor = { title = "Ready" }, actions = { click(request, "button", "Send it") } }
  end,
  check = function(part)
    t.eq(part.ok, true, part.reason)
    t.eq(part:states(), "OBSERVE DECIDE EXECUTE VERIFY OBSERVE DONE")
  end,
}

-- What the other tools do, and what they may not.
goals.tools = {
  page = [[<title>Long</title><p>Total: 42.50 EUR</p><p>Total number: 3</p><div style="height:3000px"></div>
    <button onclick="fetch('/end?' + Math.round(scrollY / 100))">End</button>
    <script>fetch('/loads'); onscroll = () => fetch('/scrolled')</script>]],
  planner = function(request, n)
    local function tool(name, args) return { tool = name, args = args or json.decode "{}" } end
    local anchor = { title = "Long" }
    if n == 1 then
      return play.plan { anchor = anchor, actions = { tool("browser_read", { after = "total:" }),
        tool("browser_scroll", { direction = "down" }), click(request, "button", "End"), tool "browser_reload" } }
    elseif n == 2 then
      t.has(play.words(request), 'after "total:" the page says: 42.50 EUR')
      return play.plan { actions = { tool("browser_open", { url = "file:///etc/passwd" }),
        tool("browser_upload", { index = 0, path = "/etc/passwd" }) } }
    elseif n == 3 then
      t.has(play.words(request), "action 1: /etc/passwd is none of the files that this mission names")
      t.has(play.words(request), "action 2: /etc/passwd is none of the files that this mission names")
      return play.plan { anchor = { url = "/another" }, actions = {
        tool("browser_tab", { action = "new", url = play.words(request):match "http://[%w.:]+" .. "/another" }) } }
    elseif n == 4 then
      return play.plan { anchor = anchor, actions = { tool("browser_tab", { action = "close" }) } }
    elseif n == 5 then
      return play.plan { anchor = { url = "/third" }, actions = {
        tool("browser_open", { url = play.words(request):match "http://[%w.:]+" .. "/third" }),
        tool("browser_wait", { text = "Thank you" }) } }
    elseif n == 6 then
      return play.plan { anchor = anchor, actions = { tool "browser_back" } }
    end
    return play.plan { anchor = { url = "/third" }, completes_goal = true, actions = { tool "browser_forward" } }
  end,
  check = function(part, server)
    t.eq(part.ok, true, part.reason)
    t.eq(part.result.rejected, 1)
    t.eq({ part.result.verified, part.result.unverified, part.result.cut_short }, { 6, 0, 0 })
    t.eq(#server:paths("/end"), 1)
    t.ok(#server:paths("/scrolled") > 0)
    t.ok(#server:paths("/loads") >= 2, "loaded again")
    t.eq({ #server:paths("/another"), #server:paths("/third") > 0 }, { 1, true })
  end,
}

-- In two browsers: what takes longest is split up.
local function play_those(fits)
  local those = {}
  for name, goal in pairs(goals) do
    if fits(name) then those[name] = goal end
  end
  play.series(those)
end

function tests.goals_on_pages_from_a_to_l()
  play_those(function(name) return name < "m" end)
end

function tests.goals_on_pages_from_m_to_z()
  play_those(function(name) return name >= "m" end)
end

return tests
