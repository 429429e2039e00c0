--- Editing one entry (of one or more lines) at a terminal. The editor itself knows no terminal: it is
--- fed the bytes that came, gives back what they meant, and says what to draw. repl.lua connects it.
local invisible = require "deskpilot.base.invisible"
local texts = require "deskpilot.base.text"

local line_editor = {}

---@class deskpilot.line_editor
---@field text string what has been typed, UTF-8
---@field cursor integer the byte that the next character is put before
---@field prompt string
---@field more string
---@field history string[]
---@field is_complete fun(text: string): boolean
---@field complete (fun(text: string, cursor: integer): deskpilot.completion?)?
local Editor = {}
Editor.__index = Editor

---@class deskpilot.line_editor_options
---@field prompt string?
---@field more string? the prompt of continued lines
---@field history string[]?
---@field is_complete (fun(text: string): boolean)? whether Enter ends the entry
---@field complete (fun(text: string, cursor: integer): deskpilot.completion?)? what Tab asks; without it Tab is spaces

--- A new editor.
---@param options deskpilot.line_editor_options?
---@return deskpilot.line_editor
function line_editor.new(options)
  options = options or {}
  return setmetatable({
    prompt = options.prompt or "> ", more = options.more or "... ", history = options.history or {},
    is_complete = options.is_complete or function() return true end, complete = options.complete,
    text = "", cursor = 1, pending = "", killed = "", drawn_row = 0, tabs = 0,
  }, Editor)
end

-- Zero-width and double-width ranges of what people type; a terminal's own table is much longer.
local zero = { { 0x300, 0x36F }, { 0x200B, 0x200F }, { 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F } }
local wide = {
  { 0x1100, 0x115F }, { 0x2E80, 0x303E }, { 0x3041, 0xA4CF }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF },
  { 0xFE30, 0xFE6F }, { 0xFF00, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1F64F }, { 0x1F680, 0x1FAFF },
  { 0x20000, 0x3FFFD },
}

local function among(ranges, code)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then return true end
  end
  return false
end

--- How many columns a character takes.
---@param code integer
---@return integer
function line_editor.width(code)
  if code < 0x300 then return 1 end
  if among(zero, code) then return 0 end
  return among(wide, code) and 2 or 1
end

-- The byte where the character before (after) `at` begins. The text is always valid UTF-8.
local function before(text, at)
  return at <= 1 and 1 or utf8.offset(text, -1, at)
end

local function after(text, at)
  return at > #text and #text + 1 or utf8.offset(text, 2, at)
end

local function is_word(text, at)
  local code = utf8.codepoint(text, at)
  return code >= 128 or string.char(code):find("[%w_]") ~= nil
end

function Editor:word_left()
  local at = self.cursor
  while at > 1 and not is_word(self.text, before(self.text, at)) do at = before(self.text, at) end
  while at > 1 and is_word(self.text, before(self.text, at)) do at = before(self.text, at) end
  return at
end

function Editor:word_right()
  local at = self.cursor
  while at <= #self.text and not is_word(self.text, at) do at = after(self.text, at) end
  while at <= #self.text and is_word(self.text, at) do at = after(self.text, at) end
  return at
end

-- Where the line that the cursor is in begins, and the byte after its last character.
function Editor:line_start()
  local start = 1
  for at in self.text:sub(1, self.cursor - 1):gmatch("()\n") do start = at + 1 end
  return start
end

function Editor:line_end()
  return self.text:find("\n", self.cursor, true) or #self.text + 1
end

--- Puts text in at the cursor. Bytes that are not UTF-8 and invisible characters are dropped (what is pasted from a
--- page would read otherwise than it runs), tabs become spaces.
function Editor:insert(words)
  words = words:gsub("\r\n?", "\n"):gsub("\t", "  "):gsub("[\0-\9\11-\31\127]", "")
  if not utf8.len(words) then words = words:gsub("[\128-\255]", "") end
  words = invisible.remove(words)
  self.text = self.text:sub(1, self.cursor - 1) .. words .. self.text:sub(self.cursor)
  self.cursor = self.cursor + #words
  self.browsing = nil
end

-- Takes [from, to) out and, if `keep`, puts it where ctrl-y finds it.
function Editor:cut(from, to, keep)
  if keep and to > from then self.killed = self.text:sub(from, to - 1) end
  self.text = self.text:sub(1, from - 1) .. self.text:sub(to)
  self.cursor = from
  self.browsing = nil
end

function Editor:set(words)
  self.text = words
  self.cursor = #words + 1
end

--- Empties the editor for the next entry; drawing starts on a new row.
function Editor:reset()
  self.text, self.cursor, self.browsing, self.searching, self.drawn_row = "", 1, nil, nil, 0
end

-- Walks the history by entries that begin with what stood before the cursor when browsing began.
function Editor:browse(step)
  local state = self.browsing
    or { at = #self.history + 1, prefix = self.text:sub(1, self.cursor - 1), typed = self.text }
  local at = state.at + step
  while at >= 1 and at <= #self.history do
    local entry = self.history[at]
    if entry:sub(1, #state.prefix) == state.prefix and entry ~= self.text then break end
    at = at + step
  end
  if at < 1 then return end
  if at > #self.history then
    if state.at > #self.history then return end
    self:set(state.typed)
    at = #self.history + 1
  else
    self:set(self.history[at])
  end
  state.at = at
  self.browsing = state
end

-- Moves to the same column of the line above or below; false where there is none.
function Editor:move_line(step)
  local start = self:line_start()
  local column = utf8.len(self.text, start, self.cursor - 1) or 0
  local target
  if step < 0 then
    if start == 1 then return false end
    self.cursor = start - 1
    target = self:line_start()
  else
    local stop = self:line_end()
    if stop > #self.text then return false end
    target = stop + 1
  end
  self.cursor = target
  local stop = self:line_end()
  for _ = 1, column do
    if self.cursor >= stop then break end
    self.cursor = after(self.text, self.cursor)
  end
  return true
end

function Editor:up()
  if self.browsing or not self:move_line(-1) then self:browse(-1) end
end

function Editor:down()
  if self.browsing or not self:move_line(1) then self:browse(1) end
end

-- Enter: the whole entry where it is complete (whatever line the cursor is in), else one more line.
function Editor:enter()
  if self.text:find("%S") and not self.is_complete(self.text) then
    self.cursor = #self.text + 1
    self:insert("\n")
    return nil
  end
  self.cursor = #self.text + 1
  return { kind = "line", text = self.text }
end

-- What all names begin with, in whole characters.
local function common_start(names)
  local common = names[1]
  for _, name in ipairs(names) do
    while name:sub(1, #common) ~= common or not utf8.len(common) do common = common:sub(1, -2) end
  end
  return common
end

-- Tab: completes the name before the cursor as far as there is one way. Where there is nothing to add, the second Tab
-- in a row asks for the list. At the beginning of a line it indents.
function Editor:tab()
  local line = self.text:sub(self:line_start(), self.cursor - 1)
  if not self.complete or not line:find("%S") then return self:insert("  ") end
  local found = self.complete(self.text, self.cursor)
  if not found or #found.names == 0 then return nil end
  local start = common_start(found.names)
  if #start > self.cursor - found.from then
    self:insert(start:sub(self.cursor - found.from + 1))
  elseif #found.names == 1 or self.tabs > 1 then
    return { kind = "list", names = found.names, about = found.about }
  end
end

-- What a key does, by the bytes that a terminal sends for it. A function gets the editor and may
-- return an event.
local keys = {}

local function bind(sequences, action)
  for _, sequence in ipairs(sequences) do keys[sequence] = action end
end

bind({ "\27[D", "\27OD", "\2" }, function(e) e.cursor = before(e.text, e.cursor) end)
bind({ "\27[C", "\27OC", "\6" }, function(e) e.cursor = after(e.text, e.cursor) end)
bind({ "\27[A", "\27OA", "\16" }, function(e) e:up() end)
bind({ "\27[B", "\27OB", "\14" }, function(e) e:down() end)
bind({ "\27[H", "\27OH", "\27[1~", "\27[7~", "\1" }, function(e) e.cursor = e:line_start() end)
bind({ "\27[F", "\27OF", "\27[4~", "\27[8~", "\5" }, function(e) e.cursor = e:line_end() end)
bind({ "\27b", "\27[1;5D", "\27[1;3D" }, function(e) e.cursor = e:word_left() end)
bind({ "\27f", "\27[1;5C", "\27[1;3C" }, function(e) e.cursor = e:word_right() end)
bind({ "\127", "\8" }, function(e) e:cut(before(e.text, e.cursor), e.cursor) end)
bind({ "\27[3~" }, function(e) e:cut(e.cursor, after(e.text, e.cursor)) end)
bind({ "\11" }, function(e) e:cut(e.cursor, e:line_end(), true) end)
bind({ "\21" }, function(e) e:cut(e:line_start(), e.cursor, true) end)
bind({ "\23", "\27\127" }, function(e) e:cut(e:word_left(), e.cursor, true) end)
bind({ "\27d" }, function(e) e:cut(e.cursor, e:word_right(), true) end)
bind({ "\25" }, function(e) e:insert(e.killed) end)
bind({ "\9" }, function(e) return e:tab() end)
bind({ "\27\13", "\27\10" }, function(e) e:insert("\n") end)
bind({ "\12" }, function() return { kind = "clear" } end)
bind({ "\3" }, function() return { kind = "interrupt" } end)
bind({ "\13", "\10" }, function(e) return e:enter() end)

keys["\4"] = function(e)
  if e.text == "" then return { kind = "eof" } end
  e:cut(e.cursor, after(e.text, e.cursor))
end

local paste_start, paste_end = "\27[200~", "\27[201~"

-- The key at the front of `bytes`: its sequence, or nil where more bytes must come first.
local function next_key(bytes)
  if bytes:byte() ~= 27 then return bytes:sub(1, 1) end
  if #bytes == 1 then return nil end
  local second = bytes:sub(2, 2)
  if second == "[" then
    local sequence = bytes:match("^\27%[[0-?]*[ -/]*[@-~]")
    if sequence then return sequence end
    -- A broken sequence is dropped; an unfinished one waits, but not for ever.
    return (#bytes > 32 or bytes:find("[^0-?]", 3)) and bytes:sub(1, 2) or nil
  end
  if second == "O" then return #bytes >= 3 and bytes:sub(1, 3) or nil end
  return bytes:sub(1, 2)
end

-- A run of ordinary characters at the front of `bytes`; an unfinished last one is left for later.
local function plain_run(bytes)
  local run = bytes:match("^[\32-\126\128-\255]+")
  if not run then return nil end
  local tail = #run
  while tail > 0 and tail > #run - 3 and run:byte(tail) >= 128 and run:byte(tail) < 192 do tail = tail - 1 end
  local lead = tail > 0 and run:byte(tail) or 0
  local need = lead >= 240 and 4 or lead >= 224 and 3 or lead >= 192 and 2 or 1
  if #run == #bytes and #run - tail + 1 < need then return run:sub(1, tail - 1) end
  return run
end

-- Takes one key, run of characters or paste off the front of self.pending. Returns whether it could,
-- and an event if there is one.
function Editor:take()
  local bytes = self.pending
  if bytes == "" then return false end
  self.tabs = bytes:byte() == 9 and self.tabs + 1 or 0 -- in a row
  if bytes:sub(1, #paste_start) == paste_start then
    local first, last = bytes:find(paste_end, 1, true)
    if not first then return false end
    self:insert(texts.without_end(bytes:sub(#paste_start + 1, first - 1), "\r\n"))
    self.pending = bytes:sub(last + 1)
    return true
  end
  local run = plain_run(bytes)
  if run then
    if run == "" then return false end
    self:insert(run)
    self.pending = bytes:sub(#run + 1)
    return true
  end
  local key = next_key(bytes)
  if not key then return false end
  self.pending = bytes:sub(#key + 1)
  local action = keys[key]
  return true, action and action(self) or nil
end

-- --- search in the history ---------------------------------------------------------------------------

-- Shows the latest entry before `at` that has the words; where there is none, what was shown stays.
function Editor:find_back(at)
  local search = self.searching
  for i = at, 1, -1 do
    if search.words ~= "" and self.history[i]:find(search.words, 1, true) then
      search.at = i
      self:set(self.history[i])
      return
    end
  end
end

keys["\18"] = function(e)
  e.searching = { words = "", at = #e.history, typed = e.text }
end

-- Takes the front of what was typed while a search goes on; false where that ends it and means what it always does.
function Editor:take_search()
  local search, bytes = self.searching, self.pending
  local run, first = plain_run(bytes), bytes:sub(1, 1)
  if run == "" then return false end
  if run then
    search.words = search.words .. run
    self:find_back(search.at)
  elseif first == "\18" then self:find_back(search.at - 1)
  elseif first == "\127" or first == "\8" then
    search.words = search.words:sub(1, before(search.words, #search.words + 1) - 1)
    search.at = #self.history
    self:find_back(search.at)
  elseif first == "\3" or first == "\7" then
    self:set(search.typed)
    self.searching = nil
  else
    self.searching = nil
    return false
  end
  self.pending = bytes:sub(run and #run + 1 or 2)
  return true
end

--- Gives the editor bytes that came from the terminal. Stops at the first event, with what follows it
--- kept for the next call (feed("") goes on).
---@param bytes string
---@return { kind: "line"|"interrupt"|"eof"|"clear"|"list", text: string?, names: string[]?, about: string? }? event
---  list: what the name before the cursor may become
function Editor:feed(bytes)
  self.pending = self.pending .. bytes
  while true do
    local searched = self.searching and self.pending ~= "" and self:take_search()
    local taken, event = searched, nil
    if not searched then taken, event = self:take() end
    if event or not taken then return event end
  end
end

-- The rows of the entry as they stand on a terminal, and where the cursor is among them.
function Editor:layout(columns)
  local prompt = self.searching and ("(search: %s) "):format(self.searching.words) or self.prompt
  local rows, row, column = {}, { prompt }, utf8.len(prompt) or #prompt
  local cursor_row, cursor_column
  local function next_row(lead)
    rows[#rows + 1] = table.concat(row)
    row, column = { lead }, utf8.len(lead) or #lead
  end
  for at, code in utf8.codes(self.text) do
    local width = code == 10 and 0 or line_editor.width(code)
    if column + width > columns then next_row("") end
    if at == self.cursor then cursor_row, cursor_column = #rows, column end
    if code == 10 then next_row(self.more)
    else
      row[#row + 1] = utf8.char(code)
      column = column + width
    end
  end
  if column >= columns then next_row("") end
  if not cursor_row then cursor_row, cursor_column = #rows, column end
  rows[#rows + 1] = table.concat(row)
  return rows, cursor_row, cursor_column
end

--- What to write so that the terminal shows the entry and its cursor, in place of what the last call
--- drew.
---@param columns integer
---@return string
function Editor:draw(columns)
  local rows, row, column = self:layout(math.max(columns, 8))
  local out = { self.drawn_row > 0 and ("\27[%dA"):format(self.drawn_row) or "", "\r\27[J",
    table.concat(rows, "\r\n") }
  local up = #rows - 1 - row
  if up > 0 then out[#out + 1] = ("\27[%dA"):format(up) end
  out[#out + 1] = "\r" .. (column > 0 and ("\27[%dC"):format(column) or "")
  self.drawn_row = row
  return table.concat(out)
end

--- What to write to leave the entry behind: the cursor goes below it.
---@param columns integer
---@return string
function Editor:leave(columns)
  local rows = self:layout(math.max(columns, 8))
  local down = #rows - 1 - self.drawn_row
  self.drawn_row = 0
  return (down > 0 and ("\27[%dB"):format(down) or "") .. "\r\n"
end

--- Remembers an entry, once in a row.
function Editor:remember(words)
  if words:find("%S") and self.history[#self.history] ~= words then
    self.history[#self.history + 1] = words
    return true
  end
  return false
end

return line_editor
