--- What an agent may act on, use and give away, and what a person has to allow first: real runs of the loop and the
--- guards on the imagined desktop, with windows that the test makes up.
local t = require "harness"
local act_subject = require "deskpilot.agent.act_subject"
local configured = require "configured"
local files = require "deskpilot.base.files"
local glob = require "deskpilot.base.glob"
local lists = require "deskpilot.agent.safety_lists"
local null_run = require "null_run"
local spawn = require "spawn"
local uv = require "luv"

local tests = {}

-- Applications that there are profiles of: a calculator and a terminal.
local calculator, shell = "galculator", "xterm"
if t.platform == "windows" then calculator, shell = "Calculator", "Command Prompt" end

-- --- patterns -------------------------------------------------------------------------------------------------

function tests.a_star_stands_for_anything()
  for pattern, names in pairs { ["gimp*"] = { gimp = true, ["GIMP-2.10"] = true, xgimp = false },
    ["*term*"] = { xterm = true, terminal = true, tern = false }, ["a*b*c"] = { abc = true, aXbXc = true, acb = false },
    ["*"] = { [""] = true, x = true }, [""] = { [""] = true, x = false }, ["a.c"] = { abc = false, ["a.c"] = true },
    ["**x"] = { x = true, xx = true, xy = false }, ["ab*ab"] = { abab = true, ab = false, aba = false },
    ["*ab*b"] = { abb = true, ab = false, abab = true } } do
    for name, want in pairs(names) do t.eq(glob.matches(pattern, name), want, pattern .. " " .. name) end
  end
  local began = uv.hrtime()
  t.eq(glob.matches(("*a"):rep(200) .. "b", ("a"):rep(20000)), false)
  t.ok((uv.hrtime() - began) / 1e9 < 5, "it takes the product of both lengths at most")
end

-- Each question to the window manager is a wait.
function tests.keys_and_texts_ask_for_the_active_window_alone()
  local active, asked = { id = 1, title = "A", class = "a", executable = "/usr/bin/a", pid = 1 }, 0
  local run = { desk = { windows = { active = function()
    asked = asked + 1
    return active
  end, list = function() error "all windows were asked for" end } } }
  for _, act in ipairs { { act = "keys", keys = { a = true } }, { act = "text", words = "a" } } do
    local subject = act_subject.of(run, act, function() return true end)
    t.eq(subject.window, active)
    t.eq(subject.names[1], "a")
  end
  t.eq(asked, 2)
end

-- A configuration of what these places say.
local function config_of(layers, flags)
  local order = {}
  for _, source in ipairs { "the user configuration", "the project's deskpilot.lua", "the mission" } do
    if layers[source] then order[#order + 1] = { source = source, values = layers[source] } end
  end
  return assert((configured.settings()):resolve { layers = order, environment = {},
    flags = flags and { source = "a flag", values = flags } })
end

local function user(values) return config_of { ["the user configuration"] = { safety = values } } end

function tests.sites_are_hosts_with_what_lies_below_them()
  local function fits(pattern, url) return lists.site(user { sites = { allow = { pattern } } }, url) == nil end
  for _, case in ipairs { { "example.com", "https://example.com/x?y#z" },
    { "example.com", "http://EXAMPLE.com.:8080/" },
    { "*.example.com", "https://a.b.example.com/" }, { "*.example.com", "https://example.com/" },
    { "https://example.com", "https://example.com/" }, { "example.com:8080", "http://example.com:8080/" },
    { "example.com:443", "https://example.com/" }, { "https://*.example.com/*", "https://a.example.com/b" },
    { "127.0.0.1", "http://127.0.0.1:5000/" }, { "file:", "file:///a/b" }, { "[::1]", "http://[::1]:80/" },
    { "example.com", "blob:https://example.com/1-2" }, { "x.com", "about:blank" }, { "x.com", "chrome://newtab/" } } do
    t.eq(fits(case[1], case[2]), true, case[1] .. " " .. case[2])
  end
  for _, case in ipairs { { "example.com", "https://a.example.com/" },
    { "example.com", "https://example.com.evil.org/" },
    { "example.com", "https://evil.org/example.com" }, { "*.example.com", "https://notexample.com/" },
    { "example.com", "https://example.com@evil.org/" },
    { "example.com", "https://evil.org#@example.com" }, { "https://example.com", "http://example.com/" },
    { "example.com:8080", "http://example.com/" }, { "*", "file:///etc/passwd" }, { "*", "chrome://settings/" },
    { "*", "data:text/html,x" }, { "example.com", "view-source:https://evil.org/" }, { "*", "not an address" } } do
    t.eq(fits(case[1], case[2]), false, case[1] .. " " .. case[2])
  end
  t.eq(lists.site(user {}, "https://anything.org/"), nil, "without a list everything is allowed")
  t.eq(lists.site(user {}, nil), nil)
  t.has(lists.site(user { sites = { deny = { "x.com" } } }, nil), "it cannot be told which site")
end

function tests.all_places_have_to_agree()
  local config = config_of({ ["the user configuration"] = { safety = { apps = { allow = { "gimp*", "xterm" } } } },
    ["the project's deskpilot.lua"] = { safety = { apps = { allow = { "*" }, deny = { "xterm" } } } },
    ["the mission"] = { safety = { apps = { allow = { "gimp", "firefox" } } } } },
    { ["safety.apps.deny"] = "gimp-old" })
  t.eq(lists.app(config, { "GIMP", "gimp-2.10" }), nil)
  t.has(lists.app(config, { "xterm" }), "is denied by safety.apps.deny (xterm, from the project's deskpilot.lua)")
  t.has(lists.app(config, { "firefox" }), "firefox is not in safety.apps.allow (from the user configuration)")
  t.has(lists.app(config, { "gimp-3" }), "is not in safety.apps.allow (from the mission)")
  t.has(lists.app(config, { "gimp", "gimp-old" }), "from a flag")
  t.has(lists.app(user { apps = { allow = {} } }, { "x" }), "is not in safety.apps.allow",
    "an empty list allows nothing")
  t.eq(#lists.in_force(config), 5)
end

function tests.a_project_only_adds_to_what_is_asked_for()
  local function wanted(layers) return require "deskpilot.agent.approval".wanted(config_of(layers)) end
  local function project(list) return { safety = { approve = list } } end
  t.eq(wanted {}, { pay = true, shell = true })
  t.eq(wanted { ["the project's deskpilot.lua"] = project {} }, { pay = true, shell = true })
  t.eq(wanted { ["the project's deskpilot.lua"] = project { "upload" } }, { pay = true, shell = true, upload = true })
  t.eq(wanted { ["the user configuration"] = project {} }, {})
  t.eq(wanted { ["the user configuration"] = project { "close" }, ["the mission"] = project {} }, { close = true })
  t.fails("invalid", "may hold only", (configured.settings()):resolve { environment = {}, layers = {
    { source = "the mission", values = project { "everything" } } } })
end

function tests.nested_sections_are_spelt_right_or_told_of()
  local _, err = (configured.settings()):resolve { environment = {}, layers = {
    { source = "the mission", values = { safety = { apps = { alow = { "x" } } } } } } }
  t.has(tostring(err), "did you mean 'safety.apps.allow'?")
  _, err = (configured.settings()):resolve { environment = {}, layers = {
    { source = "the mission", values = { safety = { apps = { "x" } } } } } }
  t.has(tostring(err), "there is no configuration key 'safety.apps.1'")
  _, err = (configured.settings()):resolve { environment = {}, layers = {
    { source = "the mission", values = { safety = { apps = "x" } } } } }
  t.has(tostring(err), "safety.apps is 'x', but must be a table of keys")
end

function tests.a_site_that_fits_nothing_is_an_error()
  for _, pattern in ipairs { "https://example.com/path", "user@example.com", "exa mple.com", "", "https://",
    "m\u{fc}ller.de", "example.com?x" } do
    local _, err = (configured.settings()):resolve { environment = {}, layers = { { source = "the mission",
      values = { safety = { sites = { deny = { pattern } } } } } } }
    t.has(tostring(err), "safety.sites.deny is a table, but may hold only hosts such as *.example.com", pattern)
  end
end

-- --- a desktop of windows ---------------------------------------------------------------------------------------

local function window(id, class, rest)
  local made = { id = 100 + id, pid = id * 10, -- no window that the imagined desktop has itself
    title = class, class = class, executable = "/usr/bin/" .. class:lower(),
    x = 0, y = 0, width = 500, height = 500, visible = true, minimized = false, maximized = false, active = false,
    layer = 0 }
  for key, value in pairs(rest or {}) do made[key] = value end
  return made
end

local function element(index, role, name, pid, x, y)
  return { index = index, role = role, name = name, pid = pid, x = x, y = y, width = 100, height = 40, app = "x",
    depth = index == 1 and 1 or 2, parent = index > 1 and 1 or nil, states = { showing = true, enabled = true },
    actions = 0, handle = tostring(index) }
end

local function take_over(run, world)
  local desk = run.desk
  local function replace(part, methods) desk[part] = setmetatable(methods, { __index = desk[part] }) end
  local function active()
    for _, one in ipairs(world.windows) do if one.active then return one end end
    return nil, require "deskpilot.base.errors".new("not_found", "no window is active")
  end
  replace("windows", { list = function() return world.windows end, active = active, find = function(what)
    for _, one in ipairs(world.windows) do
      if one.id == what.id or what.title and one.title:find(what.title, 1, true) then return one end
    end
  end, focus = function(which)
    local id = type(which) == "table" and which.id or which
    local ok, err = desk.input.may_act { act = "focus", window = desk.windows.find { id = id } }
    if not ok then return nil, err end
    for _, one in ipairs(world.windows) do one.active = one.id == id end
    return true
  end })
  replace("elements", { locate = function(seen) return seen end, list = function() return world.elements or {} end,
    at = function() return world.popup end })
  desk.browser.of_window = function() return nil end
  world.typed = {}
  local native = require "deskpilot.desk.input.typing"
  world.real_type = native.type
  native.type = function(_, _, words)
    world.typed[#world.typed + 1] = words
    return true
  end
end

-- Plays calls in a run; gives their results, the run and its events.
local function play(mission, calls, windows, rest)
  local world = { windows = windows, results = {} }
  for key, value in pairs(rest or {}) do world[key] = value end
  mission.task = "x"
  local screen, observe = null_run.thousand, world.observe or "nil"
  local run, events = null_run.play(mission, { observe = observe, screen = screen, turn = function(run)
    take_over(run, world)
    if world.prepare then world.prepare(run, world) end
    for i, call in ipairs(calls) do
      if call.tool:find "click" then call.args.label = "It" end
      world.results[i] = run:act { tool = call.tool, args = call.args, why = "the reason" }
      if call.done then call.done(run, world) end
    end
    require "deskpilot.desk.input.typing".type = world.real_type
    if not run.outcome then run:stop("succeeded", "done") end
  end })
  local ended = run.outcome.status -- a claim that nothing has checked counts where a tool has made it
  t.ok(ended == "succeeded" or ended == "claimed", ("%s: %s"):format(ended, run.outcome.reason))
  return world.results, world, events, run
end

local function click(x, y) return { tool = "click_element", args = { position = { x, y } } } end
local function press(key) return { tool = "press_key", args = { key = key } } end
local function type_text(words) return { tool = "type_text", args = { text = words } } end

-- The sentence of a refusal, or "done".
local function said(result) return result.ok and "done" or result.code .. ": " .. result.text end

local function two_windows()
  return { window(1, "Notes", { active = true }), window(2, "Bank", { x = 500, y = 0, width = 500 }) }
end

local deny_bank = { safety = { apps = { deny = { "bank" } } } }

function tests.a_click_goes_to_the_application_under_it()
  local where
  local got, _, events = play(deny_bank, { click(100, 100), { tool = "click_element",
    args = { position = { 700, 100 } }, done = function(run) where = { run.desk.mouse.position() } end } },
    two_windows())
  t.eq(said(got[1]), "done")
  t.eq(said(got[2]), "forbidden: refused: Bank is denied by safety.apps.deny (bank, from the mission)")
  t.eq(where, { 100, 100 }, "the pointer did not go there")
  local told = null_run.only(events, "guard")
  t.eq({ told[1].name, told[1].message }, { "permissions", "refused: Bank is denied by safety.apps.deny (bank, from "
    .. "the mission)" })
end

function tests.drags_and_the_wheel_go_somewhere_too()
  local got = play(deny_bank, { { tool = "drag_element", args = { label = "It", start = { 100, 100 },
    ["end"] = { 700, 100 } } }, { tool = "scroll_down", args = { position = { 700, 100 } } },
    { tool = "scroll_down", args = { position = { 100, 100 } } } }, two_windows())
  t.has(said(got[1]), "forbidden: refused: Bank")
  t.has(said(got[2]), "forbidden: refused: Bank")
  t.eq(said(got[3]), "done")
end

function tests.keys_go_to_the_active_application()
  local got, world = play(deny_bank, { press "a", type_text "abc", { tool = "focus_window", args = { title = "Bank" } },
    { tool = "press_key", args = { key = "b" } }, press "enter" }, two_windows())
  t.eq({ said(got[1]), said(got[2]) }, { "done", "done" })
  t.has(said(got[3]), "forbidden: refused: Bank", "it is not brought to the front")
  t.eq(said(got[4]), "done")
  t.eq(world.typed, { "abc" })
  local windows = two_windows()
  windows[1].active, windows[2].active = false, true
  got, world = play(deny_bank, { press "a", type_text "abc" }, windows)
  t.has(said(got[1]), "forbidden: refused: Bank")
  t.has(said(got[2]), "forbidden: refused: Bank")
  t.eq(world.typed, {})
end

function tests.what_is_allowed_is_all_there_is()
  local mission = { safety = { apps = { allow = { "notes", calculator:sub(1, 5) .. "*" } } } }
  local got = play(mission, { click(100, 100), click(700, 100), click(100, 900),
    { tool = "open_app", args = { name = calculator } }, { tool = "open_app", args = { name = shell } } },
    two_windows())
  t.eq(said(got[1]), "done")
  t.has(said(got[2]), "forbidden: refused: Bank is not in safety.apps.allow (from the mission)")
  t.has(said(got[3]), "forbidden: refused: desktop is not in safety.apps.allow")
  t.ok(not said(got[4]):find "forbidden", said(got[4]))
  t.has(said(got[5]), ("forbidden: refused: %s is not in safety.apps.allow"):format(shell))
end

function tests.an_open_menu_reaches_out_of_its_window()
  local mission = { safety = { apps = { allow = { "notes" } } } }
  local got = play(mission, { click(100, 900), click(700, 100) }, two_windows(),
    { popup = element(2, "menu item", "Save", 10, 0, 0) })
  t.eq({ said(got[1]), said(got[2]) }, { "done", "done" })
  got = play(mission, { click(100, 900) }, two_windows(), { popup = element(2, "menu item", "Pay", 20, 0, 0) })
  t.has(said(got[1]), "refused: Bank")
end

function tests.the_users_own_functions_are_the_users()
  local clicked
  local mission = { safety = { apps = { deny = { "*" } } }, before_action = function(m)
    clicked = table.pack(m.desk.mouse.click(700, 100))
  end, after_action = function(m) assert(m.desk.mouse.click(10, 10)) end }
  local got = play(mission, { click(100, 100) }, two_windows())
  t.eq(clicked[1], true)
  t.has(said(got[1]), "refused: Notes is denied")
  local run = null_run.play { safety = { apps = { deny = { "*" }, allow = {} } }, run = function(m)
    m.desk.mouse.click(5, 5)
    m.desk.keyboard.press "a"
  end }
  t.eq(run.outcome.status, "succeeded", run.outcome.reason)
end

function tests.what_a_browser_shows_has_to_be_known()
  local windows = { window(1, "firefox", { active = true }), window(2, "Notes", { x = 500 }) }
  local got = play({ safety = { sites = { allow = { "example.com" } } } }, { click(100, 100), press "a",
    click(700, 100) }, windows)
  t.has(said(got[1]), "refused: it cannot be told which site the browser shows")
  t.has(said(got[2]), "refused: it cannot be told which site the browser shows")
  t.eq(said(got[3]), "done")
end

-- --- tools ------------------------------------------------------------------------------------------------------

function tests.tools_that_are_denied_are_not_there()
  local got, _, _, run = play({ safety = { tools = { deny = { "browser_*", "press_key" } } } }, { press "a",
    click(1, 1) }, two_windows())
  t.eq(said(got[1]), "forbidden: refused: press_key is denied by safety.tools.deny (press_key, from the mission)")
  t.eq(said(got[2]), "done")
  local names = " " .. table.concat(run.toolbox:names(), " ") .. " "
  t.ok(not names:find " press_key " and not names:find " browser_", names)
  got = play({ safety = { tools = { allow = { "click_*" } } } }, { press "a", click(1, 1),
    { tool = "report_completion", args = { evidence = "It is done, as anybody who looks at the screen can see, and "
      .. "nothing is left to do: the words stand where they were to stand, in the window that is in front." } } },
    two_windows())
  t.has(said(got[1]), "refused: press_key is not in safety.tools.allow")
  t.eq({ said(got[2]), said(got[3]) }, { "done", "done" })
end

function tests.policies_get_along_without_them()
  for _, policy in ipairs { "three_body", "odev" } do
    local offered = {}
    local run = null_run.play({ task = "Press shift.", policy = policy, limits = { turns = 4, seconds = 60 },
      safety = { tools = { deny = { "press_key", "scroll_*" } } } }, { model = function(request)
        for _, tool in ipairs(request.tools or {}) do offered[#offered + 1] = tool end
        local words = require "deskpilot.base.json".encode(request.messages)
        t.ok(not words:find("- press_key(", 1, true), policy .. " tells of press_key: " .. words)
        return null_run.calls({ { "press_key", { key = "shift" } } }, "shift")
      end })
    t.ok(#offered > 0, policy)
    t.ok(not require "deskpilot.base.json".encode(offered):find("press_key", 1, true), policy .. " offers press_key")
    t.ok(run.outcome.status == "incomplete" or run.outcome.status == "failed", run.outcome.reason)
  end
end

function tests.refusals_without_end_end_the_run()
  local run = null_run.play({ task = "x", limits = { failures = 3 }, safety = { tools = { deny = { "press_key" } } } },
    { turn = function(run) run:act { tool = "press_key", args = { key = "a" }, why = "w" } end })
  t.eq(run.outcome.status, "failed")
  t.has(run.outcome.reason, "3 steps in a row failed (limits.failures); the last one: refused: press_key is denied by "
    .. "safety.tools.deny")
end

-- --- a person's yes -----------------------------------------------------------------------------------------------

local function answering(answers, asked)
  return function(_, question)
    asked[#asked + 1] = question.text
    return answers[#asked]
  end
end

local function terminal() return { window(1, "XTerm", { active = true, title = "sh\27[2J\u{202e}" }) } end

function tests.a_shell_needs_a_persons_yes()
  local asked = {}
  local got, world, events = play({ ask = answering({ "yes", "no" }, asked) }, { type_text "ls\n", type_text "rm x\n" },
    terminal())
  t.eq(said(got[1]), "done")
  t.has(said(got[2]), "forbidden: refused: a person does not allow this")
  t.eq(world.typed, { "ls\n" })
  t.eq(#asked, 2, "once for each action")
  t.has(asked[1]:gsub("XTerm", "xterm"), 'Allow this: type "ls\\x0a" in xterm, window "sh\\x1b[2J\\u{202e}" (shell)? '
    .. "(Reason given: the reason)")
  t.eq(null_run.only(events, "question")[1].options, { "yes", "no", "always" })
  got, world = play({}, { type_text "ls\n" }, terminal())
  t.has(said(got[1]), "refused: nobody has allowed this")
  t.has(said(got[1]), "safety.approve")
  t.eq(world.typed, {})
  got = play({ safety = { approve = {} } }, { type_text "ls\n" }, terminal())
  t.eq(said(got[1]), "done")
end

function tests.a_person_is_shown_all_of_it()
  local asked, long = {}, ("x "):rep(330) .. "; rm -r ~"
  local got, world = play({ ask = answering({ "yes", "yes" }, asked) }, { type_text(long), type_text(("\t"):rep(900)) },
    terminal())
  t.eq(said(got[1]), "done")
  t.has(asked[1], "; rm -r ~")
  t.has(said(got[2]), "is too long for a person to be shown all of it")
  t.eq({ #asked, #world.typed }, { 1, 1 })
end

function tests.always_holds_for_the_rest_of_the_run()
  local asked = {}
  local windows = terminal()
  local got = play({ ask = answering({ "always", "no" }, asked) }, { press "a", type_text "b", { tool = "press_key",
    args = { key = "c" }, done = function() windows[1].class, windows[1].executable = "kitty", "/usr/bin/kitty" end },
    press "d" }, windows)
  t.eq({ said(got[1]), said(got[2]), said(got[3]) }, { "done", "done", "done" })
  t.has(said(got[4]), "a person does not allow this: press d in kitty")
  t.eq(#asked, 2)
end

function tests.paying_needs_a_persons_yes()
  local shop = { element(1, "frame", "Shop", 10, 0, 0), element(2, "push button", "Jetzt kaufen", 10, 100, 100),
    element(3, "push button", "Payment options", 10, 300, 100), element(4, "text", "Pay now", 10, 100, 300) }
  shop[1].width, shop[1].height = 500, 500
  local windows = { window(1, "Shop", { active = true }) }
  local asked = {}
  local got = play({ ask = answering({ "no", "yes" }, asked) }, { click(150, 120), click(350, 120), click(150, 320),
    click(150, 120) }, windows, { elements = shop })
  t.has(said(got[1]), "a person does not allow this: click push button \"Jetzt kaufen\" in Shop")
  t.eq({ said(got[2]), said(got[3]), said(got[4]) }, { "done", "done", "done" })
  t.eq(#asked, 2)
  shop[2].states.focused = true
  got = play({}, { press "enter", press "tab" }, windows, { elements = shop })
  t.has(said(got[1]), "nobody has allowed this: press enter")
  t.eq(said(got[2]), "done")
end

function tests.closing_and_opening_are_asked_for_where_that_is_wanted()
  local mission = { safety = { approve = { "close", "open_app" } } }
  local got = play(mission, { press "ctrl+w", press "ctrl+s", { tool = "open_app", args = { name = calculator } } },
    two_windows())
  t.has(said(got[1]), "nobody has allowed this: press ctrl+w")
  t.eq(said(got[2]), "done")
  t.has(said(got[3]), ('nobody has allowed this: open "%s"'):format(calculator))
end

function tests.the_keyboard_goes_back_to_where_it_was()
  local windows = { window(1, "XTerm", { active = true }), window(2, "Other", { x = 500 }) }
  local got, world = play({ ask = function()
    windows[1].active, windows[2].active = false, true -- where the person types the answer
    return "yes"
  end }, { type_text "ls" }, windows)
  t.eq(said(got[1]), "done")
  t.eq({ windows[1].active, windows[2].active }, { true, false })
  t.eq(world.typed, { "ls" })
end

function tests.the_mouse_goes_back_to_where_it_was()
  local where
  play({ ask = function(m)
    assert(m.desk.mouse.move(300, 400))
    return "yes"
  end }, { { tool = "click_here", args = {}, done = function(run) where = { run.desk.mouse.position() } end } },
    terminal(), { prepare = function(run)
      assert(run.desk.mouse.move(100, 100))
      assert(run.toolbox:add { api = 1, name = "click_here", description = "Clicks.", parameters = { type = "object" },
        run = function(ctx) return ctx.desk.mouse.click() and "clicked" end })
    end })
  t.eq(where, { 100, 100 })
end

function tests.what_has_changed_meanwhile_is_not_done()
  local windows = terminal()
  local got, world = play({ ask = function()
    windows[1].title = "root shell"
    return "yes"
  end }, { type_text "ls" }, windows)
  t.has(said(got[1]), "what is there has changed while a person was asked")
  t.eq(world.typed, {})
end

-- --- files --------------------------------------------------------------------------------------------------------

-- Whether a run of this mission may have that file: its path, or why not.
local function may(run, path)
  local file, err = require "deskpilot.agent.allowed_files".resolve(run, path)
  return file or err.code .. ": " .. err.message
end

local function with_files(names, fn)
  local base = spawn.folder()
  for _, name in ipairs(names) do
    local path = files.join(base, name)
    assert(files.make_folder((files.split(path))))
    assert(files.write(path, "x"))
  end
  fn(files.absolute(uv.fs_realpath(base)))
  files.remove(base)
end

local function run_with(mission, layers, folder)
  layers["the mission"] = require "deskpilot.agent.mission".layer(mission).values
  return { mission = mission, folder = folder, config = config_of(layers),
    dir = { path = files.join(folder, "runs/r") } }
end

function tests.only_what_the_mission_names_is_given()
  with_files({ "mission/poster.png", "mission/.ssh/id_ed25519", "mission/key.txt", "given/a.txt", "given/.hidden/b.txt",
    "given/server.pem", "given/deskpilot.lua", "given/old/journal.jsonl", "given/old/screenshots/1.png",
    "mission/runs/r/downloads/got.pdf", "mission/runs/r/journal.jsonl", "given/id_rsa.pub", "more/c.txt" },
    function(base)
      local mission = files.join(base, "mission")
      local run = run_with({ files = { "poster.png", "../given" } }, {}, mission)
      t.eq(may(run, "poster.png"), mission .. "/poster.png")
      t.eq(may(run, "../given/a.txt"), base .. "/given/a.txt")
      t.eq(may(run, "runs/r/downloads/got.pdf"), mission .. "/runs/r/downloads/got.pdf", "what it has downloaded")
      local unnamed = "is none of the files that this mission names"
      for _, path in ipairs { "key.txt", ".ssh/id_ed25519", "../more/c.txt", "runs/r/journal.jsonl", "/etc/passwd",
        "no such file", "../given/../more/c.txt", "a\0b", "" } do t.has(may(run, path), unnamed, path) end
      t.has(may(run, "../given/.hidden/b.txt"), "hidden files are never given")
      t.has(may(run, "../given/server.pem"), "it is a key")
      t.has(may(run, "../given/id_rsa.pub"), "it is a key")
      t.has(may(run, "../given/deskpilot.lua"), "it is configuration")
      t.has(may(run, "../given/old/screenshots/1.png"), "it belongs to a run")
      if t.platform ~= "windows" then
        assert(uv.fs_symlink(base .. "/more/c.txt", base .. "/given/link.txt"))
        t.has(may(run, "../given/link.txt"), unnamed, "a link")
        assert(uv.fs_symlink(base .. "/given/server.pem", base .. "/given/harmless.txt"))
        t.has(may(run, "../given/harmless.txt"), "it is a key")
      else
        for _, path in ipairs { "poster.png:stream", "CON", "../given/con.txt", "\\\\server\\share\\x",
          "//server/share/x", "\\\\?\\C:\\x", "poster.png.", "poster.png " } do t.has(may(run, path), unnamed, path) end
        t.eq(may(run, "POSTER.PNG"), mission .. "/poster.png")
      end
    end)
end

function tests.a_projects_file_gives_no_files()
  with_files({ "m/a.txt", "m/b.txt", "more/c.txt" }, function(base)
    local folder = files.join(base, "m")
    local function safety(...) return { safety = { files = { ... } } } end
    local run = run_with({}, { ["the project's deskpilot.lua"] = safety(base) }, folder)
    t.has(may(run, "a.txt"), "is none of the files")
    run = run_with({}, { ["the user configuration"] = safety(base .. "/more", folder .. "/*.txt") }, folder)
    t.eq(may(run, "a.txt"), folder .. "/a.txt")
    t.eq(may(run, base .. "/more/c.txt"), base .. "/more/c.txt")
    run = run_with({ files = { "a.txt", "b.txt" } }, { ["the project's deskpilot.lua"] = safety(folder .. "/a*") },
      folder)
    t.eq(may(run, "a.txt"), folder .. "/a.txt")
    t.has(may(run, "b.txt"), "is none of the files")
  end)
end

function tests.addresses_of_files_lead_to_the_files_as_they_are()
  with_files({ "m/a b.txt", "other/c.txt" }, function(base)
    local run = run_with({ files = { base .. "/m" } }, {}, base .. "/m")
    local address = require "deskpilot.agent.allowed_files".address
    local root = base:find "^/" and "file://" or "file:///"
    t.eq(address(run, root .. base .. "/m/%61%20b.txt?x#y"), root .. base .. "/m/a%20b.txt")
    t.eq(address(run, "https://example.org/"), "https://example.org/")
    for _, url in ipairs { root .. base .. "/other/c.txt", root .. base .. "/m/../other/c.txt", "file:///etc/passwd",
      "file://server/share/a b.txt", "file:/etc/passwd", "FILE:///%65tc/passwd", root .. base .. "/m" } do
      t.eq(address(run, url), nil, url)
    end
  end)
end

return tests
