--- What a page has begun since an act: documents, requests and timers. The numbers of a document's timers are given
--- out one after the other, to whoever asks: the one that a script of ours is given, less those that ours were given
--- before, is how many the page has set. The same holds for its calls before a frame. How long timers run is not told,
--- and of frames of other sites nothing is.
local page_work = {}

-- Seconds for a page to answer; one that is busy for longer has something to do.
local ANSWER = 0.5

-- How many timers all documents have set, how many documents there are, what moves in them, and how often they have
-- asked to be called before a frame, all without what our scripts have; "" where a document is not ours to ask. What
-- scrolls is heard of from the first question on; it has an end like an animation's.
local counting = [[(() => {
  let sum = 0, calls = 0, count = 0, moving = 'none';
  const hear = view => {
    const scrolling = view.deskpilotScrolling = new Set();
    if (!('onscrollend' in view)) return; // Chromium before 114
    const how = { capture: true, passive: true };
    view.document.addEventListener('scroll', event => { scrolling.add(event.target); }, how);
    view.document.addEventListener('scrollend', event => { scrolling.delete(event.target); }, how);
  };
  const ask = view => {
    const ours = view.deskpilotNumbers ||= { timers: 0, calls: 0 };
    const number = view.setTimeout(() => {}, 1e9);
    view.clearTimeout(number);
    sum += number - ++ours.timers;
    const call = view.requestAnimationFrame(() => {});
    view.cancelAnimationFrame(call);
    calls += call - ++ours.calls;
    if (++count > 50) throw count;
    if (!view.deskpilotScrolling) hear(view);
    for (const target of view.deskpilotScrolling) if (target.isConnected) moving = 'ends';
    for (const animation of view.document.getAnimations()) {
      if (animation.playState !== 'running') continue;
      const endless = animation.effect && animation.effect.getComputedTiming().endTime === Infinity;
      if (!endless) moving = 'ends'; else if (moving === 'none') moving = 'endless';
    }
    for (let i = 0; i < view.length; i++) ask(view[i]);
  };
  try { ask(window); } catch (error) { return ''; }
  return sum + ' ' + count + ' ' + moving + ' ' + calls;
})()]]

local function ask(tab)
  local answer = tab:evaluate(counting, { world = "own", timeout = ANSWER })
  local sum, count, moving, calls = tostring(answer or ""):match "^(%d+) (%d+) (%a+) (%d+)$"
  return math.tointeger(tonumber(sum)), math.tointeger(tonumber(count)), moving, math.tointeger(tonumber(calls))
end

---@class deskpilot.page_work
---@field requests table<string, true> that were open already
---@field loader string?
---@field timers integer? how many all its documents had set; 0 where it has another document by now
---@field documents integer?
---@field calls integer? how often they had asked to be called before a frame, when that was counted last

--- How things stand before an act.
---@param tab deskpilot.tab
---@param ask_too boolean whether to ask the page too
---@return deskpilot.page_work
function page_work.before(tab, ask_too)
  local self = { requests = {}, loader = tab.loader }
  for id in pairs(tab.requests or {}) do self.requests[id] = true end
  if ask_too and not tab:dialog() then self.timers, self.documents = ask(tab) end
  return self
end

--- From now on it counts whether a script of the page is called before a frame.
---@param tab deskpilot.tab
---@param before deskpilot.page_work
function page_work.count_calls(tab, before)
  if not before.timers or tab.loader ~= before.loader or tab.loading or tab:dialog() then return end
  local _, _, _, calls = ask(tab)
  before.calls = calls
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
--- "endless" (animations without an end), "ends" (one that ends, scrolling, or a script that is called before each
--- frame). Nil where that is not known, and why. To be asked when all its processes sleep. A browser makes frames for a
--- while though no page has anything to draw; that no script is called for them shows between two questions, some
--- frames apart.
---@param tab deskpilot.tab
---@param before deskpilot.page_work?
---@param frames boolean whether the browser makes frames
---@return "none"|"endless"|"ends"|nil motion
---@return deskpilot.settle_unknown? why
function page_work.motion(tab, before, frames)
  if tab:dialog() then return nil, "dialog" end
  if not before then return nil, "page" end
  if tab.loader ~= before.loader then
    before.loader, before.timers, before.documents, before.calls = tab.loader, 0, nil, nil
  end
  if not before.timers then return nil, "page" end
  if tab.streams > 0 then return nil, "stream" end -- what a server sends by itself
  if tab.foreign > 0 then return nil, "frame" end -- whom nobody can ask
  local sum, count, moving, calls = ask(tab)
  if not sum then return nil, "page" end
  before.documents = before.documents or count
  if count ~= before.documents then return nil, "document" end
  if sum ~= before.timers then return nil, "timer" end
  local called = calls ~= before.calls
  before.calls = calls
  return frames and called and "ends" or moving
end

return page_work
