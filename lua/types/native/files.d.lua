---@meta native.files
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.files: how files and folders are made, so that nobody else reads or replaces them. The
--- calls block. Failures are told as luv tells them: nil, "EEXIST: file already exists", "EEXIST".
---@class native.files
local module = {}

--- Opens a file for writing at its end. "new": nothing has that name yet; "append": it may be there.
--- A link is not followed. To be closed by uv.fs_close.
---@param path string
---@param use "new"|"append"
---@param private boolean? its user's and nobody else's
---@return integer? file, string? why, string? code
function module.open(path, use, private) end

--- Makes a folder.
---@param path string
---@param private boolean? its user's and nobody else's
---@return boolean? ok, string? why, string? code "EEXIST" where something has that name
function module.make_folder(path, private) end

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
