--- What an agent may act on, in real applications and in a real Chromium, and a person at a real terminal who allows
--- and refuses; judged by what the servers were asked for, by files, and by what the applications show.
local t = require "harness"
local files = require "deskpilot.base.files"
local journal = require "deskpilot.agent.journal"
local page_server = require "page_server"
local play = require "script_play"
local spawn = require "spawn"
local terminal = require "terminal"

local tests = {}

-- What the scripts of the browser share: `on(name)` is an element of the page as it is now; `use` does one action on
-- it; `refused` and `done` say what came of one.
local in_browser = [[
  desktop = { kind = "private", size = { 1000, 760 } },
  %s
  run = function(m)
    local desk = m.desk
    local function done(result)
      if not result.ok then error(tostring(result.code) .. ": " .. result.text, 2) end
    end
    local function refused(result, words)
      if result.ok or result.code ~= "forbidden" then error("not refused: " .. result.text, 2) end
      if not result.text:find(words, 1, true) then error("refused by " .. result.text, 2) end
    end
    local function on(name)
      assert(m:observe())
      for _, each in ipairs(m.observation.page.elements) do
        if each.name == name then return each end
      end
      error("no " .. name .. " on " .. m.observation.page.url)
    end
    local function use(tool, name, args)
      args = args or {}
      args.index = on(name).index
      return act(m, tool, args)
    end
    local function at(name)
      local box = on(name).box
      local x, y = m.observation.shot:to_norm(box.x + box.width // 2, box.y + box.height // 2)
      return act(m, "click_element", { position = { x, y } })
    end
    local function url() return desk.browser.current():tab():info().url end
    %s
  end]]

-- Plays such a script with a server of these routes; HERE and THERE are its address by two names.
local function browse(routes, fields, body, check, before)
  local server = page_server.start({})
  for path, words in pairs(routes) do
    server.routes[path] = type(words) == "string" and words:gsub("THERE", "http://localhost:" .. server.port) or words
  end
  local source = in_browser:format(fields, body):gsub("THERE", "http://localhost:" .. server.port):gsub("HERE",
    server.url)
  local ok, err = xpcall(function()
    local played = play.succeeds(source, before)
    if check then check(server, played) end
    played:close()
  end, debug.traceback)
  server:stop()
  if not ok then error(err, 0) end
end

local function says(title, body)
  return ("<!doctype html><meta charset=utf-8><title>%s</title>%s"):format(title, body)
end

function tests.a_page_does_not_lead_to_another_site()
  local routes = { ["/"] = says("Start", [[<a href="THERE/evil">Elsewhere</a> <a href="THERE/evil" target=_blank>In a
    new tab</a> <form action="THERE/evil"><button>Send</button></form>
    <button onclick="location = 'THERE/evil'">By a script</button> <a href="/near">Near</a>
    <button onclick="setTimeout(() => fetch('/clicked'), 0)">Here</button>]]),
    ["/near"] = says("Near", "<a href='/'>Back</a>"),
    ["/evil"] = says("Evil", [[<button onclick="fetch('/stolen')">Give</button>
      <input aria-label=Field onkeydown="fetch('/stolen')" autofocus>]]) }
  browse(routes, [[safety = { sites = { allow = { "127.0.0.1" } } },]], [[
    done(act(m, "browser_open", { url = "HERE/" }))
    refused(act(m, "browser_open", { url = "THERE/evil" }), "http://localhost:")
    refused(act(m, "browser_tab", { action = "new", url = "THERE/evil" }), "is not in safety.sites.allow")
    for _, name in ipairs { "Elsewhere", "Send", "By a script" } do
      use("browser_click", name)
      assert(url() == "HERE/", name .. " has led to " .. url())
      at(name)
      assert(url() == "HERE/", name .. " has led to " .. url())
    end
    use("browser_click", "In a new tab")
    assert(desk.wait_until(function() return #desk.browser.current():tabs() == 2 end))
    assert(url() == "" or url() == "about:blank", url())
    done(act(m, "browser_tab", { action = "close" }))
    assert(m:observe())
    local told = table.concat(m.observation.notices or {}, "\n")
    assert(told == "" or told:find("was kept where it is", 1, true), told)
    done(use("browser_click", "Here"))
    done(use("browser_click", "Near"))
    assert(url() == "HERE/near", url())
    -- What the user's own code opens is the user's; the agent cannot act there, but it can leave.
    local tab = desk.browser.current():tab()
    assert(tab:navigate "THERE/evil")
    for _, result in ipairs { use("browser_click", "Give"), at "Give", act(m, "press_key", { key = "a" }),
      act(m, "type_text", { text = "secret" }), use("browser_type", "Field", { text = "secret" }) } do
      refused(result, "is not in safety.sites.allow (from the mission)")
    end
    done(act(m, "browser_open", { url = "HERE/near" }))
    done(use("browser_click", "Back"))
    assert(url() == "HERE/", url())
  ]], function(server, played)
    t.eq({ server:count "/evil", server:count "/stolen", server:count "/clicked" }, { 1, 0, 1 })
    t.has(table.concat(played:said "permissions", "\n"), "http://localhost:" .. server.port)
  end)
end

function tests.a_redirect_is_stopped_on_its_way()
  local server = page_server.start { ["/"] = says("Start", "<a href='/hop'>On</a>"), ["/evil"] = says("Evil", "") }
  server.routes["/hop"] = { status = 302, headers = { Location = "http://localhost:" .. server.port .. "/evil" } }
  local source = in_browser:format([[safety = { sites = { deny = { "localhost" } } },]], [[
    done(act(m, "browser_open", { url = "HERE/" }))
    refused(act(m, "browser_open", { url = "HERE/hop" }), "is denied by safety.sites.deny")
    use("browser_click", "On")
    assert(url() == "HERE/", url())]]):gsub("HERE", server.url)
  local ok, err = pcall(function() play.succeeds(source):close() end)
  t.eq({ server:count "/hop", server:count "/evil" }, { 2, 0 })
  server:stop()
  if not ok then error(err, 0) end
end

-- Without a list of sites a tab does not ask about all that its page loads: nothing there leads to a file.
function tests.a_page_of_the_web_leads_to_no_file()
  browse({ ["/"] = says("Start", [[<a href="file:///etc/passwd">By a link</a> <a href="/hop">By a redirect</a>
    <button onclick="location = 'file:///etc/passwd'">By a script</button>
    <form action="/hop"><input aria-label=Field></form>
    <button onclick="setTimeout(() => history.back(), 200)">Later</button>]]),
    ["/hop"] = { status = 302, headers = { Location = "file:///etc/passwd" } } }, "", [[
    local tab
    local function shows_no_file(how)
      local words = tab:evaluate "document.body.innerText"
      if url():find "^file:" or words:find("root:", 1, true) then error(how .. " led to " .. url() .. ": " .. words) end
    end
    done(act(m, "browser_open", { url = "HERE/" }))
    tab = desk.browser.current():tab()
    for _, way in ipairs { "By a link", "By a script", "By a redirect" } do
      done(act(m, "browser_open", { url = "HERE/" }))
      use("browser_click", way)
      assert(not tab.asking, "it asks on")
      shows_no_file(way)
      done(act(m, "browser_open", { url = "HERE/" }))
      at(way)
      shows_no_file(way)
    end
    done(act(m, "browser_open", { url = "HERE/" }))
    done(use("browser_type", "Field", { text = "words\n" }))
    assert(not tab.asking, "it asks on")
    shows_no_file "a form"
    done(act(m, "browser_open", { url = "HERE/" }))
    use("browser_type", "Field", { text = "\tfile:///etc/passwd\n" })
    assert(tab.asking, "a tab may have taken the keyboard out of the page")
    shows_no_file "a tab"
    refused(act(m, "browser_open", { url = "file:///etc/passwd" }), "none of the files")
    done(act(m, "press_key", { key = "ctrl+l" }))
    done(act(m, "type_text", { text = "file:///etc/passwd\n" }))
    shows_no_file "the address field"
    -- What the user's own code has opened is in the history, to which a page may go back.
    assert(tab:navigate "file:///etc/hostname")
    done(act(m, "browser_open", { url = "HERE/" }))
    done(use("browser_click", "Later"))
    assert(desk.wait_until(function() return tab.not_loaded end))
    assert(url() == "HERE/", url())
  ]])
end

function tests.uploads_are_of_the_mission_and_by_a_persons_yes()
  browse({ ["/"] = says("Up", [[<input type=file aria-label=Photo
    onchange="for (const f of this.files) fetch('/got?' + f.name)">]]) }, [[
  files = { FOLDER .. "/given" }, safety = { approve = { "upload" } },
  ask = function(_, question)
    asked = (asked or 0) + 1
    if not question.text:find("upload " .. FOLDER .. "/given/a.txt", 1, true) then error(question.text) end
    return ({ "no", "yes" })[asked]
  end,]], [[
    done(act(m, "browser_open", { url = "HERE/" }))
    for _, name in ipairs { ".ssh/id_rsa", "key", "m.lua", "given/.env", "given/link.txt", "given/server.pem" } do
      refused(use("browser_upload", "Photo", { path = FOLDER .. "/" .. name }), name)
    end
    refused(use("browser_upload", "Photo", { path = "given/a.txt" }), "a person does not allow this")
    done(use("browser_upload", "Photo", { path = "given/a.txt" }))
    refused(act(m, "browser_open", { url = "file://" .. FOLDER .. "/key" }), "none of the files")
    -- The dialog that a click would open does not open.
    local before = #desk.windows.list()
    done(use("browser_click", "Photo"))
    at "Photo"
    assert(m:observe())
    assert(table.concat(m.observation.notices, "\n"):find("by the tool browser_upload", 1, true))
    assert(#desk.windows.list() == before, "a dialog has opened")
    -- Nor does the address field lead to a file.
    for _, prefix in ipairs { "file://", "view-source:file://" } do
      done(act(m, "press_key", { key = "ctrl+l" }))
      done(act(m, "type_text", { text = prefix .. FOLDER .. "/key\n" }))
      assert(url() == "HERE/", url())
    end
    done(act(m, "browser_open", { url = "file://" .. FOLDER .. "/given/a.txt" }))
  ]], function(server)
    t.wait_until("the upload", function() return server:count "/got" > 0 end)
    local got = {}
    for _, request in ipairs(server.requests) do
      if request.path == "/got" then got[#got + 1] = request.target end
    end
    t.eq(got, { "/got?a.txt" })
  end, function(folder)
    for _, name in ipairs { ".ssh", "given" } do assert(files.make_folder(folder .. "/" .. name)) end
    for _, name in ipairs { ".ssh/id_rsa", "key", "given/.env", "given/a.txt", "given/server.pem" } do
      assert(files.write(folder .. "/" .. name, "x"))
    end
    assert(require "luv".fs_symlink(folder .. "/key", folder .. "/given/link.txt"))
  end)
end

function tests.paying_and_sending_by_a_persons_yes()
  browse({ ["/"] = says("Shop", [[<button onclick="fetch('/paid')">Jetzt kaufen</button>
    <form action="/sent"><input name=q aria-label=Words><button>Go</button></form>
    <div role=button tabindex=0 onclick="fetch('/paid')"><span>Pay</span> <b>now</b></div>]]),
    ["/sent"] = says("Sent", "thanks") }, [[
  safety = { approve = { "pay", "submit" } },
  ask = function(_, question)
    asked = asked or {}
    asked[#asked + 1] = question.text
    return table.remove(answers, 1)
  end,]], [[
    answers = {}
    done(act(m, "browser_open", { url = "HERE/" }))
    refused(use("browser_click", "Jetzt kaufen"), "nobody has allowed this: click button \"Jetzt kaufen\" in")
    refused(at "Jetzt kaufen", "nobody has allowed this")
    refused(at "Pay now", "nobody has allowed this")
    refused(use("browser_click", "Go"), "nobody has allowed this")
    done(use("browser_type", "Words", { text = "hello" }))
    refused(act(m, "press_key", { key = "enter" }), "nobody has allowed this: press enter")
    refused(use("browser_type", "Words", { text = "hello\n" }), "nobody has allowed this")
    assert(url() == "HERE/", url())
    desk.browser.current():tab():evaluate "document.querySelector('button').focus()"
    refused(act(m, "press_key", { key = "space" }), "nobody has allowed this: press space")
    answers, asked = { "yes", "yes" }, {}
    done(use("browser_click", "Jetzt kaufen"))
    assert(#asked == 1 and asked[1]:find("on HERE/", 1, true), table.concat(asked, "\n"))
    done(use("browser_click", "Go"))
    assert(#asked == 2, table.concat(asked, "\n"))
    assert(desk.wait_until(function() return url():find("/sent", 1, true) end), url())
  ]], function(server) t.eq({ server:count "/paid", server:count "/sent" }, { 1, 1 }) end)
end

-- --- applications -----------------------------------------------------------------------------------------------

function tests.an_application_that_is_not_allowed_is_not_touched()
  play.succeeds([[
  desktop = { kind = "private", size = { 1000, 700 }, apps = { { "galculator" },
    { "mousepad", "--disable-server", FOLDER .. "/note.txt" } } },
  safety = { apps = { allow = { "mousepad" } } },
  run = function(m)
    local desk = m.desk
    local function refused(result)
      if result.ok or not result.text:find("galculator is not in safety.apps.allow", 1, true) then
        error(tostring(result.code) .. ": " .. result.text, 2)
      end
    end
    local function done(result) if not result.ok then error(result.text, 2) end end
    local galculator = assert(desk.wait_for_window { title = "galculator", timeout = 30 })
    local mousepad = assert(desk.wait_for_window { title = "note.txt", timeout = 30 })
    assert(desk.wait_for_element { app = "galculator", name = "7", timeout = 30 })
    assert(desk.windows.place(galculator, { x = 560, y = 40 }))
    assert(desk.windows.place(mousepad, { x = 20, y = 40, width = 500, height = 200 }))
    assert(m:observe())
    local function shows() return desk.elements.find { app = "galculator", role = "text" }.text end
    local before = shows()
    local seven = number(m, { app = "galculator", name = "7" })
    refused(act(m, "click_element", { element = seven }))
    local _, element = number(m, { app = "galculator", name = "7" })
    refused(act(m, "double_click_element", { position = element.norm }))
    refused(act(m, "open_app", { name = "galculator" }))
    refused(act(m, "focus_window", { title = "galculator" }))
    done(act(m, "focus_window", { title = "note.txt" }))
    done(act(m, "type_text", { text = "hello" }))
    -- An open menu reaches out of its window, here below it.
    done(act(m, "press_key", { key = "alt+f" }))
    assert(desk.wait_for_element { app = "mousepad", role = "menu item", contains = "Save", timeout = 10 })
    assert(m:observe())
    local save = number(m, { app = "mousepad", role = "menu item", name = "Save      " })
    done(act(m, "click_element", { element = save }))
    assert(desk.windows.focus(galculator)) -- the user's own code may
    refused(act(m, "press_key", { key = "7" }))
    refused(act(m, "type_text", { text = "7" }))
    assert(shows() == before, shows())
    return desk.wait_until(function()
      local file = io.open(FOLDER .. "/note.txt")
      local words = file:read "a"
      file:close()
      return words:find("hello", 1, true) ~= nil
    end, { timeout = 10 })
  end]], function(folder) assert(files.write(folder .. "/note.txt", "first\n")) end):close()
end

-- --- a person at a terminal ------------------------------------------------------------------------------------------

local in_a_shell = [[
return { desktop = { kind = "private", size = { 800, 600 }, apps = { { "xterm", "-e", "sh" } } }, strict = false,
  run = function(m)
    assert(m.desk.wait_for_window { class = "XTerm", active = true, timeout = 30 })
    for _, name in ipairs { "one", "two", "three", "four" } do
      local result = m:act { tool = "type_text", args = { text = "touch " .. m.folder .. "/" .. name .. "\n" },
        why = "it is\27[2Jwanted" }
      m:note(name .. " " .. (result.ok and "done" or result.text))
    end
  end }]]

-- Runs a mission in a terminal of its own: fn(term, folder).
local function at_terminal(mission, fn)
  local folder = files.absolute(spawn.folder())
  assert(files.write(files.join(folder, "m.lua"), mission))
  local term = terminal.start({ files.absolute(spawn.program), "run", "m.lua", "--runs", "runs" }, { cwd = folder,
    columns = 200, env = { XDG_CONFIG_HOME = folder } })
  local ok, err = xpcall(fn, debug.traceback, term, folder)
  term:stop()
  files.remove(folder)
  if not ok then error(err, 0) end
end

local prompt = "answer (number or text; Enter: no answer; 120 s):"

local function answers(folder)
  local list = {}
  for _, event in ipairs(assert(journal.read(files.join(folder, "runs", files.list(folder .. "/runs")[1])))) do
    if event.event == "answer" then list[#list + 1] = { event.answer, event.by } end
  end
  return list
end

function tests.a_person_at_a_terminal_allows_and_refuses()
  at_terminal(in_a_shell, function(term, folder)
    local screen = term:wait_for_last(prompt, 60)
    t.has(screen, 'Allow this: type "touch ' .. folder .. '/one\\x0a" in xterm, window')
    t.has(screen, "(shell)? (Reason given: it is\\x1b[2Jwanted)")
    t.has(screen, "    1  yes\n    2  no\n    3  always\n")
    t.ok(not files.exists(folder .. "/one"), "nothing is done before the answer")
    term:line "no"
    term:wait_for("/two\\x0a", 30)
    term:wait_for_last(prompt, 30)
    term:line "1"
    term:wait_for("/three\\x0a", 30)
    term:wait_for_last(prompt, 30)
    term:line "always"
    term:wait_for("status 0", 60)
    t.wait_until("the last file", function() return files.exists(folder .. "/four") end)
    t.eq({ files.exists(folder .. "/one"), files.exists(folder .. "/two"), files.exists(folder .. "/three") },
      { false, true, true })
    t.eq(answers(folder), { { "no", "a person" }, { "yes", "a person" }, { "always", "a person" } })
  end)
end

local an_upload = [[
return { desktop = { kind = "private", size = { 900, 700 } }, strict = false, files = { "poster.txt" },
  safety = { approve = { "upload" } },
  run = function(m)
    local file = io.open(m.folder .. "/poster.txt", "w")
    file:write "x"
    file:close()
    assert(m:act { tool = "browser_open", args = { url = "HERE/" }, why = "w" }.ok)
    for _ = 1, 2 do
      assert(m:observe())
      local result = m:act { tool = "browser_upload", why = "the form wants it", args = { path = "poster.txt",
        index = m.observation.page.elements[1].index } }
      m:note(result.text)
    end
  end }]]

function tests.a_person_at_a_terminal_lets_a_file_go()
  local field = "<input type=file aria-label=Photo onchange=\"fetch('/got')\">"
  local server = page_server.start { ["/"] = says("Up", field) }
  local ok, err = xpcall(at_terminal, debug.traceback, an_upload:gsub("HERE", server.url), function(term, folder)
    t.has(term:wait_for_last(prompt, 60), ("Allow this: upload %s/poster.txt on %s/ (upload)? (Reason given: the form "
      .. "wants it)"):format(folder, server.url))
    term:line "n"
    term:wait_for("a person does not allow this", 30)
    term:wait_for_last(prompt, 30)
    t.eq(server:count "/got", 0)
    term:line "y"
    term:wait_for("status 0", 60)
    t.wait_until("the upload", function() return server:count "/got" == 1 end)
    t.eq(answers(folder), { { "no", "a person" }, { "yes", "a person" } })
  end)
  server:stop()
  if not ok then error(err, 0) end
end

return tests
