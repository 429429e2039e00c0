--- `deskpilot repl`: a Lua prompt on the live desktop. Every entry runs as a task of its own, so that
--- calls that wait work, and Ctrl+C ends the entry and not the prompt.
local agents = require "deskpilot.cli.prompt.agent"
local chunk = require "deskpilot.cli.chunk"
local config_files = require "deskpilot.base.config_files"
local desktop = require "deskpilot.cli.desktop"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hold = require "deskpilot.cli.hold"
local inspect = require "deskpilot.cli.inspect"
local kept_entries = require "deskpilot.cli.kept_entries"
local picture = require "deskpilot.cli.prompt.picture"
local plain = require "deskpilot.cli.prompt.plain"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local system = require "native.system"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"
local typed = require "deskpilot.cli.prompt.typed"
local uv = require "luv"

local repl = {
  summary = "A Lua prompt on the live desktop. Expressions print their values.",
  only_options = true,
  order = 20,
  usage = "repl [--shared] [--desktop current|private[:WxH]] [--app COMMAND]...",
  options = { hold.option, table.unpack(desktop.options) },
}

local running -- the task of the entry that runs now
local front -- where entries come from
local agent -- what does the tasks of .ask and .step

-- Runs fn as a task that starts from the loop and not from inside the prompt's own coroutine: an
-- interruption passes outward through nested coroutines, and must not reach the prompt.
local function run_apart(fn)
  local result = table.pack(task.await(function(done)
    local timer = uv.new_timer()
    timer:start(0, 0, function()
      timer:close()
      running = task.start(fn)
      task.start(function(work) done(work:wait()) end, running)
    end)
    return function()
      if running then running:cancel("the prompt has ended") end
    end
  end))
  running = nil
  if result[1] == false and errors.is(result[2], "cancelled") then
    task.sleep(0.002) -- the signal's handler runs in the loop's next turn
    system.clear_interrupt()
  end
  return result
end

local most_lines = 30

-- Prints values. At a terminal of many lines the first ones, and how to see the others.
local function show_values(words, at_prompt)
  local count, stop = 0, nil
  for at in words:gmatch "()\n" do
    count = count + 1
    if count == most_lines then stop = at end
  end
  at_prompt.whole = words
  if not at_prompt.is_terminal or not stop or count < most_lines + 5 then return terminal.put(words, "\n") end
  terminal.put(words:sub(1, stop), ("... %d more lines: more() shows all of it, _ is the value\n"):format(
    count - most_lines + 1))
end

-- Writes what succeeded here into a mission's file; one that is there is not overwritten.
local function keep(at_prompt, path)
  if type(path) ~= "string" then error('keep wants the name of a file: keep("mine.lua")', 0) end
  if files.exists(path) then error(path .. " is there already; nothing was changed", 0) end
  local words, why = at_prompt.entries:mission()
  if not words then error(why, 0) end
  local ok, err = files.write(path, words)
  if not ok then error(err, 0) end
  terminal.note(("%d entries kept; try it: deskpilot run %s\n"):format(#at_prompt.entries, path))
end

-- Draws a picture in the terminal: a shot, a file's, or without one the screen as it is.
local function show(env, thing, way)
  if not front.size then error("a picture needs a terminal; shot:save(\"name.png\") writes it to a file", 0) end
  local shot, err = thing, nil
  if thing == nil then shot, err = env.desk.screen.shot()
  elseif type(thing) == "string" then shot, err = require "deskpilot.desk.picture.shot".load(thing) end
  if not shot then error(err, 0) end
  if type(shot) ~= "table" or not shot.encode then error("show wants a shot, or the name of a picture's file", 0) end
  local columns, rows = front:size()
  local words, why = picture.of(shot, { columns = columns, rows = rows }, way)
  if not words then error(why, 0) end
  io.stdout:write(words) -- made of pixels alone: what a terminal obeys in it is ours
end

-- Runs an entry and prints what came of it. Returns whether it ended well.
local function evaluate(source, env, at_prompt)
  local fn, why = agent:command(source), nil
  if not fn then fn, why = chunk.compile(source, "=repl", env) end
  if not fn then
    terminal.note(inspect.error(why), "\n")
    return false
  end
  local result = run_apart(fn)
  at_prompt.entries:add(source, result)
  io.stdout:flush()
  if not result[1] then
    local cancelled = errors.is(result[2], "cancelled")
    terminal.note(cancelled and "interrupted" or "error: " .. chunk.error_words(result[2]), "\n")
    return false
  end
  if result.n > 1 then
    env._ = result[2]
    show_values(inspect.values(table.pack(table.unpack(result, 2, result.n))), at_prompt)
    io.stdout:flush()
  end
  return true
end

local function loop(env, is_terminal)
  local at_prompt = { entries = kept_entries.new(), is_terminal = is_terminal, whole = "" }
  function env.keep(path) keep(at_prompt, path) end
  function env.show(thing, way) show(env, thing, way) end
  function env.more() terminal.put(at_prompt.whole, "\n") end
  local closing <close> = setmetatable({}, { __close = function() front:close() end })
  assert(closing)
  for entry in function() return front:entry() end do
    local word = text.trim(entry):gsub("%(%)$", "")
    if word == "exit" or word == "quit" then break end
    if entry:find("%S") then evaluate(entry, env, at_prompt) end
  end
end

--- A first signal: SIGINT and the emergency-stop hotkey end the entry that runs, and SIGINT clears the line; the others
--- leave the prompt.
function repl.interrupted(signal)
  if signal ~= "SIGINT" and signal ~= "stop_hotkey" then return false end
  system.clear_interrupt()
  if agent and agent.works then agent:interrupted(signal)
  elseif running then running:cancel("interrupted")
  elseif front and signal == "SIGINT" then front:interrupt() end
  return true
end

function repl.run(options)
  local found, wrong = config_files.read()
  local placed, misplaced = config_files.search(found)
  local hotkey, why
  if placed and not wrong then hotkey, why = stop_hotkey.start(found) end
  if not hotkey then
    terminal.complain(tostring(wrong or misplaced or why))
    return 2
  end
  local where, session = desktop.start(options)
  if not where then
    terminal.complain(tostring(session))
    return errors.is(session, "invalid") and 2 or 3
  end
  hotkey:watch_private(session)
  local open_desk, opened = chunk.desk_opener(where, not session and function(desk)
    hold.before_acts(desk, "deskpilot repl", options.shared)
  end or nil)
  local is_terminal = uv.guess_handle(0) == "tty"
  local env = chunk.environment(open_desk)
  agent = agents.new(open_desk)
  if is_terminal then
    terminal.put("deskpilot ", system.version, "; help() tells what there is\n")
    front = typed.open { env = env, classes = { desk = "deskpilot.desk" }, open = opened }
  else
    front = plain.open()
  end
  loop(env, is_terminal)
  if opened() then opened():close() end
  if session then session:stop() end
  hotkey:close()
  return 0
end

return repl
