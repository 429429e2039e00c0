---@meta native.human
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.human: what people do at the mouse and keyboard, for scripts (human.h). A watch's thread
--- only counts and wakes the loop; Lua hears of it there. The kill chord alone acts from that
--- thread, because it has to work while Lua is busy.
---@class native.human
local module = {}

--- Starts to watch a desktop's mouse and keyboard, on a thread: the user's, or the one that the
--- options name (as in native.desk.open). `tell("touch")` is called on the loop while somebody
--- touches them, at most ten times a second, if tell_touches was asked for; `tell("chord", number)`
--- when a chord of `add` is pressed. While either is wanted, the loop does not run dry.
---@param options { backend: string?, display: string?, cookie: string? }
---@param tell fun(what: "touch"|"chord", number: integer)
---@return native.Human? watch
---@return deskpilot.error? err
function module.open(options, tell) end

--- A watch over a desktop's mouse and keyboard.
---@class native.Human
local Human = {}

--- Ends the watch; nothing is told of any more. Closing twice is no mistake.
function Human:close() end

--- Seconds since somebody touched mouse or keyboard, this program's own input aside; since the watch
--- began, and false, where nobody has.
---@return number seconds
---@return boolean touched
function Human:idle() end

--- Whether touches are to be told of.
---@param on boolean
function Human:tell_touches(on) end

--- From now on a combination of keys is told of ("take": applications do not get it), or stops the
--- program as Ctrl+C does, whatever it is at ("kill": keys that this program presses do not count).
---@param combo string
---@param kind "take"|"kill"
---@return integer? number
---@return deskpilot.error? err
function Human:add(combo, kind) end

--- Ends what `add` began; one that is gone is no mistake.
---@param number integer
function Human:remove(number) end

return module
