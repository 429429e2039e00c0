---@meta native.activity
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.activity: what people do at the mouse and keyboard, for scripts (activity.h). A watch's
--- thread only counts and wakes the loop; Lua hears of it there. The emergency-stop hotkey alone
--- acts from that thread, because it has to work while Lua is busy.
---@class native.activity
local module = {}

--- Starts to watch a desktop's mouse and keyboard, on a thread: the user's, or the one that the
--- options name (as in native.desk.open). `tell("input")` is called on the loop while somebody
--- input them, at most ten times a second, if report_input was asked for; `tell("hotkey", number)`
--- when a hotkey of `add` is pressed. While either is wanted, the loop does not run dry.
---@param options { backend: string?, display: string?, cookie: string? }
---@param tell fun(what: "input"|"hotkey", number: integer)
---@return native.Activity? watch
---@return deskpilot.error? err
function module.open(options, tell) end

--- A watch over a desktop's mouse and keyboard.
---@class native.Activity
local Activity = {}

--- Ends the watch; nothing is told of any more. Closing twice is no mistake.
function Activity:close() end

--- Seconds since somebody used mouse or keyboard, this program's own input aside; since the watch
--- began, and false, where nobody has.
---@return number seconds
---@return boolean used
function Activity:idle() end

--- Whether input is to be told of.
---@param on boolean
function Activity:report_input(on) end

--- From now on a combination of keys is told of ("take": applications do not get it; "watch": they
--- do, and it works also while one of them has the keyboard to itself, as for a menu), or stops the
--- program as Ctrl+C does, whatever it is at ("kill"). Of the last two only keys count that people
--- press, none of this program's.
---@param combo string
---@param kind "take"|"kill"|"watch"
---@return integer? number
---@return deskpilot.error? err
function Activity:add(combo, kind) end

--- Ends what `add` began; one that is gone is no mistake.
---@param number integer
function Activity:remove(number) end

--- From now on what people press is kept, or no longer.
---@param on boolean
---@return boolean? ok
---@return deskpilot.error? err
function Activity:record(on) end

--- Takes what people have pressed since the last call, oldest first. `at` is in seconds (uv.hrtime).
---@return { at: number, down: boolean, x: integer, y: integer, button: integer?, key: string?,   text: string?, composes: boolean?, ctrl: boolean?, alt: boolean?, shift: boolean?,   win: boolean? }[] events
---@return integer lost how many could not be kept
function Activity:taken() end

return module
