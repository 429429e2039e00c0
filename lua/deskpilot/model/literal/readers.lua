--- How each verb's words become steps: from what is left of a clause behind its verb. A reader gives nil for what it
--- cannot read.
local json = require "deskpilot.base.json"

local readers = {}

---@class deskpilot.literal.tail
---@field quotes string[] its quotations
---@field count integer how many times
---@field role string? the first word for a kind of element
---@field words string[] the words left over, without those that say nothing
---@field all string[] with them: "a" is a key too

local longest_pause = 60 -- seconds; the tool waits no longer

local quote = json.encode

local function named(kind, words)
  return function(tail)
    if #tail.words > 0 or #tail.quotes ~= 1 or tail.quotes[1] == "" then return nil end
    local says = words .. " " .. quote(tail.quotes[1])
    return { { kind = kind, target = tail.quotes[1], role = tail.role, says = says } }
  end
end

readers.click = named("click", "click")
readers.double_click = named("double_click", "double-click")
readers.right_click = named("right_click", "right-click")

-- Exactly these words, whatever their case, and so many quotations that are not empty.
local function reads(tail, words, quotes)
  if #tail.quotes ~= quotes or table.concat(tail.words, " "):lower() ~= words then return false end
  for _, quoted in ipairs(tail.quotes) do
    if quoted == "" then return false end
  end
  return true
end

local function typing(typed, into, role)
  if not into then return { typed } end
  typed.into, typed.role = into, role or "field" -- type "x" into the "Name" field
  return { { kind = "click", target = into, role = typed.role, says = "click " .. quote(into), before_typing = true },
    typed }
end

function readers.type(tail)
  local words, into = "what was read", tail.quotes[1]
  if reads(tail, words, 0) or reads(tail, words, 1) then
    return typing({ kind = "type", says = "type " .. words }, into, tail.role)
  end
  if not reads(tail, "", 1) and not reads(tail, "", 2) then return nil end
  local text_ = tail.quotes[1]
  return typing({ kind = "type", text = text_, says = "type " .. quote(text_) }, tail.quotes[2], tail.role)
end

--- In a browser -------------------------------------------------------------------------------------

function readers.choose(tail)
  if not reads(tail, "", 2) then return readers.click(tail) end
  local option, target = tail.quotes[1], tail.quotes[2]
  return { { kind = "select", option = option, target = target, role = tail.role,
    says = ("choose %s in %s"):format(quote(option), quote(target)) } }
end

function readers.upload(tail)
  if not reads(tail, "", 2) then return nil end
  local path, target = tail.quotes[1], tail.quotes[2]
  return { { kind = "upload", path = path, target = target, role = tail.role,
    says = ("upload %s to %s"):format(quote(path), quote(target)) } }
end

readers.download = named("download", "download")

function readers.read(tail)
  if not reads(tail, "what follows", 1) then return nil end
  return { { kind = "read", target = tail.quotes[1], says = "read what follows " .. quote(tail.quotes[1]) } }
end

function readers.go_to(tail)
  local url = #tail.quotes == 1 and #tail.all == 0 and tail.quotes[1] or #tail.quotes == 0 and #tail.all == 1
    and tail.all[1]
  if not url or not url:find("^%l+:%S+$") then return nil end
  return { { kind = "go_to", url = url, says = "go to " .. quote(url) } }
end

local function bare(kind, words, fields)
  return function(tail)
    if not reads(tail, "", 0) then return nil end
    local step = { kind = kind, says = words }
    for key, value in pairs(fields or {}) do step[key] = value end
    return { step }
  end
end
readers.back, readers.forward = bare("back", "go back"), bare("forward", "go forward")
readers.reload = bare("reload", "reload")
readers.accept = bare("dialog", "accept the dialog", { accept = true })
readers.dismiss = bare("dialog", "dismiss the dialog", { accept = false })

-- "close any popup" is no step but a rule for all of them.
function readers.close(tail)
  local which = table.concat(tail.words, " "):lower():gsub("pop%-up", "popup"):gsub("popups", "popup")
  if #tail.quotes > 0 then return nil end
  if which == "popup" then return { { kind = "close_popup", says = "close the popup" } } end
  return which == "any popup" and { closes_popups = true } or nil
end

readers.switch = named("switch", "switch to")

-- open "mousepad" starts a program; open the "File" menu clicks.
function readers.open(tail)
  if tail.role then return readers.click(tail) end
  return named("open", "open")(tail)
end

--- Others -------------------------------------------------------------------------------------------

local beside_keys = { the = true, key = true, keys = true, on = true, once = true }

function readers.press(tail)
  if #tail.quotes == 1 and #tail.words == 0 and tail.role then return readers.click(tail) end
  local keys = table.move(tail.quotes, 1, #tail.quotes, 1, {})
  for _, word in ipairs(tail.all) do
    if not beside_keys[word:lower()] then table.insert(keys, word) end
  end
  local key = keys[1]
  if #keys ~= 1 or not key:find("^%S+$") then return nil end
  if key:find("[^+]%+$") then return nil end -- "ctrl+" lacks its key; "ctrl++" does not
  return { { kind = "press", key = key, says = "press " .. key } }
end

function readers.scroll(tail)
  local way = (tail.words[1] or ""):lower()
  if #tail.quotes > 0 or #tail.words ~= 1 or (way ~= "down" and way ~= "up") then return nil end
  return { { kind = "scroll_" .. way, says = "scroll " .. way } }
end

function readers.drag(tail)
  if #tail.quotes ~= 2 or #tail.words > 0 then return nil end
  local from, to = tail.quotes[1], tail.quotes[2]
  return { { kind = "drag", target = from, to = to, says = ("drag %s to %s"):format(quote(from), quote(to)) } }
end

local function looking(kind, words, tail)
  if #tail.quotes ~= 1 or #tail.words > 0 or tail.quotes[1] == "" then return nil end
  return { { kind = kind, text = tail.quotes[1], says = words .. " " .. quote(tail.quotes[1]) } }
end

function readers.wait(tail)
  local seconds = tonumber(tail.words[1])
  if seconds and #tail.quotes == 0 and #tail.words == 2 and tail.words[2]:lower():find("^seconds?$")
    and seconds >= 0.1 and seconds <= longest_pause then
    return { { kind = "pause", seconds = seconds, says = ("wait %g seconds"):format(seconds) } }
  end
  return looking("wait_for", "wait for", tail)
end

function readers.expect(tail)
  return looking("expect", "expect", tail)
end

return readers
