--- All waiting times of the desktop library, in seconds. A desk has its own (`desk.timing`), which a mission may
--- change; what is set to nil is as the profile of the active application has it, where it may, or else the default.
local timing = {}

timing.defaults = {
  pointer_rest = 0,        -- the pointer rests on its target before a button goes down
  click_hold = 0,          -- a button stays down in a click
  click_pause = 0,         -- pause after a click
  double_click = 0.1,      -- between the clicks of one double click
  click_apart = 0.6,       -- from a press to the next act's at the same place: longer than a double click may take
  click_taken = 0.5,       -- timeout: a window manager passes a click on to its window, before the next click
  drag_step = 0.01,        -- between two moves of a drag
  move_step = 0.01,        -- between two moves of a slow pointer movement
  hover = 0.6,             -- the pointer rests on something to show its tooltip (many appear after 0.5 s)
  key_hold = 0,            -- keys stay down in a press
  key_pause = 0,           -- pause after a key press
  type_interval = 0,       -- between two characters that are typed
  key_interval = 0.01,     -- between two key presses, in a window that cannot acknowledge them
  settle_quiet = 0.15,     -- a screen without a change for so long is settled
  settle_floor = 0,        -- least time to wait for a first change
  settle_by_cause = false, -- whether a screen counts as settled as soon as nothing is on its way any more
  settle_cap = 2.5,        -- timeout of settling: a screen that still changes is taken as it is
  type_answer = 5,         -- timeout: an application that acknowledges input has processed it
  type_pause = 0.15,       -- pause after input for an application that does not acknowledge it
  type_verify = 2,         -- timeout: a field shows what was typed
  type_quiet = 0.15,       -- a screen without a change for so long after a text: Enter or another key may follow
  type_cap = 1,            -- timeout of the wait for type_quiet
  wait = 10,               -- default timeout of desk.wait_*
  wait_every = 0.05,       -- between two checks, where nothing reports changes
  wait_look = 0.5,         -- longest time between two checks, where changes are reported
  pointer = 0.5,           -- timeout: the pointer is where it was sent, while a window manager has grabbed it
  focus = 1,               -- timeout: a window becomes the active one
  window = 1,              -- timeout: a window has the place or state that was requested
  window_quiet = 0.1,      -- a window that has not moved for so long stands still
  window_close = 5,        -- timeout: a window that was asked to close has closed
  app_handover = 1,        -- wait for a program's own window after one of another program has appeared
  app_open = 5,            -- timeout: the program that opens a file has ended or shows a window
  app_stop = 3,            -- from asking a program to end until it is killed
  app_start = 15,          -- timeout: an application with a profile shows its window
  app_ready = 15,          -- timeout: after that it is ready
  app_run = 60,            -- default timeout of desk.apps.run
  clipboard = 1,           -- timeout: the selection owner (the program that holds the clipboard) answers
  elements = 1,            -- timeout: all applications report their elements
  element_action = 2,      -- timeout: an element's action has taken effect
  browser_start = 30,      -- timeout: a browser shows its window
  browser_answer = 5,      -- timeout: a tab is attached, or says whether it is visible
  browser_stop = 5,        -- from asking a browser to end until it is killed
  page_load = 30,          -- timeout: a page is loaded
  page_look = 10,          -- timeout: a page reports its elements and text
  page_act = 8,            -- timeout: a page answers a question that an action needs answered
  page_hears = 2,          -- timeout: a page receives the event of a pointer move or a press
  page_quiet = 0.5,        -- a page without a network request for so long is network quiet
  download = 60,           -- timeout: a file is downloaded
  reading = 30,            -- timeout: OCR has read a region; a whole screen takes seconds the first time
}

--- The number of pointer moves that make up a drag.
timing.drag_steps = 20

--- The times of pointer, keys and typing that an application's profile may have.
timing.input = { "pointer_rest", "click_hold", "click_pause", "double_click", "drag_step", "key_hold", "key_pause",
  "type_interval" }

-- Everything that holds, for whoever walks over a desk's times.
local function each(set)
  local all = {}
  for name, value in pairs(timing.defaults) do all[name] = value end
  for name, value in next, set do all[name] = value end
  return next, all, nil
end

--- The times of a desk: the defaults, with some replaced. What was set is a field of the table itself.
---@param changes table<string, number>?
---@return table<string, number>
function timing.new(changes)
  local set = {}
  for name, value in pairs(changes or {}) do
    assert(timing.defaults[name], "there is no timing '" .. tostring(name) .. "'")
    set[name] = value
  end
  return setmetatable(set, { __index = timing.defaults, __pairs = each })
end

--- The times of these names that hold now. Precedence: desk.timing where somebody has set it; the profile of the active
--- application; the defaults.
---@param desk deskpilot.desk
---@param ... string
---@return number ... in the same order
function timing.of(desk, ...)
  local values = { ... }
  local own = desk.apps.own_timing(values)
  for i, name in ipairs(values) do
    values[i] = rawget(desk.timing, name) or own[name] or timing.defaults[name]
  end
  return table.unpack(values)
end

return timing
