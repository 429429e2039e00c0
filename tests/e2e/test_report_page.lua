--- The page of `deskpilot report` in a real browser, made of a run of 600 turns with pictures of a real desktop.
local t = require "harness"
local browsing = require "browsing"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local long_run = require "long_run"
local report = require "deskpilot.cli.report"
local spawn = require "spawn"

local tests = {}

t.time_limit(180) -- it takes 600 pictures

local turns, most = 600, 2000 -- milliseconds to open it

-- Its load, as the browser has timed it: the quickest of three, since other programs want the processor too.
local function opening(tab, address)
  local best
  for _ = 1, 3 do
    assert(tab:navigate(address))
    local took = t.wait_until("the load event", function()
      local value = tab:evaluate "performance.getEntriesByType('navigation')[0].loadEventEnd"
      return value and value > 0 and value
    end, 30)
    best = math.min(best or took, took)
  end
  return best
end

local function number_of(tab, expression) return (tab:evaluate(expression)) // 1 end

local function press(desk, key, tab, what, expression, wanted)
  desk.keyboard.press(key)
  t.wait_until(what, function() return tab:evaluate(expression) == wanted end, 10)
end

local here = "(document.querySelector('section.here') || {}).id || ''"

local function keys(desk, tab)
  tab:activate()
  press(desk, "j", tab, "the first turn", here, "turn1")
  press(desk, "j", tab, "the next turn", here, "turn2")
  press(desk, "Right", tab, "the third", here, "turn3")
  press(desk, "k", tab, "the one before", here, "turn2")
  press(desk, "b", tab, "the picture after the act",
    "document.querySelector('#turn2 img.after').src.endsWith('step_0003.png')", true)
  press(desk, "b", tab, "the difference", "document.querySelector('#turn2 figure').className", "pair difference")
  press(desk, "t", tab, "the next trouble", here, "turn5")
  local dark = "document.documentElement.classList.contains('dark')"
  press(desk, "d", tab, "dark", dark, true)
  t.has(tab:evaluate "getComputedStyle(document.body).backgroundColor", "rgb(20, 23, 26)")
  press(desk, "d", tab, "light", dark, false)
  press(desk, "?", tab, "the keys", "document.getElementById('help').open", true)
  press(desk, "Escape", tab, "no keys", "document.getElementById('help').open", false)
  press(desk, "/", tab, "the search", "document.activeElement.id", "search")
  desk.keyboard.type "button number 77."
  t.wait_until("what was found", function()
    return tab:evaluate "document.getElementById('found').textContent" == "2 in 1 turns"
      or tab:evaluate "document.getElementById('found').textContent" == "1 in 1 turns"
  end, 10)
  t.eq(tab:evaluate "[...document.querySelectorAll('section')].filter(s => !s.hidden).map(s => s.id).join()", "turn77")
end

local function choose(tab, id, value)
  tab:evaluate(("{ const select = document.getElementById(%s); select.value = %s; "
    .. "select.dispatchEvent(new Event('input')); }"):format(json.encode(id), json.encode(value)))
end

local function filters(tab)
  tab:evaluate "{ const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input')); }"
  choose(tab, "persona", "vision")
  t.eq(tab:evaluate "document.getElementById('found').textContent", "208 in 200 turns", "requests and repairs")
  choose(tab, "persona", "")
  choose(tab, "kind", "question")
  t.eq(tab:evaluate "document.getElementById('found').textContent", "14 in 7 turns")
  choose(tab, "kind", "")
  t.eq(number_of(tab, "[...document.querySelectorAll('section')].filter(s => s.hidden).length"), 0)
end

-- Pictures that are far away are not fetched, and what a document says about itself holds: nothing runs but its script.
local function sparing_and_strict(tab)
  t.ok(number_of(tab, "[...document.images].filter(i => i.complete && i.naturalWidth > 0).length") < 300,
    "pictures are fetched as they come into view")
  t.eq(tab:evaluate [[new Promise(done => {
    document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective), { once: true });
    const script = document.createElement("script"); script.textContent = "window.broken = 1";
    document.body.append(script);
    setTimeout(() => done("nothing"), 3000); })]], "script-src-elem")
  t.eq(tab:evaluate "window.broken === undefined", true)
end

local function marks(tab)
  t.eq(tab:evaluate "document.querySelectorAll('#turn3 .marks .path').length", 1, "the path of a drag")
  local place = tab:evaluate [[{ const mark = document.querySelector('#turn1 .mark').getBoundingClientRect();
    const picture = document.querySelector('#turn1 img').getBoundingClientRect();
    [mark.x + mark.width / 2 - picture.x, mark.y + mark.height / 2 - picture.y].map((at, i) =>
      Math.round(1000 * at / [picture.width, picture.height][i])).join(); }]]
  t.eq(place, "137,153", "where turn 1 clicked")
  t.eq(tab:evaluate "document.querySelector('main section:last-child img').alt", "the screen at the end")
end

function tests.a_run_of_600_turns()
  local folder = spawn.folder()
  browsing.on_desktop(function(desk)
    assert(desk.apps.start { "galculator", wait = 30 })
    long_run.write(folder, turns, desk)
    local address = "file://" .. files.absolute(assert(report.write(folder)))
    local tab = assert(desk.browser.start {}):tabs()[1]
    local took = opening(tab, address)
    t.ok(took < most, ("it took %d ms to open"):format(took // 1))
    t.eq(number_of(tab, "document.querySelectorAll('#turns section').length"), turns + 1)
    t.ok(number_of(tab, "document.querySelectorAll('.timeline rect').length") > 1000)
    sparing_and_strict(tab)
    marks(tab)
    keys(desk, tab)
    filters(tab)
    t.eq(tab:evaluate "document.documentElement.scrollWidth <= innerWidth", true, "nothing sticks out")
  end)
  files.remove(folder)
end

-- Taken elsewhere it is whole: its pictures are in it.
function tests.one_file_and_two_runs_side_by_side()
  local folder = spawn.folder()
  browsing.on_desktop(function(desk)
    for _, name in ipairs { "one", "two" } do
      assert(files.make_folder(folder .. "/" .. name))
      long_run.write(folder .. "/" .. name, name == "one" and 5 or 3, desk)
    end
    local tab = assert(desk.browser.start {}):tabs()[1]
    for output, argv in pairs { ["whole.html"] = { "one" }, ["both.html"] = { "one", "two" } } do
      local words = { spawn.program, "report", "--output", folder .. "/" .. output }
      for _, name in ipairs(argv) do words[#words + 1] = folder .. "/" .. name end
      local child = spawn.run(words)
      t.eq(child.status, 0, child.stderr)
      t.ok(not files.read(folder .. "/" .. output):find('src="screenshots', 1, true))
      assert(tab:navigate("file://" .. files.absolute(folder .. "/" .. output)))
      t.wait_until("a picture in " .. output, function()
        return tab:evaluate "{ const i = document.querySelector('main img'); i && i.complete && i.naturalWidth > 0 }"
      end, 20)
    end
  end)
  files.remove(folder)
end

return tests
