--- Shows what is picked while the pointer moves: at a terminal as one block that is drawn again in place, elsewhere as
--- a line for each thing that the pointer comes to.
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"
local uv = require "luv"
local words = require "deskpilot.cli.pick.words"

local view = {}

local most = 4 -- rows of one line

-- We break lines ourselves: a row must not become two, whatever the terminal takes for a character's width.
local wrap = { off = "\27[?7l", on = "\27[?7h" }

---@class deskpilot.pick_view
---@field live boolean whether it is drawn in place
---@field json boolean
---@field rows integer how many of it are on the terminal
---@field last string? what was told last
local View = {}
View.__index = View

-- Of words that are safe: what the block is drawn with goes no other way.
local function put(parts)
  io.stdout:write(parts)
  io.stdout:flush()
end

local function columns()
  local tty = uv.new_tty(1, false)
  local width = tty and tty:get_winsize()
  if tty then tty:close() end
  return width and width > 0 and width or 80
end

-- The rows that a line takes.
local function broken(line, width)
  local rows = {}
  while #rows < most - 1 and utf8.len(line) > width do
    local at = utf8.offset(line, width + 1)
    rows[#rows + 1], line = line:sub(1, at - 1), words.indent .. line:sub(at)
  end
  rows[#rows + 1] = utf8.len(line) > width and text.cut(line, width - 3) or line
  return rows
end

local function draw(self, lines)
  local width, rows = math.max(columns() - 1, 2 * #words.indent), {}
  for _, line in ipairs(lines) do
    for _, row in ipairs(broken(line, width)) do rows[#rows + 1] = row .. "\r\n" end
  end
  put(self:erased() .. wrap.off .. table.concat(rows) .. wrap.on)
  self.rows = #rows
end

--- What takes the block away; nothing where there is none.
---@return string
function View:erased()
  local rows = self.rows
  self.rows = 0
  return rows > 0 and ("\27[%dA\r\27[J"):format(rows) or ""
end

-- What has to change for another line: the colour and the point do so at every pixel.
local function essence(picked)
  return ("%s\n%s\n%s"):format(words.window(picked), words.element(picked), picked.line)
end

--- Shows it.
---@param picked deskpilot.picked
function View:show(picked)
  if self.live then return draw(self, words.block(picked)) end
  local now = essence(picked)
  if now == self.last then return end
  self.last = now
  if self.json then terminal.put_json(words.data(picked)) else terminal.put(words.line(picked), "\n") end
  io.stdout:flush()
end

--- Writes what stays on the terminal, above the block.
---@param line string
function View:keep(line)
  if self.live then put(self:erased() .. terminal.line(line) .. "\r\n") else terminal.note(line, "\n") end
end

--- A view of standard output.
---@param json boolean? objects in place of words
---@return deskpilot.pick_view
function view.new(json)
  local live = not json and uv.guess_handle(1) == "tty" and os.getenv "TERM" ~= "dumb"
  return setmetatable({ live = live, json = json or false, rows = 0 }, View)
end

return view
