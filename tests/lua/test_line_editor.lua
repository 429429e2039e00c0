local t = require "harness"
local line_editor = require "deskpilot.cli.line_editor"

local tests = {}

local function is_complete(text)
  local chunk, why = load(text)
  return chunk ~= nil or not why:find("near <eof>$")
end

local function editor(history)
  return line_editor.new { prompt = "> ", more = ". ", history = history or {}, is_complete = is_complete }
end

-- The text with "|" where the cursor is, after those keys.
local function typed(keys, history)
  local e = editor(history)
  e:feed(keys)
  return e.text:sub(1, e.cursor - 1) .. "|" .. e.text:sub(e.cursor)
end

local left, right, home, stop, delete = "\27[D", "\27[C", "\27[H", "\27[F", "\27[3~"
local up, down = "\27[A", "\27[B"

function tests.search_in_the_history()
  local history = { "desk.click(1)", "x = 2", "desk.click(3)" }
  t.eq(typed("\18click", history), "desk.click(3)|")
  t.eq(typed("\18click\18", history), "desk.click(1)|", "the one before")
  t.eq(typed("\18click\18\18", history), "desk.click(1)|", "there is no other")
  t.eq(typed("\18xz\127", history), "x = 2|")
  t.eq(typed("ab\18click\7", history), "ab|", "given up")
  t.eq(typed("\18x =\1y", history), "y|x = 2", "any other key goes on with what was found")
  local e = editor(history)
  t.eq((e:feed "\18= 2\13" or {}).text, "x = 2")
  e:reset()
  e:feed "\18cl"
  t.has(e:draw(80), "(search: cl) desk.click(3)")
end

function tests.editing()
  t.eq(typed "abc", "abc|")
  t.eq(typed("abc" .. left .. left .. "X"), "aX|bc")
  t.eq(typed("abc" .. home .. right .. delete), "a|c")
  t.eq(typed("abc" .. home .. "x" .. stop .. "y"), "xabcy|")
  t.eq(typed("abc\1\127"), "|abc", "backspace at the start does nothing")
  t.eq(typed("abc\127\127\127\127"), "|")
  t.eq(typed("abc" .. left .. "\4"), "ab|", "ctrl-d deletes")
  t.eq(typed("abcdef" .. left .. left .. "\11"), "abcd|")
  t.eq(typed("abcdef" .. left .. left .. "\21"), "|ef")
  t.eq(typed("abcdef" .. left .. left .. "\21\5\25"), "efabcd|", "ctrl-y")
  t.eq(typed("foo.bar baz\23\23"), "foo.|")
  t.eq(typed("foo.bar baz\27b\27bX"), "foo.X|bar baz")
  t.eq(typed("foo bar\1\27fX"), "fooX| bar")
  t.eq(typed("foo bar\1\27d"), "| bar")
  t.eq(typed("a\27[1;5D\27OHb"), "b|a")
end

function tests.characters_are_whole()
  t.eq(typed("é日本" .. left .. left), "é|日本")
  t.eq(typed("é日本\127"), "é日|")
  t.eq(typed("é日本\1" .. delete .. right .. "x"), "日x|本")
  local e = editor()
  for byte in ("日é🙂"):gmatch(".") do e:feed(byte) end
  t.eq(e.text, "日é🙂")
  e:feed("\255\254a")
  t.ok(utf8.len(e.text), "always valid UTF-8")
  t.eq(typed("ab\27[99;99Zc"), "abc|", "an unknown sequence types nothing")
  e = editor()
  e:feed("a\27")
  e:feed("[")
  e:feed("Db")
  t.eq(e.text, "ba", "a sequence in pieces")
end

function tests.enter_and_continuation()
  local e = editor()
  local event = e:feed("x = 1\rrest")
  t.eq(event, { kind = "line", text = "x = 1" })
  e:reset()
  t.eq(e:feed(""), nil)
  t.eq(e.text, "rest", "what follows Enter is the next entry's")
  e = editor()
  t.eq(e:feed("for i = 1, 3 do\r"), nil)
  t.eq(e:feed("print(i)\r"), nil)
  t.eq(e:feed("end\r").text, "for i = 1, 3 do\nprint(i)\nend")
  e = editor()
  t.eq(e:feed("\r"), { kind = "line", text = "" })
end

function tests.other_events()
  t.eq(editor():feed("abc\3").kind, "interrupt")
  t.eq(editor():feed("\4").kind, "eof")
  t.eq(editor():feed("abc\4"), nil)
  t.eq(editor():feed("a\12").kind, "clear")
end

function tests.paste_is_text_and_never_keys()
  local e = editor()
  t.eq(e:feed("\27[200~a\rb\r\nc\tx\3\n\27[20"), nil)
  t.eq(e:feed("1~!"), nil)
  t.eq(e.text, "a\nb\nc  x!")
end

function tests.nothing_unseen_is_pasted()
  local e = editor()
  e:feed("\27[200~x = 'a\u{202E}b\u{2066}'\u{9b}31m\u{200B}\u{E0041} é\u{1F469}\u{200D}\u{1F4BB}\27[201~")
  t.eq(e.text, "x = 'ab' 31m é\u{1F469}\u{200D}\u{1F4BB}")
  t.eq(e:draw(80):find("\u{202E}", 1, true), nil)
end

-- An editor that knows those words, and the events that the keys made.
local function completing(keys, words)
  local events = {}
  local e = line_editor.new { complete = function(text, cursor)
    local from = text:sub(1, cursor - 1):match("()%w*$")
    local found = { from = from, names = {} }
    for _, word in ipairs(words or { "alpha", "alphabet", "beta" }) do
      if word:sub(1, cursor - from) == text:sub(from, cursor - 1) then table.insert(found.names, word) end
    end
    found.about = #found.names == 1 and "about " .. found.names[1] or nil
    return found
  end }
  local event = e:feed(keys)
  while event do
    events[#events + 1] = event
    event = e:feed("")
  end
  return e.text:sub(1, e.cursor - 1) .. "|" .. e.text:sub(e.cursor), events
end

function tests.tab_completes()
  t.eq({ completing "x = b\t" }, { "x = beta|", {} })
  t.eq({ completing "al\t" }, { "alpha|", {} }, "as far as there is one way")
  local both = { kind = "list", names = { "alpha", "alphabet" } }
  t.eq({ completing "al\t\t" }, { "alpha|", { both } }, "and twice the list")
  t.eq({ completing "alpha\t" }, { "alpha|", {} }, "the first one that adds nothing waits for a second")
  t.eq({ completing "alpha\tb\t" }, { "alphabet|", {} }, "a key between two Tabs")
  local one = { kind = "list", names = { "beta" }, about = "about beta" }
  t.eq({ completing "beta\t" }, { "beta|", { one } }, "the only one is told of at once")
  t.eq({ completing "b\t\t\t" }, { "beta|", { one, one } })
  t.eq({ completing "zzz\t\t" }, { "zzz|", {} })
  t.eq({ completing("(b)" .. left .. "\t") }, { "(beta|)", {} }, "what follows the cursor stays")
  t.eq({ completing("\t  \tb\t") }, { "      beta|", {} }, "at the beginning of a line it indents")
  t.eq({ completing "\27[200~al\tb\27[201~" }, { "al  b|", {} }, "a pasted one is no key")
  t.eq(typed "b\t", "b  |", "nobody to ask: spaces")
  t.eq({ completing("日 b\t") }, { "日 beta|", {} })
end

function tests.history_by_prefix()
  local history = { "desk.a", "print(1)", "desk.b" }
  t.eq(typed(up, history), "desk.b|")
  t.eq(typed(up .. up .. up, history), "desk.a|")
  t.eq(typed(up .. up .. up .. up, history), "desk.a|")
  t.eq(typed("desk" .. up .. up, history), "desk.a|")
  t.eq(typed("desk" .. up .. up .. down, history), "desk.b|")
  t.eq(typed("desk" .. up .. up .. down .. down, history), "desk|", "what was typed comes back")
  t.eq(typed("zzz" .. up, history), "zzz|")
  t.eq(typed(down, history), "|")
  local e = editor({ "same" })
  t.ok(not e:remember("same"))
  t.ok(not e:remember("  "))
  t.ok(e:remember("new"))
  t.eq(e.history, { "same", "new" })
end

function tests.up_and_down_inside_several_lines()
  t.eq(typed("do\rabcdef\rxy" .. up .. "|"), "do\nab||cdef\nxy")
  t.eq(typed("do\rab\rxyz" .. up .. up .. down .. "."), "do\nab.|\nxyz")
  t.eq(typed("do\rab\1X\5Y"), "do\nXabY|")
end

-- A terminal, as far as drawing needs one: rows of cells, wrapping at the right edge.
local function terminal(columns)
  local screen, row, column = { {} }, 1, 1
  local self = {}
  local function put(character, width)
    if column > columns then row, column = row + 1, 1 end
    screen[row] = screen[row] or {}
    screen[row][column] = character
    if width == 2 then screen[row][column + 1] = "" end
    column = column + width
  end
  local function clear_below()
    for c = column, columns + 1 do screen[row][c] = nil end
    for r = row + 1, #screen do screen[r] = nil end
  end
  function self.write(bytes)
    while #bytes > 0 do
      local count, letter = bytes:match("^\27%[(%d*)([A-Z])")
      if letter then
        local n = tonumber(count) or 1
        if letter == "A" then row = math.max(1, row - n)
        elseif letter == "B" then row = row + n
        elseif letter == "C" then column = math.min(columns, column + n)
        elseif letter == "J" then clear_below() end
        screen[row] = screen[row] or {}
        bytes = bytes:sub(#count + 4)
      else
        local character = bytes:match("^" .. utf8.charpattern)
        if character == "\r" then column = 1
        elseif character == "\n" then
          row = row + 1
          screen[row] = screen[row] or {}
        else put(character, line_editor.width(utf8.codepoint(character))) end
        bytes = bytes:sub(#character + 1)
      end
    end
  end
  function self.rows()
    local rows = {}
    for r = 1, #screen do
      local cells = {}
      for c = 1, columns do cells[c] = screen[r][c] or " " end
      rows[r] = table.concat(cells):gsub(" +$", "")
    end
    return rows
  end
  function self.cursor() return row, column end
  return self
end

function tests.drawing()
  local e, term = editor(), terminal(10)
  local function step(keys)
    e:feed(keys)
    term.write(e:draw(10))
    return term.rows()
  end
  t.eq(step "abc", { "> abc" })
  t.eq({ term.cursor() }, { 1, 6 })
  t.eq(step "defgh", { "> abcdefgh", "" })
  t.eq({ term.cursor() }, { 2, 1 })
  t.eq(step "ijk", { "> abcdefgh", "ijk" })
  t.eq(step(home .. right), { "> abcdefgh", "ijk" })
  t.eq({ term.cursor() }, { 1, 4 })
  t.eq(step "\11", { "> a" })
  t.eq(step "\1\11do--x日本語", { "> do--x日", "本語" }, "a wide character is not split")
  t.eq(step "\rx", { "> do--x日", "本語", ". x" })
  t.eq(step(up .. home), { "> do--x日", "本語", ". x" })
  t.eq({ term.cursor() }, { 1, 3 })
  term.write(e:leave(10) .. "out")
  t.eq(term.rows(), { "> do--x日", "本語", ". x", "out" })
end

-- Whatever is typed: what stands on the terminal is a fresh drawing of the same entry, cursor and all.
function tests.drawing_in_steps_is_drawing_at_once()
  math.randomseed(11)
  local keys = { "a", "日", "é", "(", "\r", left, right, home, stop, delete, up, down, "\127", "\11", "\21", "\23",
    "\27b", "\27f", "\25", "hello world ", "\27[200~p\nq\27[201~" }
  for _ = 1, 150 do
    local columns = math.random(8, 30)
    local e, term = editor({ "one two three four five six", "x\ny" }), terminal(columns)
    for _ = 1, 25 do
      if e:feed(keys[math.random(#keys)]) then break end
      term.write(e:draw(columns))
      local fresh = terminal(columns)
      e.drawn_row, e.kept = 0, e.drawn_row
      fresh.write(e:draw(columns))
      t.eq(term.rows(), fresh.rows())
      t.eq({ term.cursor() }, { fresh.cursor() })
      t.ok(utf8.len(e.text) and e.cursor >= 1 and e.cursor <= #e.text + 1)
    end
  end
end

return tests
