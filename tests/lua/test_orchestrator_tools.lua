--- The tools that the policy orchestrator looks and explores with, called one by one on a desktop that is only imagined
--- and with a tab that answers as a test wants it: what they say, what is kept of it, and what is undone.
local t = require "harness"
local exploring = require "deskpilot.agent.exploring"
local information = require "deskpilot.policies.orchestrator.information"
local null_run = require "null_run"

local tests = {}

-- A tab of a page with nothing on it.
local function blank_tab()
  return { url = "http://x/", loading = false, browser = { tabs = function() return {} end },
    dialog = function() return nil end, observe = function()
      return { title = "X", url = "http://x/", text = "", elements = {}, total = 0, ready = "complete" }
    end }
end

-- Calls fn(ask) where a browser is in front whose tab is this one; ask(name, args) is a tool's answer.
local function with_tab(tab, fn, flags)
  flags = flags or {}
  flags["observe.page"] = false
  local played = null_run.play({ task = "x" }, { flags = flags, turn = function(run)
    run.config:declare { owner = "policies/orchestrator", section = "orchestrator",
      options = require "deskpilot.policies.orchestrator".options }
    local browser = tab and { tab = function() return tab end }
    run.desk.browser.of_window = function() return browser end
    run.desk.browser.current = function() return browser end
    fn(function(name, args)
      return t.ok(require("deskpilot.tools." .. name).run({ desk = run.desk, run = run, config = run.config,
        persona = "orchestrator", observation = run.observation }, args))
    end, run)
    run:stop("succeeded", "asked")
  end })
  t.eq(played.outcome.reason, "asked", "it came to its end")
end

function tests.a_page_is_not_ready_while_it_loads_or_asks_something()
  local dialog
  local tab = { loading = true, dialog = function() return dialog end }
  with_tab(tab, function(ask)
    t.eq(ask "check_page_ready", "NOT READY: the page is still loading")
    tab.loading, dialog = false, { message = "Leave?" }
    t.eq(ask "check_page_ready", 'NOT READY: a dialog blocks the page: "Leave?"')
    dialog = nil
    t.eq(ask "check_page_ready", "READY: the page has loaded, and the screen is quiet")
  end)
end

function tests.the_whole_page_is_asked_of_the_browser()
  local tab, asked = {}, nil
  with_tab(tab, function(ask, run)
    function tab:screenshot(options)
      asked = options
      return self and run.desk.screen.shot { region = { 0, 0, 90, 300 } }
    end
    t.has(ask("take_screenshot", { whole_page = true }).text, "a picture of the whole page, 90x300 pixels")
  end)
  t.eq(asked, { full_page = true })
end

function tests.what_stands_behind_words_is_read_from_the_page_before_the_desktop()
  local tab = { observe = function() return { text = "Total: 42\nNumber:\n4711" } end }
  with_tab(tab, function(ask, run)
    run.desk.elements.list = function()
      return { { name = "Total: 7", text = "" }, { name = "Sum: 9", text = "" } }
    end
    for words, value in pairs { ["Total:"] = "42", ["Number:"] = "4711", ["Sum:"] = "9" } do
      t.eq(ask("extract_data", { name = "v", after = words }), "kept ${v} = " .. value)
      t.eq(run.memory:get "v", value)
    end
    run.observation.elements = { { number = 5, role = "entry", name = "Price", text = "12.50" } }
    t.eq(ask("extract_data", { name = "v", number = 5 }), "kept ${v} = 12.50")
    local extract = require "deskpilot.tools.extract_data".run
    local ctx = { desk = run.desk, run = run, config = run.config, observation = run.observation }
    t.fails("not_found", 'nothing on the screen says "Weight:" with something behind it',
      extract(ctx, { name = "w", after = "Weight:" }))
    t.fails("not_found", "there is no element [6]", extract(ctx, { name = "w", number = 6 }))
    t.eq(run.memory:get "w", nil)
  end)
end

function tests.a_screen_that_goes_on_changing_is_not_ready()
  with_tab(nil, function(ask, run)
    for reason, words in pairs { cap = "NOT READY: the screen is still changing",
      quiet = "READY: the screen is quiet" } do
      run.desk.settle = function() return { reason = reason } end
      t.eq(ask "check_page_ready", words)
    end
  end)
end

function tests.the_past_is_recalled_by_its_words_and_so_much_of_it()
  with_tab(nil, function(ask, run)
    for i = 1, 30 do
      run.history:add(i, "action", ("press_key(%q) -> pressed"):format(i % 2 == 0 and "up" or "down"))
    end
    local function lines(args) return select(2, ask("recall_history", args):gsub("press_key", "")) end
    t.eq({ lines {}, lines { steps = 3 }, lines { steps = 30, contains = "UP" } }, { 20, 3, 15 })
  end, { ["history.kept"] = 50 })
end

-- What a tool has found is kept until the screen is another one, in words or in pixels; a caret may blink.
function tests.what_was_found_is_kept_until_the_screen_changes()
  with_tab(nil, function(_, run)
    local change
    local function seen(title, pixels)
      local shot = { width = 9, height = 9, frame = run.observation.shot.frame }
      function shot:difference() return self and change end
      return { elements = {}, missing = {}, shot = shot, bytes = pixels, windows = {},
        window = { title = title, class = "", pid = 1 } }
    end
    local asked, s = 0, run.state
    s.iteration = 0
    local look = information.looker(run, { get = function() return {} end })
    local function words(observation)
      run.observation, s.iteration = observation, s.iteration + 1
      information.begin(run)
      return look("inspect_page", { contains = "x" }, function()
        asked = asked + 1
        return { text = "found " .. asked }
      end).text
    end
    t.eq(words(seen("A", "1")), "found 1")
    t.eq(words(seen("A", "1")), "(as in iteration 1; nothing has changed since) found 1")
    change = { width = 4 }
    t.has(words(seen("A", "2")), "nothing has changed", "as wide as a caret")
    change = { width = 5 }
    t.eq(words(seen("A", "3")), "found 2")
    change = nil
    t.eq(words(seen("B", "4")), "found 3", "the same pixels with another title")
    t.has(words(seen("B", "5")), "(as in iteration 5; nothing has changed since) found 3")
  end)
end

-- --- exploring ------------------------------------------------------------------------------------------------------

function tests.a_place_of_the_desktop_is_hovered_over()
  local played = null_run.play({ task = "x" }, { turn = function(run)
    local over, clicked
    run.desk.mouse.hover = function(target)
      over = { require "deskpilot.desk.picture.points".resolve(run.desk, target) }
      return true
    end
    run.desk.mouse.click = function() clicked = true return true end
    local function explore(how)
      return run:act { tool = "explore", args = { how = how, position = { 500, 500 },
        justification = "It may say what it is for." } }
    end
    local result = explore "hover"
    t.ok(result.ok, result.text)
    t.eq({ over, clicked }, { { 200, 200 } })
    t.ok(explore "info".ok and clicked)
    result = run:act { tool = "explore", args = { how = "hover", justification = "It may say what it is for." } }
    t.has(result.text, "explore wants index, element or position, one of them")
    run:stop("succeeded", "explored")
  end })
  t.eq(played.outcome.reason, "explored")
end

function tests.on_a_page_only_what_is_in_view_is_tried_and_only_a_field_is_focused()
  local clicked
  local tab = blank_tab()
  function tab:click(element)
    clicked = element.name
    return self ~= nil
  end
  with_tab(tab, function(ask, run)
    local box = { x = 1, y = 1, width = 20, height = 20 }
    run.observation.tab, run.observation.page = tab, { elements = {
      { index = 1, role = "textbox", name = "Name", states = { editable = true }, in_view = true, box = box },
      { index = 2, role = "textbox", name = "Town", states = { editable = true }, in_view = false, box = box },
      { index = 3, role = "button", name = "Save", states = { focusable = true }, in_view = true, box = box } } }
    local explore = require "deskpilot.tools.explore".run
    local ctx = { desk = run.desk, run = run, config = run.config }
    t.fails("refused", "[2] is not in view", explore(ctx, { how = "focus", index = 2 }))
    t.fails("refused", "only a field can be given the focus", explore(ctx, { how = "focus", index = 3 }))
    t.eq(clicked, nil)
    t.has(ask("explore", { how = "focus", index = 1 }), "by focus: nothing was left by it")
    t.eq(clicked, "Name")
    ask("explore", { how = "open_menu", index = 3 })
    t.eq(clicked, "Save")
  end)
end

function tests.what_cannot_be_undone_is_told_as_such()
  local question = { message = "Delete everything?" }
  local tab = blank_tab()
  function tab:dialog() return self and question end
  with_tab(tab, function(_, run)
    local ctx, told = { desk = run.desk, run = run, config = run.config }, {}
    run.emit = function(_, name, event) told[#told + 1] = name .. ": " .. tostring(event.message) end
    function tab:dismiss_dialog() return self and nil end
    local words = "UNEXPECTED: it led to a question of the page (Delete everything?) "
    t.eq(exploring.after(ctx, exploring.before(ctx)), words .. "(it could NOT be undone)")
    t.eq(told, { "guard: " .. words .. "(it could NOT be undone)" })
    function tab:dismiss_dialog() question = nil return self ~= nil end
    t.eq(exploring.after(ctx, exploring.before(ctx)), words .. "(undone)")
    run.emit = nil
  end)
end

return tests
