--- The one way from words to a terminal. Titles, pages, answers of servers and error sentences may hold what a terminal
--- obeys, what reorders or hides a line, and secrets: none of it passes here. What another program wants as it is, such
--- as a picture, goes by the streams themselves.
local invisible = require "deskpilot.base.invisible"
local secrets = require "deskpilot.model.secrets"
local text = require "deskpilot.base.text"

local terminal = {}

--- Words that are safe to show, with their line feeds and tabs. Masked last: a key with an invisible character in it
--- would be a key again without that.
---@param words any
---@return string
function terminal.lines(words)
  return secrets.mask(invisible.remove(tostring(words)))
end

--- The same as one line.
---@param words any
---@return string
function terminal.line(words)
  return text.one_line(terminal.lines(words))
end

--- A value as one line of JSON that says the same and is safe to show: invisible characters are written as \u....,
--- secrets are masked.
---@param value any
---@return string
function terminal.json(value)
  return invisible.escape(secrets.encode(value), function(code)
    if code < 0x10000 then return ("\\u%04x"):format(code) end
    code = code - 0x10000
    return ("\\u%04x\\u%04x"):format(0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
  end)
end

--- Writes such a line, to standard output.
---@param value any
function terminal.put_json(value)
  io.stdout:write(terminal.json(value), "\n")
end

local function joined(...)
  local parts = table.pack(...)
  for i = 1, parts.n do parts[i] = tostring(parts[i]) end
  return table.concat(parts)
end

--- Writes what was asked for, to standard output.
function terminal.put(...)
  io.stdout:write(terminal.lines(joined(...)))
end

--- Writes what a person is to know, to standard error.
function terminal.note(...)
  io.stderr:write(terminal.lines(joined(...)))
end

--- Writes that something is wrong, to standard error: "deskpilot: ..." and a line feed.
function terminal.complain(...)
  terminal.note("deskpilot: ", joined(...), "\n")
end

--- Whether standard error is a terminal on which lines can be drawn anew.
---@return boolean
function terminal.can_redraw()
  return require("luv").guess_handle(2) == "tty" and os.getenv("TERM") ~= "dumb"
end

--- How wide and how high the terminal of standard error is; asked each time, so that a resized window is drawn right.
---@return integer columns, integer rows 80 and 24 where it is none
function terminal.size()
  local uv = require "luv"
  local tty = uv.guess_handle(2) == "tty" and uv.new_tty(2, false)
  if not tty then return 80, 24 end
  local columns, rows = tty:get_winsize()
  tty:close()
  return columns and columns > 0 and columns or 80, rows and rows > 0 and rows or 24
end

-- Whether a person looks at what is printed. A file or a program gets it byte by byte, but for secrets.
local function is_watched(stream)
  return require("luv").guess_handle(stream == io.stdout and 1 or 2) == "tty"
end

--- Makes Lua's own `print` and `warn` ways through here too; missions and the prompt print what they have read.
---@param stream file* where `print` writes
function terminal.install(stream)
  local watched
  function print(...) -- luacheck: ignore
    if watched == nil then watched = is_watched(stream) end
    local parts = table.pack(...)
    for i = 1, parts.n do parts[i] = tostring(parts[i]) end
    local words = table.concat(parts, "\t")
    stream:write(watched and terminal.lines(words) or secrets.mask(words), "\n")
  end
  function warn(...) -- luacheck: ignore
    if select("#", ...) == 1 and tostring(...):find "^@" then return end -- "@on" and "@off" are for Lua's own
    terminal.complain(...)
  end
end

return terminal
