--- What measurements are told by: medians and how far they spread, and what else the machine was doing.
local uv = require "luv"

local statistics = {}

local function sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return copy
end

---@param list number[] not empty
---@param percent number
---@return number
function statistics.percentile(list, percent)
  local copy = sorted(list)
  return copy[math.max(1, math.ceil(#copy * percent / 100))]
end

---@param list number[] not empty
---@return number
function statistics.median(list)
  local copy = sorted(list)
  local middle = (#copy + 1) // 2
  return #copy % 2 == 1 and copy[middle] or (copy[middle] + copy[middle + 1]) / 2
end

---@param list number[] not empty
---@return number
function statistics.mean(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum / #list
end

--- How far the middle half of the values lies apart, as a share of the median.
---@param list number[] not empty
---@return number
function statistics.spread(list)
  return (statistics.percentile(list, 75) - statistics.percentile(list, 25)) / statistics.median(list)
end

--- Of two that were measured by turns, how the first compares to the second, turn by turn. Where one has had more in
--- each round, its turns belong to the other's at the same time.
---@param ours number[]
---@param theirs number[]
---@return number[] one for each of ours
function statistics.ratios(ours, theirs)
  local list = {}
  for i, value in ipairs(ours) do list[i] = value / theirs[math.ceil(i * #theirs / #ours)] end
  return list
end

--- "load 3.1 on 2 cores"
---@return string
function statistics.load()
  return ("load %.1f on %d cores"):format((uv.loadavg()), #uv.cpu_info())
end

return statistics
