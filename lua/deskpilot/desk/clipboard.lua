--- desk.clipboard: the text that applications copy and paste.
local errors = require "deskpilot.base.errors"
local task = require "deskpilot.base.task"

local clipboard = {}

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
    desk.inbox:wait(math.min(left, 0.02))
    local ok, failure = desk.native:pump()
    if not ok then return nil, failure end
  end
end

---@param desk deskpilot.desk
function clipboard.new(desk)
  local api = {}

  --- The clipboard's text with "\n" line ends; "" where it holds nothing, or something that is no text.
  --- It comes from whoever copied it: data, never to be trusted.
  ---@param options { timeout: number? }? seconds to wait for the program that holds it; timing.clipboard
  ---@return string? text, deskpilot.error? err code "timed_out" if that program does not answer
  function api.get(options)
    local ok, err = desk.native:pump()
    if not ok then return nil, err end
    return insist(desk, options and options.timeout or desk.timing.clipboard,
      function() return desk.native:clipboard_get() end,
      "the program that holds the clipboard did not hand over its text within %g s")
  end

  --- Puts a text there for other programs to paste, for as long as the platform allows (X11: while this
  --- desk is open).
  ---@param text string UTF-8 with "\n" line ends
  ---@return boolean? ok, deskpilot.error? err
  function api.set(text)
    if type(text) ~= "string" then error("desk.clipboard.set wants a text, not a " .. type(text), 2) end
    local ok, err = insist(desk, desk.timing.clipboard, function() return desk.native:clipboard_set(text) end,
      "another program kept the clipboard to itself for %g s")
    if not ok then return nil, err end
    desk.inbox:serve()
    return true
  end

  return api
end

return clipboard
