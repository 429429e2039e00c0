--- Finds Lua patterns that can take more than linear time. Lua's matcher backtracks inside one C call, so that a
--- pattern with two ways to divide a long run of characters holds up the whole program. The cost of a pattern is
--- estimated from its items alone, and never too low: for each repetition, how often what follows it can be tried in
--- vain. A part that is not written out ("^" .. name) is taken for one character.
local patterns = {}

-- --- the items of a pattern --------------------------------------------------------------------------------

local unknown = "\1" -- stands in a pattern for a part that is not written out

local sets = {} -- of the characters that a single item matches, by its source

local function set_of(source)
  local set = sets[source]
  if not set then
    set = {}
    for byte = 0, 255 do set[byte] = source == unknown or string.char(byte):find(source) ~= nil end
    sets[source] = set
  end
  return set
end

-- The last byte of the set that begins at `at`.
local function set_end(pattern, at)
  local i = at + 1
  if pattern:sub(i, i) == "^" then i = i + 1 end
  repeat
    i = i + (pattern:sub(i, i) == "%" and 2 or 1)
    if i > #pattern then error "a set is not closed" end
  until pattern:sub(i, i) == "]"
  return i
end

-- The single item at `at` as { kind, set } and the byte after it.
local function read_item(pattern, at)
  local two = pattern:sub(at, at + 1)
  if two == "%b" then return { kind = "balance", set = set_of("%" .. pattern:sub(at + 2, at + 2)) }, at + 4 end
  if two == "%f" then
    local stop = set_end(pattern, at + 2)
    return { kind = "frontier", set = set_of(pattern:sub(at + 2, stop)) }, stop + 1
  end
  if two:find("^%%%d") then return { kind = "again", set = set_of(".") }, at + 2 end
  local stop = pattern:sub(at, at) == "[" and set_end(pattern, at) or two:sub(1, 1) == "%" and at + 1 or at
  local source = pattern:sub(at, stop)
  return { kind = "one", set = set_of(#source == 1 and source:find("[%^$*+?-]") and "%" .. source or source) }, stop + 1
end

-- The items of a pattern, and whether it is anchored. Captures are no items.
local function read(pattern, may_anchor)
  local items, at = {}, 1
  local anchored = may_anchor and pattern:sub(1, 1) == "^"
  if anchored then at = 2 end
  while at <= #pattern do
    local c = pattern:sub(at, at)
    if c == "$" and at == #pattern then
      items[#items + 1] = { kind = "end", set = {} }
      at = at + 1
    elseif c == "(" or c == ")" then
      at = at + 1
    else
      local item
      item, at = read_item(pattern, at)
      local times = pattern:sub(at, at)
      if item.kind == "one" and times ~= "" and ("*+-?"):find(times, 1, true) then
        item.times, at = times, at + 1
      end
      items[#items + 1] = item
    end
  end
  return items, anchored
end

-- --- what they cost ----------------------------------------------------------------------------------------

local function every(test)
  for byte = 0, 255 do
    if not test(byte) then return false end
  end
  return true
end

local function disjoint(a, b) return every(function(byte) return not (a[byte] and b[byte]) end) end
local function within(a, b) return every(function(byte) return not a[byte] or b[byte] end) end
local function all(set) return every(function(byte) return set[byte] end) end

local function repeats(item) return item.times and item.times ~= "?" end

-- Whether what begins with item i matches anywhere.
local function sure(items, i)
  local item = items[i]
  if not item then return true end
  if not item.times or item.times == "+" then return false end
  if repeats(item) and all(item.set) and items[i + 1] and items[i + 1].kind == "end" then return true end
  return sure(items, i + 1)
end

-- The characters at which what begins with item i does not fail at once.
local function begins(items, i)
  local item = items[i]
  if not item then return set_of(".") end
  if not item.times or item.times == "+" then return item.set end
  local more, set = begins(items, i + 1), {}
  for byte = 0, 255 do set[byte] = item.set[byte] or more[byte] end
  return set
end

-- Whether the attempts at different places run over different parts of the text: an item in front of the first
-- repetition matches nothing that the repetitions run over.
local function kept_apart(items, i)
  local first = i
  while items[first] and not items[first].times and (items[first].kind == "one" or items[first].kind == "frontier") do
    first = first + 1
  end
  local run_over = {}
  for k = first, #items do
    if sure(items, k) or items[k].times == "+" and sure(items, k + 1) then break end -- no attempt fails after these
    if items[k].kind == "balance" or items[k].kind == "again" then return false end
    if repeats(items[k]) then run_over[#run_over + 1] = items[k].set end
  end
  for k = i, first - 1 do
    local outside, inside = true, items[k].kind == "frontier"
    for _, set in ipairs(run_over) do
      outside, inside = outside and disjoint(set, items[k].set), inside and within(set, items[k].set)
    end
    if outside or inside then return true end
  end
  return false
end

local tried_everywhere

-- The degree of the time that an attempt at one place takes, at most, until it has failed: 0 constant, 1 linear, ...
local function failing(items, i)
  local item = items[i]
  if sure(items, i) then return 0 end
  if item.kind == "balance" or item.kind == "again" then return math.max(1, failing(items, i + 1)) end
  if not repeats(item) then return failing(items, i + 1) end
  if item.times == "+" and sure(items, i + 1) then return 0 end
  if disjoint(item.set, begins(items, i + 1)) then return math.max(1, failing(items, i + 1)) end
  return tried_everywhere(items, i + 1)
end

-- The degree of the time that attempts at all places take.
function tried_everywhere(items, i)
  local degree = failing(items, i)
  if degree == 0 then return 1 end
  return kept_apart(items, i) and degree or degree + 1
end

--- The degree of the polynomial that bounds a pattern's time: 1 is linear, 2 is quadratic.
---@param pattern string
---@param method string? "gmatch", which knows no anchor at the beginning
---@return integer
function patterns.degree(pattern, method)
  local items, anchored = read(pattern, method ~= "gmatch")
  return anchored and math.max(1, failing(items, 1)) or tried_everywhere(items, 1)
end

-- --- the patterns of a source ------------------------------------------------------------------------------

-- The end of the text or comment in long brackets that begins at `at`.
local function long_end(source, at)
  local level = source:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, last = source:find("]" .. level .. "]", at, true)
  return assert(last, "a long text is not closed")
end

local function quoted_end(source, at)
  local quote, i = source:sub(at, at), at + 1
  while source:sub(i, i) ~= quote do i = i + (source:sub(i, i) == "\\" and 2 or 1) end
  return i
end

-- The tokens of a source, without comments: { kind = "text"|"word"|"sign", text, line }.
local function tokens(source)
  local list, at, line = {}, 1, 1
  while at <= #source do
    local stop, kind
    if source:find("^%-%-", at) then
      stop = long_end(source, at + 2) or (source:find("\n", at, true) or #source + 1) - 1
    elseif source:find("^%s", at) then
      stop = at
    else
      local c = source:sub(at, at)
      local long = long_end(source, at)
      kind = (long or c == '"' or c == "'") and "text" or c:find("[%w_]") and "word" or "sign"
      local form = kind == "word" and (c:find("%d") and "^[%w_.]+" or "^[%w_]+") or "^%.+"
      stop = long or kind == "text" and quoted_end(source, at) or select(2, source:find(form, at)) or at
    end
    local text = source:sub(at, stop)
    if kind then list[#list + 1] = { kind = kind, text = text, line = line } end
    line, at = line + select(2, text:gsub("\n", "")), stop + 1
  end
  return list
end

local opens, closes = { ["("] = true, ["{"] = true, ["["] = true }, { [")"] = true, ["}"] = true, ["]"] = true }

-- The arguments of the call whose bracket, or text, is at place `at`: lists of tokens.
local function arguments(list, at)
  if list[at].kind == "text" then return { { list[at] } } end
  local found, depth, words = { {} }, 1, 0
  for i = at + 1, #list do
    local token = list[i]
    local sign = token.kind == "sign" and token.text
    words = words + (token.text == "function" and 1 or 0)
    if opens[sign] then depth = depth + 1 elseif closes[sign] then depth = depth - 1 end
    if depth == 0 then return found end
    if sign == "," and depth == 1 and words == 0 then found[#found + 1] = {} else table.insert(found[#found], token) end
  end
end

local function value(token) return (assert(load("return " .. token.text)))() end

-- The pattern that an argument's tokens make, nil where none of it is written out. `known`: the file's constants.
local function written(argument, known)
  local parts, some, last, depth = {}, false, nil, 0
  for _, token in ipairs(argument) do
    local sign = token.kind == "sign" and token.text
    if closes[sign] then depth = depth - 1 end
    local text = depth == 0 and (token.kind == "text" and value(token) or known[token.text])
    if text then
      some, last = true, nil
      parts[#parts + 1] = text
    elseif sign ~= ".." and not last then
      last = true
      parts[#parts + 1] = unknown
    end
    if sign == ".." and depth == 0 then last = nil end
    if opens[sign] then depth = depth + 1 end
  end
  return some and table.concat(parts) or nil
end

-- local NAME = "text"
local function constants(list)
  local known = {}
  for i = 1, #list - 3 do
    local after = list[i + 4]
    if list[i].text == "local" and list[i + 2].text == "=" and list[i + 3].kind == "text"
      and not (after and after.kind == "sign" and after.text:find("^[.:]")) then
      known[list[i + 1].text] = value(list[i + 3])
    end
  end
  return known
end

local methods = { match = 1, gmatch = 1, gsub = 1, find = 1 }
local not_texts = { keys = true, native = true } -- whose find is another

--- The patterns that a source gives to match, gmatch, gsub and find.
---@param source string
---@return { method: string, line: integer, pattern: string? }[] found without a pattern where it is not written out
function patterns.of(source)
  local list, found = tokens(source), {}
  local known = constants(list)
  for i = 2, #list - 1 do
    local method, before, after = methods[list[i].text] and list[i].text, list[i - 1].text, list[i + 1]
    local of_string = before == "." and list[i - 2] and list[i - 2].text == "string"
    local called = after.kind == "text" or after.text == "("
    local other = list[i - 2] and not_texts[list[i - 2].text] or list[i - 3] and list[i - 3].text == "function"
    if method and list[i].kind == "word" and called and (before == ":" and not other or of_string) then
      local given = arguments(list, i + 1)
      local place = of_string and 2 or 1
      local plain = given[place + 2]
      local pattern = given[place] or {}
      if pattern[1] and pattern[1].text ~= "{" and not (method == "find" and plain and plain[1].text == "true") then
        found[#found + 1] = { method = method, line = pattern[1].line, pattern = written(pattern, known) }
      end
    end
  end
  return found
end

--- What is wrong with the patterns of a source. A line that ends in `-- pattern: REASON` is left alone; one that says
--- so without a need is a problem too.
---@param source string
---@return string[] problems each "LINE: sentence"
function patterns.problems(source)
  local lines, problems, excused = {}, {}, {}
  for line in (source .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
  local function blame(line, words)
    if lines[line]:find("%-%- pattern: %S") then excused[line] = true
    else problems[#problems + 1] = ("%d: %s"):format(line, words) end
  end
  for _, entry in ipairs(patterns.of(source)) do
    if not entry.pattern then
      blame(entry.line, "the pattern of this " .. entry.method .. " is not written out")
    else
      local degree = patterns.degree(entry.pattern, entry.method)
      if degree > 1 then
        blame(entry.line, ("the time of %q in this %s can grow with the power %d of the text's length"):format(
          entry.pattern, entry.method, degree))
      end
    end
  end
  for number, line in ipairs(lines) do
    if line:find("%-%- pattern: ") and not excused[number] then
      problems[#problems + 1] = ("%d: the reason is not needed"):format(number)
    end
  end
  return problems
end

return patterns
