-- A real browser's tabs: going places, running scripts, waiting. Judged by what the server was asked for and by what
-- the pages themselves know.
local browsing = require "browsing"
local files = require "deskpilot.base.files"
local harness = require "harness"
local page_server = require "page_server"
local task = require "deskpilot.base.task"

local tests = {}

local page = browsing.page

-- --- going places -------------------------------------------------------------------------------------

local places = {
  ["/one"] = page("One", "the first page"), ["/two"] = page("Two", "the second page"),
  ["/moved"] = { status = 302, headers = { Location = "/two" } },
  ["/nothing"] = { status = 204 },
  ["/held"] = { hold = true, body = page "Held" },
  ["/picture"] = page("Picture", "<img src=/held>"),
  ["/round"] = { status = 302, headers = { Location = "/round" } },
  ["/cut"] = { drop = true },
  ["/data.bin"] = { type = "application/octet-stream", body = "\0\1\2" },
}

function tests.a_tab_goes_where_it_is_sent()
  browsing.with(places, function(browser, server)
    local tab = harness.ok(browser:tab())
    local visit = harness.ok(tab:navigate(server.url .. "/one"))
    harness.eq({ visit.url, visit.title, visit.status }, { server.url .. "/one", "One", 200 })
    harness.eq(server:count "/one", 1)
    visit = harness.ok(tab:navigate(server.url .. "/moved"))
    harness.eq({ visit.url, visit.title, visit.status }, { server.url .. "/two", "Two", 200 })
    harness.eq(harness.ok(tab:navigate(server.url .. "/two#part")).url, server.url .. "/two#part")
    visit = harness.ok(tab:navigate(server.url .. "/missing"))
    harness.eq({ visit.title, visit.status }, { "Missing", 404 }, "an error's page is a page")
    -- Back over the two places of one document, and forward.
    harness.eq(harness.ok(tab:back()).url, server.url .. "/two#part")
    harness.eq(harness.ok(tab:back()).url, server.url .. "/two")
    harness.eq(harness.ok(tab:back()).title, "One")
    harness.eq(tab:evaluate("document.body.innerText"), "the first page")
    harness.eq(harness.ok(tab:forward()).title, "Two")
    local before = server:count "/two"
    harness.eq(harness.ok(tab:reload()).title, "Two")
    harness.eq(server:count "/two", before + 1)
    harness.fails("not_found", "no page to go forward to", harness.ok(browser:new_tab(server.url .. "/one")):forward())
    harness.eq(harness.ok(tab:navigate("data:text/html,<title>Data</title>")).title, "Data")
    harness.eq(harness.ok(tab:navigate("about:blank")).url, "about:blank")
    harness.eq(tab:info(), { url = "about:blank", title = "about:blank", ready = "complete" })
  end)
end

function tests.what_cannot_be_loaded_says_why()
  browsing.with(places, function(browser, server)
    local tab = harness.ok(browser:tab())
    local closed = server.url:gsub(":%d+$", ":") .. 9 -- discard: browsers do not even ask
    harness.fails("refused", "ERR_UNSAFE_PORT", tab:navigate(closed))
    local nobody, socket = page_server.nobody()
    harness.fails("unavailable", "nothing listens there (ERR_CONNECTION_REFUSED)", tab:navigate(nobody))
    harness.fails("protocol", "redirects without end", tab:navigate(server.url .. "/round"))
    harness.fails("protocol", "the server answered nothing", tab:navigate(server.url .. "/cut"))
    harness.fails("not_found", "no such file", tab:navigate("file:///no/such/file"))
    harness.ok(tab:navigate(server.url .. "/one"))
    harness.fails("cancelled", "no page to show", tab:navigate(server.url .. "/nothing"))
    harness.eq(tab:info().title, "One", "the page stays")
    for _, url in ipairs { "javascript:alert(1)", "chrome://settings", "view-source:http://a/", "foo:bar" } do
      harness.fails("refused", "are not opened", tab:navigate(url))
    end
    for _, url in ipairs { "", "example.org", "/one", "http://a/\nb" } do
      harness.fails("invalid", "an address begins with", tab:navigate(url))
    end
    local began = task.now()
    harness.fails("timed_out", "", tab:navigate(server.url .. "/held", { timeout = 1 }))
    -- Long enough for all but the picture to come.
    harness.fails("timed_out", "did not load completely", tab:navigate(server.url .. "/picture", { timeout = 4 }))
    harness.ok(task.now() - began < 30, "bounded")
    harness.eq(tab:info().ready, "loading")
    harness.eq(harness.ok(tab:navigate(server.url .. "/one")).title, "One", "and goes on from there")
    local visit = harness.ok(tab:navigate(server.url .. "/data.bin"))
    harness.eq(visit.title, "One", "the page stays")
    local path = harness.ok(harness.ok(visit.download):wait(30))
    harness.eq({ files.read(path), (path:match "[^/]*$") }, { "\0\1\2", "data.bin" })
    local none, err = browser:new_tab(nobody)
    harness.fails("unavailable", "nothing listens", none, err)
    socket:close()
    harness.eq(#browser:tabs(), 1, "a tab for nothing is closed")
  end)
end

-- --- scripts ------------------------------------------------------------------------------------------

function tests.scripts()
  browsing.with({}, function(browser)
    local tab = harness.ok(browser:tab())
    harness.ok(tab:navigate("data:text/html," .. page("Scripts", "words")))
    harness.eq(tab:evaluate("({ a: [1, 2.5, 'x'], b: document.title, c: true })"),
      { a = { 1, 2.5, "x" }, b = "Scripts", c = true })
    harness.eq({ tab:evaluate("undefined") }, {}, "nil and no error")
    harness.eq(tab:evaluate("Promise.resolve(document.body.innerText)"), "words")
    harness.eq(tab:evaluate("1 / 0"), math.huge)
    harness.eq(tab:evaluate("12345678901234567890n"), "12345678901234567890")
    harness.eq(tab:evaluate("'\\u{1F600}\\u0000\\n'"), "\u{1F600}\0\n")
    harness.fails("invalid", "TypeError: no 'fun'", tab:evaluate("throw new TypeError(\"no 'fun'\")"))
    harness.fails("invalid", "SyntaxError", tab:evaluate("1 +"))
    harness.fails("invalid", "rejected", tab:evaluate("Promise.reject(new Error('rejected'))"))
    local began = task.now()
    harness.fails("timed_out", "within 0.5 s", tab:evaluate("for (;;) {}", { timeout = 0.5 }))
    harness.fails("timed_out", "within 0.5 s", tab:evaluate("new Promise(() => {})", { timeout = 0.5 }))
    harness.ok(task.now() - began < 20, "bounded")
    harness.eq(tab:evaluate("6 * 7"), 42, "and the page lives")
    harness.fails("protocol", "nested too deeply", tab:evaluate("let a = 1; for (let i = 0; i < 200; i++) a = [a]; a"))
    harness.eq(#(tab:evaluate("'x'.repeat(20e6)", { timeout = 60 }) or ""), 20000000)
    -- What the page's scripts have changed is not there in a world of our own; its document is.
    harness.ok(tab:evaluate([[
      JSON.stringify = Array.prototype.map = document.querySelector = () => { throw 'mine' };
      window.mine = 1; document.body.dataset.seen = 'yes']]))
    harness.eq(tab:evaluate([[
      [typeof mine, [1].map(x => x + 1)[0], document.querySelector('body').dataset.seen].join()]], { world = "own" }),
      "undefined,2,yes")
    harness.ok(tab:navigate("data:text/html," .. page("Next", "other words")))
    harness.eq(tab:evaluate("document.body.innerText", { world = "own" }), "other words", "in another document")
  end)
end

-- --- waiting ------------------------------------------------------------------------------------------

local later = [[
  <p id=words>Loading</p><div id=host></div><iframe srcdoc="<p>inner</p>"></iframe>
  <script>
    const root = document.getElementById('host').attachShadow({ mode: 'open' });
    const say = (id, fn) => setTimeout(fn, id);
    function go() {
      say(300, () => document.getElementById('words').textContent = 'All\n is  Ready');
      say(300, () => root.innerHTML = '<p>in the shadow</p>');
      say(300, () => frames[0].document.body.innerHTML = '<p>within the frame</p>');
      say(300, () => history.pushState({}, '', '/later?step=2'));
      say(300, () => document.body.insertAdjacentHTML('beforeend', '<button aria-label="Send it now">x</button>'));
    }
  </script>]]

function tests.waiting()
  browsing.with({ ["/later"] = page("Later", later), ["/slow"] = { hold = true, body = "{}" } },
    function(browser, server)
      local tab = harness.ok(browser:tab())
      harness.ok(tab:navigate(server.url .. "/later"))
      harness.fails("timed_out", "does not show 'all is ready'", tab:wait_for { text = "all is ready", timeout = 0.3 })
      harness.fails("timed_out", "the address is " .. server.url, tab:wait_for { url = "step=2", timeout = 0.3 })
      harness.fails("timed_out", "no button named 'send it'", tab:wait_for {
        element = { role = "button", name = "send it" }, timeout = 0.3 })
      for _, wanted in ipairs { { text = "all is ready" }, { text = "in the shadow" }, { text = "within the frame" },
        { url = "step=2" }, { element = { role = "button", name = "send it" } },
        { text = "all is ready", url = "step=2", idle = true } } do
        harness.ok(tab:navigate(server.url .. "/later"))
        harness.ok(tab:evaluate("go(), true"))
        harness.eq(tab:wait_for(wanted), true, harness.show(wanted))
      end
      harness.raises("not colour", tab.wait_for, tab, { colour = "red" })
      -- A request that is under way.
      harness.ok(tab:evaluate("window.answer = fetch('/slow').then(a => a.text()).then(a => window.got = a); 1"))
      harness.fails("timed_out", "1 of its requests", tab:wait_for { idle = true, timeout = 1 })
      server:release()
      harness.eq(tab:wait_for { idle = true }, true)
      harness.eq(tab:evaluate("answer.then(() => got)"), "{}")
      -- A wait goes on in the next document.
      local waiting = task.start(tab.wait_for, tab, { text = "all is ready" })
      harness.ok(tab:navigate("about:blank"))
      harness.ok(tab:navigate("data:text/html,all is ready"))
      harness.eq({ waiting:wait() }, { true, true })
      -- A dialog ends it.
      waiting = task.start(tab.wait_for, tab, { text = "never" })
      tab:evaluate("setTimeout(() => alert('look'), 100)")
      local _, none, err = waiting:wait()
      harness.fails("refused", "alert: \"look\"", none, err)
      harness.eq(tab:dismiss_dialog(), true)
    end)
end

return tests
