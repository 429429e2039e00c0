--- A file of data (own profiles, configuration): what is read of it is what Lua itself reads, and nothing in it runs.
local data = require "deskpilot.base.data"
local values = require "fuzz_values"

return function(bytes)
  local value, err = data.parse(bytes, "data")
  if value == nil then
    assert(err.code == "invalid" and tostring(err):find "^data:%d+: " or tostring(err):find "larger", tostring(err))
    return values.sentence(tostring(err), 2000)
  end
  -- It is data alone, so that it can be given to Lua.
  local source = bytes:gsub("^\239\187\191", "")
  local chunk = load("return " .. source, "data", "t", {}) or load(source, "data", "t", {})
  if not chunk then error "data that Lua does not read" end
  local ok, other = pcall(chunk)
  assert(ok and values.same(value, other), "data that Lua reads otherwise")
end
