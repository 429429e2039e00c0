---@meta native.system
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.system: what neither luv nor Lua's own library offers. Interruption, the process-tree
--- keeping of the private desktop's host, locks and checksums of files.
---@class native.system
---@field version string of this program
---@field platform "linux"|"windows"
local module = {}

--- Calls `handler(signal_name)` on the loop when the process is asked to stop.
---@param handler fun(signal: string)
function module.on_interrupt(handler) end

--- What the process has been asked to stop by (as on_interrupt's handler hears it); nil where it has
--- not, or where that has been cleared.
---@return string? signal
---@return boolean pending the handler has not heard of it yet, and whatever computes is stopped
function module.interrupt() end

--- The request has been acted on: the next signal is a first one again.
function module.clear_interrupt() end

--- Sets when Lua code that computes without waiting has had time enough, in seconds of uv.hrtime;
--- nil for never. From then on, until another time is set, on_overdue's function is asked again and
--- again.
---@param at number?
function module.set_deadline(at) end

--- Calls `judge()` in the middle of whatever runs past the deadline: true ends it there. It may not
--- wait.
---@param judge fun(): boolean?
function module.on_overdue(judge) end

--- Whatever comes from this process ends with it from now on.
---@return boolean? ok, deskpilot.error? err
function module.hold_descendants() end

--- Runs this program again on a new Windows desktop, with the name after its own arguments and with
--- its standard streams; waits for its end (nothing else runs meanwhile), and ends what it started.
---@param name string letters, digits, - and _
---@return integer? status, deskpilot.error? err
function module.run_on_desktop(name) end

--- Collects a child that luv does not know (an adopted one) if it has ended. Call when SIGCHLD came.
---@param pid integer
---@return integer state 1 collected, 0 still running, -1 no child of ours
function module.reap(pid) end

--- The process that started `pid`; nil if unknown or gone.
---@param pid integer
---@return integer?
function module.parent(pid) end

--- Windows: the processes that come from `pid`, parents first, itself not among them.
---@param pid integer
---@return integer[]
function module.descendants(pid) end

--- Windows: the words that a process was started with; nil where they cannot be known.
---@param pid integer
---@return string[]?
function module.command_line(pid) end

--- Windows: opens a file or an address with the application for it. May take seconds, during which
--- nothing else runs.
---@param target string
---@return boolean? ok, deskpilot.error? err
function module.open(target) end

--- Forgets what has been typed at the terminal of standard input and was not read yet: it cannot be
--- meant for what is asked only now.
function module.discard_input() end

--- Gives back to the system the memory that freed things have left, for what runs long; about 0.4
--- ms. Garbage that was not collected yet is none of it.
function module.trim_memory() end

--- Locks an open file until it is closed or this process ends, however it ends.
---@param file integer as uv.fs_open gives it, for writing
---@return boolean? ok, deskpilot.error? err code "refused": it is locked already
function module.lock_file(file) end

--- Who may change a file or folder beside this user and those who run the machine (root; SYSTEM,
--- Administrators). A link is not followed.
---@param path string
---@return { link: boolean, ours: boolean, owner: string?, writer: string? }? access ours: it belongs to this user or to those, else `owner` has its name; writer: somebody else who may change it, or replace what is in the folder
---@return deskpilot.error? err
function module.access(path) end

--- The SHA-256 of some bytes, as sha256sum prints it.
---@param bytes string
---@return string hex
function module.sha256(bytes) end

return module
