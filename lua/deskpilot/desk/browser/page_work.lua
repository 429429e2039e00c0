--- What a page has begun since an act: documents, requests and timers. The numbers of a document's timers are given
--- out one after the other, to whoever asks: the one that a script of ours is given tells whether the page has set any
--- since the one before. How long they run is not told, and of frames of other sites nothing is.
local page_work = {}

-- Seconds for a page to answer; one that is busy for longer has something to do.
local ANSWER = 0.5

-- The sum of the numbers of all documents, how many there are, and whether animations run, of which one ends; "" where
-- a document is not ours to ask.
local counting = [[(() => {
  let sum = 0, count = 0, moving = 'none';
  const ask = view => {
    const number = view.setTimeout(() => {}, 1e9);
    view.clearTimeout(number);
    sum += number;
    if (++count > 50) throw count;
    for (const animation of view.document.getAnimations()) {
      if (animation.playState !== 'running') continue;
      const endless = animation.effect && animation.effect.getComputedTiming().endTime === Infinity;
      if (!endless) moving = 'ends'; else if (moving === 'none') moving = 'endless';
    }
    for (let i = 0; i < view.length; i++) ask(view[i]);
  };
  try { ask(window); } catch (error) { return ''; }
  return sum + ' ' + count + ' ' + moving;
})()]]

local function ask(tab)
  local answer = tab:evaluate(counting, { world = "own", timeout = ANSWER })
  local sum, count, moving = tostring(answer or ""):match "^(%d+) (%d+) (%a+)$"
  return math.tointeger(tonumber(sum)), math.tointeger(tonumber(count)), moving
end

---@class deskpilot.page_work
---@field requests table<string, true> that were open already
---@field loader string?
---@field timers integer? the sum of the numbers of all its documents' next timers; 0 where it has another document by
---  now, whose timers are all new
---@field documents integer?
---@field asked integer how often the page was asked since

--- How things stand before an act.
---@param tab deskpilot.tab
---@param ask_too boolean whether to ask the page too
---@return deskpilot.page_work
function page_work.before(tab, ask_too)
  local self = { requests = {}, loader = tab.loader, asked = 0 }
  for id in pairs(tab.requests or {}) do self.requests[id] = true end
  if ask_too and not tab:dialog() then self.timers, self.documents = ask(tab) end
  return self
end

--- Whether a tab loads, or has a request open that was not open before.
---@param tab deskpilot.tab
---@param before deskpilot.page_work?
---@return boolean
function page_work.loads(tab, before)
  if tab:dialog() then return false end -- what is open waits for an answer
  if tab.loading then return true end
  for id in pairs(tab.requests or {}) do
    if not (before and before.requests[id]) then return true end
  end
  return false
end

--- Whether a page moves by itself where it is known that it has begun nothing else that may still change it: "none",
--- "endless" (animations without an end), "ends" (one that ends). Nil where that is not known, and why. To be asked
--- when all its processes sleep.
---@param tab deskpilot.tab
---@param before deskpilot.page_work?
---@return "none"|"endless"|"ends"|nil motion
---@return deskpilot.settle_unknown? why
function page_work.motion(tab, before)
  if tab:dialog() then return nil, "dialog" end
  if not before then return nil, "page" end
  if tab.loader ~= before.loader then
    before.loader, before.timers, before.documents, before.asked = tab.loader, 0, nil, 0
  end
  if not before.timers then return nil, "page" end
  if tab.streams > 0 then return nil, "stream" end -- what a server sends by itself
  if tab.foreign > 0 then return nil, "frame" end -- whom nobody can ask
  local sum, count, moving = ask(tab)
  before.asked = before.asked + 1
  if not sum then return nil, "page" end
  before.documents = before.documents or count
  if count ~= before.documents then return nil, "document" end
  if sum ~= before.timers + count * before.asked then return nil, "timer" end
  return moving
end

return page_work
