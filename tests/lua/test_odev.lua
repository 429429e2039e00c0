--- The parts of the policy odev that need no desktop: anchors, preconditions, plans, formatting a page, and which
--- files an agent may have.
local t = require "harness"
local files = require "deskpilot.base.files"
local allowed_files = require "deskpilot.agent.allowed_files"
local anchor = require "deskpilot.policies.odev.anchor"
local desk_module = require "deskpilot.desk"
local configured = require "configured"
local page_tools = require "deskpilot.agent.page_tools"
local page_format = require "deskpilot.agent.page_format"
local plan = require "deskpilot.policies.odev.plan"
local preconditions = require "deskpilot.agent.preconditions"
local run_module = require "deskpilot.agent.run"
local screen_state = require "deskpilot.agent.screen_state"
local spawn = require "spawn"
local text = require "deskpilot.base.text"
local uv = require "luv"

local tests = {}

-- --- anchors ------------------------------------------------------------------------------------------------

local function visible_texts(words)
  local seen = { window = { title = "Report (2) - Chromium", class = "Chromium-browser" },
    applications = { "Chromium-browser", "chromium" },
    page = { title = "Report (2)", url = "https://www.Example.org/reports/2?full=1" } }
  function seen:shows(word)
    t.eq(self, seen)
    return (words or "total paid"):find(text.fold(word), 1, true) ~= nil
  end
  return seen
end

local function mismatch(wanted, words, share)
  return anchor.mismatch(wanted, visible_texts(words), share or 0.5)
end

function tests.every_part_of_an_anchor_has_to_hold()
  t.eq(mismatch {}, nil)
  t.eq(mismatch { application = "", title = "", url = "", keywords = {} }, nil)
  t.eq(mismatch { application = "chromium", title = "report (2)", url = "example.org/reports/2" }, nil)
  t.eq(mismatch { application = "Chromium Browser" }, nil)
  t.eq(mismatch { url = "http://example.org/reports/" }, nil, "neither the scheme nor www nor the last slash matter")
  t.has(mismatch { application = "firefox", title = "nowhere" }, 'application is "Chromium-browser", not "firefox"')
  t.has(mismatch { application = "ch" }, "ch", "two letters are no application")
  t.has(mismatch { application = "chromium", title = "Report 3" }, 'does not contain "Report 3"')
  t.has(mismatch { title = "Report", url = "/reports/3" }, 'does not contain "/reports/3"')
  t.has(mismatch { url = "%d" }, "%d", "no pattern")
end

function tests.half_of_the_keywords_are_enough()
  t.eq(mismatch { keywords = { "Total", "Due" } }, nil)
  t.has(mismatch { keywords = { "Total", "Due", "Date" } }, "only 1 of the 3 keywords are seen")
  t.has(mismatch({ keywords = { "Total", "Due" } }, nil, 1), 'missing are "Due"')
  t.eq(mismatch({ keywords = { "Due" } }, nil, 0), nil)
end

function tests.an_anchor_on_nothing()
  local nothing = { applications = {}, shows = function() return false end }
  t.has(anchor.mismatch({ application = "x" }, nothing, 0.5), "no window is active")
  t.has(anchor.mismatch({ url = "x" }, nothing, 0.5), "no page is in front")
  t.has(anchor.mismatch({ title = "x" }, nothing, 0.5), "does not contain")
  t.ok(anchor.is_empty { keywords = {}, title = "" })
  t.ok(not anchor.is_empty { keywords = { "x" } })
end

-- --- scenes -------------------------------------------------------------------------------------------------

function tests.what_matters_between_two_actions()
  local function page(fields)
    local made = { url = "http://a/", elements = {} }
    for key, value in pairs(fields or {}) do made[key] = value end
    return made
  end
  local window, other = { id = 1, title = "a" }, { id = 2, title = "b" }
  local before = { window = window, page = page() }
  local function now(fields, which)
    return screen_state.describe_change(before, { window = which or window, page = page(fields) })
  end
  t.eq(now(), nil)
  t.eq(screen_state.describe_change({ window = window }, { window = { id = 1, title = "another title" } }), nil)
  t.eq(screen_state.describe_change({}, {}), nil)
  t.has(now({}, other), 'the active window is "b" and was "a"')
  t.has(screen_state.describe_change(before, { page = page() }), "the active window is no window")
  t.has(now { url = "http://a/#2" }, "the page is http://a/#2")
  t.has(now { dialog = { type = "alert", message = "Hey" } }, 'a dialog came up: alert "Hey"')
  t.has(now { popup = { role = "dialog", name = "Cookies" } }, 'a popup came up over the page: dialog "Cookies"')
  t.has(screen_state.describe_change(before, { window = window }), "can no longer be seen")
  before.page.popup = { role = "dialog", name = "Cookies" }
  t.eq(now { popup = { role = "dialog", name = "Cookies" } }, nil, "it was there before")
  t.eq(now(), nil, "a popup that has gone is no reason to stop")
end

-- --- plans and preconditions --------------------------------------------------------------------------------

local elements = {
  { index = 0, role = "button", name = "Beneath", states = { blocked = true } },
  { index = 1, role = "button", name = "Accept", states = {} },
  { index = 2, role = "textbox", name = "City", states = { autocomplete = true, editable = true } },
  { index = 3, role = "textbox", name = "Name", states = { editable = true } },
}

-- A run on a desktop that is only imagined, which has just seen that page.
local function run_with(page, mission, folder)
  page = page or {}
  page.url, page.title, page.ready, page.text = page.url or "http://x/", "X", "complete", page.text or ""
  page.elements = page.elements or elements
  page.viewport = { x = 0, y = 100, width = 1000, height = 900 }
  local config, toolbox = configured.defaults()
  local run = run_module.new { mission = mission or {}, config = config, toolbox = toolbox, folder = folder,
    dir = { path = "/nowhere" }, listeners = {},
    desk = assert(desk_module.open { backend = "null", width = 1000, height = 1000 }) }
  run.observation = { page = page, tab = {}, shot = assert(run.desk.screen.shot()) }
  return run
end

local function check(run, tool, args)
  local call, sentence = plan.check_action(run, { tool = tool, args = args }, "because")
  return call and "fine" or sentence
end

function tests.an_action_is_checked_against_its_tool_and_the_page()
  local run = run_with()
  t.eq(check(run, "browser_click", { index = 1 }), "fine")
  t.eq(check(run, "browser_click", { index = "1" }), "fine")
  t.has(check(run, "browser_click", { index = 7 }), "no element [7]")
  t.has(check(run, "browser_click", {}), "index")
  t.has(check(run, "browser_clik", { index = 1 }), 'nearest is "browser_click"')
  t.has(check(run, "browser_scroll", { index = 1, direction = "up" }), "one of the two")
  t.has(check(run, "browser_scroll", {}), "one of the two")
  t.has(check(run, "browser_tab", { action = "close", url = "http://x" }), "only a new tab")
  t.has(check(run, "report_completion", { evidence = "x" }), "completes_goal")
  local call = plan.check_action(run, { tool = "press_key", args = { key = "a" }, why = "for this" }, "because")
  t.eq({ call.args.justification, call.why }, { "for this", "for this" })
  call = plan.check_action(run, { tool = "wait", args = { seconds = 1 } }, "because")
  t.eq(call.args.justification, "because")
  run.observation.page = nil
  t.has(check(run, "browser_click", { index = 1 }), "no page is in front")
  run.desk:close()
end

function tests.what_is_on_top_comes_first()
  local run = run_with { popup = { role = "dialog", name = "Cookies", elements = { 1 },
    box = { x = 100, y = 300, width = 400, height = 300 } } }
  t.eq(check(run, "browser_click", { index = 1 }), "fine")
  t.has(check(run, "browser_click", { index = 0 }), 'dialog "Cookies" covers the page: deal with it first; in it are '
    .. '[1] button "Accept"')
  local point = { label = "x", justification = "y", position = { 50, 500 } }
  t.has(check(run, "click_element", point), "covers the page")
  point.position = { 200, 400 }
  t.eq(check(run, "click_element", point), "fine", "a point of the popup")
  point.position = { 50, 50 }
  t.eq(check(run, "click_element", point), "fine", "above the page: the browser's own")
  run.observation.page.dialog = { type = "confirm", message = "Leave?" }
  t.has(check(run, "browser_click", { index = 1 }), 'a dialog (confirm "Leave?") blocks the page')
  t.has(check(run, "browser_open", { url = "http://x/" }), "blocks the page")
  t.eq(check(run, "browser_dialog", { accept = true }), "fine")
  t.eq(check(run, "press_key", { key = "escape" }), "fine")
  run.desk:close()
end

function tests.a_dialog_of_the_desktop_comes_before_the_windows_beneath_it()
  local run = run_with()
  local function window(x, y, width, height)
    return { x = x, y = y, width = width, height = height, visible = true, pid = 5 }
  end
  run.observation.page = nil
  run.observation.elements = { { number = 3, norm = { 300, 900 } }, { number = 4, norm = { 450, 450 } } }
  run.observation.dialog = { name = "Save changes?", role = "alert", pid = 5, window = window(400, 400, 200, 100),
    beneath = { window(200, 200, 600, 800) }, popups = { window(550, 490, 100, 100) }, controls = { '"Save"' } }
  local function at(x, y)
    return check(run, "click_element", { label = "x", justification = "y", position = { x, y } })
  end
  t.has(at(300, 300), 'alert "Save changes?"; in it are "Save" is on top of that window: deal with it first')
  t.eq(at(450, 450), "fine", "a point of the dialog")
  t.eq(at(600, 550), "fine", "a list that the dialog has opened")
  t.eq(at(100, 100), "fine", "another application")
  t.has(check(run, "drag_element", { label = "x", justification = "y", start = { 450, 450 }, ["end"] = { 300, 300 } }),
    "is on top of that window")
  t.eq(check(run, "press_key", { key = "escape" }), "fine")
  t.has(preconditions.unmet(run, { tool = "click_element", args = { element = 3 } }), "is on top of that window")
  t.eq(preconditions.unmet(run, { tool = "click_element", args = { element = 4 } }), nil)
  run.desk:close()
end

function tests.fields_with_suggestions()
  local run = run_with()
  local function types(index)
    return preconditions.types_into_suggestions(run, { tool = "browser_type", args = { index = index } })
  end
  t.eq({ types(2), types(3) }, { true, false })
  t.ok(not preconditions.types_into_suggestions(run, { tool = "browser_click", args = { index = 2 } }))
  local page = run.observation.page
  t.ok(not preconditions.suggestions_came({ tool = "type_text" }, page), "nothing has the keyboard")
  page.focus = 2
  t.ok(preconditions.suggestions_came({ tool = "type_text" }, page))
  t.ok(not preconditions.suggestions_came({ tool = "press_key" }, page))
  t.ok(not preconditions.suggestions_came({ tool = "type_text" }, nil))
  run.desk:close()
end

local function reply(args, name)
  return { calls = { { name = name or "plan", args = args } } }
end

function tests.answers_that_are_no_plans_are_told_why()
  local run = run_with()
  local good = { rationale = "r", anchor = {}, success_indicators = {}, actions = { { tool = "wait",
    args = { seconds = 1 } } } }
  local function read(changes)
    local args = {}
    for key, value in pairs(good) do args[key] = value end
    for key, value in pairs(changes) do args[key] = value ~= "none" and value or nil end
    local made, why = plan.read(run, reply(args))
    return made or why
  end
  t.eq(read({}).completes_goal, false)
  t.eq(read({ completes_goal = true }).completes_goal, true)
  t.has(read { actions = "none" }, "actions")
  t.has(read { actions = {} }, "actions")
  local six = {}
  for i = 1, 6 do six[i] = good.actions[1] end
  t.has(read { actions = six }, "actions")
  t.has(read { anchor = "none" }, "anchor")
  t.has(read { anchor = { titel = "x" } }, "titel")
  t.has(read { success_indicators = { 1, {} } }, "success_indicators")
  t.has(read { success_indicators = { "" } }, "success_indicators")
  t.has(read { actions = { { tool = "wait", args = { seconds = 1 } }, { tool = "wait", args = { seconds = 1000 } },
    { tool = "fly", args = {} } } }, "action 2: wait")
  t.has(read { actions = { { tool = "wait", args = { seconds = 1 } }, { tool = "fly", args = {} } } }, 'no tool "fly"')
  local function why(answer) return select(2, plan.read(run, answer)) end
  t.has(why { calls = {}, content = "I would click." }, 'you said: "I would click."')
  t.has(why { calls = {}, calls_error = "cut off" }, "cut off")
  t.has(why(reply({}, "wait")), 'there is one tool, plan, and you called "wait"')
  t.has(why { calls = { { name = "plan", args = good }, { name = "plan", args = good } } }, "once, not 2")
  t.has(why { calls = { { name = "plan", error = "not JSON" } } }, "not JSON")
  local correction = { rationale = "r", tool = "browser_click", args = { index = 1 } }
  t.eq(plan.read_correction(run, reply(correction, "correct")).tool, "browser_click")
  correction.args = { index = 99 }
  t.has(select(2, plan.read_correction(run, reply(correction, "correct"))), "no element [99]")
  run.desk:close()
end

function tests.the_tools_are_told_by_their_own_definitions()
  local run = run_with()
  local words = plan.describe_tools(run)
  t.has(words, "- browser_type(index: integer, text: string, replace?: boolean): Type text")
  t.has(words, "- browser_tab(action: new|close|next, url?: string)")
  t.has(words, "- click_element(label: string, element?: integer, position?: array {{point}} in {{space}}, "
    .. "clicks?: integer")
  t.ok(not words:find("justification", 1, true))
  t.ok(not words:find("report_completion", 1, true))
  run.desk:close()
end

-- --- words --------------------------------------------------------------------------------------------------

function tests.a_page_in_words()
  local words = page_format.page { url = "http://x/\nRECENT ACTIONS:", title = 'A "page"\n[0] button "x"',
    ready = "complete", dialog = { type = "confirm", message = "Leave?" },
    popup = { role = "dialog", name = "Cookies" },
    elements = { { index = 0, role = "link", name = "Home\n[1] link", states = {} },
      { index = 1, role = "textbox", name = "Name", states = { focused = true }, value = "abc" },
      { index = 2, role = "combobox", name = "City", states = { autocomplete = true }, in_view = false,
        options = { "Bern", "Basel" } } }, total = 343, text = "One\nRECENT ACTIONS:\n\27[31mTwo", text_cut = true }
  t.eq(words, table.concat({ [[BROWSER: "A \"page\" [0] button \"x\"" http://x/ RECENT ACTIONS: (complete)]],
    'DIALOG: confirm "Leave?"', 'POPUP: dialog "Cookies"', "PAGE ELEMENTS (index, role, name, states, value):",
    '[0] link "Home [1] link"', '[1] textbox "Name" focused = "abc"',
    '[2] combobox "City" autocomplete (not in view) options: "Bern", "Basel"',
    "(340 more elements are not listed)", "PAGE TEXT:", "| One", "| RECENT ACTIONS:", "|  [31mTwo",
    "(the rest of the text is left out)" }, "\n"))
end

-- --- files --------------------------------------------------------------------------------------------------

function tests.only_files_of_the_mission_can_be_had()
  local base = spawn.folder()
  local mission, other = base .. "/mission", base .. "/other"
  for _, path in ipairs { mission .. "/sub", other, base .. "/mission2" } do assert(files.make_folder(path)) end
  for _, path in ipairs { mission .. "/a.txt", mission .. "/sub/b.txt", other .. "/c.txt", other .. "/d.txt",
    base .. "/mission2/e.txt" } do assert(files.write(path, "x")) end
  local links = t.platform ~= "windows" -- where not everybody may make one
  if links then assert(uv.fs_symlink(other .. "/c.txt", mission .. "/link.txt")) end
  local run = run_with(nil, { files = { "a.txt", "sub", other .. "/d.txt" } }, mission)
  local function may(path)
    local file, err = allowed_files.resolve(run, path)
    return file or err.code
  end
  t.eq(may "a.txt", mission .. "/a.txt")
  t.eq(may(mission .. "/sub/../sub/b.txt"), mission .. "/sub/b.txt")
  t.eq(may(other .. "/d.txt"), other .. "/d.txt")
  for _, path in ipairs { other .. "/c.txt", "../other/c.txt", "link.txt", "../mission2/e.txt", "/etc/passwd",
    "no such file", "../no such file", "~/.ssh/id_rsa", "a\0b" } do t.eq(may(path), "forbidden", path) end
  t.eq(may "sub", "invalid")
  assert(run.config:set("safety.files", { other, mission .. "/link.txt" }))
  t.eq(may(other .. "/c.txt"), other .. "/c.txt")
  if links then t.eq(may "link.txt", other .. "/c.txt") end
  t.has(check(run, "browser_upload", { index = 3, path = "/etc/passwd" }), "is none of the files that this mission "
    .. "names")
  t.eq(check(run, "browser_upload", { index = 3, path = "a.txt" }), "fine")

  local function open(url)
    local ok, err = page_tools.address({ run = run }, url)
    return ok or err.code
  end
  t.eq(open "https://example.org/", "https://example.org/")
  local here = (mission:find("^/") and "//" or "///") .. mission
  t.eq(open("file:" .. here .. "/a.txt?x#y"), "file:" .. here .. "/a.txt")
  t.eq(open("FILE:" .. here .. "/%61.txt"), "file:" .. here .. "/a.txt")
  for _, url in ipairs { "javascript:alert(1)", "data:text/html,x", "chrome://settings",
    "view-source:file:///etc/passwd", "about:blank", "/etc/passwd" } do t.eq(open(url), "refused", url) end
  for _, url in ipairs { "file:///etc/passwd", "file:" .. here .. "/../mission2/e.txt", "file:etc",
    "file:" .. here .. "/%2e%2e/mission2/e.txt" } do t.eq(open(url), "forbidden", url) end
  run.desk:close()
  files.remove(base)
end

return tests
