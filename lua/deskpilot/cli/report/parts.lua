--- What the parts of a report's page are written with. Everything that comes from a journal is escaped here.
local escape = require "deskpilot.cli.html".escape
local json = require "deskpilot.base.json"
local text = require "deskpilot.base.text"

local parts = {}

local excerpt = 110 -- characters of a folded text that are shown

--- "1.25 s"; "" for what is no number.
---@param value any
---@return string
function parts.seconds(value)
  return type(value) == "number" and ("%.2f s"):format(value) or ""
end

--- A count as a journal may say it; 0 for what is none.
---@param value any
---@return integer
function parts.count_of(value)
  return math.tointeger(tonumber(value)) or 0
end

--- A number that a drawing can use: nil for what is none, is negative or has no end.
---@param value any
---@return number?
function parts.measure(value)
  value = type(value) == "number" and value or nil
  return value and value >= 0 and value < 1e9 and value or nil
end

--- A table as JSON; anything else as it is.
---@param value any
---@return any
function parts.as_text(value)
  if type(value) ~= "table" then return value end
  local ok, written = pcall(json.encode, value)
  return ok and written or "(a value that JSON cannot hold)"
end

--- The class for the end of a run or a goal: any other than these is bad, and a claim that nothing has checked is
--- neither.
---@param status any
---@return string
function parts.colour_of(status)
  if status == "succeeded" then return "good" end
  return status == "claimed" and "" or "bad"
end

--- A row of the summary; "" where there is nothing to be said.
---@param name string
---@param value any
---@return string
function parts.row(name, value)
  if value == nil or value == "" then return "" end
  return ("<dt>%s</dt><dd>%s</dd>"):format(escape(name), escape(value))
end

---@class deskpilot.report_line
---@field kind string what it is about, for the filter: "model", "act", "look", "question", "trouble" or "note"
---@field persona any? whose it is
---@field head any
---@field dim any? beside the head
---@field body any? the words that are folded until asked for
---@field class string? "good" or "bad"; what is bad is not folded
---@field link string? the name of a file of the run's folder, already checked
---@field more string? markup below it

--- One event.
---@param line deskpilot.report_line
---@return string
function parts.line(line)
  local head = ('<b class="%s">%s</b> <span class="dim">%s</span>'):format(line.class or "", escape(line.head),
    escape(line.dim or ""))
  if line.link then
    head = head .. (' <a class="dim" href="%s">request</a>'):format(escape(line.link))
  end
  local attributes = ('class="event" data-kind="%s"%s'):format(line.kind, line.persona ~= nil
    and (' data-persona="%s"'):format(escape(line.persona)) or "")
  local body = line.body ~= nil and tostring(line.body) or ""
  if body == "" then return ("<div %s>%s%s</div>"):format(attributes, head, line.more or "") end
  local short = text.cut(text.one_line(body), excerpt)
  return ('<details %s%s><summary>%s <em>%s</em></summary><pre>%s</pre></details>%s'):format(attributes,
    line.class == "bad" and " open" or "", head, escape(short), escape(body), line.more or "")
end

--- A number of tokens or bytes that is easily read: "950", "12.3k", "1.2M".
---@param value any
---@return string
function parts.short(value)
  value = parts.measure(value) or 0
  if value < 1000 then return ("%d"):format(value // 1) end
  if value < 1e6 then return ("%.1fk"):format(value / 1e3) end
  return ("%.1fM"):format(value / 1e6)
end

return parts
