---@meta native.watchdog
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.watchdog: what is written in our place where a C call holds this Lua state for good, and
--- when. A process has one, for one run.
---@class native.watchdog
local module = {}

--- Begins: nothing is written before `set` has been called.
---@param journal integer the open file that lines are appended to, as uv.fs_open gives it
---@param result string path of the file that is replaced as a whole
---@param epoch number the time of uv.hrtime, in seconds, from which seconds are counted
---@param lines integer how many lines the journal has that count
---@return boolean? ok, deskpilot.error? err
function module.open(journal, result, epoch, lines) end

--- What is written, and with which status the process ends. In the texts "\1" becomes the seconds
--- since epoch, "\2" the number of lines.
---@param cause "overdue"|"interrupted"|"no_memory" a limit has passed; asked to stop for the ---  second time; an event was lost because memory was short
---@param words { line: string?, result: string?, output: string?, words: string?, status: integer } ---  for the journal, the result's file, standard output and standard error
---@return boolean? ok, deskpilot.error? err
function module.set(cause, words) end

--- Appends a line to an open file, so that it does not mix with what the watchdog writes. What was
--- written of a line that did not fit is taken back. `place` says where the file ends and is changed
--- here, because Lua code may be interrupted between the call and what it would note.
---@param file integer as uv.fs_open gives it
---@param text string
---@param place { size: integer, lines: integer, torn: boolean? } bytes and whole lines of the ---  file, which grow; torn: half a line that could not be taken back stands at its end
---@param last boolean? true: the watchdog need not write a line to it any more
---@return boolean? ok
---@return string? why in the system's words
function module.append(file, text, place, last) end

--- The time of uv.hrtime, in seconds, by which this is called again, with a later time or with nil
--- for never. Where it was not within a second of that, the process ends for the cause "overdue".
---@param at number?
function module.answer_by(at) end

--- Nothing is written any more. Before the journal is closed, unless words without a line and
--- without a result have been left.
function module.close() end

return module
