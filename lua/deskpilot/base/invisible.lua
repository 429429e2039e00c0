--- Characters that nobody sees: they hide words from people that a model reads, reorder a line, steer a terminal, or
--- make two texts that look alike differ. Text from outside is shown to models and people without them.
local invisible = {}

-- Code points that are left out: fillers, joiners of words, marks and overrides of direction, invisible operators,
-- annotations. Tags (U+E0000, which spell ASCII unseen) and the selectors behind them go by a pattern.
local left_out = { { 0xAD }, { 0x34F }, { 0x61C }, { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 }, { 0x180B, 0x180F },
  { 0x200B }, { 0x200E, 0x200F }, { 0x202A, 0x202E }, { 0x2060, 0x206F }, { 0x3164 }, { 0xFEFF }, { 0xFFA0 },
  { 0xFFF0, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A } }

-- What ends a line or steers a terminal: C1 (among it NEL), and the separators of lines and paragraphs.
local spaces = { { 0x80, 0x9F }, { 0x2028, 0x2029 } }

local replaced = {}
for with, ranges in pairs { [""] = left_out, [" "] = spaces } do
  for _, range in ipairs(ranges) do
    for code = range[1], range[2] or range[1] do replaced[utf8.char(code)] = with end
  end
end

-- What writing needs in some places: joiners in Persian, in Indic scripts and in emoji, and variants of a character.
local function is_joiner(code) return code == 0x200C or code == 0x200D end
local function is_selector(code) return code ~= nil and code >= 0xFE00 and code <= 0xFE0F end

-- Whether such a character has its meaning there: a joiner between two that are not ASCII, a selector behind one.
local function belongs(code, before, after)
  if before < 0x80 or is_joiner(before) then return false end
  if is_selector(code) then return not is_selector(before) end
  return after ~= nil and after >= 0x80 and not is_joiner(after) and not is_selector(after)
end

local function without_strays(s)
  local codes, kept = {}, {}
  for _, code in utf8.codes(s) do codes[#codes + 1] = code end
  local before = 0
  for i, code in ipairs(codes) do
    if not (is_joiner(code) or is_selector(code)) or belongs(code, before, codes[i + 1]) then
      kept[#kept + 1] = utf8.char(code)
      before = code
    end
  end
  return table.concat(kept)
end

-- Each byte that is no UTF-8 as U+FFFD.
local function valid(s)
  local parts, from = {}, 1
  while true do
    local _, bad = utf8.len(s, from)
    if not bad then break end
    parts[#parts + 1] = s:sub(from, bad - 1) .. "\u{FFFD}"
    from = bad + 1
  end
  parts[#parts + 1] = s:sub(from)
  return table.concat(parts)
end

--- The text without invisible characters. Control characters (C0 but for tabs and line feeds, DEL and C1) become
--- spaces, a carriage return with its line feed one line feed, and bytes that are no UTF-8 become U+FFFD.
---@param s string any bytes
---@return string
function invisible.remove(s)
  if s:find("[\0-\8\11-\31\127]") then s = s:gsub("\r\n", "\n"):gsub("[\0-\8\11-\31\127]", " ") end
  if not s:find("[\x80-\xFF]") then return s end
  if not utf8.len(s) then s = valid(s) end
  s = s:gsub("\xF3\xA0[\x80-\xBF][\x80-\xBF]", ""):gsub("[\xC2-\xF4][\x80-\xBF]+", replaced)
  if s:find("\xE2\x80[\x8C\x8D]") or s:find("\xEF\xB8[\x80-\x8F]") then s = without_strays(s) end
  return s
end

local hidden_code = {}
for _, ranges in ipairs { left_out, spaces, { { 0x200C, 0x200D }, { 0xFE00, 0xFE0F } } } do
  for _, range in ipairs(ranges) do
    for code = range[1], range[2] or range[1] do hidden_code[code] = true end
  end
end

--- The text with each invisible character written out, C0 but not C1 left as it is, for forms that can say it by its
--- number (JSON, Lua's strings).
---@param s string UTF-8; other text is given back as it is
---@param form fun(code: integer): string
---@return string
function invisible.escape(s, form)
  if not s:find("[\x80-\xFF]") or not utf8.len(s) then return s end
  return (s:gsub("[\xC2-\xF4][\x80-\xBF]+", function(character)
    local code = utf8.codepoint(character)
    return (hidden_code[code] or code >= 0xE0000 and code <= 0xE0FFF) and form(code) or nil
  end))
end

return invisible
