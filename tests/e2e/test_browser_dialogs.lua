-- The dialogs of a real browser's pages, and pictures of them, on the screen and on paper. Judged by what the pages got
-- for an answer, and by the files.
local browsing = require "browsing"
local files = require "deskpilot.base.files"
local harness = require "harness"
local spawn = require "spawn"
local task = require "deskpilot.base.task"

local tests = {}

local page = browsing.page

-- --- dialogs ------------------------------------------------------------------------------------------

local asking = [[<script>
  const asked = [];
  onbeforeunload = event => { if (window.hold) event.preventDefault(); };
  function ask(kind, ...words) { setTimeout(() => asked.push(window[kind](...words)), 1); return true; }
</script>]]

function tests.dialogs()
  browsing.with({ ["/ask"] = page("Ask", asking), ["/other"] = page("Other", "<script>alert('at once')</script>"),
    ["/open"] = page("Open", "<button onclick=\"window.open('/other')\">Open</button>") },
    function(browser, server, desk)
      local tab = harness.ok(browser:tab())
      harness.ok(tab:navigate(server.url .. "/ask"))
      harness.eq(tab:dialog(), nil)
      harness.fails("not_found", "no dialog", tab:accept_dialog())
      local function asked(kind, ...)
        harness.ok(tab:evaluate(("ask('%s', %s)"):format(kind, table.concat({ ... }, ", "))))
        return harness.wait_until("the dialog", function() return tab:dialog() end)
      end
      harness.eq(asked("alert", "'Hello'"), { type = "alert", message = "Hello", url = server.url .. "/ask" })
      local began = task.now()
      harness.fails("refused", "a dialog is open on the page (alert: \"Hello\")", tab:evaluate("1"))
      harness.fails("refused", "accept or dismiss", tab:navigate(server.url .. "/ask"))
      harness.fails("refused", "accept or dismiss", tab:screenshot())
      harness.eq(tab:info().title, "Ask", "the browser knows without the page")
      harness.ok(task.now() - began < 8, "at once: nothing waited for the page")
      harness.eq(tab:accept_dialog(), true)
      asked("confirm", "'Sure?'")
      harness.eq(tab:accept_dialog(), true)
      asked("confirm", "'Sure?'")
      harness.eq(tab:dismiss_dialog(), true)
      harness.eq(asked("prompt", "'Name?'", "'you'").default, "you")
      harness.eq(tab:accept_dialog("J\u{f6}rg \u{4f60}"), true)
      asked("prompt", "'Name?'")
      harness.eq(tab:dismiss_dialog(), true)
      -- A person answers it.
      asked("confirm", "'By hand?'")
      harness.ok(desk.wait_for_window { pid = browser.pid, active = true })
      harness.wait_until("its end", function() -- it takes no key in its first moments
        harness.ok(desk.keyboard.press "enter")
        return tab.changed:wait_until(0.5, function() return not tab:dialog() end)
      end, 30)
      harness.eq(tab:evaluate("JSON.stringify(asked)"),
        '[null,true,false,"J\u{f6}rg \u{4f60}",null,true]')
      -- In the middle of a call.
      harness.fails("refused", "confirm: \"Now\"", tab:evaluate("confirm('Now')"))
      harness.eq(tab:dismiss_dialog(), true)
      -- The question whether to leave: browsers ask only where the page has been used.
      harness.ok(tab:evaluate("window.hold = true", { gesture = true }))
      harness.fails("refused", "beforeunload", tab:navigate(server.url .. "/open"))
      harness.eq(tab:dialog().type, "beforeunload")
      harness.eq(tab:dismiss_dialog(), true)
      harness.eq(tab:info().title, "Ask", "it stayed")
      harness.fails("refused", "beforeunload", tab:navigate(server.url .. "/open"))
      harness.eq(tab:accept_dialog(), true)
      harness.eq(tab:wait_for { url = "/open", idle = true }, true, "it left")
      -- A tab that asks before anybody could have looked at it.
      harness.ok(tab:evaluate("document.querySelector('button').click(), true", { gesture = true }))
      local new = harness.wait_until("the new tab", function() return browser:tabs()[2] end, 30)
      harness.eq(harness.wait_until("its dialog", function() return new:dialog() end, 30).message, "at once")
      harness.eq(new:accept_dialog(), true)
      harness.eq(new:wait_for { url = "/other" }, true)
    end)
end

-- --- pictures and paper ---------------------------------------------------------------------------------

local tall = [[<style>body { margin: 0 } div { height: 1500px; background: rgb(10, 200, 30) }
  p { margin: 0; height: 1500px; background: rgb(0, 0, 250) }</style><div>Green words</div><p>Blue words</p>]]

function tests.pictures_and_paper()
  browsing.with({ ["/tall"] = page("Tall one", tall) }, function(browser, server, desk)
    local folder = spawn.folder()
    local tab = harness.ok(browser:tab())
    harness.ok(tab:navigate(server.url .. "/tall"))
    local width, height = table.unpack(harness.ok(tab:evaluate("[innerWidth, innerHeight]")))
    local bar = width - tab:evaluate("document.documentElement.clientWidth")
    local shot = harness.ok(tab:screenshot { path = folder .. "/view.png" })
    harness.eq({ shot.width, shot.height }, { width, height })
    harness.eq({ shot:pixel(300, 300) }, { 10, 200, 30 })
    harness.ok(harness.ok(desk.screen.load(folder .. "/view.png")):equal(shot), "the file is the picture")
    shot = harness.ok(tab:screenshot { full_page = true })
    harness.eq({ shot.width, shot.height, shot.incomplete }, { width - bar, 3000 })
    harness.eq({ { shot:pixel(300, 1499) }, { shot:pixel(300, 1500) } }, { { 10, 200, 30 }, { 0, 0, 250 } })
    shot = harness.ok(tab:screenshot { region = { x = 5, y = 1490, width = 40, height = 30 } })
    harness.eq({ shot.width, shot.height, { shot:pixel(0, 9) }, { shot:pixel(0, 10) } },
      { 40, 30, { 10, 200, 30 }, { 0, 0, 250 } })
    harness.eq(tab:evaluate("scrollY"), 0, "the page was not moved")
    -- From behind another tab.
    harness.ok(browser:new_tab("data:text/html,<title>Front</title>"))
    harness.eq({ harness.ok(tab:screenshot()):pixel(300, 300) }, { 10, 200, 30 })
    harness.ok(tab:evaluate("document.querySelector('p').style.height = '40000px'"))
    shot = harness.ok(tab:screenshot { full_page = true })
    harness.eq({ shot.incomplete, shot.height, { shot:pixel(300, 32766) }, { shot:pixel(300, 1499) } },
      { true, 32767, { 0, 0, 250 }, { 10, 200, 30 } }, "cut, of several strips")
    harness.ok(tab:evaluate("document.querySelector('p').style.height = '1500px'"))
    harness.eq(tab:pdf(folder .. "/page.pdf"), true)
    local bytes = harness.ok(files.read(folder .. "/page.pdf"))
    harness.eq({ bytes:sub(1, 5), bytes:match("%%%%EOF%s*$") ~= nil }, { "%PDF-", true })
    local said = spawn.run({ "pdftotext", folder .. "/page.pdf", "-" }).stdout
    harness.has(said, "Green words")
    harness.has(said, "Blue words")
    harness.fails("not_found", "", tab:pdf(folder .. "/no/such/folder/page.pdf"))
    files.remove(folder)
  end)
end

return tests
