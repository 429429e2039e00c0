--- One at a time: whoever acts on a live desktop holds it (native.desk), so that two runs do not type into each other's
--- windows. Who only looks need not ask, and a private desktop is nobody else's.
local errors = require "deskpilot.base.errors"
local text = require "deskpilot.base.text"
local uv = require "luv"

local hold = {}

-- The bytes that a name may have beside the process and the machine.
local LONGEST = 100

--- The option of commands that hold a desktop.
hold.option = { name = "shared", help = "also while another run is working on the current desktop" }

-- Who we are, for others to read.
local function holder(what)
  return ("%s (process %d on %s)"):format(text.without_end(what:gsub("[%c\127]", " "):sub(1, LONGEST), "\x80-\xff"),
    uv.os_getpid(), uv.os_gethostname():sub(1, 40))
end

--- Holds the desktop of a desk until that is closed.
---@param desk deskpilot.desk
---@param what string who it is for: 'the run "form"'
---@param shared boolean? go on where another one holds it
---@return boolean? ok, deskpilot.error? err code "refused": who holds it, and what to do
---@return string? other who holds it, where it is shared
function hold.take(desk, what, shared)
  local ok, err, other = desk.native:hold(holder(what))
  if ok then return true end
  if not errors.is(err, "refused") then return nil, err end
  if shared then return true, nil, other end
  return errors.fail("refused", "this desktop is in use by %s: wait until that has ended, or go on beside it with "
    .. "--shared (desktop.shared = true)", other)
end

--- The same before the first act on the desk, which raises what is refused: for what a person types.
---@param desk deskpilot.desk
---@param what string
---@param shared boolean?
function hold.before_acts(desk, what, shared)
  if shared then return end
  desk.before_act = function()
    local ok, err = hold.take(desk, what)
    if not ok then error(err, 0) end
    desk.before_act = nil
  end
end

return hold
