---@meta native.processes
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.processes: whether some processes, and those that come from them, have anything left
--- to do.
---@class native.processes
local module = {}

--- A new watch, which has looked at nothing yet.
---@return native.ProcessWatch
function module.open() end

--- A watch of processes.
---@class native.ProcessWatch
local ProcessWatch = {}

--- Looks at processes and all that come from them. Two looks of the same stamp, both with all
--- asleep, prove that nothing ran or was about to at a moment between them.
---@param roots integer[] at most 64
---@param timers { pid: integer, threads: string[] }[]? at most 8: of such a process and those that come from it only the waits of threads of these names (at most 16) count, in `named_due`
---@param first boolean? another look follows, to which it is left whether a thread that has not run since the look before waits for a processor: it takes half the time
---@return { asleep: boolean, stamp: integer, due: number?, named_due: number?, processes: integer, threads: integer, busy: integer?, next: integer? }? look nil where the system does not tell; due: seconds as uv.hrtime counts them: no wait that a thread has begun since the mark ends by itself before; nil where none does; busy, next: a thread that is awake, and the one that `due` is of
function ProcessWatch:look(roots, timers, first) end

--- Whether one of the threads that had run when the latest look was taken is awake, which costs far
--- less than a look.
---@return boolean busy
function ProcessWatch:is_busy() end

--- What the threads wait for now counts no longer: only the waits of those that run from now on.
function ProcessWatch:mark() end

--- Whether one of the processes that have run since the mark, without those that `timers` was about,
--- has a network connection, so that an answer may be on its way to it.
---@return boolean connected true also where that cannot be known
function ProcessWatch:connected() end

--- Waits until what was written to terminals before has been handed to those who read it, at most
--- 50 ms. To be called between two looks.
---@return boolean drained false where it has not happened in that time
function ProcessWatch:drain() end

--- Forgets all of them. Closing twice is no mistake.
function ProcessWatch:close() end

return module
