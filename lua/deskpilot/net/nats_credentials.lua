--- Files of credentials as NATS's tools write them: a user's token (JWT), and the seed of its key, with which what the
--- server asks is signed. The seed is in no sentence and no message.
local errors = require "deskpilot.base.errors"
local files = require "deskpilot.base.files"
local image = require "native.image"
local signing = require "native.signing"

local nats_credentials = {}

local MOST_BYTES = 1 << 20
local PREFIX = "\x95\x00" -- "SU": five bits for a seed, then eight for a user's
local VALUES = {}
for i = 1, 32 do VALUES[("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"):sub(i, i)] = i - 1 end

local function from_base32(text)
  local out, bits, count = {}, 0, 0
  for letter in text:gmatch "." do
    local value = VALUES[letter]
    if not value then return nil end
    bits, count = bits << 5 | value, count + 5
    if count >= 8 then
      count = count - 8
      out[#out + 1] = string.char(bits >> count)
      bits = bits & (1 << count) - 1
    end
  end
  return bits == 0 and table.concat(out) or nil
end

-- CRC-16 of XMODEM.
local function checksum(bytes)
  local crc = 0
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i) << 8
    for _ = 1, 8 do crc = (crc & 0x8000 ~= 0 and crc << 1 ~ 0x1021 or crc << 1) & 0xffff end
  end
  return crc
end

--- The 32 bytes of a user's seed ("SUA...").
---@param text string
---@return string? seed nil where it is none, or one of somebody else's than a user's
function nats_credentials.seed(text)
  local bytes = #text == 58 and from_base32(text)
  if not bytes or #bytes ~= 36 or string.unpack("<I2", bytes, 35) ~= checksum(bytes:sub(1, 34)) then return nil end
  return bytes:sub(1, 2) == PREFIX and bytes:sub(3, 34) or nil
end

local function between(text, what)
  local _, last = text:find("----BEGIN " .. what .. "----", 1, true)
  local words, at = text:match("^%-*%s+(%S+)%s+%-+()", (last or #text) + 1)
  local label = "END " .. what
  return at and text:sub(at, at + #label - 1) == label and words or nil
end

---@class deskpilot.nats_credentials
---@field token string the JWT
---@field sign fun(nonce: string): string the answer to what the server asks

--- Reads a file of credentials.
---@param path string
---@return deskpilot.nats_credentials? credentials, deskpilot.error? err invalid, not_found, io
function nats_credentials.read(path)
  local text, err = files.read(path, MOST_BYTES)
  if not text then return nil, err end
  local token, seed = between(text, "NATS USER JWT"), between(text, "USER NKEY SEED")
  seed = seed and nats_credentials.seed(seed)
  if not token or not token:find "^[%w_.-]+$" or not seed then
    return errors.fail("invalid", "%s has no user's token (JWT) with its seed, as NATS's tool nsc writes them", path)
  end
  return { token = token, sign = function(nonce)
    local _, secret = signing.key_pair(seed)
    return (image.base64(signing.sign(nonce, secret)):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
  end }
end

return nats_credentials
