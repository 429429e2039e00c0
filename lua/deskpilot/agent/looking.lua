--- Looking at the desktop in a run: the observation of a turn, and pictures besides.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"
local text = require "deskpilot.base.text"
local observation = require "deskpilot.agent.observation"
local pace = require "deskpilot.agent.pace"
local pictures = require "deskpilot.agent.pictures"
local recording = require "deskpilot.agent.recording"
local unchanged = require "deskpilot.agent.unchanged"
local viewpoint = require "deskpilot.agent.viewpoint"

-- What few runs need is loaded by those that do.
local function marks() return require "deskpilot.desk.picture.marks" end

local looking = {}

-- A turn's second look does not replace the first.
local function picture_path(run, format)
  local times = run.looked and run.looked.turn == run.turn and run.looked.times + 1 or 1
  run.looked = { turn = run.turn, times = times }
  return ("screenshots/step_%04d%s.%s"):format(run.turn, times > 1 and "_" .. times or "",
    format == "jpeg" and "jpg" or format)
end

--- Waits before the first look of a run for windows that have just been opened to be drawn: what is told later is what
--- has changed since then. They have been watched since the desktop was opened, so there is often nothing left to wait
--- for.
---@param run deskpilot.run
function looking.await_windows(run)
  if run.looked or run.recording then return end
  run.desk.settle { quiet = pace.set(run, "settle_quiet"), cap = pace.set(run, "settle_cap"), floor = 0, past = true }
end

-- As the caller wants the picture, else as the run's models do.
local function picture_of(run, options)
  if options.size then return options.size, options.format end
  return viewpoint.largest(run), viewpoint.format(run)
end

--- Looks at the desktop; nothing of it is kept yet.
---@param run deskpilot.run
---@param options deskpilot.look_options
---@param before deskpilot.observation? of which the picture is taken where nothing has been drawn since
---@return deskpilot.observation? seen, deskpilot.error? err
function looking.take(run, options, before)
  local began = task.now()
  looking.await_windows(run)
  local size, format = picture_of(run, options)
  local seen, err = observation.take(run.desk, run.encoder, run.config, { window = options.window,
    region = options.region, marks = options.marks, size = size, format = format, before = before, task = run.task })
  if seen then seen.at = began end
  return seen, err
end

--- Makes a look the run's latest: saves its picture and what was seen, and announces it.
---@param run deskpilot.run
---@param seen deskpilot.observation
---@param began number when it began (task.now)
---@return boolean? ok, deskpilot.error? err
function looking.keep(run, seen, began)
  local path = picture_path(run, seen.format)
  local saved, failure = run.dir:save(path, seen.bytes)
  if not saved then return nil, failure end
  unchanged.share(seen, run.observation)
  run.goal.before, run.observation = run.observation, seen
  seen.notices, run.notices = run.notices, nil
  seen.path, seen.at = path, began
  local kept, why = recording.save(run, seen, path)
  if not kept then return nil, why end
  seen.seconds = task.now() - began
  run.seen_at = task.now()
  run:emit("observed", { screenshot = path, seen = kept, screen = seen.shot.frame,
    image = { width = seen.shot.width, height = seen.shot.height },
    window = seen.window and { title = seen.window.title, class = seen.window.class, pid = seen.window.pid },
    page = seen.page and { title = seen.page.title, url = seen.page.url, elements = seen.page.total },
    elements = #seen.elements, tree = seen.tree and #seen.tree, missing = #seen.missing > 0 and seen.missing or nil,
    seconds = seen.seconds, parts = seen.parts })
  return true
end

--- Looks at the desktop (run:observe).
---@param run deskpilot.run
---@param options deskpilot.look_options
---@return boolean? ok, deskpilot.error? err
function looking.observe(run, options)
  run.goal.look = options
  local began = task.now()
  local seen, err
  if run.recording then seen, err = run.recording:take(run)
  else seen, err = looking.take(run, options, run.observation) end
  if not seen then return nil, err end
  return looking.keep(run, seen, began)
end

local function of_page(run)
  local tab, err = observation.tab(run.desk, run.desk.windows.active())
  if not tab then return nil, err or errors.new("unavailable", "no page is in front") end
  local shot, failure = tab:screenshot { full_page = true }
  if not shot then return nil, failure end
  return shot, "The whole page, also what is scrolled out of view. It cannot be pointed at in this picture."
end

-- A picture of the screen, a window or a region, with marks or without, and what it shows.
local function of_screen(run, options)
  local window = options.window == true and run.desk.windows.active() or options.window
  if options.window and not window then return errors.fail("not_found", "no window is active") end
  local shot, err = run.desk.screen.shot { window = window or nil, region = options.region }
  if not shot then return nil, err end
  if options.marks then
    local list = run.observation and observation.marked(run.observation)
    if not list then return errors.fail("unavailable", "nothing has been observed yet that could be marked") end
    shot, err = marks().draw(shot, list)
    if not shot then return nil, err end
  end
  local frame = shot.frame
  return shot, ("%s: %dx%d pixels at (%d, %d) of the screen."):format(window and "A window" or options.region
    and "A part of the screen" or "The screen", frame.width, frame.height, frame.x, frame.y)
end

--- Takes a picture beside the observation's (run:picture).
---@param run deskpilot.run
---@param options deskpilot.picture_options
---@return deskpilot.picture? picture, deskpilot.error? err
function looking.picture(run, options)
  if options.before then
    local before = run.goal.before
    if not before then return errors.fail("unavailable", "there is no observation before the latest") end
    return { base64 = before.base64, mime = before.mime, path = before.path,
      caption = options.caption or "The screen as it was before, in the observation before this one:" }
  end
  local shot, about
  if options.page then shot, about = of_page(run) else shot, about = of_screen(run, options) end
  if not shot then return nil, about end
  run.pictured = (run.pictured or 0) + 1
  local picture, err = pictures.keep(run, shot, ("screenshots/picture_%04d"):format(run.pictured))
  if not picture then return nil, err end
  picture.caption = options.caption and text.one_line(options.caption) or about
  return picture
end

return looking
