--- desk.clipboard: the text or the picture that applications copy and paste.
local native_image = require "native.image"
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local shots = require "deskpilot.desk.picture.shot"
local signature = require "deskpilot.base.signature"
local task = require "deskpilot.base.task"

local clipboard = {}

local MOST = 16 * 1024 * 1024 -- bytes that native takes
local PNG = "\x89PNG\r\n\x1a\n" -- how such a file begins

-- Asks native again and again until it has an answer, for at most that many seconds.
local function insist(desk, seconds, ask, complaint)
  local limit = task.now() + seconds
  while true do
    local answer, err = ask()
    if answer == nil then return nil, err end
    if answer then return answer end
    local left = limit - task.now()
    if left <= 0 then return errors.fail("timed_out", complaint, seconds) end
    -- Where another program holds the clipboard open, nothing tells when it lets go.
    desk.event_pump:wait(math.min(left, 0.02))
    local ok, failure = desk.native:pump()
    if not ok then return nil, failure end
  end
end

local function get(desk, kind, options)
  local ok, err = desk.native:pump()
  if not ok then return nil, err end
  return insist(desk, options and options.timeout or desk.timing.clipboard,
    function() return desk.native:clipboard_get(kind) end,
    "the program that holds the clipboard did not hand over what it holds within %g s")
end

local function set(desk, kind, data)
  local ok, err = insist(desk, desk.timing.clipboard, function() return desk.native:clipboard_set(data, kind) end,
    "another program kept the clipboard to itself for %g s")
  if not ok then return nil, err end
  desk.event_pump:serve()
  return true
end

-- A PNG file is handed over as it is, with what is transparent in it.
local function png_of_file(path)
  local bytes, err = files.read(path, MOST)
  if not bytes then return nil, err end
  if bytes:sub(1, #PNG) == PNG then return bytes end
  local image, why = native_image.load(bytes)
  if not image then return errors.fail("invalid", "%s: %s", path, why.message) end
  return image:png()
end

local signatures = signature.of("desk.clipboard", {
  get = { { timeout = "number" } }, set = { "text" }, get_image = { { timeout = "number" } },
  set_image = { "picture" }, wait_for_change = { { timeout = "number", action = "function" } },
})

---@param desk deskpilot.desk
---@return deskpilot.desk.clipboard
function clipboard.new(desk)
  ---@class deskpilot.desk.clipboard
  local api = {}

  --- The clipboard's text with "\n" line ends; "" where it holds nothing, or something that is no text.
  --- It comes from whoever copied it: data, never to be trusted. Windows lets one program at a time have the
  --- clipboard open, so reading it again and again can keep another from copying: wait_for_change does not.
  ---@param options { timeout: number? }? seconds to wait for the program that holds it; timing.clipboard
  ---@return string? text, deskpilot.error? err code "timed_out" if that program does not answer
  function api.get(options)
    return get(desk, "text", options)
  end

  --- Puts a text there for other programs to paste, for as long as the platform allows (X11: while this
  --- desk is open).
  ---@param text string UTF-8 with "\n" line ends
  ---@return boolean? ok, deskpilot.error? err
  function api.set(text)
    local ok, err = desk.input.may_enter(text)
    if not ok then return nil, err end
    return set(desk, "text", text)
  end

  --- The clipboard's picture. It shows no part of the screen, so it has no frame.
  ---@param options { timeout: number? }? seconds to wait for the program that holds it; timing.clipboard
  ---@return deskpilot.shot? picture, deskpilot.error? err code "not_found" if there is none
  function api.get_image(options)
    local png, err = get(desk, "png", options)
    if not png then return nil, err end
    if png == "" then return errors.fail("not_found", "the clipboard holds no picture") end
    local image, why = native_image.load(png)
    if not image then return nil, why end
    return shots.new(image)
  end

  --- Puts a picture there for other programs to paste, for as long as the platform allows (X11: while this
  --- desk is open).
  ---@param picture deskpilot.shot|string a screenshot, or the path of a PNG or JPEG file
  ---@return boolean? ok, deskpilot.error? err
  function api.set_image(picture)
    local png, err
    if type(picture) == "string" then png, err = png_of_file(picture)
    elseif type(picture) == "table" then png, err = picture:encode()
    else png, err = picture:png() end
    if not png then return nil, err end
    return set(desk, "png", png)
  end

  --- Waits until something is put into the clipboard, by whomever. What is to do that can be given as `action`,
  --- which is called when everything is ready, so that it is not missed:
  --- desk.clipboard.wait_for_change { action = function() desk.keyboard.press "ctrl+c" end }
  ---@param options { timeout: number?, action: function? }?
  ---@return boolean? changed, deskpilot.error? err code "timed_out" if nothing was
  function api.wait_for_change(options)
    options = options or {}
    local seconds = options.timeout or desk.timing.wait
    local limit = task.now() + seconds
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    local before, failure = desk.native:clipboard_changes()
    if not before then return nil, failure end
    if options.action then options.action() end
    while true do
      ok, err = desk.native:pump()
      if not ok then return nil, err end
      local now, why = desk.native:clipboard_changes()
      if not now then return nil, why end
      if now ~= before then return true end
      local left = limit - task.now()
      if left <= 0 then return errors.fail("timed_out", "nothing was put into the clipboard within %g s", seconds) end
      desk.event_pump:wait(math.min(left, desk.timing.wait_every))
    end
  end

  return signatures(api)
end

return clipboard
