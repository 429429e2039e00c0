---@meta native.elements
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.elements: what applications say about themselves, for scripts. Every call that asks an
--- application runs on libuv's thread pool and tells its callback on the loop, so nothing here
--- waits.
---@class native.elements
local module = {}

--- A reader of elements. It connects when first used.
---@param options { bus: string?, display: string? }? bus: X11: address of the session bus, else the environment's; display: Windows: name of the desktop, else the user's own
---@return native.Elements? reader, deskpilot.error? err
function module.open(options) end

--- A reader of elements, connected to the applications.
---@class native.Elements
local Elements = {}

--- Reads the elements of all applications, or of one process. What is not on the screen is left out
--- unless `all`; `bare` leaves out texts, values and actions. The callback gets a table of elements
--- (parents before children), apps (with a note where one did not answer) and truncated.
---@param options { timeout: number?, max: integer?, pid: integer?, all: boolean?, bare: boolean? }
---@param callback fun(answer: { elements: deskpilot.element[], truncated: boolean, apps: { name: string, pid: integer, note: string? }[] }?, err: deskpilot.error?)
---@return fun() cancel after which the callback is not called
function Elements:read(options, callback) end

--- Does an element's action: its name, or its number from 0 (the usual one).
---@param handle string
---@param action string|integer
---@param options { timeout: number? }
---@param callback fun(ok: boolean?, err: deskpilot.error?)
---@return fun() cancel
function Elements:act(handle, action, options, callback) end

--- Changes an element: its text (text), value (number), selected, checked (the next of its states),
--- expanded (on), focused, in_view, or the selection of its text (from, to: characters from 0, the
--- last not included).
---@param handle string
---@param change { kind: string, text: string?, number: number?, on: boolean?, from: integer?, to: integer? }
---@param options { timeout: number? }
---@param callback fun(ok: boolean?, err: deskpilot.error?)
---@return fun() cancel
function Elements:change(handle, change, options, callback) end

--- Asks one element what it is now: an element as `read` gives it, with its details.
---@param handle string
---@param options { timeout: number? }
---@param callback fun(element: table?, err: deskpilot.error?)
---@return fun() cancel
function Elements:ask(handle, options, callback) end

--- Ends the connection; reads under way give an error of code "cancelled".
function Elements:close() end

return module
