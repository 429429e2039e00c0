--- Every time the desktop library waits for, in one table. Seconds. A desk has its own copy
--- (`desk.timing`), so a mission can slow down or speed up what it needs to.
local timing = {}

timing.defaults = {
  double_click = 0.1,      -- between the clicks of one double click
  click_taken = 0.5,       -- for a window manager to let a click go on to its window, before the next one
  drag_step = 0.01,        -- between two moves of a drag
  move_step = 0.01,        -- between two moves of a pointer that takes its time
  hover = 0.6,             -- over a thing that is to show what it shows then (tooltips wait 0.5 s)
  key_interval = 0.01,     -- between two presses, in a window that cannot tell that it took one
  settle_quiet = 0.15,     -- without a change that count as settled
  settle_floor = 0.02,     -- least time to wait for a first change
  settle_cap = 2.5,        -- after which a changing screen is taken as it is
  type_answer = 5,         -- for an application that can say that it has caught up
  type_pause = 0.15,       -- for one that cannot
  type_verify = 2,         -- for a field to show what was typed
  type_quiet = 0.15,       -- without a change after a text before Enter or another key acts on it
  type_cap = 1,
  wait = 10, wait_every = 0.05,
  wait_look = 0.5,         -- after which is looked again though nothing told of a change
  pointer = 0.5,           -- for the pointer to be where it was sent, while a window manager holds it
  focus = 1,               -- for a window to become the active one
  window = 1,              -- for a window to be where, or in the state that, was asked for
  window_quiet = 0.1,      -- without a move that count as standing still
  window_close = 5,        -- for a window that was asked to close
  app_handover = 1,        -- for a program's own window, when one of another program has come up
  app_open = 5,            -- for what opens a file to have done it, or to show a window
  app_stop = 3,            -- from asking a program to end until ending it
  app_start = 15,          -- for the window of an application that is known
  app_ready = 15,          -- from there until it can be used
  app_run = 60,            -- for a program whose output is wanted
  clipboard = 1,           -- for the program that holds the clipboard
  elements = 1,            -- for all applications to tell of their elements
  element_action = 2,
  browser_start = 30,      -- for a browser to be there with its window
  browser_answer = 5,      -- for a tab to be attached, or to say whether it is the one in sight
  browser_stop = 5,        -- from asking a browser to end until ending it
  page_load = 30,          -- for a page to be loaded
  page_look = 10,          -- for a page to tell what is on it
  page_act = 8,            -- for a page to say what an act needs to know
  page_hears = 2,          -- for a page to hear of a pointer or a press
  page_quiet = 0.5,        -- without a request that count as network quiet
  download = 60,           -- for a file to have come
  reading = 30,            -- to read the text of a whole screen that was never read before
}

--- The moves that a drag is made of.
timing.drag_steps = 20

--- A copy of the defaults, with some replaced.
---@param changes table<string, number>?
---@return table<string, number>
function timing.new(changes)
  local copy = {}
  for name, value in pairs(timing.defaults) do copy[name] = value end
  for name, value in pairs(changes or {}) do
    assert(copy[name], "there is no timing '" .. tostring(name) .. "'")
    copy[name] = value
  end
  return copy
end

return timing
