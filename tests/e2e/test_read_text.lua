-- Reading text by its pixels from real applications, and working them by what was read: judged by what
-- the applications were given to show, by their windows and by their own elements.
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local harness = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local sample = [[
The quick brown fox jumps over the lazy dog.
Preferences can be changed in the Settings dialog.
Invoice number 4711, total 1,299.50 EUR (due 2026-12-31)
Please reply to user@example.org before Monday.
Warning: 3 of 28 packages could not be verified
]]

-- Runs fn(desk, folder) on a private desktop with these applications, once each shows its window;
-- "SAMPLE" stands for a file with the text above.
local function with_desktop(apps, fn)
  desktop.with({ timing = { elements = 10, focus = 10 }, apps = function(folder)
    local path = folder .. "/sample.txt"
    assert(files.write(path, sample))
    for _, app in ipairs(apps) do
      for i, word in ipairs(app) do app[i] = word:gsub("SAMPLE", path) end
    end
    return apps
  end }, function(desk, _, folder)
    harness.wait_until("the windows of all applications", function() return #desk.windows.list() >= #apps end, 20)
    desk.mouse.move { x = 1279, y = 799 } -- where no tooltip is shown
    fn(desk, folder)
  end)
end

local function seconds(fn, ...)
  local began = task.now()
  local first, second = fn(...)
  return task.now() - began, first, second
end

-- How many of the words are in the text, each as often as it is wanted; and those that are not.
local function recall(wanted, text)
  local have, found, count, missed = {}, 0, 0, {}
  for word in text:gmatch("%S+") do have[word:lower()] = (have[word:lower()] or 0) + 1 end
  for word in wanted:gmatch("%S+") do
    local left = have[word:lower()] or 0
    count = count + 1
    if left > 0 then have[word:lower()], found = left - 1, found + 1 else missed[#missed + 1] = word end
  end
  return found / count, table.concat(missed, " ")
end

local function reads(desk, name, wanted, title)
  desk.settle()
  local window = harness.ok(desk.windows.find { class = title })
  local took, text, lines, share, missed
  local limit = task.now() + 20
  repeat -- until the application has drawn all of it
    took, text, lines = seconds(desk.screen.read_text, { window = window })
    harness.ok(text, lines)
    share, missed = recall(wanted, text or "")
  until share >= 0.9 or task.now() > limit
  io.stdout:write(("      %s: %.0f %% of its words, in %.2f s; missed: %s\n"):format(name, share * 100, took,
    missed == "" and "none" or missed))
  harness.ok(share >= 0.9, name .. ": " .. tostring(text))
  for _, line in ipairs(lines or {}) do
    local inside = line.x >= window.x and line.y >= window.y and line.x + line.width <= window.x + window.width
      and line.y + line.height <= window.y + window.height
    if not harness.ok(inside, line.text .. " lies outside its window") then break end
  end
end

function tests.reads_an_editor()
  with_desktop({ { "mousepad", "--disable-server", "SAMPLE" } }, function(desk)
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 10 })
    reads(desk, "mousepad", "File Edit Search View Document Help " .. sample, "mousepad")
    -- The same again costs what finding out costs.
    local first = seconds(desk.screen.read_text)
    local again = {}
    for i = 1, 5 do again[i] = seconds(desk.screen.read_text) end
    table.sort(again)
    io.stdout:write(("      the whole screen: %.2f s, unchanged %.1f ms\n"):format(first, again[1] * 1000))
    harness.ok(again[1] < 1, again)
    -- A place that is read is the place where it is: each line of the text area, from top to bottom.
    local before = 0
    for _, words in ipairs { "quick brown fox", "Settings dialog", "Invoice number", "before Monday",
      "packages could" } do
      local hit = harness.ok(desk.screen.find_text(words, { window = { class = "mousepad" } }))
      harness.ok(hit and hit.y > before, words)
      before = hit and hit.y or before
    end
    local area = harness.ok(desk.elements.find { app = "mousepad", role = "text" })
    harness.ok(before > area.y and before < area.y + area.height)
    local none, err = desk.screen.find_text "Preferences dialogue"
    harness.eq(none, nil)
    harness.eq(err.code, "not_found")
    harness.has(tostring(err), 'the text "Preferences dialogue" was not seen; ')
    -- A region is read alone; all places are asked for.
    local text = desk.screen.read_text { region = area }
    harness.eq(text:lower():find("document", 1, true), nil, text)
    local hits = harness.ok(desk.screen.find_texts("the", { region = area }))
    harness.ok(#hits >= 3, hits)
  end)
end

function tests.reads_a_terminal()
  with_desktop({ { "xterm", "-fa", "DejaVuSansMono", "-fs", "10", "-e",
    "cat SAMPLE; exec sleep 1000" } }, function(desk)
    reads(desk, "xterm", sample, "xterm")
  end)
end

function tests.reads_white_on_black()
  with_desktop({ { "xterm", "-fa", "DejaVuSansMono", "-fs", "11", "-bg", "black", "-fg", "gray70", "-e",
    "cat SAMPLE; exec sleep 1000" } }, function(desk)
    reads(desk, "xterm, grey on black", sample, "xterm")
  end)
end

-- The menus, as a person works them: what is clicked is what was read.
function tests.works_menus_by_what_was_read()
  with_desktop({ { "mousepad", "--disable-server", "SAMPLE" } }, function(desk)
    local file = desk.wait_for_text("File", { window = { class = "mousepad" }, timeout = 20 })
    harness.ok(desk.mouse.click(harness.ok(file)))
    local item = desk.wait_until(function() return desk.screen.find_text "Save As" end, { timeout = 20 })
    harness.ok(item)
    if item then harness.ok(desk.mouse.click(item)) end
    harness.ok(desk.wait_for_window { title = "Save As", timeout = 20 })
  end)
end

function tests.works_a_calculator_by_what_was_read()
  with_desktop({ { "galculator" } }, function(desk)
    local display = harness.ok(desk.elements.find { app = "galculator", role = "text", timeout = 10 })
    local window = { class = "galculator" }
    harness.eq(harness.ok(desk.screen.shot { window = window }).incomplete, nil, "it has drawn what it was to draw")
    desk.settle()
    local names = {}
    for _, element in ipairs(desk.elements.list { app = "galculator" }) do
      if element.name ~= "" and element.width > 0 and element.actions > 0 then
        names[#names + 1] = element.name
      end
    end
    local text = harness.ok(desk.screen.read_text { window = window })
    local share, missed = recall(table.concat(names, " "), text or "")
    io.stdout:write(("      galculator: %.0f %% of its buttons and menus; missed: %s\n"):format(share * 100, missed))
    harness.ok(share >= 0.5, text)
    for _, name in ipairs { "9", "sqrt" } do
      local hit, err = desk.screen.find_text(name, { window = window })
      harness.ok(hit, err)
      if hit then harness.ok(desk.mouse.click(hit)) end
    end
    local shown
    desk.wait_until(function()
      shown = desk.elements.text(display)
      return shown == "3"
    end, { timeout = 20 })
    harness.eq(shown, "3", "the square root of 9, by the calculator's own display")
  end)
end

-- Buttons whose name is one letter or one sign, which is all there is around.
function tests.single_letters_and_lone_signs()
  with_desktop({ { "galculator" } }, function(desk)
    local display = harness.ok(desk.elements.find { app = "galculator", role = "text", timeout = 10 })
    local window = { class = "galculator" }
    harness.eq(harness.ok(desk.screen.shot { window = window }).incomplete, nil, "it has drawn what it was to draw")
    desk.settle()
    local _, lines = desk.screen.read_text { window = window }
    local words, missed = {}, {}
    for _, line in ipairs(harness.ok(lines)) do
      for _, word in ipairs(line.words) do words[word.text] = word end
    end
    for name in ("0 1 2 3 4 5 6 7 8 9 C ( ) + - * % = ."):gmatch "%S+" do
      if not words[name] then missed[#missed + 1] = name end
    end
    harness.eq(missed, {}, "not read")
    for _, name in ipairs { "C", "7", "-", "4", ".", "5", "=" } do harness.ok(desk.mouse.click(words[name])) end
    local shown
    desk.wait_until(function()
      shown = desk.elements.text(display)
      return shown == "2.5"
    end, { timeout = 20 })
    harness.eq(shown, "2.5", "7 - 4.5, by the calculator's own display")
  end)
end

function tests.a_picture_and_a_limit()
  with_desktop({ { "mousepad", "--disable-server", "SAMPLE" } }, function(desk)
    harness.ok(desk.elements.find { app = "mousepad", role = "text", timeout = 20 })
    harness.eq(harness.ok(desk.screen.shot { window = { class = "mousepad" } }).incomplete, nil, "it has drawn")
    desk.settle()
    local none, err = desk.screen.read_text { timeout = 0 }
    harness.eq(none, nil)
    harness.eq(err.code, "timed_out")
    local ended = task.limit(0.05, desk.screen.read_text)
    harness.eq(ended, false, "it can be cancelled")
    -- A picture from before, half its size: places are those of the screen.
    local whole = harness.ok(desk.wait_for_text("Preferences can be changed", { timeout = 30 }))
    local shot = harness.ok(desk.screen.shot { cursor = false })
    harness.ok(desk.windows.close { class = "mousepad" })
    local hit = harness.ok(desk.screen.find_text("Preferences can be changed", { image = shot }))
    harness.eq({ hit.x, hit.y }, { whole.x, whole.y })
    local larger = harness.ok(shot:scale(shot.width * 2, shot.height * 2))
    local scaled = desk.screen.find_text("Preferences can be changed", { image = larger })
    if harness.ok(scaled) then
      harness.ok(math.abs(scaled.x - whole.x) <= 2 and math.abs(scaled.y - whole.y) <= 2, scaled)
    end
  end)
end

return tests
