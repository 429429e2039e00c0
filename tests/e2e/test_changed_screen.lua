-- A page that changes while the model thinks: an act that was decided by the picture before is not done. ROUNDS=100 for
-- more than a few of them.
local desktop = require "desktop"
local files = require "deskpilot.base.files"
local null_run = require "null_run"
local t = require "harness"
local task = require "deskpilot.base.task"

local tests = {}

local ROUNDS = tonumber(os.getenv "ROUNDS") or 6

local function with_page(fn)
  desktop.with({ size = { 1100, 900 } }, function(desk)
    t.ok(desk.browser.start { url = "file://" .. files.absolute "tests/pages/settling.html" })
    t.ok(desk.settle { quiet = 1, cap = 10 })
    fn(desk, desk.browser.current():tab())
  end)
end

local function says(tab)
  return tab:evaluate("document.getElementById('at_once').textContent", { world = "own" })
end

-- Once frames were made with it, a change is on the screen but for what a busy machine takes for that.
local drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"

-- Where the button is in the picture, in 0..1000 of it.
local function button(run)
  for _, each in ipairs(run.observation.page.elements) do
    if each.name:find("At once", 1, true) then
      local frame, box = run.observation.shot.frame, each.box
      return { (box.x + box.width / 2 - frame.x) * 1000 // frame.width,
        (box.y + box.height / 2 - frame.y) * 1000 // frame.height }
    end
  end
end

local function click(run, place)
  return run:act { tool = "click_element", why = "it is asked for", args = { label = "it", position = place },
    persona = "executor" }
end

-- The page puts something else where the button was, after so many seconds.
local function change_after(tab, seconds)
  t.eq(tab:evaluate(([[setTimeout(() => {
    const cover = document.createElement('div');
    cover.id = 'cover';
    cover.style = 'position:fixed;left:0;top:0;width:100%%;height:400px;background:black';
    document.body.append(cover);
  }, %d), 1]]):format(math.floor(seconds * 1000))), 1)
end

local function uncover(tab)
  t.eq(tab:evaluate "document.getElementById('cover').remove(), 1", 1)
end

function tests.what_has_changed_since_the_picture_is_not_clicked()
  with_page(function(desk, tab)
    local clicked, seen = 0, {}
    local function turn(run)
      local place = t.ok(button(run))
      local seconds = 0.2 + 1.8 * math.random()
      change_after(tab, seconds)
      task.sleep(seconds) -- the model thinks
      t.ok(desk.wait_until(function()
        return tab:evaluate("document.getElementById('cover') !== null", { world = "own" })
      end))
      t.eq(tab:evaluate(drawn, { world = "own" }), 1)
      task.sleep(0.05)
      local result = click(run, place)
      seen[#seen + 1] = ("%.2f s: %s"):format(seconds, result.text)
      t.eq({ result.ok, result.code }, { false, "stale" }, result.text)
      t.eq(says(tab), "At once " .. clicked)
      uncover(tab)
      desk.settle { quiet = 0.2 }
      t.ok(run:observe {})
      result = click(run, t.ok(button(run)))
      t.ok(result.ok, result.text)
      clicked = clicked + 1
      t.ok(desk.wait_until(function() return says(tab) == "At once " .. clicked end), says(tab))
      if clicked == ROUNDS then run:stop("succeeded", "done") end
    end
    local _, events = null_run.play({ task = "click it", limits = { turns = ROUNDS + 1, seconds = 600 } },
      { turn = turn, desk = desk })
    for _, event in ipairs(null_run.only(events, "error")) do t.ok(false, event.message or t.show(event)) end
    local changed = null_run.only(events, "screen_changed")
    t.eq(#seen, ROUNDS, table.concat(seen, "\n"))
    local mattered = 0
    for _, event in ipairs(changed) do mattered = mattered + (event.matters and 1 or 0) end
    t.eq(mattered, ROUNDS)
  end)
end

-- What changes elsewhere does not matter, and what never stands still is clicked at the second try.
function tests.what_changes_elsewhere_or_all_the_time()
  with_page(function(desk, tab)
    local function turn(run)
      local place = t.ok(button(run))
      t.eq(tab:evaluate "document.getElementById('found').textContent = 'changed', 1", 1)
      task.sleep(0.3)
      local result = click(run, place)
      t.ok(result.ok, result.text)
      t.eq(tab:evaluate [[setInterval(() => {
        const s = document.getElementById('at_once').style;
        s.background = s.background == 'black' ? 'white' : 'black';
      }, 70), 1]], 1)
      local refused = 0
      for _ = 1, 12 do
        t.ok(run:observe {})
        task.sleep(0.11)
        result = click(run, place)
        refused = result.ok and 0 or refused + 1
        t.ok(refused < 2, "refused twice in a row: " .. result.text)
      end
      run:stop("succeeded", "done")
    end
    null_run.play({ task = "click it", limits = { turns = 3 } }, { turn = turn, desk = desk })
  end)
end

return tests
