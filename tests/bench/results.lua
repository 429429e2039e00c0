--- The table of a benchmark. What was measured several times is told by its median and by how far the middle half of
--- the values lies apart, so that a noisy machine can be told from a slow program. A part that misses a target is
--- measured again, up to twice, before that counts: what somebody else's load did to it does not happen three times.
local statistics = require "bench.statistics"

local results = {}

local AGAIN = 2

---@class bench.row
---@field name string
---@field value number the median, where there are several
---@field unit string
---@field limit number? the most that it may be
---@field what string?
---@field spread number? of several values, as a share of the median
---@field missed number[]? what it was in earlier attempts, which missed the target

local Table = {}
Table.__index = Table

--- An empty table.
---@param write fun(words: string)? takes what is said meanwhile; standard output
function results.new(write)
  return setmetatable({ rows = {}, write = write or function(words)
    io.stdout:write(words)
    io.stdout:flush()
  end }, Table)
end

local function new_row(name, value, unit, limit, what)
  local row = { name = name, unit = unit, limit = limit, what = what, value = value }
  if type(value) == "table" then
    row.value, row.spread = statistics.median(value), statistics.spread(value)
  end
  return row
end

local function misses(row) return row.limit ~= nil and row.value > row.limit end

local function missed(rows)
  local list = {}
  for _, row in ipairs(rows) do
    if misses(row) then list[#list + 1] = row end
  end
  return list
end

-- The rows that are called the same, in their order, are the same.
local function by_name(rows)
  local found, counts = {}, {}
  for _, row in ipairs(rows) do
    counts[row.name] = (counts[row.name] or 0) + 1
    found[row.name .. counts[row.name]] = row
  end
  return found
end

-- Where the earlier attempt has met its target, or was closer to it, its row stays.
local function merge(before, now)
  local earlier = by_name(before)
  for key, row in pairs(by_name(now)) do
    local other = earlier[key]
    if other and misses(other) then
      row.missed = { other.value, table.unpack(other.missed or {}) }
      if row.value > other.value then
        row.missed[1] = row.value
        row.value, row.spread, row.what = other.value, other.spread, other.what
      end
    elseif other then
      for field, value in pairs(other) do row[field] = value end
    end
  end
end

--- Measures a part: measure(row) tells row(name, value, unit, limit, what) of each result; `value` is a number, or a
--- list of what was measured several times.
---@param name string of the part
---@param measure fun(row: fun(name: string, value: number|number[], unit: string, limit: number?, what: string?))
function Table:measure(name, measure)
  local rows
  for attempt = 0, AGAIN do
    local now = {}
    measure(function(...) now[#now + 1] = new_row(...) end)
    if rows then merge(rows, now) end
    rows = now
    local late = missed(rows)
    if #late == 0 then break end
    local words = {}
    for i, row in ipairs(late) do words[i] = ("%s: %.3g, not %.3g"):format(row.name, row.value, row.limit) end
    self.write(("%s: %s (%s); %s\n"):format(name, table.concat(words, "; "), statistics.load(), attempt == AGAIN
      and "it counts as missed" or ("measured again, %d of %d"):format(attempt + 1, AGAIN)))
  end
  table.move(rows, 1, #rows, #self.rows + 1, self.rows)
end

local function verdict(row)
  if not row.limit then return "" end
  local words = ("target %-6.3g %s"):format(row.limit, misses(row) and "MISSED" or "met")
  if not row.missed then return words end
  local before = {}
  for i, value in ipairs(row.missed) do before[i] = ("%.3g"):format(value) end
  return words .. (" (also %s)"):format(table.concat(before, ", "))
end

--- Prints all parts.
---@return integer missed how many targets
function Table:print()
  self.write("\n")
  for _, row in ipairs(self.rows) do
    self.write(("%-42s %9.3f %-8s %-6s %-28s %s\n"):format(row.name, row.value, row.unit,
      row.spread and ("±%.0f%%"):format(50 * row.spread) or "", row.what or "", verdict(row)))
  end
  self.write(("\n%s; ±: half of how far the middle half of the values lies apart\n"):format(statistics.load()))
  return #missed(self.rows)
end

return results
