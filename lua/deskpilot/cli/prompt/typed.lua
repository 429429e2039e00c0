--- The prompt at a terminal: raw while keys are read, as it was while an entry runs (so that Ctrl+C is a signal again,
--- and an entry may read a line itself).
local chunk = require "deskpilot.cli.chunk"
local completion = require "deskpilot.cli.completion"
local history = require "deskpilot.cli.prompt.history"
local line_editor = require "deskpilot.cli.line_editor"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"
local uv = require "luv"

local typed = {}

local bracketed_paste = { on = "\27[?2004h", off = "\27[?2004l" }

---@class deskpilot.typed_prompt
---@field waits fun()? takes back what is typed, while keys are waited for
local Typed = {}
Typed.__index = Typed

--- Reads keys from the terminal that standard input is.
---@param scope deskpilot.completion_scope what Tab knows
---@return deskpilot.typed_prompt
function typed.open(scope)
  local self = setmetatable({ tty = assert(uv.new_tty(0, true)) }, Typed)
  self.editor = line_editor.new { prompt = "desk> ", more = "  ... ", history = history.read(),
    is_complete = chunk.is_complete, complete = function(entry, cursor) return completion.at(entry, cursor, scope) end }
  return self
end

local function put(words)
  io.stderr:flush() -- buffered on a Windows console: what was said first is to be seen first
  io.stdout:write(words)
  io.stdout:flush()
end

--- How wide and how high the terminal is.
---@return integer columns, integer rows
function Typed:size()
  local columns, rows = self.tty:get_winsize()
  return columns and columns > 0 and columns or 80, rows and rows > 0 and rows or 24
end

local function raw(self, on)
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

function Typed:close()
  raw(self, false)
  uv.tty_reset_mode()
  if not self.tty:is_closing() then self.tty:close() end
end

-- Bytes from the terminal; nil at its end; "\3" where a signal came instead.
local function bytes_of(self)
  return task.await(function(done)
    local function finish(bytes)
      self.tty:read_stop()
      self.waits = nil
      done(bytes)
    end
    self.waits = function() finish("\3") end
    self.tty:read_start(function(err, bytes) finish(not err and bytes or nil) end)
    return function()
      self.waits = nil
      self.tty:read_stop()
    end
  end)
end

local function event_of(self)
  local event = self.editor:feed("")
  while not event do
    put(self.editor:draw((self:size())))
    local bytes = bytes_of(self)
    if not bytes then return { kind = "eof" } end
    event = self.editor:feed(bytes)
  end
  return event
end

-- What a name may become, below the entry, which is drawn again below that.
local function list(self, event)
  local columns = self:size()
  local lines = completion.columns(event.names, columns)
  if event.about then
    lines = {}
    for line in terminal.lines(event.about):gmatch("[^\n]+") do
      lines[#lines + 1] = text.cut(line, math.max(columns - 4, 8))
    end
  end
  put(self.editor:draw(columns) .. self.editor:leave(columns) .. table.concat(lines, "\r\n") .. "\r\n")
end

-- An entry, or the end of one, has left the editor. What it is: the entry; false for a cleared line; nil at the end.
local function entered(self, event)
  local editor, columns = self.editor, self:size()
  put(editor:draw(columns) .. editor:leave(columns))
  local had = editor.text
  editor:reset()
  if event.kind == "eof" then return nil end
  if event.kind == "line" then
    raw(self, false)
    if editor:remember(event.text) then history.save(event.text) end
    return event.text
  end
  if had == "" then put("(Ctrl+D leaves)\r\n") end
  return false
end

--- The next entry, or nil at the end.
---@return string?
function Typed:entry()
  raw(self, true)
  while true do
    local event = event_of(self)
    if event.kind == "clear" then
      put("\27[H\27[2J")
      self.editor.drawn_row = 0
    elseif event.kind == "list" then
      list(self, event)
    else
      local entry = entered(self, event)
      if entry ~= false then return entry end
    end
  end
end

--- Takes back what is typed, where keys are waited for.
function Typed:interrupt()
  if self.waits then self.waits() end
end

return typed
