--- The prompt as a person uses it: at a terminal, on a desktop with a real calculator.
local t = require "harness"
local files = require "deskpilot.base.files"
local json = require "deskpilot.base.json"
local model_server = require "model_server"
local play = require "executor_play"
local spawn = require "spawn"
local terminal = require "terminal"
local uv = require "luv"

local tests = {}

local program = files.absolute(spawn.program)

-- A prompt with its own home; `fn(term, home)`; both gone afterwards.
local function with_prompt(fn, words, seconds, prepare)
  return function()
    local home = files.absolute(spawn.folder())
    if prepare then prepare(home) end
    local term = terminal.start({ program, "repl", table.unpack(words or {}) },
      { cwd = home, env = { HOME = home, XDG_STATE_HOME = false, XDG_CONFIG_HOME = false } })
    local ok, err = xpcall(function()
      term:wait_for("desk>", seconds)
      fn(term, home)
    end, debug.traceback)
    term:stop()
    files.remove(home)
    if not ok then error(err, 0) end
  end
end

tests.edits_and_evaluates = with_prompt(function(term, home)
  term:line("1 + 1")
  term:wait_for("\n2\n")
  term:type("x = 'héllo wörld'")
  term:press("M-b", "M-b", "C-k")
  term:line("日本'")
  term:line("#x, x")
  term:wait_for('6, "日本"')
  term:line("for i = 1, 2 do")
  term:wait_for("\n  ...")
  term:line("print('row ' .. i)")
  term:line("end")
  term:wait_for("row 1\nrow 2")
  term:type("#")
  term:press("Up", "Enter")
  t.wait_until("the same again, from the history", function()
    return select(2, term:screen():gsub('6, "日本"', "")) == 2
  end)
  term:line("'" .. ("wide "):rep(30) .. "'")
  term:wait_for(("wide "):rep(12))
  term:press("C-l")
  term:line("'after clear'")
  t.has(term:wait_for('"after clear"'), "desk> 'after clear'")
  term:press("C-d")
  term:wait_for("status 0")
  term:wait_for("terminal sane")
  local path = home .. "/.local/state/deskpilot/repl_history"
  t.eq(uv.fs_stat(path).mode & 511, tonumber("600", 8))
  t.has(files.read(path), "for i = 1, 2 do\\nprint('row ' .. i)\\nend\n")
end)

tests.what_was_tried_is_kept_and_runs_again = with_prompt(function(term, home)
  term:line("n = 40")
  term:line("n + 2")
  term:wait_for("\n42")
  term:line("_ * 2")
  term:wait_for("\n84")
  term:line("error 'no'")
  term:wait_for("error: repl:1: no")
  term:line("list = {} for i = 1, 100 do list[i] = ('row %d'):format(i) end")
  term:line("list")
  term:wait_for("more() shows all of it")
  term:press("C-r")
  term:type("_ *")
  term:wait_for("(search: _ *) _ * 2")
  term:press("C-c")
  term:line("io.open('done.txt', 'w'):write(n):close()")
  term:line("keep('kept.lua')")
  term:wait_for("entries kept")
  term:line("exit")
  term:wait_for("status 0")
  local child = spawn.run({ program, "check", "--as", "mission", "kept.lua" }, { cwd = home })
  t.eq(child.status, 0, child.stdout .. child.stderr)
  files.remove(home .. "/done.txt")
  child = spawn.run({ program, "run", "kept.lua", "--desktop", "private", "--quiet" },
    { cwd = home, env = { HOME = home } })
  t.eq(child.status, 0, child.stdout .. child.stderr)
  t.eq(files.read(home .. "/done.txt"), "40")
  t.ok(not files.read(home .. "/kept.lua"):find("error 'no'", 1, true))
end)

tests.ctrl_c_ends_the_entry_and_not_the_prompt = with_prompt(function(term)
  term:type("half a line")
  term:press("C-c")
  term:line("1 + 2")
  term:wait_for("\n3\n")
  -- Each says that it runs: before, Ctrl+C would be a key of the prompt's.
  term:line("print('loop' .. 'ing') while true do pcall(function() while true do end end) end")
  term:wait_for("\nlooping")
  term:press("C-c")
  term:wait_for("interrupted")
  term:wait_for_last("desk>")
  term:line("'again', 1")
  term:wait_for('"again", 1')
  term:line("print('sleep' .. 'ing') require('deskpilot.base.task').sleep(1000)")
  term:wait_for("\nsleeping")
  term:press("C-c")
  term:wait_for("sleeping\n^Cinterrupted")
  term:wait_for_last("desk>")
  term:line("'still', 2")
  t.eq(select(2, term:wait_for('"still", 2'):gsub("interrupted", "")), 2)
  -- SIGINT from elsewhere, three times: each is a first one.
  for i = 1, 3 do
    term:wait_for_last("desk>")
    term:type("junk")
    term:wait_for_last("desk> junk")
    uv.kill(term:pid(), "sigint")
    term:wait_for_last("desk>")
    term:line("'alive " .. i .. "'")
    term:wait_for('"alive ' .. i .. '"')
  end
end)

tests.the_terminal_is_restored_by_a_signal = with_prompt(function(term)
  term:type("typing")
  term:wait_for_last("desk> typing")
  uv.kill(term:pid(), "sigterm")
  t.has(term:wait_for("status 130"), "interrupted")
  term:wait_for("terminal sane")
end)

tests.errors_do_not_end_it = with_prompt(function(term)
  term:line("error({})")
  term:line("error('boo')")
  term:wait_for("error: repl:1: boo")
  term:line("nil + 1")
  term:wait_for("attempt to perform arithmetic on a nil value")
  term:line("x y")
  term:wait_for("syntax error near 'y'")
  term:line("coroutine.wrap(function() error('inner') end)()")
  term:wait_for("inner")
  term:line("'end of it'")
  term:wait_for('"end of it"')
end)

tests.tab_completes = with_prompt(function(term)
  term:type("desk.mo")
  term:press("Tab")
  term:wait_for_last("desk> desk.mouse")
  term:type(".cl")
  term:press("Tab", "Tab")
  t.has(term:wait_for("Clicks at a point or in the middle"), "click(target, how) -> ok, err")
  term:wait_for_last("desk> desk.mouse.click")
  term:press("C-u")
  term:line("shop = { pears = 1, peaches = { stone = 2 } }")
  term:wait_for_last("desk>")
  term:type("1 + shop.p")
  term:press("Tab")
  term:wait_for_last("desk> 1 + shop.pea")
  term:press("Tab")
  term:wait_for("\npeaches  pears\n")
  term:type("c")
  term:press("Tab")
  term:type(".")
  term:press("Tab")
  term:wait_for_last("desk> 1 + shop.peaches.stone")
  term:press("Enter")
  term:wait_for("\n3\n")
  -- Columns that fit, and the entry again below them with the cursor in its place.
  term:type("#(desk.elements.)")
  term:press("Left", "Tab", "Tab")
  local screen = term:wait_for("scroll_into_view")
  for line in screen:gmatch("[^\n]+") do t.ok(#line <= 80, line) end
  term:type("fi")
  term:press("Tab")
  term:wait_for_last("desk> #(desk.elements.find)")
  term:press("C-c")
  term:line("'still here'")
  term:wait_for('"still here"')
end)

-- Pasted lines are text: nothing runs until Enter.
tests.paste = with_prompt(function(term, home)
  assert(files.write(home .. "/paste", "a = 1\nb = 2\nprint(a + b)"))
  spawn.run({ "tmux", "-L", term.socket, "load-buffer", home .. "/paste" }, { env = { TMUX = false } })
  spawn.run({ "tmux", "-L", term.socket, "paste-buffer", "-p" }, { env = { TMUX = false } })
  term:wait_for_last("print(a + b)")
  t.ok(not term:screen():find("\n3", 1, true), "it ran before Enter")
  term:press("Enter")
  term:wait_for("\n3\n")
end)

-- The one that matters: the prompt works a real application, and the application's own element tree
-- says so.
tests.clicks_a_calculator = with_prompt(function(term)
  term:line("desk.wait_for_element{ name = '7', timeout = 20 }.description")
  term:wait_for('"Seven', 30)
  term:line("for _, key in ipairs{ '7', '*', '6', '=' } do "
    .. "assert(desk.mouse.click(assert(desk.elements.find{ name = key }))) "
    .. "desk.settle() end")
  term:line("'shows ' .. desk.wait_for_element{ text = '42', timeout = 20 }.text")
  term:wait_for('"shows 42"', 30)
  term:line("desk.elements.find{ name = 'no such thing' }")
  term:wait_for("(not_found)", 30)
  term:press("C-d")
  term:wait_for("status 0", 20)
end, { "--desktop", "private:800x600", "--app", "galculator" }, 30)

-- A picture of four quarters, in the terminal's own colours: two pixels a character, the upper one in the foreground.
tests.shows_a_picture = with_prompt(function(term, home)
  local picture = require "native.image".new(40, 40)
  picture:fill(0, 0, 20, 20, 255, 0, 0)
  picture:fill(20, 0, 20, 20, 0, 255, 0)
  picture:fill(0, 20, 20, 20, 0, 0, 255)
  picture:fill(20, 20, 20, 20, 255, 255, 255)
  t.ok(files.write(home .. "/four.png", t.ok(picture:png())))
  term:line("show 'four.png'")
  term:wait_for_last("desk>")
  local upper = "\27[38;5;196m\27[48;5;196m" .. ("▀"):rep(20) .. "\27[38;5;46m\27[48;5;46m" .. ("▀"):rep(20)
  local lower = "\27[38;5;21m\27[48;5;21m" .. ("▀"):rep(20) .. "\27[38;5;231m\27[48;5;231m" .. ("▀"):rep(20)
  local screen = term:coloured():gsub("\27%[38;5;(%d+);48;5;(%d+)m", "\27[38;5;%1m\27[48;5;%2m")
  t.eq(select(2, screen:gsub(upper:gsub("%p", "%%%0"), "")), 10, screen)
  t.eq(select(2, screen:gsub(lower:gsub("%p", "%%%0"), "")), 10, screen)
  term:line("show(12)")
  term:wait_for("show wants a shot")
  term:line("show 'none.png'")
  term:wait_for("none.png")
end)

-- A model that does the calculator's mission each time anew: two taps, and the end.
local function with_model(home)
  local server = model_server.start(function(request, n) return play.seventy_seven(request, (n - 1) % 3 + 1) end)
  t.ok(files.write(home .. "/deskpilot.lua", ("return { model = { endpoint = %q, name = 'scripted' } }"):format(
    server.endpoint)))
  return server
end

-- On a desktop with a calculator: Tab knows its title and its buttons; an agent works it, and a person decides.
do
  local server
  tests.an_agent_works_at_the_prompt = with_prompt(function(term, home)
    local stopping <close> = setmetatable({}, { __close = function() server:stop() end })
    assert(stopping)
    term:line("desk.wait_for_element{ name = '7', timeout = 20 }.description")
    term:wait_for('"Seven', 30)
    term:type("desk.windows.find 'gal")
    term:press("Tab")
    term:wait_for_last("desk> desk.windows.find 'galculator")
    term:press("C-u")
    term:type('desk.elements.find { name = "Mod')
    term:press("Tab", "Tab")
    term:wait_for("Mod", 20)
    term:press("C-u")
    term:line(".policy nonsense")
    term:wait_for('no policy "nonsense"')
    term:line(".policy task_executor")
    term:wait_for('\n"task_executor"')
    term:line('.ask "Show the number 77."')
    term:wait_for("\ntrue\n", 60)
    term:line("desk.wait_for_element{ text = '77', timeout = 20 }.text")
    term:wait_for('"77"', 30)
    term:press("C-l")
    term:line(".step Show one more 7.")
    term:wait_for("next act: tap", 60)
    t.has(term:screen(), "asks agent (scripted)")
    term:line("1")
    term:wait_for("turn 1 ", 60)
    term:wait_for_last("answer (number or text; Enter: no answer; 3600 s):", 60)
    term:line("skip")
    term:wait_for("? next act: finish", 60)
    term:line("go on")
    t.wait_until("the second task has ended", function()
      return select(2, term:screen():gsub("\ntrue\n", "")) == 1 and term:screen():sub(-5) == "desk>"
    end, 60)
    term:line("'shows ' .. desk.wait_for_element{ text = '777', timeout = 20 }.text")
    term:wait_for('"shows 777"', 30)
    term:press("C-d")
    term:wait_for("status 0", 20)
    local runs = files.list(home .. "/runs")
    t.eq(#runs, 2, t.show(runs))
    for _, name in ipairs(runs) do
      t.eq(json.decode(t.ok(files.read(home .. "/runs/" .. name .. "/result.json"))).status, "claimed")
    end
  end, { "--desktop", "private:800x600", "--app", "galculator" }, 30, function(home) server = with_model(home) end)
end

return tests
