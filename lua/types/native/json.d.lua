---@meta native.json
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.json: what is asked of a JSON text before it is decoded, and of values that are data.
--- lua-cjson takes up to fifty times the bytes of a text that is made of empty lists, and refuses a
--- text for half a character.
---@class native.json
local module = {}

--- The JSON text of a value; see deskpilot.base.json, which says what is a list, a text that is made
--- already and an order, by tables and metatables. Raises an error for what JSON cannot represent.
---@param value any
---@param list table the metatable of lists
---@param texts table<table, string>
---@param orders table<table, string[]> by the metatables of objects
---@param change deskpilot.json.change?
---@return string
function module.encode(value, list, texts, orders, change) end

--- How many values a JSON text holds, the keys of objects among them, and how deep its lists and
--- objects are nested. Stops counting where there are more values than `most`. Neither number is too
--- low; for a text that is not well-formed they are those of what precedes the mistake, or more.
---@param text string
---@param most integer
---@return integer values, integer depth
function module.measure(text, most) end

--- The text with each half of a surrogate pair that stands alone (\ud83d) replaced by \ufffd, which
--- is as long. nil where there is none.
---@param text string
---@return string? mended
function module.mend(text) end

--- Whether two values say the same, as data: functions and objects of C are passed over, and so is
--- what lies deeper than 8 tables.
---@param a any
---@param b any
---@return boolean
function module.same(a, b) end

--- Makes what lua-cjson has decoded what deskpilot.base.json promises, tables in place: whole
--- numbers are integers (lua-cjson's are floats), and a null in an object is nil; one in a list
--- stays, since it would end the list. A number beyond all floats is an error: it could not be
--- encoded again.
---@param value any
---@return any value
function module.tidy(value) end

--- The text with each byte that is not valid UTF-8 replaced by U+FFFD.
---@param text string
---@return string
function module.utf8(text) end

return module
