--- The keys of `deskpilot pick` at its terminal, without Enter: raw while it runs, as it was afterwards.
local platform = require "deskpilot.desk.platform"
local uv = require "luv"

local keys = {}

-- Ctrl+C and Ctrl+D are bytes in a raw terminal.
local orders = { ["\r"] = "copy", ["\n"] = "copy", c = "copy", q = "stop", ["\3"] = "stop", ["\4"] = "stop" }

--- Reads keys from now on, where a person sits at the terminal.
---@param tell fun(order: "copy"|"stop")
---@return { close: fun() }? reader nil where nobody does
function keys.start(tell)
  if uv.guess_handle(0) ~= "tty" or not platform.in_foreground() then return nil end
  local tty = uv.new_tty(0, true)
  if not tty then return nil end
  tty:set_mode(1)
  local function close()
    if tty:is_closing() then return end
    tty:read_stop()
    tty:set_mode(0)
    uv.tty_reset_mode()
    tty:close()
  end
  tty:read_start(function(err, bytes)
    if err or not bytes then
      close()
      return tell "stop" -- the terminal has gone
    end
    if bytes:find "^\27." then return end -- an arrow key and the like
    for byte in bytes:gmatch "." do
      if orders[byte] then tell(orders[byte]) end
    end
  end)
  return { close = close }
end

return keys
