--- Compressed bodies, made without a library: small ones as gzip writes them, and bombs.
local compressed = {}

local function crc32(text)
  local crc = 0xffffffff
  for at = 1, #text do
    crc = crc ~ text:byte(at)
    for _ = 1, 8 do crc = crc >> 1 ~ (crc & 1 == 1 and 0xedb88320 or 0) end
  end
  return crc ~ 0xffffffff
end

local head = "\x1f\x8b\x08\0\0\0\0\0\0\xff"

--- A gzip file of a text (RFC 1952) in blocks that are stored as they are.
---@param text string
---@return string
function compressed.gzip(text)
  local parts = { head }
  for at = 1, math.max(1, #text), 0xffff do
    local piece = text:sub(at, at + 0xfffe)
    parts[#parts + 1] = string.pack("<BI2I2", at + 0xffff > #text and 1 or 0, #piece, ~#piece & 0xffff) .. piece
  end
  return table.concat(parts) .. string.pack("<I4I4", crc32(text), #text & 0xffffffff)
end

-- The bits of a block with the fixed codes (RFC 1951, 3.2.6): one zero, then "the byte before, 258 times more".
local opening, again = "110" .. "00110000", "11000101" .. "00000"

local function bytes(bits)
  local list = {}
  for at = 1, #bits - 7, 8 do list[#list + 1] = string.char(tonumber(bits:sub(at, at + 7):reverse(), 2)) end
  return table.concat(list)
end

--- A gzip file that never ends of zeros, which grows to 158 times its size.
---@param size integer bytes that it grows to, about
---@return string
function compressed.bomb(size)
  local start = bytes(opening .. again:rep(24)) -- its bytes repeat after 13, once the opening is over
  return head .. start:sub(1, 2) .. start:sub(3, 15):rep(size // 2064)
end

return compressed
