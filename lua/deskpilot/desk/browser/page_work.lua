--- What a page has begun since an act: documents, requests and timers. The numbers of a document's timers are given
--- out one after the other, to whoever asks: the one that a script of ours is given, less those that ours were given
--- before, is how many the page has set. The same holds for its calls before a frame. How long timers run is not told,
--- and of frames of other sites nothing is.
local page_script = require "deskpilot.desk.browser.page_script"

local page_work = {}

-- Seconds for a page to answer; one that is busy for longer has something to do.
local ANSWER = 0.5

-- What was to be drawn when the first of so many frames began is on the screen when the last of them has begun and
-- nothing computes any more.
local FRAMES = 2

-- How many timers all documents have set, how many documents there are, what moves in them, how often they have asked
-- to be called before a frame while so many began, and how many presses and turns of the wheel they have heard of, all
-- without what our scripts have; "" where a document is not ours to ask. What scrolls is heard of from the first
-- question on. It has an end like an animation's: where it has not moved for some frames, or scrollend says so, which
-- comes half a second late after a turn of the wheel. How often the wheel has scrolled something is told too.
local counting = [[
const hear = (view, ours) => {
  Object.assign(ours, { acts: 0, latest: '', turns: 0, scrolling: new Map() });
  const how = { capture: true, passive: true };
  const act = ({ type }) => { ours.acts++; ours.latest = type; };
  for (const kind of ['pointerdown', 'keydown', 'wheel']) view.addEventListener(kind, act, how);
  view.document.addEventListener('scroll', ({ target }) => {
    ours.scrolling.set(target, performance.now());
    if (ours.latest === 'wheel') ours.turns++;
  }, how);
  view.document.addEventListener('scrollend', ({ target }) => { ours.scrolling.delete(target); }, how);
};
const ask = (view, told) => {
  const ours = numbersOf(view);
  if (!ours.scrolling) hear(view, ours);
  const number = view.setTimeout(() => {}, 1e9);
  view.clearTimeout(number);
  told.timers += number - ++ours.timers;
  const call = view.requestAnimationFrame(() => {});
  view.cancelAnimationFrame(call);
  told.calls += call - ++ours.calls;
  told.acts += ours.acts;
  told.turns += ours.turns;
  if (++told.documents > 50) throw told;
  for (const [target, at] of ours.scrolling) {
    if (target.isConnected && performance.now() < at + 60) told.moving = 'ends';
  }
  for (const animation of view.document.getAnimations()) {
    if (animation.playState !== 'running') continue;
    const endless = animation.effect && animation.effect.getComputedTiming().endTime === Infinity;
    if (!endless) told.moving = 'ends'; else if (told.moving === 'none') told.moving = 'endless';
  }
  for (let i = 0; i < view.length; i++) ask(view[i], told);
  return told;
};
const look = () => ask(window, { timers: 0, documents: 0, moving: 'none', calls: 0, acts: 0, turns: 0 });
const tell = (told, calls) =>
  [told.timers, told.documents, told.moving, calls, told.acts, told.turns, document.hasFocus() ? 1 : 0]
  .join(' ');
const over = async (count) => {
  const first = look();
  await frames(count);
  const last = look();
  return tell(last, last.documents === first.documents ? last.calls - first.calls : 0);
};
globalThis.deskpilotWork = (count) => {
  try {
    return count > 0 ? over(count).catch(() => '') : tell(look(), 0);
  } catch (error) { return ''; }
};
]]

local script = page_script.kept({ "later", "frames" }, counting, "deskpilotWork")

---@class deskpilot.page_numbers
---@field timers integer?
---@field documents integer?
---@field moving "none"|"endless"|"ends"|nil
---@field calls integer?
---@field acts integer?
---@field turns integer?
---@field focused boolean? whether the page has the keyboard's focus

---@return deskpilot.page_numbers
local function ask(tab, frames)
  local words = tostring(script:call(tab, tostring(frames or 0), ANSWER) or "")
  local timers, documents, moving, calls, acts, turns, focused =
    words:match "^(%d+) (%d+) (%a+) (%d+) (%d+) (%d+) ([01])$"
  local function whole(digits) return math.tointeger(tonumber(digits)) end
  return { timers = whole(timers), documents = whole(documents), moving = moving, calls = whole(calls),
    acts = whole(acts), turns = whole(turns), focused = focused and focused == "1" }
end

---@class deskpilot.page_work
---@field requests table<string, true> that were open already
---@field loader string?
---@field timers integer? how many all its documents had set; 0 where it has another document by now
---@field documents integer?
---@field acts integer? that they had heard of; nil where it has another document by now
---@field focused boolean? whether the page had the keyboard's focus when it was asked last since the act
---@field turns integer? how often the wheel had scrolled something in them
---@field seen integer? the same when they were asked last
---@field scrolled boolean? whether the wheel has scrolled since `turns`, and no more since the question before

--- How things stand before an act.
---@param tab deskpilot.tab
---@param ask_too boolean whether to ask the page too
---@return deskpilot.page_work
function page_work.before(tab, ask_too)
  local self = { requests = {}, loader = tab.loader }
  for id in pairs(tab.requests or {}) do self.requests[id] = true end
  if ask_too and not tab:dialog() then
    local told = ask(tab)
    self.timers, self.documents, self.acts, self.turns = told.timers, told.documents, told.acts, told.turns
  end
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

-- What nobody could ask of a page that was there before, or is new; nil where it can be asked.
local function not_to_be_asked(tab, before)
  if tab:dialog() then return "dialog" end
  if not before then return "page" end
  if tab.loader ~= before.loader then
    before.loader, before.timers, before.documents, before.acts = tab.loader, 0, nil, nil
    before.turns, before.seen = nil, nil
  end
  if not before.timers then return "page" end
  if tab.streams > 0 then return "stream" end -- what a server sends by itself
  if tab.foreign > 0 then return "frame" end -- whom nobody can ask
end

--- Whether a page moves by itself where it is known that it has begun nothing else that may still change it: "none",
--- "endless" (animations without an end), "ends" (one that ends, scrolling, a script that is called before each frame,
--- or a new document). Nil where that is not known, and why. To be asked when all its processes sleep. A browser makes
--- frames for a while though no page has anything to draw: with `frames` the answer comes when some have begun.
---@param tab deskpilot.tab
---@param before deskpilot.page_work?
---@param frames boolean whether the browser makes frames
---@return "none"|"endless"|"ends"|nil motion
---@return deskpilot.settle_unknown|boolean|nil more of nil: why; else whether the page has heard of the act, or is new,
---  and has the focus still
function page_work.motion(tab, before, frames)
  local why = not_to_be_asked(tab, before)
  if why then return nil, why end
  local told = ask(tab, frames and FRAMES or 0)
  if tab.loading or tab.loader ~= before.loader then return "ends" end
  if not told.timers then return nil, "page" end
  before.focused = told.focused
  local timer = told.timers ~= before.timers
  before.scrolled = told.turns > (before.turns or 0) and (timer or before.seen == told.turns)
  before.seen = told.turns
  before.documents = before.documents or told.documents
  if told.documents ~= before.documents then return nil, "document" end
  if timer then return nil, "timer" end
  local heard = not before.acts or told.acts > before.acts
  return told.calls > 0 and "ends" or told.moving, heard and told.focused
end

return page_work
