--- A C call that does not return for minutes: a pattern's backtracking.
local hang = {}

-- string.gsub calls a C function for its first match, and no Lua between that and the rest.
local CALL = [[local _ = (%q .. "\nw\n438\n" .. (" "):rep(3e5) .. "b"):gsub("%%s*(%%C+)\n(w)\n(%%d+)\n",
  require "luv".fs_open) ]]

--- Lua that makes such a call. It writes the file `sign` from inside of it: after a sign given before the call, a
--- Ctrl+C could still come ahead of it and end the run by itself.
---@param sign string
---@return string
function hang.source(sign)
  return CALL:format(sign)
end

return hang
