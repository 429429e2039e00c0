--- `deskpilot repl`: a Lua prompt on the live desktop. Every entry runs as a task of its own, so that
--- calls that wait work, and Ctrl+C ends the entry and not the prompt.
local terminal = require "deskpilot.cli.terminal"
local uv = require "luv"
local chunk = require "deskpilot.cli.chunk"
local config_files = require "deskpilot.base.config_files"
local desktop = require "deskpilot.cli.desktop"
local completion = require "deskpilot.cli.completion"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local hold = require "deskpilot.cli.hold"
local inspect = require "deskpilot.cli.inspect"
local secrets = require "deskpilot.model.secrets"
local stop_hotkey = require "deskpilot.cli.stop_hotkey"
local line_editor = require "deskpilot.cli.line_editor"
local system = require "native.system"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local repl = {
  summary = "A Lua prompt on the live desktop. Expressions print their values.",
  only_options = true,
  order = 20,
  usage = "repl [--shared] [--desktop current|private[:WxH]] [--app COMMAND]...",
  options = { hold.option, table.unpack(desktop.options) },
}

local max_history = 1000
local running -- the task of the entry that runs now
local prompt_waits -- cancels what is typed, while the prompt waits for keys

local function history_path()
  return files.join(files.user_state_folder(), "repl_history")
end

local unescapes = { n = "\n", ["\\"] = "\\" }

local function read_history()
  local entries = {}
  local words = files.read(history_path(), 4 * 1024 * 1024) or ""
  for line in words:gmatch("[^\n]+") do
    if utf8.len(line) then entries[#entries + 1] = line:gsub("\\(.)", unescapes) end
  end
  return table.move(entries, math.max(1, #entries - max_history + 1), #entries, 1, {})
end

local private = { private = true }

-- The file is its owner's alone: entries may hold passwords typed into the desktop. A history that
-- cannot be kept is no reason to bother anyone.
local function save_history(entry)
  local path = history_path()
  if not files.make_folder((files.split(path)), private) then return end
  local fd = files.append(path, private)
  if not fd then return end
  files.write_all(fd, secrets.mask(entry):gsub("[\\\n]", { ["\\"] = "\\\\", ["\n"] = "\\n" }) .. "\n")
  uv.fs_close(fd)
end

local function is_complete(source)
  local fn, why = chunk.compile(source, "=repl")
  return fn ~= nil or not why:find("near <eof>$")
end

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

-- Runs an entry and prints what came of it. Returns whether it ended well.
local function evaluate(source, env)
  local fn, why = chunk.compile(source, "=repl", env)
  if not fn then
    terminal.note(inspect.error(why), "\n")
    return false
  end
  local result = run_apart(fn)
  io.stdout:flush()
  if not result[1] then
    local cancelled = errors.is(result[2], "cancelled")
    terminal.note(cancelled and "interrupted" or "error: " .. chunk.error_words(result[2]), "\n")
    return false
  end
  if result.n > 1 then
    terminal.put(inspect.values(table.pack(table.unpack(result, 2, result.n))), "\n")
    io.stdout:flush()
  end
  return true
end

-- The terminal front: raw while keys are read, as it was while an entry runs (so that Ctrl+C is a
-- signal again, and an entry may read a line itself).
local Terminal = {}
Terminal.__index = Terminal

local function open_terminal(env)
  local self = setmetatable({ tty = assert(uv.new_tty(0, true)) }, Terminal)
  local scope = { env = env, classes = { desk = "deskpilot.desk" } }
  self.editor = line_editor.new { prompt = "desk> ", more = "  ... ", history = read_history(),
    is_complete = is_complete, complete = function(entry, cursor) return completion.at(entry, cursor, scope) end }
  return self
end

function Terminal:columns()
  local columns = self.tty:get_winsize()
  return columns and columns > 0 and columns or 80
end

local function put(words)
  io.stderr:flush() -- buffered on a Windows console: what was said first is to be seen first
  io.stdout:write(words)
  io.stdout:flush()
end

local bracketed_paste = { on = "\27[?2004h", off = "\27[?2004l" }

function Terminal:raw(on)
  if self.is_raw == on then return end
  self.is_raw = on
  if on then
    self.tty:set_mode(1)
    put(bracketed_paste.on)
  else
    put(bracketed_paste.off)
    self.tty:set_mode(0)
  end
end

function Terminal:close()
  self:raw(false)
  uv.tty_reset_mode()
  if not self.tty:is_closing() then self.tty:close() end
end

-- Bytes from the terminal; nil at its end; "\3" where a signal came instead.
function Terminal:bytes()
  return task.await(function(done)
    local function finish(bytes)
      self.tty:read_stop()
      prompt_waits = nil
      done(bytes)
    end
    prompt_waits = function() finish("\3") end
    self.tty:read_start(function(err, bytes) finish(not err and bytes or nil) end)
    return function()
      prompt_waits = nil
      self.tty:read_stop()
    end
  end)
end

function Terminal:event()
  local event = self.editor:feed("")
  while not event do
    put(self.editor:draw(self:columns()))
    local bytes = self:bytes()
    if not bytes then return { kind = "eof" } end
    event = self.editor:feed(bytes)
  end
  return event
end

-- What a name may become, below the entry, which is drawn again below that.
function Terminal:list(event)
  local columns = self:columns()
  local lines = completion.columns(event.names, columns)
  if event.about then
    lines = {}
    for line in terminal.lines(event.about):gmatch("[^\n]+") do
      lines[#lines + 1] = text.cut(line, math.max(columns - 4, 8))
    end
  end
  put(self.editor:draw(columns) .. self.editor:leave(columns) .. table.concat(lines, "\r\n") .. "\r\n")
end

--- The next entry, or nil at the end.
function Terminal:entry()
  self:raw(true)
  while true do
    local event = self:event()
    if event.kind == "clear" then
      put("\27[H\27[2J")
      self.editor.drawn_row = 0
    elseif event.kind == "list" then
      self:list(event)
    else
      local editor = self.editor
      put(editor:draw(self:columns()) .. editor:leave(self:columns()))
      local had = editor.text
      editor:reset()
      if event.kind == "eof" then return nil end
      if event.kind == "line" then
        self:raw(false)
        if editor:remember(event.text) then save_history(event.text) end
        return event.text
      end
      if had == "" then put("(Ctrl+D leaves)\r\n") end
    end
  end
end

-- The plain front: entries from a file or a pipe, one or more lines each.
local Plain = {}
Plain.__index = Plain

local function open_plain()
  local self = setmetatable({ buffer = "" }, Plain)
  if uv.guess_handle(0) == "pipe" then
    self.pipe = uv.new_pipe(false)
    self.pipe:open(0)
  end
  return self
end

function Plain:close()
  if self.pipe and not self.pipe:is_closing() then self.pipe:close() end
end

function Plain:more()
  if not self.pipe then return io.read("L") end
  return task.await(function(done)
    self.pipe:read_start(function(err, bytes)
      self.pipe:read_stop()
      done(not err and bytes or nil)
    end)
    return function() self.pipe:read_stop() end
  end)
end

function Plain:line()
  while not self.buffer:find("\n", 1, true) do
    local bytes = self:more()
    if not bytes then
      local last = self.buffer
      self.buffer = ""
      return last ~= "" and last or nil
    end
    self.buffer = self.buffer .. bytes
  end
  local line, rest = self.buffer:match("^(.-)\r?\n(.*)$")
  self.buffer = rest
  return line
end

function Plain:entry()
  local entry = self:line()
  while entry and entry:find("%S") and not is_complete(entry) do
    local line = self:line()
    if not line then break end
    entry = entry .. "\n" .. line
  end
  return entry
end

local function loop(front, env)
  local closing <close> = setmetatable({}, { __close = function() front:close() end })
  assert(closing)
  for entry in function() return front:entry() end do
    if entry:find("%S") then evaluate(entry, env) end
  end
end

--- A first signal: SIGINT and the emergency-stop hotkey end the entry that runs, and SIGINT clears the line; the others
--- leave the prompt.
function repl.interrupted(signal)
  if signal ~= "SIGINT" and signal ~= "stop_hotkey" then return false end
  system.clear_interrupt()
  if running then running:cancel("interrupted")
  elseif prompt_waits and signal == "SIGINT" then prompt_waits() end
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
  if is_terminal then put("deskpilot " .. system.version .. "; help() tells what there is\n") end
  local env = chunk.environment(open_desk)
  loop(is_terminal and open_terminal(env) or open_plain(), env)
  if opened() then opened():close() end
  if session then session:stop() end
  hotkey:close()
  return 0
end

return repl
