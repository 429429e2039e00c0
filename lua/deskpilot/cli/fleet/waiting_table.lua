--- What `deskpilot submit --wait` shows: a line for each mission that is over, and on a terminal below them one table
--- of those that run, drawn anew soon after something has changed and each second.
local uv = require "luv"
local columns = require "deskpilot.cli.columns"
local lists = require "deskpilot.cli.fleet.lists"
local task = require "deskpilot.base.task"
local terminal = require "deskpilot.cli.terminal"
local text = require "deskpilot.base.text"

local waiting_table = {}

local HEADS, TO_THE_RIGHT = { "run", "tries", "time", "parameters", "worker" }, { tries = true, time = true }
local SOON, LATE = 0.25, 1 -- seconds from one drawing to the next: where something has changed; of the clocks
local LEAST = 3            -- rows of runs, however low the terminal is

---@class deskpilot.cli.fleet.waiting_table
---@field records table<string, table> of the missions that run
---@field drawn integer lines that stand there
local Table = {}
Table.__index = Table

local function counted(self)
  local running = #text.keys(self.records)
  return ("%d of %d done%s; %s, %d wait"):format(self.done, self.total, self.failed > 0
    and (", %d of them did not succeed"):format(self.failed) or "", running == 1 and "1 runs" or running .. " run",
    math.max(0, self.total - self.done - running))
end

local function rows(self)
  local list = {}
  for _, id in ipairs(text.keys(self.records)) do
    local record = self.records[id]
    list[#list + 1] = { lists.short(id), tostring(record.attempts or "-"), columns.clock(lists.seconds(record)),
      lists.arguments(record), tostring(record.worker or "-"), began = tonumber(record.began) or 0 }
  end
  table.sort(list, function(a, b)
    if a.began ~= b.began then return a.began < b.began end
    return a[1] < b[1]
  end)
  return list
end

local function erased(self)
  local drawn = self.drawn
  self.drawn = 0
  return drawn == 0 and "" or ("\r\27[%dA\27[J"):format(drawn)
end

-- The table's lines, as many and as long as there is room.
local function lines(self)
  local width, height = self.size()
  local all, most = rows(self), math.max(LEAST, height - 4) -- the heads, the counts, what is left out, the cursor
  local shown = table.move(all, 1, math.min(#all, most), 1, {})
  local list = #shown > 0 and columns.lines(HEADS, shown, TO_THE_RIGHT) or {}
  if #all > #shown then list[#list + 1] = ("and %d more"):format(#all - #shown) end
  list[#list + 1] = counted(self)
  for i, line in ipairs(list) do list[i] = text.cut(line, math.max(20, width - 4)) end
  return list
end

local function draw(self)
  local before, list = erased(self), lines(self)
  self.drawn, self.drawn_at, self.news = #list, task.now(), nil
  self.write(before .. table.concat(list, "\n") .. "\n")
end

--- Begins. On a terminal the table stands until it is closed.
---@param total integer missions
---@param options { write: fun(words: string)?, size: (fun(): integer, integer)?, tty: boolean? }? in place of standard
---  error
---@return deskpilot.cli.fleet.waiting_table
function waiting_table.new(total, options)
  options = options or {}
  local self = setmetatable({ records = {}, total = total, done = 0, failed = 0, drawn = 0, tty = options.tty,
    size = options.size or terminal.size, write = options.write or function(words)
      io.stderr:write(words)
      io.stderr:flush()
    end }, Table)
  if self.tty == nil then self.tty = terminal.can_redraw() end
  if not self.tty then return self end
  self.timer = uv.new_timer()
  self.timer:start(SOON * 1000 // 1, SOON * 1000 // 1, function()
    if self.news or task.now() - self.drawn_at >= LATE then draw(self) end
  end)
  self.timer:unref()
  draw(self)
  return self
end

--- A mission stands so now.
---@param id string
---@param record table
function Table:stands(id, record)
  self.records[id] = record.status == "running" and record or nil
  self.news = true
end

--- Writes a line above the table.
---@param line string
function Table:say(line)
  self.write((self.tty and erased(self) or "") .. line .. "\n")
  if self.tty then draw(self) end
end

--- A mission is over.
---@param id string
---@param record table
---@param done integer how many are
function Table:over(id, record, done)
  self.records[id], self.done = nil, done
  local outcome = type(record.outcome) == "table" and record.outcome or {}
  if outcome.status ~= 0 then self.failed = self.failed + 1 end
  local line = terminal.line(("%d of %d: %s %s: %s %s"):format(done, self.total, id, lists.arguments(record),
    lists.standing(record), lists.reason(record)))
  self:say(line)
end

--- Takes the table away.
function Table:close()
  if not self.timer then return end
  self.timer:close()
  self.timer = nil
  self.write(erased(self))
end

Table.__close = Table.close

return waiting_table
