-- What is on a page, in a real browser: elements, text, boxes, popups.
local at_pixel = require("deskpilot.desk.browser.page").at
local harness = require "harness"
local pages = require "pages"

local cases = {}

local function line(element)
  local states = {}
  for name in pairs(element.states) do states[#states + 1] = name end
  table.sort(states)
  return ("%s '%s'%s%s"):format(element.role, element.name, element.value and " = " .. element.value or "",
    #states > 0 and " (" .. table.concat(states, " ") .. ")" or "")
end

local kinds = {
  "link 'Home'", "button 'Send'", "button 'Not yet' (disabled)", "button 'Close window'", "button 'Print'",
  "textbox 'Name' = Ada (editable)", "combobox 'City' (autocomplete editable required)",
  "textbox 'Password' (editable filled protected)", "textbox 'Code' (editable filled protected)",
  "combobox 'Size' = Large", "checkbox 'Newsletter' (checked)", "radio 'By post'", "button 'Submit'",
  "clickable 'Card with words'", "link 'a link'", "tab 'First tab' (selected)", "switch 'Light' (checked)",
  "button 'Shadow'", "link 'Slotted'", "button 'Deeper shadow'", "button 'In the scroller'", "button 'More'",
  "textbox 'nodeName' (editable)", "textbox 'parentNode' (editable)", "textbox 'children' (editable)",
  "button 'Clobbered'", "textbox 'Notes' = first second (editable)", "slider 'Volume' = 3", "file 'Photo'",
}

function cases.a_kinds(tab)
  local page = pages.open(tab, "kinds.html")
  local lines = {}
  for i, element in ipairs(page.elements) do
    lines[i] = line(element)
    harness.eq(element.index, i - 1, "numbered in the order of the document")
  end
  harness.eq(table.concat(lines, "\n"), table.concat(kinds, "\n"), "the elements")
  harness.eq(page.total, #kinds)
  harness.eq(page.title, "Kinds of things")
  harness.eq(page.ready, "complete")
  harness.eq(pages.element(page, "Size").options, { "Small", "Large" })
  harness.eq(pages.element(page, "In the scroller").in_view, false, "scrolled out of its box")
  harness.eq(pages.element(page, "Shadow").in_view, true)
end

function cases.b_text(tab)
  local page = pages.open(tab, "kinds.html")
  harness.has(page.text, "Kinds\nSome boldness & text\nsecond line Home Send", "lines as they are shown")
  for _, never in ipairs { "hidden words", "script words", "color: red", "topsecret", "123456", "Ada", "Inside",
    "Invisible", "Out of reach" } do
    harness.ok(not page.text:find(never, 1, true), "the text has " .. never)
  end
  harness.has(page.text, "Shadow Slotted\nDeeper shadow")
  local short = assert(tab:observe { max_text = 10 })
  harness.eq(short.text, "Kinds\nSome", "cut")
  harness.eq(short.text_cut, true)
  harness.eq(page.text_cut, false)
end

function cases.c_secrets(tab)
  local page = pages.open(tab, "kinds.html")
  harness.ok(not harness.show(page):find("topsecret", 1, true), "a password is told")
  harness.ok(not harness.show(page):find("123456", 1, true), "a one-time code is told")
  pages.script(tab, [[document.querySelector("[type=password]").type = "text";
    document.querySelector("[aria-label=Password]").autocomplete = "current-password"]])
  harness.ok(not harness.show(assert(tab:observe())):find("topsecret", 1, true), "a password that is shown is told")
end

-- Elements are pressed where their boxes say that they are, by the desktop's own mouse. Each is one pixel large.
local function press_dots(tab, desk, what)
  local page = assert(tab:observe())
  for _, name in ipairs { "dot a", "dot b", "dot c" } do
    local element = pages.element(page, name)
    pages.script(tab, "log.length = 0")
    assert(desk.mouse.click(element.box))
    local ok = pcall(harness.wait_until, name, function() return #pages.log(tab) > 0 end, 20)
    harness.ok(ok, what .. ": the click at the box of " .. name .. " missed it: " .. harness.show(element.box))
    harness.eq(pages.log(tab), { name .. " click true" }, what)
  end
  return page
end

function cases.d_boxes_are_exact(tab, desk)
  pages.open(tab, "acts.html")
  press_dots(tab, desk, "at first")
  local window = assert(tab:window())
  assert(desk.windows.place(window, { x = 211, y = 133 }))
  press_dots(tab, desk, "moved")
  assert(desk.windows.place(assert(tab:window()), { x = 57, y = 41, width = 1103, height = 907 }))
  harness.wait_until("the page to have its new size", function() return tab:evaluate "innerWidth > 1050" end, 10)
  local page = press_dots(tab, desk, "resized")
  local now = assert(tab:window())
  harness.ok(page.viewport.x >= now.x and page.viewport.y > now.y and page.viewport.x + page.viewport.width
    <= now.x + now.width and page.viewport.y + page.viewport.height <= now.y + now.height, harness.show(page.viewport))
  assert(tab:click(pages.element(page, "dot b"))) -- the place is measured now
  press_dots(tab, desk, "measured")
  -- What is at a pixel is told of the page as it is now, which may have another size than when it was observed.
  assert(desk.windows.place(assert(tab:window()), { x = 57, y = 41, width = 1000, height = 800 }))
  harness.wait_until("the page to be smaller", function() return tab:evaluate "innerWidth < 1050" end, 10)
  local other = assert(tab:observe { keep = false })
  for _, name in ipairs { "dot a", "dot b", "dot c" } do
    local box = pages.element(other, name).box
    harness.eq(assert(at_pixel(tab, box.x, box.y)).name, name, "at its pixel in another size")
  end
  harness.eq(at_pixel(tab, other.viewport.x, other.viewport.y - 1), nil, "above the page")
end

function cases.e_zoom(tab, desk)
  pages.open(tab, "acts.html")
  assert(tab:activate())
  for _, zoom in ipairs { 1.1, 1.25 } do
    assert(desk.keyboard.press "ctrl+plus")
    harness.wait_until("the zoom", function() return math.abs(tab:evaluate "devicePixelRatio" - zoom) < 0.001 end, 10)
    press_dots(tab, desk, "zoom " .. zoom)
    for _, input in ipairs { "real", "cdp" } do
      pages.script(tab, "log.length = 0")
      local page = assert(tab:observe())
      for _, name in ipairs { "dot a", "dot b", "dot c", "Low" } do
        harness.ok(tab:click(pages.element(page, name), { input = input }))
      end
      harness.eq(pages.log(tab), { "dot a click true", "dot b click true", "dot c click true", "Low click true" },
        input .. " at " .. zoom)
      pages.script(tab, "scrollTo(0, 0)")
    end
  end
  assert(desk.keyboard.press "ctrl+0")
  harness.wait_until("the zoom", function() return tab:evaluate "devicePixelRatio" == 1 end, 10)
end

function cases.f_pinch_zoom(tab, desk)
  pages.open(tab, "acts.html")
  assert(tab:call("Emulation.setPageScaleFactor", { pageScaleFactor = 2 }))
  harness.wait_until("the page to be enlarged", function() return tab:evaluate "visualViewport.scale" == 2 end, 10)
  local page = assert(tab:observe())
  pages.script(tab, "log.length = 0")
  assert(desk.mouse.click(pages.element(page, "dot a").box))
  harness.wait_until("the click", function() return #pages.log(tab) > 0 end, 20)
  harness.eq(pages.log(tab), { "dot a click true" })
  assert(tab:call("Emulation.setPageScaleFactor", { pageScaleFactor = 1 }))
end

function cases.g_frames(tab, desk)
  pages.open(tab, "frames.html")
  pages.script(tab, [[frames[0].scrollTo(0, 60); frames[0].frames[0].scrollTo(0, 650); scrollTo(0, 25)]])
  local page = assert(tab:observe())
  for _, words in ipairs { "Outer words", "Frame words", "Inner words" } do harness.has(page.text, words) end
  harness.eq(pages.element(page, "First").frame, "outer")
  harness.eq(pages.element(page, "Deep dot").frame, "inner frame")
  harness.eq(pages.element(page, "Deep dot").in_view, true)
  harness.eq(pages.element(page, "Deep field").in_view, false, "scrolled away in its frame")
  harness.eq(pages.element(page, "Last").in_view, false)
  harness.eq(pages.element(page, "Another site").role, "iframe", "what is in another site's frame is not known")
  assert(desk.mouse.click(pages.element(page, "Deep dot").box))
  harness.wait_until("the click in the inner frame", function() return #pages.log(tab) > 0 end, 20)
  harness.eq(pages.log(tab), { "deep true" }, "at the box")
  for _, input in ipairs { "real", "cdp" } do
    pages.script(tab, "log.length = 0")
    pages.script(tab, [[frames[0].scrollTo(0, 0); frames[0].frames[0].scrollTo(0, 0); scrollTo(0, 0)]])
    page = assert(tab:observe())
    for _, name in ipairs { "First", "Last", "Deep dot", "Half" } do
      harness.ok(tab:click(pages.element(page, name), { input = input }))
    end
    harness.ok(tab:type(pages.element(page, "Deep field"), "x", { input = input, replace = true }))
    local log = pages.log(tab)
    harness.eq({ table.unpack(log, 1, 4) }, { "first true", "last true", "deep true", "half true" }, input)
    harness.eq(tab:evaluate "frames[0].frames[0].document.querySelector('input').value", "x", input)
  end
end

local popups = {
  { name = "a modal dialog", open = "modal.showModal()", said = "Save changes?", inside = "Save" },
  { name = "an ARIA modal", said = "Cookies", inside = "Accept", open =
    [[show('<div class=veil></div><div class=box role=dialog aria-modal=true aria-label=Cookies><button>Accept' +
      '</button></div>')]] },
  { name = "a layer with a veil", said = "Subscribe", inside = "No, thanks", open =
    [[show('<div class=veil></div><div class=box><h3>Subscribe</h3><button>No, thanks</button></div>')]] },
  { name = "a layer without", said = "Rate us", inside = "Later", beside = true, open =
    [[show('<div class=box><h3>Rate us</h3><a href="#later">Later</a></div>')]] },
}

function cases.h_popups(tab)
  local page = pages.open(tab, "popups.html")
  harness.eq(page.popup, nil, "nothing lies over the page")
  for _, popup in ipairs(popups) do
    pages.script(tab, popup.open)
    page = assert(tab:observe { max_elements = 20 })
    harness.ok(page.popup and page.popup.name == popup.said, popup.name .. ": " .. harness.show(page.popup))
    local inside = pages.element(page, popup.inside)
    harness.eq(page.popup and page.popup.elements, { inside.index }, popup.name)
    harness.eq(inside.states.blocked, nil, popup.name)
    harness.eq(#page.elements, 20, popup.name .. ": the popup's own are listed though there are too many")
    local covered
    for _, element in ipairs(assert(tab:observe()).elements) do
      covered = element.states.blocked and element or covered
    end
    harness.ok(covered, popup.name .. ": nothing is behind it")
    if not popup.beside then -- there the page can be scrolled until it is covered no more
      local ok, err = tab:click(covered)
      harness.eq(ok, nil, popup.name)
      harness.eq(err and err.code, "refused", tostring(err))
      harness.has(tostring(err), "is covered by", popup.name)
    end
    pages.script(tab, "show(''); modal.close()")
  end
  harness.eq(pages.log(tab), {}, "nothing was pressed")
end

function cases.i_no_popups(tab)
  pages.open(tab, "popups.html")
  for name, open in pairs {
    ["a bar at the edge"] = [[show('<div class=bar>We use cookies <button>Fine</button></div>')]],
    ["a menu that was opened"] = [[show('<div class=menu role=menu><div role=menuitem>Cut</div></div>')]],
    ["a page in one layer"] = [[show(''); page.style.cssText = 'position:fixed;inset:0']],
  } do
    pages.script(tab, open)
    harness.eq(assert(tab:observe()).popup, nil, name)
  end
end

function cases.j_dialog(tab)
  pages.open(tab, "popups.html")
  pages.script(tab, "setTimeout(() => confirm('Leave?'), 0)")
  harness.wait_until("the dialog", function() return tab:dialog() end, 20)
  local page = assert(tab:observe())
  harness.eq(page.dialog, { type = "confirm", message = "Leave?" })
  harness.eq(page.elements, {})
  harness.eq(page.title, "Popups")
  assert(tab:dismiss_dialog())
  harness.eq(assert(tab:observe()).dialog, nil)
end

return { page = function() pages.run(cases, arg[1]) end }
