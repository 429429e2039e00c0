--- Codes by which those who have a key in common know what one of them has made (HMAC, RFC 2104).
local system = require "native.system"

local hmac = {}

local BLOCK = 64 -- bytes

local function bytes_of(hex)
  return (hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function padded(key, value)
  local bytes = table.pack((key .. ("\0"):rep(BLOCK - #key)):byte(1, BLOCK))
  for i, byte in ipairs(bytes) do bytes[i] = string.char(byte ~ value) end
  return table.concat(bytes)
end

--- The code of a message by SHA-256.
---@param key string
---@param message string
---@return string hex 64 digits
function hmac.sha256(key, message)
  if #key > BLOCK then key = bytes_of(system.sha256(key)) end
  local inner, outer = padded(key, 0x36), padded(key, 0x5c)
  return system.sha256(outer .. bytes_of(system.sha256(inner .. message)))
end

return hmac
