-- Acting on what is on a page, by the desktop's mouse and keyboard and by the browser's own means, in a real browser;
-- judged by the page's own log and fields.
local files = require "deskpilot.base.files"
local harness = require "harness"
local pages = require "pages"

local cases = {}

local function both(tab, page_name, fn)
  for _, input in ipairs { "real", "cdp" } do
    pages.open(tab, page_name)
    local function element(name) return pages.element(assert(tab:observe()), name) end
    fn(element, input)
  end
end

local function fails(code, part, value, err)
  harness.eq(value, nil, part)
  harness.eq(err and err.code, code, tostring(err))
  harness.has(tostring(err), part)
end

local function value_of(tab, label)
  return tab:evaluate(([[(() => {
    const e = document.querySelector('[aria-label=%s]');
    return e.value ?? e.textContent;
  })()]]):format(label))
end

function cases.a_clicks(tab)
  both(tab, "acts.html", function(element, input)
    for _, name in ipairs { "dot a", "dot b", "dot c", "Low" } do
      harness.ok(tab:click(element(name), { input = input }))
    end
    harness.ok(tab:click(element "Double", { input = input, count = 2 }))
    harness.ok(tab:click(element("Double").index, { input = input, button = "right" }))
    harness.eq(pages.log(tab), { "dot a click true", "dot b click true", "dot c click true", "Low click true",
      "Double dblclick true", "Double contextmenu true" }, input)
  end)
end

function cases.a_clicks_of_two_acts(tab)
  pages.open(tab, "acts.html")
  local desk = tab.browser.desk
  local function press(act)
    desk.act = act
    harness.ok(tab:click(pages.element(assert(tab:observe()), "Double")))
    return tab.pressed
  end
  local first, second = press(1), press(2)
  harness.ok(math.abs(second.x - first.x) > 8, "further apart than a double click's presses")
  desk.act = nil
  harness.ok(tab:click(pages.element(assert(tab:observe()), "Double"), { button = "right" }))
  harness.eq(pages.log(tab), { "Double contextmenu true" }, "no double click")
end

function cases.b_not_clicked(tab)
  both(tab, "acts.html", function(element, input)
    fails("refused", 'covered by img "A veil"', tab:click(element "Under", { input = input }))
    fails("refused", "is disabled", tab:click(element "Greyed", { input = input }))
    harness.eq(pages.log(tab), {}, input)
  end)
  fails("not_found", "not among the", tab:click(9999))
  harness.raises("an element of the page or its index", tab.click, tab, "Send")
  harness.raises("input is", tab.click, tab, 0, { input = "foot" })
end

function cases.c_typing(tab)
  local words = "Grüße, 漢字 & Ελλάδα! (42)"
  both(tab, "acts.html", function(element, input)
    for _, name in ipairs { "Name", "Story", "Notes" } do
      local before = value_of(tab, name)
      local typed, err = tab:type(element(name), words, { input = input })
      harness.ok(typed, tostring(err))
      harness.eq(value_of(tab, name), before .. words, input .. ": at the end")
      harness.eq(typed and typed.value, before .. words)
      harness.ok(tab:type(element(name), "Instead", { input = input, replace = true }))
      harness.eq(value_of(tab, name), "Instead", input)
      harness.ok(tab:clear(element(name), { input = input }))
      harness.eq(value_of(tab, name), "", input)
    end
    for _, line in ipairs(pages.log(tab)) do harness.eq(line, "Name input true") end
    harness.ok(tab:type(element "Story", "two\nlines\n", { input = input, replace = true }))
    harness.wait_until("Enter", function() return value_of(tab, "Story") == "two\nlines\n" end, 20)
  end)
end

function cases.d_fields_with_a_will(tab)
  both(tab, "acts.html", function(element, input)
    local typed = harness.ok(tab:type(element "Phone", "4155550123", { input = input }))
    harness.eq(typed.value, "(415) 5550123", "a field that writes it its own way")
    fails("refused", "'abc'", tab:type(element "Short", "abcdef", { input = input }))
    local secret = harness.ok(tab:type(element "Secret", "s3cret!", { input = input }))
    harness.eq(secret.value, nil, "of a password nothing is told")
    harness.eq(value_of(tab, "Secret"), "s3cret!")
    harness.eq(element("Secret").states.filled, true)
    harness.ok(tab:type(element "Day", "2026-11-21", { input = input }))
    harness.eq(value_of(tab, "Day"), "2026-11-21")
    fails("refused", "2026-12-31", tab:type(element "Day", "tomorrow", { input = input }))
    fails("refused", "not a field that can be typed into", tab:type(element "Alert", "x", { input = input }))
  end)
end

function cases.e_suggestions(tab)
  both(tab, "acts.html", function(element, input)
    harness.eq(element("City").states.autocomplete, nil, "nothing is known of it yet")
    harness.ok(tab:type(element "City", "Ro", { input = input }))
    -- For all of it: those for its first letter are replaced once more.
    harness.wait_until("the suggestions", function() return tab:evaluate "$('list').dataset.words" == "Ro" end)
    harness.eq(element("City").states.autocomplete, true, "what it did is remembered")
    harness.ok(tab:click(element "Roma Nord", { input = input }))
    harness.eq(value_of(tab, "City"), "Roma Nord", input)
  end)
end

function cases.f_choices(tab)
  both(tab, "acts.html", function(element, input)
    local how = { input = input }
    harness.ok(tab:select(element "Size", "Large", how))
    harness.ok(tab:select(element "Size", "m", how), "by its value")
    harness.eq(value_of(tab, "Size"), "m")
    harness.eq(pages.log(tab), { "Size input false", "Size change false", "Size input false", "Size change false" })
    fails("refused", "disabled", tab:select(element "Size", "Huge", how))
    fails("not_found", "'Small', 'Medium'", tab:select(element "Size", "Gigantic", how))
    fails("refused", "one option", tab:select(element "Size", { "Small", "Large" }, how))
    harness.ok(tab:select(element "Toppings", { "Ham", "Corn" }, how))
    harness.eq(element("Toppings").value, "Ham, Corn")
    harness.ok(tab:select(element "Colour", "Green", how), "a list of the page's own")
    harness.eq(pages.log(tab)[5], "Colour Green true", input)
  end)
end

function cases.g_uploads(tab)
  both(tab, "acts.html", function(element, input)
    local how = { input = input }
    harness.ok(tab:upload(element "Photo", "README.md", how))
    harness.ok(tab:upload(element "Choose files", { "README.md", "LICENSE" }, how), "a chooser that a button opens")
    harness.ok(tab:upload(element "Attach", "LICENSE", how), "one behind a label")
    harness.wait_until("the files", function() return #pages.log(tab) == 3 end, 20)
    harness.eq(pages.log(tab), { "Photo README.md true", "Chosen README.md,LICENSE", "Attach LICENSE" }, input)
    fails("not_found", "no file", tab:upload(element "Photo", "no/such/file", how))
    fails("refused", "one file", tab:upload(element "Photo", { "README.md", "LICENSE" }, how))
    fails("invalid", "is not a file", tab:upload(element "Photo", "docs", how))
  end)
end

function cases.h_downloads(tab)
  both(tab, "acts.html", function(element, input)
    local path, err = tab:download(element "Report", { input = input })
    harness.ok(path, tostring(err))
    harness.eq(path and files.read(path), "figures", input)
  end)
end

function cases.i_scrolling(tab)
  both(tab, "acts.html", function(element, input)
    local scroll = harness.ok(tab:scroll { dy = 500, input = input })
    harness.ok(scroll.y >= 250 and scroll.y <= 1000, harness.show(scroll))
    harness.eq(tab:evaluate "scrollY", scroll.y, "the page says so too")
    harness.ok(tab:scroll { dy = -5000, input = input })
    harness.eq(tab:evaluate "scrollY", 0)
    harness.eq(element("Low").in_view, false)
    harness.ok(tab:scroll_to(element "Low"))
    harness.eq(element("Low").in_view, true)
  end)
end

function cases.j_what_comes_of_clicks(tab)
  both(tab, "acts.html", function(element, input)
    harness.ok(tab:click(element "Alert", { input = input }), "a dialog opens")
    harness.wait_until("the dialog", function() return tab:dialog() end)
    harness.eq(assert(tab:observe()).dialog, { type = "alert", message = "Really?" })
    assert(tab:accept_dialog())
    harness.ok(tab:click(element "Leave", { input = input }), "the page is left")
    harness.ok(tab:wait_for { text = "second line", timeout = 20 })
    harness.has(tab.url, "kinds.html", input)
  end)
end

-- --- stale numbers --------------------------------------------------------------------------------------

local stale = {
  { "removed", "list.children[1].remove()", "no longer there" },
  { "replaced by one that looks the same", "build(['Alpha', 'Beta', 'Gamma'])", "no longer there" },
  { "moved by one before it", "list.prepend(Object.assign(document.createElement('button'), { textContent: 'New' }))",
    "another number" },
  { "reordered", "list.append(list.children[0])", "another number" },
  { "renamed", "list.children[1].textContent = 'Delete everything'", "something else" },
  { "of another role", "list.children[1].setAttribute('role', 'tab')", "something else" },
  { "hidden", "list.children[1].style.display = 'none'", "no longer there" },
  { "on a page that was loaded anew", "location.reload()", "left or reloaded" },
}

function cases.k_stale(tab)
  for _, case in ipairs(stale) do
    for _, input in ipairs { "real", "cdp" } do
      local page = pages.open(tab, "changing.html")
      local beta = pages.element(page, "Beta")
      pages.script(tab, "const list = document.getElementById('list'); window.before = true; " .. case[2])
      if case[2]:find "reload" then
        harness.wait_until("the page anew", function()
          return tab:evaluate "!window.before && document.readyState === 'complete'"
        end, 20)
      end
      for _, target in ipairs { beta, beta.index } do
        fails("stale", case[3], tab:click(target, { input = input }))
      end
      harness.eq(pages.log(tab), {}, case[1] .. ": something was clicked")
      beta = pages.element(assert(tab:observe()), case[1] == "renamed" and "Delete everything"
        or case[1] == "removed" and "Gamma" or case[1] == "hidden" and "Gamma" or "Beta")
      harness.ok(tab:click(beta, { input = input }), "after another look")
    end
  end
end

-- What changes without touching the numbers leaves them as they are.
function cases.l_not_stale(tab)
  local page = pages.open(tab, "changing.html")
  pages.script(tab, "document.body.append('Some words'); document.body.append(document.createElement('p'))")
  pages.script(tab, "document.body.append(Object.assign(document.createElement('button'), { textContent: 'Last' }))")
  assert(tab:observe { max_elements = 0 }) -- mere looks leave the numbers as they were
  for _ = 1, 30 do assert(tab:observe { keep = false }) end
  harness.ok(tab:click(pages.element(page, "Beta")))
  harness.ok(tab:click(pages.element(page, "Gamma").index, { input = "cdp" }))
  harness.eq(pages.log(tab), { "Beta true", "Gamma true" })
  local later = assert(tab:observe())
  harness.ok(tab:click(pages.element(page, "Alpha"), { input = "cdp" }), "of an earlier look, and still the same")
  harness.ok(tab:click(pages.element(later, "Last"), { input = "cdp" }))
end

-- A tab that is behind another comes to the front to be clicked on: it draws no frames where it is.
function cases.m_of_another_tab(tab, _, browser)
  local page = pages.open(tab, "changing.html")
  local other = assert(browser:new_tab(pages.url "changing.html"))
  fails("stale", "another tab", other:click(pages.element(page, "Beta")))
  fails("stale", "not been observed", other:click(1))
  harness.ok(other:evaluate "document.hasFocus()", "the new tab is in front")
  harness.ok(tab:click(pages.element(page, "Beta")))
  harness.eq(pages.log(tab), { "Beta true" })
  harness.eq(pages.log(other), {})
  assert(other:close())
end

-- Removed at the last moment: when the pointer comes.
function cases.n_gone_under_the_pointer(tab)
  for _, input in ipairs { "real", "cdp" } do
    local page = pages.open(tab, "changing.html")
    pages.script(tab, [[const l = document.getElementById('list');
      l.children[1].onpointerenter = () => { l.children[1].remove(); }]])
    fails("stale", "no longer there", tab:click(pages.element(page, "Beta"), { input = input }))
    harness.eq(pages.log(tab), {}, "something else was clicked: " .. input)
  end
end

-- What moves away from the pointer is followed; what never rests is not pressed by chance.
function cases.o_moving(tab)
  for _, input in ipairs { "real", "cdp" } do
    local page = pages.open(tab, "changing.html")
    pages.script(tab, [[const b = document.getElementById('list').children[1]; b.style.position = 'relative';
      let once = 0; b.onpointerenter = () => { if (!once++) b.style.top = '150px'; }]])
    local ok, err = tab:click(pages.element(page, "Beta"), { input = input })
    harness.ok(ok, tostring(err))
    harness.eq(pages.log(tab), { "Beta true" }, input)
  end
end

return { page_acts = function() pages.run(cases, arg[1]) end }
