--- Rows of words as columns, for lists on standard output.
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local columns = {}

local WIDEST = 60 -- characters of a cell

--- Seconds as "1:05", "-" where they are not known.
---@param seconds number?
---@return string
function columns.clock(seconds)
  if not seconds then return "-" end
  return ("%d:%02d"):format(seconds // 60, math.floor(seconds % 60))
end

--- The lines of the rows below their heads.
---@param heads string[]
---@param rows string[][]
---@param to_the_right table<string, boolean>? heads of columns that stand to the right
---@return string[]
function columns.lines(heads, rows, to_the_right)
  local all, widths, lines = { heads, table.unpack(rows) }, {}, {}
  for i, row in ipairs(all) do
    all[i] = {}
    for k, words in ipairs(row) do
      all[i][k] = text.cut(terminal.line(words), WIDEST)
      widths[k] = math.max(widths[k] or 0, utf8.len(all[i][k]) or #all[i][k])
    end
  end
  for i, row in ipairs(all) do
    local parts = {}
    for k, words in ipairs(row) do
      local space = (" "):rep(widths[k] - (utf8.len(words) or #words))
      parts[k] = (to_the_right or {})[heads[k]] and space .. words or words .. space
    end
    lines[i] = text.without_end(table.concat(parts, "  "), " ")
  end
  return lines
end

--- Writes them to standard output.
---@param heads string[]
---@param rows string[][]
---@param to_the_right table<string, boolean>?
function columns.put(heads, rows, to_the_right)
  for _, line in ipairs(columns.lines(heads, rows, to_the_right)) do terminal.put(line, "\n") end
end

return columns
