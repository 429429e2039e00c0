--- What Tab completes at the prompt.
local t = require "harness"
local chunk = require "deskpilot.cli.chunk"
local completion = require "deskpilot.cli.completion"
local help = require "deskpilot.cli.help"
local image = require "native.image"

local tests = {}

-- What must not happen: anything of these being called.
local function never() error("completion has called something") end

local guarded = setmetatable({ plain = 1 }, { __index = never, __pairs = never, __call = never, __tostring = never,
  __len = never, __newindex = never })

local Animal = { legs = 4 }
Animal.__index = Animal
function Animal:speak() return self.name end
function Animal.new() never() end

local function scope()
  local env = chunk.environment(never)
  env.shop = { apples = 1, apricots = { 2 }, ["not a name"] = 3, ["end"] = 4, _hidden = 5 }
  env.pet = setmetatable({ name = "Rex" }, Animal)
  env.picture = image.new(2, 2)
  env.words, env.guarded, env.list = "abc", guarded, { { inner = { deep = true } } }
  return { env = env, classes = { desk = "deskpilot.desk" } }
end

local function at(source, given)
  local before = source:find("|", 1, true)
  local text = before and source:sub(1, before - 1) .. source:sub(before + 1) or source
  return completion.at(text, before or #source + 1, given or scope())
end

local function names(source, given)
  local found = at(source, given)
  return found and table.concat(found.names, " ")
end

function tests.names_in_scope()
  t.eq(names "sho", "shop")
  t.eq(names "des", "desk")
  t.eq(names "relo", "reload")
  t.eq(names "pri", "print")
  t.eq(names "whi", "while")
  t.eq(names "shop.apples + wor", "words")
  t.eq(names "nothing_of_that_name", "")
  t.eq(at("x = sho").from, 5)
  t.eq(names("pr|int(1)"), "print", "what stands after the cursor does not matter")
  t.eq(names "local window, other = 1, 2 wind", "window")
  t.eq(names "for number, thing in pairs(shop) do thi", "thing")
  t.eq(names "local function helper(first, ...) fir", "first")
  t.eq(names "local f <close> = nil clo", "", "an attribute is no name")
  t.eq(names "local wor", "words", "the name that is being typed is none yet")
end

function tests.fields_of_live_tables()
  t.eq(names "shop.", "apples apricots", "names only, and none that is a word of Lua's")
  t.eq(names "shop.ap", "apples apricots")
  t.eq(names "shop._", "_hidden")
  t.eq(names "shop.apples.", "")
  t.eq(names "shop . ap", "apples apricots")
  t.eq(names "list[1].", "inner")
  t.eq(names "list[1].inner.", "deep")
  t.eq(names "list[1]['inner'].", "deep")
  t.eq(names "list[2].", nil)
  t.eq(names "list[#list].", nil, "an index that would have to be worked out")
  t.eq(names "pet.", "legs name new")
  t.eq(names "pet:", "speak")
  t.eq(names "words:up", "upper")
  t.eq(names "string.form", "format")
  t.eq(names "io.stdout:wri", "write")
  t.eq(names "picture:eq", "equal")
  t.eq(names "picture.eq", "")
  t.eq(names "nothing.", nil)
  t.eq(names "5.", nil)
  t.eq(names "shop.apples..wor", "words", "two dots join texts")
end

function tests.nothing_is_called()
  t.eq(names "guarded.", "plain")
  t.eq(names "guarded.other.", nil)
  t.eq(names "guarded:", "")
  t.eq(names "guarded().", nil)
  t.eq(names "pet.new().", nil)
  t.eq(names "desk.mouse.cl", "click", "the desk is not opened for it")
end

function tests.the_annotations_know_what_is_not_there_yet()
  t.eq(names "desk.mou", "mouse")
  t.eq(names "desk.mouse.click", "click")
  t.eq(names "desk:", "close lost reconnect watch")
  t.eq(names "desk.screen.shot():fi", "find find_all fit")
  t.eq(names "desk.screen.shot { window = 'a.b(' }.wi", "width")
  t.eq(names "desk.windows.list()[1].min", "minimized")
  t.eq(names "desk.windows.find { title = 'x' }.ti", "title")
  t.eq(names "desk.browser.current():tab():cl", "clear click close")
  t.eq(names "desk.browser\n  .current()\n  :ta", "tab tabs")
  t.eq(names "require('desk').keyb", "keyboard")
  t.eq(names "print(desk.keyboard.pr", "press")
  t.eq(names "desk.keyboard.press('ctrl+s').", "", "a boolean has no fields")
  local desk = require("deskpilot.desk").open { backend = "null" }
  local live = scope()
  live.env.m = { desk = desk }
  t.eq(names("m.desk.clipboard.se", live), "set set_image")
  t.eq(names("m.desk:cl", live), "close")
  t.eq(names("m.desk.screen.shot():sa", live), "save")
  desk:close()
end

function tests.options_of_the_call_that_they_are_for()
  t.eq(names "desk.windows.find { ti", "title")
  t.eq(names "desk.windows.find { title = 'x', m", "matching")
  t.eq(names "desk.mouse.click({ x = 1, y = 2 }, { mod", "modifiers")
  t.eq(names "desk.mouse.click({ x = 1, fra", "frame")
  t.eq(names "desk.apps.start { 'xterm', '-e', wa", "wait")
  t.eq(names "desk.keyboard.press('a', { ", "hold interval times")
  t.eq(names "desk.clipboard.get { ", "timeout", "of a type that has no name")
  t.eq(names "desk.browser.current():tab():wait_for { te", "text")
  t.has(at("desk.screen.shot { on_").about, "on_screen: boolean?\nof a window: as it shows on the screen")
  t.eq(names "desk.windows.find { title = wor", "words", "a value is none")
  t.eq(names "desk.windows.find({}, { sho", "shop", "there is no such argument")
  t.eq(names "desk.apps.start { wor", "words", "a word that no field begins with")
  t.eq(names "x = { sho", "shop")
  t.eq(names "shop.apples { sho", "shop")
end

function tests.modules()
  t.eq(names "require 'deskpilot.base.cs", "deskpilot.base.csv")
  t.eq(names 'require("native.sy', "native.system")
  t.eq(names 'reload "deskpilot.desk.inp', "deskpilot.desk.input.")
  t.eq(names 'require "lu', "luv")
  t.ok(names('require "deskpilot.'):find("deskpilot.desk deskpilot.desk.", 1, true), "a module, and a folder")
  t.eq(names 'require "types', "", "types are no modules")
  t.eq(names 'require "native.image".bas', "base64")
  t.eq(names 'require("deskpilot.base.json").enc', "encode")
  t.eq(names "print 'deskpilot.base.cs", "")
  t.eq(names "shop.require 'native.", "")
end

function tests.texts_and_comments_are_left_alone()
  for _, source in ipairs { "'desk.", '"sho', "-- desk.", "--[[ desk.\n sho", "x = [[sho", "x = [==[ ]] desk.",
    "'it\\'s sho" } do
    t.eq(names(source), nil, source)
  end
  t.eq(names "'it\\'s' .. sho", "shop")
  t.eq(names "--[[ a ]] sho", "shop")
  t.eq(names "-- a\nsho", "shop")
  t.eq(names "x = [==[ ]] ]==] sho", "shop")
end

function tests.what_is_written_about_the_only_one()
  local about = at("desk.mouse.cli").about
  t.has(about, "click(target, how) -> ok, err\nClicks at a point or in the middle of an element;")
  t.has(at("desk.mou").about, "mouse: deskpilot.desk.mouse\nmoving, clicking")
  t.has(at("require'native.image'.norm").about, "norm_to_pixel(x, y, rect)")
  t.has(at("picture:eq").about, "equal(other)")
  t.has(at("desk.windows.active().tit").about, "title: string")
  t.eq(at("shop.ap").about, nil, "there are two")
end

function tests.columns_fit_the_terminal()
  local list = {}
  for i = 1, 40 do list[i] = ("name_%02d%s"):format(i, ("x"):rep(i % 5)) end
  for width = 1, 130 do
    local lines = completion.columns(list, width)
    local seen = {}
    for _, line in ipairs(lines) do
      t.ok(#line < width or not line:find(" "), "too wide for " .. width .. ": " .. line)
      for name in line:gmatch("%S+") do seen[#seen + 1] = name end
    end
    table.sort(seen)
    t.eq(#seen, 40)
  end
  t.eq(completion.columns({ "a", "b", "c", "d", "e" }, 8), { "a  d", "b  e", "c" }, "read downwards")
  local many = {}
  for i = 1, 1000 do many[i] = "n" .. i end
  local lines = completion.columns(many, 80)
  t.eq(lines[#lines], "... and 700 more")
end

-- Whatever has been typed so far: no error, and every answer goes on from what stands there.
function tests.every_beginning_of_a_source_can_be_completed()
  local source = [==[
local w <const>, n = desk.windows.find { title = "a\"b", 1, [2] = 'x' }, 0x1F
for i, v in ipairs(desk.windows.list()) do print(v.title:upper(), #v, i ~= 1, -v.x // 2) end
local function f(a, ...) return (a or desk).mouse.click({ x = 1 }, { button = [[left]] }), ... end --[=[ c ]] ]=]
goto done; shop.apples, list[1].inner = pet:speak(), f'' ::done:: if not w then return end -- over
]==]
  local given = scope()
  for i = 0, #source do
    local found = completion.at(source:sub(1, i), i + 1, given)
    if found then
      local word = source:sub(found.from, i)
      for _, name in ipairs(found.names) do
        t.ok(name:sub(1, #word) == word, ("%q does not begin %s"):format(word, name))
      end
    end
  end
  for _, odd in ipairs { ")", "]", "}", ".", ":", "..", "f(.", "a[.", "{}.", "a.b.c:", "().", "''.", "[[x]].", "a?.",
    "\0.", "\255." } do
    completion.at(odd, #odd + 1, given)
  end
end

function tests.help_knows_what_the_types_say()
  local words = help.about(image)
  t.has(words, "native.image\n")
  t.has(words, "  load               The image in the bytes of a PNG or JPEG file.")
  t.has(help.about(image.fit), "function native.image.fit(width, height, max_width, max_height)\nThe largest size")
  t.has(help.about(image.new(1, 1)), "  :crop              A copy of a part of the image.")
  local desk = require("deskpilot.desk").open { backend = "null" }
  words = help.about(desk)
  t.has(words, "  mouse              moving, clicking, dragging, scrolling")
  t.has(words, "  settle             Waits until the screen has not changed")
  t.has(words, "  :close             Lets go of everything that is held")
  t.has(help.about(desk.mouse), "  click              Clicks at a point or in the middle of an element")
  desk:close()
  t.has(help.about(print), "a built-in function")
  t.eq(help.about({}), "an empty table")
  t.has(help.about(12), "a number: 12")
end

-- A desk on which these windows and elements are.
local function scope_on_a_desktop()
  local given, asked = scope(), {}
  given.open = function()
    return { windows = { active = function() return { id = 7 } end, list = function()
      return { { title = "Notes - Editor" }, { title = "Nötes" }, { title = "Notës" }, { title = 'A "quoted" one' },
        { title = "two\nlines" }, { title = "" } }
    end }, elements = { list = function(criteria)
      asked.window = criteria.window
      return { { name = "Save" }, { name = "Save as" }, {}, { name = "Open" } }
    end } }
  end
  return given, asked
end

local function texts(source)
  local found = at(source, (scope_on_a_desktop()))
  return found and table.concat(found.names, "|")
end

function tests.titles_of_windows()
  t.eq(texts 'desk.wait_for_window { title = "No', "Notes - Editor|Notës")
  t.eq(texts "desk.wait_for_window { timeout = 3, title = 'N", "Notes - Editor|Notës|Nötes")
  t.eq(texts 'desk.windows.find "Notes', "Notes - Editor")
  t.eq(texts 'desk.windows.find("Notes', "Notes - Editor")
  t.eq(texts "desk.windows.find 'A", 'A "quoted" one')
  t.eq(texts 'desk.windows.find "A', "", "it could not be typed")
  t.eq(texts 'desk.windows.find "t', "", "one of two lines")
  t.eq(texts 'desk.elements.find { window = { title = "Notë', "Notës")
  t.eq(at('x = desk.windows.find "No', (scope_on_a_desktop())).from, 24)
end

function tests.names_of_elements()
  local given, asked = scope_on_a_desktop()
  t.eq(names('desk.elements.find "Sa', given), "Save Save as")
  t.eq(asked.window, 7, "of the window in front")
  t.eq(texts 'desk.wait_for_element { name = "O', "Open")
  t.eq(texts 'desk.elements.find { role = "S', "", "a role is no name")
end

function tests.other_texts()
  t.eq(names 'desk.windows.find "No', "", "without a desk that is open nothing is read")
  t.eq(at 'x = "No', nil)
  t.eq(texts 'print "No', "")
end

function tests.help_searches()
  local function first(word) return help.about(word):match "^[^\n]*" end
  t.has(first "click", "desk.mouse.click(target, how)")
  t.has(first "wait for window", "desk.wait_for_window(")
  t.has(first "WAIT_FOR_W", "desk.wait_for_window(")
  t.has(help.about "double", "desk.mouse.double_click(")
  t.has(help.about "button press", "button")
  t.has(help.about "zzz", "nothing that ships has \"zzz\"")
  t.has(help.about " ", "Ctrl+D leaves")
  t.has(help.about "a", "more")
end

return tests
