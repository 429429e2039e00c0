---@meta native.files
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.files: how files and folders are made, so that nobody else reads or replaces them. The
--- calls block. Failures are told as luv tells them: nil, "EEXIST: file already exists", "EEXIST".
---@class native.files
local module = {}

--- Opens a file for writing at its end. "new": nothing has that name yet; "part": the same, and it
--- is to be given to remove_part, which is done for it where the process ends before; "append": it
--- may be there. A link is not followed. To be closed by uv.fs_close.
---@param path string
---@param use "new"|"part"|"append"
---@param private boolean? its user's and nobody else's
---@return integer? file, string? why, string? code
function module.open(path, use, private) end

--- Removes a file that was opened as "part", if it has that name yet. Takes no memory, so that it
--- can be done when there is none.
---@param path string
function module.remove_part(path) end

--- Makes a folder.
---@param path string
---@param private boolean? its user's and nobody else's
---@return boolean? ok, string? why, string? code "EEXIST" where something has that name
function module.make_folder(path, private) end

--- The names in a folder. luv's fs_scandir leaves its request in memory, at each call.
---@param path string
---@return string[]? names, string? why, string? code
function module.list(path) end

--- Gives a file another name in the same file system.
---@param from string
---@param to string
---@param keep boolean? what has that name is not replaced: "EEXIST"
---@return boolean? ok, string? why, string? code
function module.rename(from, to, keep) end

--- Puts the names in a folder on the disk.
---@param path string
---@return boolean? ok, string? why, string? code
function module.sync_folder(path) end

return module
