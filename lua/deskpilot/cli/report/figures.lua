--- The pictures of a step: what was seen, with the place of each act and the path of each drag, and what was seen next.
--- Places are in percent of the picture, so that nothing needs a style of its own, which the page's policy forbids.
local escape = require "deskpilot.cli.html".escape
local parts = require "deskpilot.cli.report.parts"
local rundir = require "deskpilot.agent.rundir"

local figures = {}

-- A point in 0..1000 of the picture.
local function point_of(point)
  if type(point) ~= "table" then return nil end
  local x, y = tonumber(point[1]), tonumber(point[2])
  if not x or not y or not (x >= 0 and x <= 1000 and y >= 0 and y <= 1000) then return nil end
  return x / 10, y / 10
end

local function circle(x, y, class)
  return ('<circle class="%s" cx="%.2f%%" cy="%.2f%%" r="12"/>'):format(class, x, y)
end

-- The marks of one act, with its number where there are several.
local function marks_of(event, number)
  local args = type(event.args) == "table" and event.args or {}
  local x, y = point_of(event.point or args.position or args["end"])
  local from_x, from_y = point_of(args.start)
  local list = {}
  if x and from_x then
    list[1] = ('<line class="path" x1="%.2f%%" y1="%.2f%%" x2="%.2f%%" y2="%.2f%%"/>'):format(from_x, from_y, x, y)
  end
  if from_x then list[#list + 1] = circle(from_x, from_y, "mark from") end
  if x then list[#list + 1] = circle(x, y, event.ok == false and "mark failed" or "mark") end
  if x and number then
    list[#list + 1] = ('<text class="number" x="%.2f%%" y="%.2f%%" dx="16" dy="-8">%d</text>'):format(x, y, number)
  end
  return table.concat(list)
end

local function marks(look)
  local list = {}
  for i, event in ipairs(look.acts) do list[i] = marks_of(event, #look.acts > 1 and i or nil) end
  local all = table.concat(list)
  return all ~= "" and '<svg class="marks" aria-hidden="true">' .. all .. "</svg>" or ""
end

-- What is another thing in the next picture, in words.
local function changes(look)
  local list, after = {}, look.next
  for _, name in ipairs { "window", "url", "elements" } do
    local one, other = parts.as_text(look[name]), parts.as_text(after[name])
    if one ~= other and (one ~= nil or other ~= nil) then
      list[#list + 1] = ("<p class=\"change\"><b>%s</b> %s → %s</p>"):format(name == "url" and "page" or name,
        escape(one == nil and "none" or one), escape(other == nil and "none" or other))
    end
  end
  return table.concat(list)
end

-- A picture's size as attributes, so that its place is there before it is fetched; "" where the journal has none.
local function room_for(size)
  local known = type(size) == "table" and size or {}
  local width, height = known.width, known.height
  if math.type(width) ~= "integer" or math.type(height) ~= "integer" or width < 1 or height < 1 then return "" end
  return (' width="%d" height="%d"'):format(width, height)
end

local function image(source, alt, size)
  return ('<img src="%s" alt="%s"%s loading="lazy">'):format(escape(source), escape(alt), room_for(size))
end

-- Only a picture of this run is shown, whatever the journal says.
local function source_of(path, context)
  return rundir.is_picture(path) and context.picture(path) or nil
end

local function figure(turn, look, context)
  local source = source_of(look.screenshot, context)
  if not source then return "" end
  local when = turn.number > 0 and "turn " .. turn.number or "the end"
  local after = look.next and #look.acts > 0 and source_of(look.next.screenshot, context)
  local before = image(source, "the screen at " .. when, look.image)
  if not after then return ("<figure>%s%s</figure>"):format(before, marks(look)) end
  -- The second picture is fetched when it is asked for: its address stands beside it.
  return ('<figure class="pair" data-after="%s">%s%s<figcaption>'
    .. '<button type="button" data-view="before">before</button>'
    .. '<button type="button" data-view="after">after</button>'
    .. '<button type="button" data-view="difference">difference</button></figcaption></figure>%s'):format(
      escape(after), before, marks(look), changes(look))
end

--- All pictures of a turn.
---@param turn deskpilot.report_turn
---@param context deskpilot.report_context
---@return string
function figures.of_turn(turn, context)
  local list = {}
  for i, look in ipairs(turn.looks) do list[i] = figure(turn, look, context) end
  return table.concat(list)
end

--- The pictures that a tool has given.
---@param event table
---@param context deskpilot.report_context
---@return string
function figures.given(event, context)
  local list = {}
  for _, path in ipairs(type(event.pictures) == "table" and event.pictures or {}) do
    local source = source_of(path, context)
    if source then
      local alt = ("what %s has given"):format(tostring(event.tool or "?"))
      list[#list + 1] = "<figure>" .. image(source, alt) .. "</figure>"
    end
  end
  return table.concat(list)
end

--- The film-strip's pictures of a turn; each leads to it.
---@param turn deskpilot.report_turn
---@param context deskpilot.report_context
---@return string
function figures.thumbnails(turn, context)
  local list = {}
  for _, look in ipairs(turn.looks) do
    local source = source_of(look.screenshot, context)
    if source then
      local failed = false
      for _, act in ipairs(look.acts) do failed = failed or act.ok == false end
      local name = turn.number > 0 and tostring(turn.number) or "·"
      list[#list + 1] = ('<a%s href="#%s">%s%s<span>%s</span></a>'):format(failed and ' class="failed"' or "",
        figures.anchor(turn), image(source, "turn " .. name, look.image), marks(look), name)
    end
  end
  return table.concat(list)
end

--- The name of a turn's place in the page.
---@param turn deskpilot.report_turn
---@return string
function figures.anchor(turn)
  return turn.number > 0 and ("turn%d"):format(turn.number) or ("part%d"):format(turn.place)
end

return figures
