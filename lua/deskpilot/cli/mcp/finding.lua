--- Finding things by their words, and waiting for them: among the elements of the screen and of the page, else by
--- reading the screen.
local errors = require "deskpilot.base.errors"
local page_format = require "deskpilot.agent.page_format"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"

local finding = {}

local most_found = 25
local least, usual = 0.3, 10 -- seconds between two looks for a text; for waiting where none are given

-- How well an element's words fit: 1 is best; nil where they do not.
local function rank(element, wanted)
  local name, value = text.fold(element.name or ""), text.fold(element.text or element.value or "")
  if name == wanted then return 1 end
  if value == wanted then return 2 end
  if name:find(wanted, 1, true) then return 3 end
  if value:find(wanted, 1, true) or text.fold(element.role or "") == wanted then return 4 end
end

-- The lines of what fits, the best first.
local function matching(desktop, seen, wanted)
  local found = {}
  for i, element in ipairs(seen.page and seen.page.elements or {}) do
    local how = rank(element, wanted)
    if how then found[#found + 1] = { rank = how, order = i, line = page_format.element(element) } end
  end
  for i, element in ipairs(seen.elements) do
    local how = rank(element, wanted)
    if how then found[#found + 1] = { rank = how, order = 1e6 + i, line = desktop:element(seen, element) } end
  end
  table.sort(found, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.order < b.order
  end)
  return found
end

local function read_screen(desktop, wanted)
  local hits, err = desktop.run.desk.screen.find_texts(wanted)
  if not hits then return nil, err end
  local lines = {}
  for _, hit in ipairs(hits) do
    local place = desktop:place(hit.x + hit.width // 2, hit.y + hit.height // 2)
    if place and #lines < most_found then
      lines[#lines + 1] = ("%q at %s (read from the pixels)"):format(text.cut(text.one_line(hit.text), 100), place)
    end
  end
  return lines
end

--- What has those words, with numbers or positions to act on.
---@param desktop deskpilot.mcp_desktop
---@param words string
---@return string? lines, deskpilot.error? err
function finding.find(desktop, words)
  local wanted = text.fold(text.one_line(words))
  if wanted == "" then return errors.fail("invalid", "find needs words") end
  local seen, err = desktop:observe { all = true }
  if not seen then return nil, err end
  local lines, why = {}, nil
  for i, one in ipairs(matching(desktop, seen, wanted)) do
    if i <= most_found then lines[i] = one.line end
  end
  if #lines == 0 then
    lines, why = read_screen(desktop, text.one_line(words))
    if not lines and errors.is(why, "unavailable") then lines = {} end
    if not lines then return nil, why end
  end
  if #lines > 0 then return table.concat(lines, "\n") end
  return errors.fail("not_found", "nothing on the screen has these words%s", why and (" (%s)"):format(tostring(why))
    or "")
end

-- Whether the screen shows it now.
local function is_there(desktop, words)
  local desk = desktop.run.desk
  local wanted = text.fold(text.one_line(words))
  for _, window in ipairs(desk.windows.list() or {}) do
    if window.visible and text.fold(window.title):find(wanted, 1, true) then return true end
  end
  for _, element in ipairs(desk.elements.list {} or {}) do
    if rank(element, wanted) then return true end
  end
  return desk.screen.find_text(text.one_line(words)) ~= nil
end

--- Waits for a text, or for any change.
---@param desktop deskpilot.mcp_desktop
---@param call deskpilot.mcp_call
---@param args { seconds: number?, text: string?, gone: boolean? }
---@return string? words, deskpilot.error? err
function finding.wait(desktop, call, args)
  local seconds = args.seconds or usual
  local desk = desktop.run.desk
  call.status = "waiting"
  if not args.text then
    local changed, err = desk.wait_for_change { timeout = seconds }
    if changed == nil and err and err.code ~= "timed_out" then return nil, err end
    return changed and "the screen has changed" or ("waited %g s; nothing has changed"):format(seconds)
  end
  local limit, gone = task.now() + seconds, args.gone == true
  while true do
    if is_there(desktop, args.text) ~= gone then
      return gone and "it is gone" or "it is there"
    end
    local left = limit - task.now()
    if left <= 0 then
      return errors.fail("timed_out", gone and "it is still there after %g s" or "it has not come within %g s", seconds)
    end
    desk.wait_for_change { timeout = math.min(left, 2) }
    task.sleep(math.min(math.max(0, left), least))
  end
end

return finding
