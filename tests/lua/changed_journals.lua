--- Changes a journal as somebody might who means harm: other types, missing fields, huge numbers, deep lists. The same
--- seed gives the same changes.
local json = require "deskpilot.base.json"

local changed = {}

local INFINITE = "@infinite@" -- stands for 1e999, which can be written in JSON but not encoded

local function deep(levels)
  local value = json.list {}
  for _ = 1, levels do value = { a = json.list { value } } end
  return value
end

local evil = "</pre><script>alert(1)</script>\" onerror='x' \27[31m\u{9b}31m\u{202e}&\0"

-- What takes the place of a value.
local odd = {
  function() return json.null end, function() return true end, function() return false end,
  function() return 0 end, function() return -1 end, function() return 1.5 end, function() return 1e300 end,
  function() return -1e300 end, function() return math.maxinteger end, function() return INFINITE end,
  function() return "-" .. INFINITE end, function() return "" end, function() return "12" end,
  function() return evil end, function() return ("x"):rep(3000) end, function() return {} end,
  function() return json.list {} end, function() return json.list { 1, "a", json.null, {} } end,
  function() return { evil = evil, name = {}, ["1"] = 2 } end, function() return json.list { evil, { evil } } end,
  function() return deep(20) end, function() return { x = {}, y = "1", width = -5, height = INFINITE } end,
  function() return json.list { json.list { json.list {} } } end,
}

-- Every place in a value: the table and its key.
local function places(value, list)
  for key, item in pairs(value) do
    list[#list + 1] = { value, key }
    if type(item) == "table" then places(item, list) end
  end
  return list
end

local function path_of(place, event)
  return ("%s, %s"):format(tostring(event), tostring(place[2]))
end

-- In an order that is the same at every run.
local function sorted(list)
  for i, place in ipairs(list) do place.order = tostring(place[2]) .. json.encode(place[1]) .. i end
  table.sort(list, function(a, b) return a.order:sub(1, 200) < b.order:sub(1, 200) end)
  return list
end

local function change_place(event, dice)
  local list = sorted(places(event, {}))
  local place = list[dice(#list)]
  local name = path_of(place, event.event)
  local which = dice(#odd + 1)
  if which > #odd then
    if #place[1] > 0 then table.remove(place[1], place[2]) else place[1][place[2]] = nil end
    return name .. " removed"
  end
  place[1][place[2]] = odd[which]()
  return ("%s as odd value %d"):format(name, which)
end

--- A journal with one to four changes, and what was changed.
---@param text string the journal
---@param seed integer
---@return string text, string how
function changed.change(text, seed)
  local state = seed * 2654435761 % 2 ^ 32 | 1
  local function dice(sides)
    state = state ~ (state << 13) & 0xffffffff
    state = state ~ (state >> 17)
    state = state ~ (state << 5) & 0xffffffff
    return state % sides + 1
  end
  local lines, how = {}, {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  for i = 1, dice(4) do
    if #lines == 0 then break end
    local at = dice(#lines)
    local event = json.decode(lines[at])
    if type(event) == "table" and next(event) then
      how[i] = change_place(event, dice)
      lines[at] = json.encode(event):gsub('"(%-?)' .. INFINITE .. '"', "%11e999")
    else
      how[#how + 1] = "line " .. at .. " removed"
      table.remove(lines, at)
    end
  end
  return table.concat(lines, "\n") .. "\n", table.concat(how, "; ")
end

return changed
