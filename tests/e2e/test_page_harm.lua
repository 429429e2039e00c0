-- Large pages and pages that mean harm, in a real browser: looking at them is bounded in time and in size.
local files = require "deskpilot.base.files"
local harness = require "harness"
local pages = require "pages"
local spawn = require "spawn"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local cases = {}

local function served(tab, html)
  local folder = spawn.folder()
  assert(files.write(folder .. "/page.html", html))
  local ok, err = tab:navigate("file://" .. files.absolute(folder .. "/page.html"))
  files.remove(folder)
  assert(ok, tostring(err))
end

-- Seconds that the page's thread has worked.
local function busy(tab)
  for _, metric in ipairs(assert(tab:call "Performance.getMetrics").metrics) do
    if metric.name == "TaskDuration" then return metric.value end
  end
end

function cases.a_ten_thousand(tab)
  local rows = {}
  local forms = { '<a href="#%d">Link %d</a>', "<button>Button %d</button>", '<input aria-label="Field %d">',
    "<span role=button tabindex=0>Role %d</span>" }
  for i = 0, 9999 do rows[i + 1] = "<li>" .. forms[i % 4 + 1]:format(i, i) .. "</li>" end
  served(tab, "<!doctype html><title>Many</title><ul>" .. table.concat(rows) .. "</ul>")
  local page = assert(tab:observe())
  harness.eq(page.total, 10000)
  harness.eq(#page.elements, 200, "capped")
  harness.eq(page.elements[1].name, "Link 0")
  -- Time of the page's thread alone, which is the same when others use the machine.
  assert(tab:call("Performance.enable", { timeDomain = "threadTicks" }))
  local least = math.huge
  for _ = 1, 5 do
    local before = busy(tab)
    assert(tab:observe())
    least = math.min(least, busy(tab) - before)
  end
  assert(tab:call("Performance.disable"))
  harness.ok(least > 0.001 and least < 0.25, ("looking at 10,000 elements took the page %.3f s at best"):format(least))
  pages.script(tab, "scrollTo(0, document.documentElement.scrollHeight / 2)")
  page = assert(tab:observe { max_elements = 60 })
  harness.eq(#page.elements, 60)
  local seen = 0
  for _, element in ipairs(page.elements) do seen = seen + (element.in_view and 1 or 0) end
  harness.ok(seen >= 20, ("only %d of those told are in view"):format(seen))
  local element = page.elements[30]
  harness.ok(element.index > 4000, "numbers count all: " .. element.index)
  harness.ok(tab:scroll_to(element))
end

local harmful = {
  prototypes = [[<button>Ok</button><script>
    for (const type of [Element, Node, Document, Array, Map, Object, String, JSON, Promise.prototype.constructor])
      for (const name of Object.getOwnPropertyNames(type.prototype || type))
        try { (type.prototype || type)[name] = () => { throw new Error("no") } } catch {}
    Object.defineProperty(window, "deskpilot", { get() { throw new Error("mine") } });
    Object.defineProperty(document, "title", { get() { throw new Error("no") } });</script>]],
  clobbered = [[<form name=body><input name=parentNode><input name=attributes><input name=ownerDocument>
    <button type=button>Ok</button></form> <img name=documentElement><form name=elementFromPoint></form>
    <form name=querySelectorAll></form> <form name=scrollingElement></form><a id=deskpilot href="#">x</a>
    <form name=activeElement></form><form name=defaultView></form>]],
  frames = [[<button>Ok</button><script>
    let depth = 0;
    const add = (doc) => {
      if (depth++ > 40) return;
      const frame = doc.createElement("iframe");
      doc.body.append(frame, doc.createElement("iframe"));
      add(frame.contentDocument);
    };
    onload = () => add(document);</script>]],
  attributes = [[<button>Ok</button><script>
    const button = document.querySelector("button");
    for (const n of ["title", "class", "data-x", "aria-description", "id"]) button.setAttribute(n, "x".repeat(2e7));
    document.title = "t".repeat(1e5); history.replaceState(0, "", "#" + "y".repeat(1e5));</script>]],
  texts = [[<button>Ok</button><div id=d></div><script>
    for (let i = 0; i < 30000; i++) d.append("word " + i, i % 10 ? "" : document.createElement("p"));
    d.append("z ".repeat(2e5));</script>]],
  deep = [[<button>Ok</button><div id=d></div><script>
    let e = d;
    for (let i = 0; i < 5000; i++) { const c = document.createElement("b"); e.append(c); e = c; }
    e.textContent = "bottom";</script>]],
  options = [[<button>Ok</button><select aria-label=Many></select><script>
    const s = document.querySelector("select");
    for (let i = 0; i < 30000; i++) s.append(new Option("o" + i));</script>]],
  bytes = "<button>Ok</button><p>\0\1\2 \u{202e}\u{200b}bad</p><script>"
    .. "document.querySelector('p').append('\\ud800 lone \\udc00');"
    .. "document.querySelector('button').title = '\\udfff';</script>",
}

function cases.b_harm(tab)
  for _, name in ipairs(text.keys(harmful)) do
    local html = harmful[name]
    served(tab, "<!doctype html><body>" .. html)
    local began = task.now()
    local page, err = tab:observe()
    local seconds = task.now() - began
    harness.ok(page, name .. ": " .. tostring(err))
    harness.ok(seconds < 25, ("%s: looking took %.1f s"):format(name, seconds))
    if page then
      local script = tab.observed.milliseconds / 1000
      harness.ok(script < 10, ("%s: the script took %.1f s"):format(name, script))
      harness.ok(#page.text <= 40000 and #page.title < 2000 and #page.url < 6000, name .. ": sizes")
      local element = pages.element(page, "Ok")
      harness.ok(tab:click(element, { input = "cdp" }), name)
    end
  end
end

-- A page that never gives way ends no wait but its own.
function cases.c_busy(tab, desk)
  served(tab, "<!doctype html><title>Busy</title><button>Ok</button>")
  assert(tab:observe())
  desk.timing.page_look = 1
  local working = task.start(tab.evaluate, tab, "{ const end = Date.now() + 15000; while (Date.now() < end); }",
    { timeout = 60 })
  local began = task.now()
  local page, err = tab:observe()
  harness.eq(page, nil)
  harness.eq(err and err.code, "timed_out", tostring(err))
  harness.ok(not working:ended(), "the page is still busy after " .. task.now() - began .. " s")
  desk.timing.page_look = 30
  working:wait()
  harness.ok(tab:observe(), "afterwards it is there again")
end

-- Each in a browser of its own, with a time limit of its own. Telling others of all that would be most of the work.
local tests = {}
for name in pairs(cases) do
  tests["page_harm_" .. name] = function()
    if arg[1] and not text.starts(name, arg[1]) then return end
    pages.run(cases, name, { "--disable-renderer-accessibility" })
  end
end
return tests
