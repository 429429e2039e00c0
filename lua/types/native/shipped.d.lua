---@meta native.shipped
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.shipped: the files inside the program (shipped.h), for Lua. The module is part of the
--- host, because nothing below the host may know which files are shipped.
---@class native.shipped
local module = {}

--- The text of a file inside the program.
---@param name string such as "missions/calculator.lua"
---@return string? text nil if there is none of that name
function module.read(name) end

--- The names of the files inside the program that begin with `prefix`, sorted.
---@param prefix string
---@return string[]
function module.list(prefix) end

--- Gives back the memory of the files that were read. They can be read again.
function module.give_back() end

return module
