---@meta native.desk
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.desk: the desktop for scripts, one platform call per method. A failure of the world is
--- `nil, err`; using a desk that has been closed is the caller's mistake and raises.
---@class native.desk
local module = {}

--- Opens the desktop. `backend` is "x11", "win32" or "null", nil for this build's own; `display` is
--- X11's or the name of a Windows desktop, `cookie` (32 hexadecimal digits) is for X11; `width`,
--- `height`, `x`, `y` and `monitors` are the null desk's.
---@param options { backend: string?, display: string?, cookie: string?, width: integer?, height: integer?, x: integer?, y: integer?, monitors: integer? }?
---@return native.Desk? desk
---@return deskpilot.error? err
function module.open(options) end

--- The canonical names of all named keys.
---@return string[]
function module.keys() end

--- The form of a combination in which two that do the same are equal: "ctrl+alt+delete".
---@param combo string
---@return string? canonical
---@return deskpilot.error? err
function module.canonical(combo) end

--- The keys of a combination as names, in the order they are to be pressed.
---@param combo string
---@return string[]? keys
---@return deskpilot.error? err
function module.combo(combo) end

--- A desktop that is open.
---@class native.Desk
local Desk = {}

--- Releases held keys and buttons, restores the keyboard map. Closing twice is no mistake.
function Desk:close() end

--- The name of the backend in use.
---@return string
function Desk:backend() end

--- Holds the desktop until the desk is closed or this process ends, however it ends: an agreement of
--- those who ask. A private desktop and the null desk are free for everybody.
---@param holder string who others are told holds it: one line, at most 199 bytes
---@return boolean? ok
---@return deskpilot.error? err code "refused" where another desk holds it
---@return string? other who that says it is
function Desk:hold(holder) end

--- A descriptor that turns readable when `pump` has something to do, -1 if there is none. Pump
--- before waiting on it: other calls may have taken in events already.
---@return integer
function Desk:fd() end

--- After how many milliseconds of waiting to pump again, where the descriptor does not tell of
--- everything; 0 where it does, or while nothing is watched.
---@return integer
function Desk:poll_every() end

--- Takes in what the desktop has to tell (changes, answers to pings), without waiting.
---@return true? ok
---@return deskpilot.error? err
function Desk:pump() end

--- What the null desk was asked to do, a line per call; unsupported elsewhere.
---@return string[]? lines
---@return deskpilot.error? err
function Desk:log() end

--- Where the pointer is.
---@return integer? x
---@return integer|deskpilot.error y the error if x is nil
function Desk:pointer() end

--- Moves the pointer and makes sure that it arrived.
---@param x integer
---@param y integer
---@return true? ok
---@return deskpilot.error? err
function Desk:move(x, y) end

--- Presses a button, or lets it go.
---@param button "left"|"middle"|"right"|"back"|"forward"|integer
---@param down boolean
---@return true? ok
---@return deskpilot.error? err
function Desk:button(button, down) end

--- Whether the button that was let go last is still down for the display: press again when it is
--- not.
---@return boolean
function Desk:button_waits() end

--- Turns the wheel by notches; positive is right and down. X11 turns by whole ones.
---@param dx number
---@param dy number
---@return true? ok
---@return deskpilot.error? err
function Desk:wheel(dx, dy) end

--- Presses or releases one key by name; a name that is not known is `nil, err`.
---@param name string
---@param down boolean
---@return true? ok
---@return deskpilot.error? err
function Desk:key(name, down) end

--- Presses the keys of a combination in their order and releases them in reverse; after a failure
--- none of them stays down. A name that is not known is `nil, err`.
---@param names string[] at most 8
---@return true? ok
---@return deskpilot.error? err
function Desk:tap(names) end

--- Types as much of `text`, from byte `offset` (0 is the start) on, as can go at once. Where
--- `remapped` is true the application must have caught up (ping, or a pause) before the next step
--- and before text_end.
---@param text string
---@param offset integer?
---@return integer? consumed bytes
---@return boolean|deskpilot.error remapped the error if consumed is nil
---@return boolean? moved another window has the keyboard than at the first step since text_end, or none, so nothing was typed
function Desk:text_step(text, offset) end

--- Puts the keyboard map back as it was; when the application has caught up.
---@return true? ok
---@return deskpilot.error? err
function Desk:text_end() end

--- Finds out whether the active window's application has taken its input: by asking it, or by
--- watching it. The token is 0 where neither can be done.
---@return integer? token
---@return boolean|deskpilot.error asked the error if token is nil
function Desk:ping() end

--- Whether pump has seen the answer.
---@param token integer
---@return boolean
function Desk:ping_answered(token) end

--- The windows, bottom to top. Titles come from whoever made the window: data, never to be trusted.
---@return deskpilot.window[]? windows
---@return deskpilot.error? err
function Desk:windows() end

--- The id of the window that gets what is typed; 0 while there is none.
---@return integer
function Desk:active() end

--- Asks for the window to be raised and focused; look at `active` for when it is.
---@param id integer
---@return true? ok
---@return deskpilot.error? err
function Desk:focus(id) end

--- Asks the window to close, as its close button does; it may ask its user first.
---@param id integer
---@return true? ok
---@return deskpilot.error? err
function Desk:close_window(id) end

--- Asks for a place and size of the window, which also ends its being minimized or maximized; look
--- at its rectangle for what came of it.
---@param id integer
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@return true? ok
---@return deskpilot.error? err
function Desk:place_window(id, x, y, width, height) end

--- Asks for a state; look at `minimized` and `maximized` for when it is there.
---@param id integer
---@param state "normal"|"minimized"|"maximized"
---@return true? ok
---@return deskpilot.error? err
function Desk:window_state(id, state) end

--- Asks for the window to be above or below all others, without the focus; look at the order of
--- `windows` for when it is.
---@param id integer
---@param where "above"|"below"
---@return true? ok
---@return deskpilot.error? err
function Desk:stack_window(id, where) end

--- A number that grows when pump sees windows come, go or change; 0 where nothing tells of that.
---@return integer
function Desk:window_changes() end

--- The workspaces; `current` counts from 1 and is nil where it is not told.
---@return { count: integer, current: integer?, names: string[] }? workspaces
---@return deskpilot.error? err
function Desk:workspaces() end

--- Asks for another workspace to be shown; look at `workspaces` for when it is.
---@param number integer
---@return true? ok
---@return deskpilot.error? err
function Desk:go_to_workspace(number) end

--- Asks for a window to be on that workspace; look at its `workspace` for when it is.
---@param id integer
---@param number integer
---@return true? ok
---@return deskpilot.error? err
function Desk:move_to_workspace(id, number) end

--- The monitors as they are now, from left to right, those with the same left edge from top to
--- bottom; their places are pixels of the whole desktop.
---@return deskpilot.monitor[]? monitors
---@return deskpilot.error? err
function Desk:monitors() end

--- Has the one monitor of a screen that nobody sees say that it shows so many pictures a second;
--- applications that draw in step with it draw so often. It stays so when the desk is closed.
---@param hertz integer 1 to 1000
---@return true? ok
---@return deskpilot.error? err code "unsupported" where the display has none that can be set
function Desk:set_refresh_rate(hertz) end

--- The pixels that a window draws itself, whatever covers it. False while its application has still
--- to draw what was hidden: ask again after pump, until there is a picture (at most a second), or
--- call capture_window_end.
---@param id integer
---@param cursor boolean? draws the pointer
---@return native.Image|false? image
---@return { x: integer, y: integer, width: integer, height: integer }|deskpilot.error? rect
---@return boolean? incomplete its application did not draw all of it in time
function Desk:capture_window(id, cursor) end

--- Lets go of the window whose picture was being waited for, if there is one.
---@return true ok
function Desk:capture_window_end() end

--- Draws a frame of 3 pixels along the inside of a rectangle of the screen, for people to see, or
--- moves the one that is there; without a rectangle takes it away, as closing the desk does. It lies
--- above all windows and takes no input, and pictures of the screen show it.
---@param frame { x: integer, y: integer, width: integer, height: integer }?
---@return true? ok
---@return deskpilot.error? err code "unsupported" where no frame can be drawn
function Desk:highlight(frame) end

--- The whole desktop space, all monitors together, in pixels.
---@return { x: integer, y: integer, width: integer, height: integer }? rect
---@return deskpilot.error? err
function Desk:screen() end

--- A picture of the desktop, or of the part that x, y, width and height (all four) name. It is a
--- copy, in a new image or in the memory of the one given as `into`, so that a loop can go on with a
--- single one; nothing is copied where the desktop has memory for several pictures (X11's shared
--- memory has, for some of the whole screen) until somebody paints on it. With `lend`, the image
--- looks straight into the backend's own buffer: nothing is copied, and it is closed by the next
--- capture or by the desk's closing (crop it to keep something). `cursor` draws the pointer. The
--- number of the frame stays the same as long as the next captures' options and the screen do, where
--- the desktop tells what is drawn.
---@param options { x: integer?, y: integer?, width: integer?, height: integer?, cursor: boolean?, into: native.Image?, lend: boolean? }?
---@return native.Image? image
---@return integer|deskpilot.error frame its number
function Desk:capture(options) end

--- Starts to watch for changes of the screen; see last_change.
---@return true? ok
---@return deskpilot.error? err
function Desk:watch_start() end

--- Ends the watching.
---@return true ok
function Desk:watch_stop() end

--- When pump last saw the screen change (blinking carets aside), or that region of watch_region:
--- nanoseconds of uv.hrtime, 0 for not since watch_start or watch_region.
---@param region integer?
---@return integer
function Desk:last_change(region) end

--- An act begins: what moves on the screen by itself by now is not its doing. See last_act_change.
function Desk:act_begins() end

--- When pump last saw the screen change in another way than what moved by itself at the latest
--- act_begins goes on doing (a video, a clock: a place that had changed again and again for a second
--- since the act before): nanoseconds of uv.hrtime, 0 for not since watch_start.
---@return integer
function Desk:last_act_change() end

--- Tells changes of a part of the screen from the others, while the screen is watched and until
--- unwatch_region.
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@return integer? region for last_change
---@return deskpilot.error? err
function Desk:watch_region(x, y, width, height) end

--- Ends what watch_region began.
---@param region integer
function Desk:unwatch_region(region) end

--- What the clipboard holds, "" where it holds none of that kind: a text with "\n" line ends, or the
--- bytes of a PNG file. False while it is not to be had yet: ask again after pump.
---@param kind "text"|"png"|nil
---@return string|false? data
---@return deskpilot.error? err
function Desk:clipboard_get(kind) end

--- Offers a text or a PNG file to other programs. False while that cannot be done yet: ask again
--- after pump.
---@param data string
---@param kind "text"|"png"|nil
---@return boolean? ok
---@return deskpilot.error? err
function Desk:clipboard_set(data, kind) end

--- A number that grows whenever something is put into the clipboard and pump has seen it.
---@return integer? number
---@return deskpilot.error? err
function Desk:clipboard_changes() end

return module
