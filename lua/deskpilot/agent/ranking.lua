--- Which elements are told of where there are more than fit: not the first ones of the list, but those that the work is
--- most likely to need.
local ranking = {}

---@class deskpilot.ranking.about
---@field task string? what is to be done, in words
---@field pid integer? the process of the active window
---@field near { x: integer, y: integer }? a pixel of the screen where the last act was

local shortest_word = 3 -- characters

local function words_of(text)
  local words = {}
  for word in text:lower():gmatch("[%w\128-\255]+") do
    if #word >= shortest_word then words[word] = true end
  end
  return words
end

-- What is named in quotes in the task counts whatever its length: Click "7".
local function quoted_in(text)
  local names = {}
  for name in text:gmatch('"([^"\n]+)"') do names[name:lower()] = true end
  return names
end

local function named_in_task(element, words, quoted)
  local name = element.name:lower()
  if quoted[name] then return 2 end
  for word in name:gmatch("[%w\128-\255]+") do
    if words[word] then return 1 end
  end
  return 0
end

-- Points for being near: 2 at the place itself, less than 1 beyond 150 pixels.
local function nearness(element, near)
  local dx = element.x + element.width / 2 - near.x
  local dy = element.y + element.height / 2 - near.y
  return 2 / (1 + math.sqrt(dx * dx + dy * dy) / 150)
end

local function score_of(element, about, words, quoted)
  local states = element.states or {}
  local score = 4 * named_in_task(element, words, quoted)
  if states.focused then score = score + 8 end
  if about.pid and element.pid == about.pid then score = score + 4 end
  if states.focusable and states.enabled ~= false then score = score + 2 end
  if states.enabled == false then score = score - 1 end
  if about.near then score = score + nearness(element, about.near) end
  return score
end

--- The elements that matter most: the one that has the focus, those that the task names, those of the active window,
--- those that can be used, those near the last act.
---@param elements deskpilot.element[]
---@param cap integer the most
---@param about deskpilot.ranking.about
---@return deskpilot.element[] picked in the order of the list; all of them where they are no more than that
function ranking.best(elements, cap, about)
  if #elements <= cap then return elements end
  local words, quoted = words_of(about.task or ""), quoted_in(about.task or "")
  local order, scores, kept = {}, {}, {}
  for i, element in ipairs(elements) do
    order[i], scores[i] = i, score_of(element, about, words, quoted)
  end
  table.sort(order, function(a, b)
    if scores[a] ~= scores[b] then return scores[a] > scores[b] end
    return a < b
  end)
  for i = 1, cap do kept[order[i]] = true end
  local picked = {}
  for i, element in ipairs(elements) do
    if kept[i] then picked[#picked + 1] = element end
  end
  return picked
end

return ranking
