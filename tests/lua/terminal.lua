--- A real terminal for tests: a program inside tmux, typed into and read as a person would.
local uv = require "luv"
local spawn = require "spawn"
local t = require "harness"

local terminal = {}
local Terminal = {}
Terminal.__index = Terminal

local count = 0

local function quoted(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function tmux(self, ...)
  local child = spawn.run({ "tmux", "-L", self.socket, "-f", "/dev/null", ... }, { env = { TMUX = false } })
  return child
end

--- Starts argv in a terminal of its own. When it has ended, the screen says "status N" and,
--- if the terminal is as it was, "terminal sane". Ctrl+C, as a signal, reaches the program alone.
---@param argv string[]
---@param options table? { columns, rows, env, cwd }
function terminal.start(argv, options)
  options = options or {}
  count = count + 1
  local self = setmetatable({ socket = ("deskpilot-test-%d-%d"):format(uv.os_getpid(), count) }, Terminal)
  local words = { "exec env" }
  for name, value in pairs(options.env or {}) do
    if value then words[#words + 1] = quoted(name .. "=" .. value)
    else table.insert(words, 2, "-u " .. name) end
  end
  for _, word in ipairs(argv) do words[#words + 1] = quoted(word) end
  local command = "trap : INT; (" .. table.concat(words, " ") .. "); echo status $?; "
    .. "stty -a | grep -q 'icanon iexten echo echoe' && echo terminal sane; sleep 1000"
  local child = tmux(self, "new-session", "-d", "-x", tostring(options.columns or 80), "-y",
    tostring(options.rows or 40), "-c", options.cwd or uv.cwd(), "/bin/sh", "-c", command)
  assert(child.status == 0, child.stderr)
  return self
end

--- Writes every byte that the program sends to the terminal from now on to a file as well.
function Terminal:log(path)
  local child = tmux(self, "pipe-pane", "-O", "cat >" .. quoted(path))
  assert(child.status == 0, child.stderr)
end

--- Types text as it is.
function Terminal:type(words)
  tmux(self, "send-keys", "-l", "--", words)
end

--- Presses keys by tmux's names: "Enter", "C-c", "Up", "M-b".
function Terminal:press(...)
  tmux(self, "send-keys", ...)
end

--- Types a line and presses Enter.
function Terminal:line(words)
  self:type(words)
  self:press("Enter")
end

--- What stands on the screen, without trailing blanks.
---@return string
function Terminal:screen()
  return (tmux(self, "capture-pane", "-p").stdout:gsub("%s+$", ""))
end

--- The same with the sequences that make its colours.
---@return string
function Terminal:coloured()
  return tmux(self, "capture-pane", "-e", "-p").stdout
end

local function wait_for_screen(self, what, seconds, fits)
  local screen
  local ok, err = pcall(t.wait_until, what, function()
    screen = self:screen()
    return fits(screen)
  end, seconds or 20)
  if not ok then error(("%s; the screen is:\n%s"):format(err, screen), 3) end
  return screen
end

--- Waits until the screen contains the plain text; fails the test with the screen if it never does.
---@return string screen
function Terminal:wait_for(part, seconds)
  return wait_for_screen(self, part, seconds, function(screen) return screen:find(part, 1, true) end)
end

--- Waits until the plain text is the last that stands on the screen, as a prompt is that waits for keys.
---@return string screen
function Terminal:wait_for_last(part, seconds)
  return wait_for_screen(self, part .. " at the end", seconds, function(screen) return screen:sub(-#part) == part end)
end

--- The process that runs in it (the shell's child), to send signals to.
function Terminal:pid()
  local shell = tmux(self, "display-message", "-p", "#{pane_pid}").stdout:match("%d+")
  local children = spawn.run({ "pgrep", "-P", shell }).stdout
  return tonumber(children:match("%d+"))
end

--- Ends it and everything in it.
function Terminal:stop()
  tmux(self, "kill-server")
end

return terminal
