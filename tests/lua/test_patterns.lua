-- No pattern of the program takes more than linear time, whatever the text. Also what `./dev lint` runs.
local files = require "deskpilot.base.files"
local patterns = require "patterns"
local t = require "harness"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local tests = {}

local function each_file(folder, found)
  for _, name in ipairs(assert(files.list(folder))) do
    local path = folder .. "/" .. name
    if files.is_folder(path) then each_file(path, found) elseif name:find("%.lua$") then found[#found + 1] = path end
  end
  return found
end

function tests.the_programs_own()
  local count = 0
  for _, path in ipairs(each_file("missions", each_file("lua/deskpilot", {}))) do
    local source = assert(files.read(path))
    count = count + #patterns.of(source)
    for _, problem in ipairs(patterns.problems(source)) do t.ok(false, path .. ":" .. problem) end
  end
  t.ok(count > 400, count .. " patterns are too few to be all")
end

-- Each with a text on which it is as slow as that, made of one of these n times: "" where there is none.
local slow = {
  { "^%s*(.-)%s*$", 2, "a", " ", "b" }, { "%s+$", 2, "", " ", "a" }, { "[^/]*$", 2, "", "a", "/" },
  { "(.-)\r?\n", 2, "", "a", "" }, { "^(.-)(\n*)$", 2, "", "\n", "a" }, { "%((.*)%)$", 2, "", "(", "" },
  { "<title[^>]*>(.-)</", 2, "", "<title>", "" }, { "^[^\n]*%S[^\n]*\n*$", 2, "", "a", "\nb" },
  { "^%d+%.?%d*$", 2, "", "1", "x" }, { "\n%s*%d+%)", 2, "", "\n", "" }, { "^%s*%(?%s*x", 2, "", " ", "" },
  { "%b()", 2, "", "(", "" },
}

local linear = {
  "", "abc", "%s", "^%s*x", "[^\n]+", "[^\n]*", "%s+", "^.*/(.*)$", "^(.*)%.lua$", "%d+", "%.%a+$", "^%s*%*+",
  "^[^=]*=(.*)$",
  '"([^"]*)"', '"name"%s*:%s*"([%w_-]+)"', "%f[%w]sk%-[%w_*.-]+", "([Bb]earer%s+)[%w%-._~+/]+=*", "^.*%S",
  "%f[%S]([1-9]%d*) times%f[%s\0]", "^(.-[.!?])%s+%u", ".*$", "^%[(=*)%[", "```[%w_]*[ \t]*\r?\n", "%%%x%x", "[%]%-]+",
}

function tests.degrees()
  for _, row in ipairs(slow) do t.ok(patterns.degree(row[1]) >= row[2], row[1] .. " is called linear") end
  for _, pattern in ipairs(linear) do t.eq(patterns.degree(pattern), 1, pattern) end
  t.eq(patterns.degree("^[^\n]*\n"), 1)
  t.eq(patterns.degree("^[^\n]*\n", "gmatch"), 2, "gmatch has no anchor")
end

-- Those that are called slow are: what is called so wrongly would be rewritten for nothing. One in linear time takes
-- less than a tenth of a millisecond here.
function tests.slow_ones_are_slow()
  for _, row in ipairs(slow) do
    local words = row[3] .. row[4]:rep(4000) .. row[5]
    local began = task.now()
    local _ = words:find(row[1])
    local took = task.now() - began
    t.ok(took > 0.002, ("%s took %g s"):format(row[1], took))
  end
end

local function problems(source)
  local list = {}
  for i, problem in ipairs(patterns.problems(source)) do list[i] = problem:match("^%d+: %a+ %a+ %a+") end
  return table.concat(list, "; ")
end

function tests.reading_sources()
  local time, unwritten, needless = "the time of", "the pattern of", "the reason is"
  for _, row in ipairs {
    { 's:match("a%s+$")', "" }, { 's:match("%s+$")', "1: " .. time }, { "s:match '%s+$'", "1: " .. time },
    { 's:match [[%s+$]]', "1: " .. time }, { 's:gsub("%s+$", "")', "1: " .. time },
    { 'string.find(s, "%s+$")', "1: " .. time }, { 'string.find("%s+$", "a")', "" },
    { 's:find("%s+$", 1, true)', "" }, { 's:find("%s+$", 1)', "1: " .. time },
    { 's:find("%s" .. "+$")', "1: " .. time },
    { '-- s:match("%s+$")', "" }, { 'x = [[ s:match("%s+$") ]]', "" }, { 'x = "s:match(\'%s+$\')"', "" },
    { 's:match(name)', "1: " .. unwritten }, { 'local name = "a"\ns:match(name)', "" },
    { 'local name = "%s+$"\ns:match(name)', "2: " .. time }, { 's:match("^" .. name .. "$")', "" },
    { 's:match("^[^" .. set .. "]*$")', "" }, { 's:match("^(.-)" .. name)', "" },
    { 'desk.windows.find { title = "%s+$" }', "" }, { 's:match(\n  "%s+$")', "2: " .. time },
    { 's:match("%s+$") -- pattern: a short one', "" }, { 's:match("%s+") -- pattern: a short one', "1: " .. needless },
    { 's:match("%s+$") -- pattern:', "1: " .. time },
  } do
    t.eq(problems(row[1]), row[2], row[1])
  end
end

-- --- what stands in their place -------------------------------------------------------------------------------

function tests.trims()
  for _, row in ipairs { { "", "" }, { "  \n", "" }, { " a ", "a" }, { "a  b\t\n", "a  b" }, { "\0a\0", "\0a\0" } } do
    t.eq(text.trim(row[1]), row[2])
  end
  t.eq(text.without_end("a/b//", "/"), "a/b")
  t.eq(text.without_end("//", "/"), "")
  t.eq(text.without_end("", "/"), "")
  t.eq(text.without_end("a. .", "%s."), "a")
  t.eq(text.after_last("/a/b\\c", "/\\"), "c")
  t.eq(text.after_last("abc", "/"), "abc")
  t.eq(text.after_last("abc/", "/"), "")
end

function tests.lines()
  local function lines(s)
    local list = {}
    for line in text.lines(s) do list[#list + 1] = line end
    return list
  end
  t.eq(lines "", { "" })
  t.eq(lines "a", { "a" })
  t.eq(lines "a\r\n\nb\rc\n", { "a", "", "b\rc", "" })
end

-- What the usual patterns for the same take minutes for; these a quarter of a second, on a machine with nothing else to
-- do.
function tests.helpers_are_linear()
  local size = 1024 * 1024
  for what, words in pairs { blanks = "a" .. (" "):rep(size) .. "b", only = (" "):rep(size), letters = ("a"):rep(size),
    lines = ("\r"):rep(size), slashes = ("/"):rep(size) .. "a" } do
    for name, fn in pairs { trim = text.trim, one_line = text.one_line, fold = text.fold, list_item = text.list_item,
      without_end = function(s) return text.without_end(s, "%s/") end,
      after_last = function(s) return text.after_last(s, "/\\") end,
      lines = function(s) for _ in text.lines(s) do end end } do
      local began = task.now()
      fn(words)
      local took = task.now() - began
      t.ok(took < 15, ("%s of %s took %g s"):format(name, what, took))
    end
    collectgarbage()
  end
end

return tests
