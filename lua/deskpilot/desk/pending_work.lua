--- Whether anything that an act has begun is still on its way; it is asked where desk.timing.settle_by_cause is set.
--- On a private desktop all programs are known, the display server among them: where every thread of all of them
--- sleeps at one moment, none in a wait with a time-out that ends soon, and what was written to terminals has been
--- handed on by the kernel, nothing changes the screen any more. A browser always has such waits; its pages are asked
--- instead whether they have set timers or begun requests. What else comes from outside is not known: where another
--- program has a network connection, nothing is claimed.
local late_changes = require "deskpilot.desk.late_changes"
local mouse_path = require "deskpilot.desk.input.mouse_path"
local processes = require "native.processes"
local task = require "deskpilot.base.task"

local pending_work = {}

local LEAST = 0.001 -- seconds between two looks
local GLANCE = 0.001 -- seconds between two glances at the threads that have run lately
local REST = 1 -- times as long as a look has taken is waited at least until the next one

local STILL = 0.036 -- seconds in which something that moves has drawn a frame: two frames at least
local FRAMED = 0.1 -- seconds for which the frames that a page was asked for are enough

-- How often the pointer is moved after a turn of the wheel: a page may scroll in steps, or by a pointer that moves.
local MOST_STIRS = 3

-- Threads of browsers that make frames: as long as there are any to make they wait for the next one.
local FRAMES = 0.05 -- seconds: the longest time between two of them, several times over
local frame_makers = { "VizCompositorTh", "Compositor" }

--- Why it cannot be known whether something is on its way: it is no private desktop, so other `programs` may take part;
--- the system does not tell about the `processes`; a program has a `network` connection; the page has set a `timer`, is
--- or holds another `document` than before, has a `stream` from its server or a `frame` of another site, shows a
--- `dialog`, or cannot be asked (`page`); there are other `tabs` than before.
---@alias deskpilot.settle_unknown "programs"|"processes"|"network"|"timer"|"document"|"stream"|"frame"|"dialog"
---|"page"|"tabs"

---@class deskpilot.pending_work
---@field desk deskpilot.desk
---@field watch native.ProcessWatch
---@field acting boolean? whether there is an act that is to be settled
---@field begun number? the same, where it is asked what it has begun: when it began (task.now)
---@field pages table<deskpilot.tab, deskpilot.page_work> what they were at then
---@field unknown deskpilot.settle_unknown? why nothing can be known of this act
---@field ping { token: integer, window: integer, answered: boolean? }?
---@field connected boolean? whether a program other than a browser has a network connection
---@field frames boolean? whether a browser makes frames
---@field framed number? when some had begun since all slept
---@field every number seconds to the next question
---@field next_look number task.now
---@field window integer? the active one when an act began last
---@field class string? its application
---@field stirs integer how often the pointer may be moved for it, if it was its wheel that turned
---@field doing string? the kind of act
---@field key string? what the act is known by before anything has come of it
---@field alone deskpilot.tab? the only tab of the browser in front when it began
---@field loader string? of its document then
---@field late deskpilot.late_changes
---@field elements_next boolean? whether the elements are asked for as soon as it ends
---@field motion "none"|"endless"|"ends"|nil how the pages moved when they were asked last
local PendingWork = {}
PendingWork.__index = PendingWork

---@type table<deskpilot.pending_work, fun(): deskpilot.browser[]> the browsers that a desk knows
local browsers = setmetatable({}, { __mode = "k" })

---@param desk deskpilot.desk
---@param attached fun(): deskpilot.browser[] the browsers that are known
---@return deskpilot.pending_work
function pending_work.new(desk, attached)
  local self = setmetatable({ desk = desk, watch = processes.open(), pages = {}, stirs = 0, every = LEAST,
    next_look = 0, late = late_changes.new(desk) }, PendingWork)
  browsers[self] = attached
  return self
end

-- --- processes ----------------------------------------------------------------------------------------------------

-- The display server's timers draw nothing: it has one for half a second after each key, in case that is held down.
local function look(self, first)
  local pids = self.desk.session and self.desk.session.pids or {}
  local timers = { pids.server and { pid = pids.server, threads = {} } }
  if self.browser then timers[#timers + 1] = { pid = self.browser.pid, threads = frame_makers } end
  local began = task.now()
  local seen = pids.host and self.watch:look({ pids.host }, timers, first)
  local now = task.now()
  self.next_look, self.every = now + math.max(LEAST, (now - began) * REST), GLANCE
  if not seen then self.unknown = "processes" end
  return seen
end

-- A look that shows that nothing runs, and that no wait ends by itself up to the time `by`; frames may still be made
-- with `moving`. Of two, the `first` leaves to the other what that can tell of both.
local function asleep(self, by, moving, first)
  local seen = look(self, first)
  if not seen or not seen.asleep then return nil end
  local now = task.now()
  self.frames = seen.named_due ~= nil and seen.named_due <= now + FRAMES
  local timer = seen.due ~= nil and seen.due <= by
  return not timer and (moving or not self.frames) and seen or nil
end

-- --- pages --------------------------------------------------------------------------------------------------------

local function work_of_pages() return require "deskpilot.desk.browser.page_work" end

-- Behind the question for frames, which is begun next: reading a script takes a page milliseconds.
local function prepare(tab)
  task.sleep(0)
  require "deskpilot.desk.browser.page".prepare(tab)
end

-- The browser that is in front, or else any that is attached.
local function browser_of(self)
  local attached = browsers[self]()
  local window = #attached > 0 and self.desk.windows.active()
  for _, browser in ipairs(attached) do
    if window and browser.pid and browser.pid == window.pid then return browser, true end
  end
  return attached[1], false
end

-- Begins to ask the pages how things stand. Returns a function that waits for their answers.
local function look_at_pages(self)
  local browser, front = browser_of(self)
  self.browser, self.pages, self.tabs = browser and browser.pid and browser, {}, browser and #browser.order
  self.front = front
  local asked = {}
  for _, tab in ipairs(browser and browser.order or {}) do
    asked[tab] = task.start(work_of_pages().before, tab, front and tab.attached == true)
  end
  return function()
    for tab, each in pairs(asked) do
      local ok, its = each:wait()
      self.pages[tab] = ok and its or error(its, 0)
    end
  end
end

local function pages_load(self)
  for _, tab in ipairs(self.browser and self.browser.order or {}) do
    if work_of_pages().loads(tab, self.pages[tab]) then return true end
  end
  return false
end

-- After a turn of the wheel a browser looks at what is under the pointer as soon as that moves, or half a second later,
-- when what is under it would change late. Whether it has been moved.
local function shows_what_is_under_the_pointer(self, its)
  if self.stirs == 0 or not its or not its.scrolled then return false end
  its.turns, its.scrolled, self.stirs = its.seen, false, self.stirs - 1
  local x, y = self.desk.native:pointer()
  return x ~= nil and mouse_path.stir(self.desk, x, y) == true
end

-- How the pages of the browser in front move, where it is known that they have begun nothing else; nil where not, and
-- why. Otherwise whether one of them has heard of the act and has the focus.
local function motion(self, frames)
  if not self.browser or not self.front then return "none" end
  if #self.browser.order ~= self.tabs then return nil, "tabs" end
  local all, heard = "none", false
  for _, tab in ipairs(self.browser.order) do
    local its, more = work_of_pages().motion(tab, self.pages[tab], frames)
    local moved = shows_what_is_under_the_pointer(self, self.pages[tab])
    if not its then return nil, more end
    if moved or its == "ends" then all = "ends" elseif all == "none" then all = its end
    heard = heard or more
  end
  return all, heard
end

-- --- kinds of act -------------------------------------------------------------------------------------------------

-- The application of the active window; it is looked at once.
local function application(self)
  local id = self.desk.native:active()
  if self.window ~= id then
    local window = self.desk.session and self.desk.windows.active()
    self.window, self.class = id, window and window.class or tostring(id)
  end
  return self.class
end

-- What acts of a kind are known by: the application, the page, and what was done.
local function kind_of_act(self)
  local tab = self.front and #self.browser.order == 1 and self.browser.order[1] or nil
  self.alone, self.loader = tab, tab and tab.loader
  return ("%s|%s|%s"):format(application(self), tab and tab.url:match "^[^?#]*" or "", self.doing or "")
end

-- The same, with what has come of it: one that leaves the page is of another kind than one that does not, and so is one
-- after which the browser's own controls have the focus.
---@return string kind
local function outcome(self)
  local page = self.alone and self.pages[self.alone]
  if not page then return self.key end
  if self.alone.loader ~= self.loader then return self.key .. "|another page" end
  if page.focused == false then return self.key .. "|no page" end
  return self.key
end

--- Until when a change is waited for that such acts have made late before; nil where there is none, or it has come.
---@return number? limit task.now
function PendingWork:expected()
  return self.begun and self.key and self.late:expected(outcome(self)) or nil
end

--- The act would have settled, if there were no change that is expected.
function PendingWork:expects_only()
  self.late:take_picture()
end

--- Whether that has been said of the act.
---@return boolean
function PendingWork:only_expects()
  return self.late.picture ~= nil
end

-- --- an act ---------------------------------------------------------------------------------------------------------

--- Notices what moves by itself before the first act, as it is noticed between acts later.
function PendingWork:notice()
  if not self.closed and self.desk.watching then self.desk.event_pump:listen(function() end) end
end

--- An act begins: what was on its way before is not its doing. Acts that follow without a settle are one.
---@param doing (fun(): string)? tells what kind of act it is; changes that come late are expected of the same kind. It
---  is called while the pages answer, or not at all
function PendingWork:begin(doing)
  self.desk.elements_ahead:forget()
  if not self.acting and not self.closed then
    self.acting = true
    if self.desk.native:pump() then self.desk.native:act_begins() end
  end
  if self.begun or self.closed or not self.desk.timing.settle_by_cause then return end
  self.late:begin()
  self.unknown, self.ping, self.connected, self.stirs = nil, nil, nil, 0
  self.every, self.frames, self.framed = LEAST, nil, nil
  if not self.desk.session then self.unknown = "programs" end
  self.browser, self.pages = nil, {}
  local answers = not self.unknown and look_at_pages(self)
  if answers and look(self, true) then self.watch:mark() end -- while the pages answer
  self.doing = doing and doing()
  if answers then answers() end
  self.key = kind_of_act(self)
  self.begun = task.now()
end

--- The act has turned the wheel where the pointer is.
function PendingWork:has_turned_wheel()
  self.stirs = MOST_STIRS
end

--- When the screen changed last. While an act is to be settled: without what moved by itself before it.
---@return number seconds task.now
function PendingWork:last_change()
  local native = self.desk.native
  return (self.acting and native:last_act_change() or native:last_change()) / 1e9
end

--- The act has settled. What changes from now on comes late.
function PendingWork:over()
  self.acting = nil
  if not self.begun then return end
  self.late:over(outcome(self), self.motion == "endless")
  self.begun = nil
end

-- Asks the active window, where it answers such questions.
local function ask(self)
  local window = self.desk.native:active()
  if self.ping and self.ping.window == window then return end
  local token, answers = self.desk.native:ping()
  self.ping = { token = token or 0, window = window, answered = not (token and answers) or nil }
end

--- Settling begins, with what the acts up to now have begun.
---@param elements boolean? whether the elements are asked for as soon as it ends
function PendingWork:settling(elements)
  self.elements_next, self.motion, self.ping = elements, nil, nil
  if not self.begun then return end
  ask(self) -- it answers beside what it does
  self.late:settling()
end

--- Whether the application of the active window has taken what was sent to it: false only where it is known to answer,
--- and has not. A window that has closed answers no more, and stays the active one where no other is there.
---@return boolean
function PendingWork:taken()
  if not self.begun then return true end
  ask(self)
  self.ping.answered = self.ping.answered or self.desk.native:ping_answered(self.ping.token)
    or self.desk.windows.active() == nil
  return self.ping.answered
end

--- Whether there is anything to be known of this act.
---@return boolean
function PendingWork:may_be_known()
  return self.begun ~= nil and not self.unknown
end

-- Two looks of the same stamp: at a moment between them everything slept, and nothing was on its way to a terminal.
-- What a browser had to tell by then has been read after that.
local function all_asleep(self, by, moving)
  local first = asleep(self, by, moving, true)
  local second = first and self.watch:drain() and asleep(self, by, moving, false)
  if not second or second.stamp ~= first.stamp then return false end
  task.sleep(0)
  task.sleep(0) -- before the first of them goes on nothing has been read yet
  return true
end

-- Whether something was drawn in the latest frames.
local function draws(self)
  return task.now() < self:last_change() + STILL
end

local function sleeps_and_loads_not(self, by)
  return not pages_load(self) and all_asleep(self, by, self.front) and not pages_load(self)
end

-- What is looked at as soon as this ends is read beside the last frames.
local function read_ahead(self)
  self.desk.elements_ahead:begin()
  local tab = self.browser.active or self.alone
  if tab then task.start(prepare, tab) end
end

-- What the pages do, where all sleep. What they had to draw is on the screen when frames have begun since and all sleep
-- again; where that is not soon, the frames count for a moment longer.
local function look_into_pages(self, by)
  local frames = self.front and self.frames
  local wait_for_them = frames and not (self.framed and task.now() < self.framed + FRAMED)
  if frames and self.elements_next and self.motion ~= "ends" then read_ahead(self) end
  local how, more = motion(self, wait_for_them)
  if not how then self.unknown = more end
  self.motion = how
  if not how or how == "ends" then
    self.framed = nil
    return nil
  end
  if wait_for_them then
    self.framed = task.now()
    if not sleeps_and_loads_not(self, by) then return nil end
  end
  -- A browser draws more than pages, and tells nobody: where it was neither a page that the act went to nor one that
  -- has come by it, or has lost the focus by it, what draws in each frame is not known to have an end.
  if frames and how == "none" and not more and draws(self) then return nil end
  return how
end

-- Whether nothing that the act has begun is on its way, as far as it can be known, and whether an animation goes on.
local function rests(self, by)
  local pause = self.watch:is_busy() and GLANCE or self.next_look - task.now()
  if pause > 0 then
    self.every = pause
    return false
  end
  if not self:taken() or not sleeps_and_loads_not(self, by) then return false end
  if self.connected == nil then self.connected = self.watch:connected() end
  if self.connected then
    self.unknown = "network"
    return false
  end
  local how = look_into_pages(self, by)
  return how ~= nil and self.desk.native:pump() ~= nil, how == "endless" and self.frames
end

--- Whether nothing that the act has begun is on its way, and no wait of it ends up to the time `by`. To be asked
--- again after self.every seconds: looking at some hundred threads must not keep them from their work.
---@param by number task.now
---@return boolean none, boolean? moving an animation of the page goes on, which has no end
function PendingWork:is_none(by)
  if not self:may_be_known() then return false end
  return rests(self, by)
end

--- Whether something of the act is known to be on its way, so that more than the quiet time is to be waited: its
--- application has not taken it, or a page loads. That a program is busy or waits for a moment that is near is no
--- reason: many always do, and they may have a caret that blinks.
---@return boolean
function PendingWork:under_way()
  return not self:taken() or self.begun ~= nil and pages_load(self)
end

function PendingWork:close()
  self.closed = true
  self.late:close()
  self.watch:close()
end

return pending_work
