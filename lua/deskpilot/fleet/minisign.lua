--- Keys and signatures in the files of minisign (https://jedisct1.github.io/minisign), which makes and checks them as
--- well: Ed25519 over the BLAKE2b hash of what is signed. Secret keys have no password (minisign -W).
local errors = require "deskpilot.base.errors"
local image = require "native.image"
local signing = require "native.signing"
local text = require "deskpilot.base.text"
local uv = require "luv"

local minisign = {}

--- Bytes that a file of a key or a signature has at most.
minisign.longest = 4096

local SIGNATURE, HASH = 64, 64
local PUBLIC = 2 + 8 + 32
local UNUSED = 32 + 8 + 8             -- salt and limits of the password
local SECRET = 6 + UNUSED + 8 + 64 + 32 -- and a checksum, zeros without a password
local COMMENT, TRUSTED = "untrusted comment: ", "trusted comment: "

---@class deskpilot.minisign.public
---@field id string as minisign shows it
---@field key string

---@class deskpilot.minisign.secret
---@field id string as minisign shows it
---@field bytes_of_id string
---@field key string

-- minisign shows the number that the bytes are, without zeros before it.
local function shown(id) return ("%X"):format((string.unpack("<I8", id))) end

local function bytes_of(line, size)
  local bytes = line and image.from_base64(text.trim(line))
  return bytes and #bytes == size and bytes or nil
end

local function no_key(what, why)
  return errors.fail("invalid", "that is no %s key of minisign's without a password%s", what, why or "")
end

local function lines_of(words)
  local list = {}
  for line in text.lines(words) do list[#list + 1] = line end
  return list
end

-- The line of base64 behind the comment.
local function second_line(words)
  local lines = lines_of(words)
  return text.starts(lines[1], COMMENT) and lines[2] or nil
end

--- Reads a public key: the file's two lines, or the second alone.
---@param words string
---@return deskpilot.minisign.public? key, deskpilot.error? err invalid
function minisign.read_public(words)
  local bytes = bytes_of(second_line(words) or words, PUBLIC)
  if not bytes or bytes:sub(1, 2) ~= "Ed" then
    local secret = bytes_of(second_line(words), SECRET)
    return no_key("public", secret and ": it is the secret one, which workers are not to have")
  end
  return { id = shown(bytes:sub(3, 10)), key = bytes:sub(11) }
end

--- Reads a secret key.
---@param words string
---@return deskpilot.minisign.secret? key, deskpilot.error? err invalid
function minisign.read_secret(words)
  local bytes = bytes_of(second_line(words), SECRET)
  if not bytes or bytes:sub(1, 2) ~= "Ed" then
    return no_key("secret", bytes_of(second_line(words), PUBLIC) and ": it is the public one")
  end
  if bytes:sub(3, 4) ~= "\0\0" then
    return no_key("secret", ": it has one, which `minisign -C -W -s FILE` takes off")
  end
  local at = 6 + UNUSED
  local id = bytes:sub(at + 1, at + 8)
  local key = { id = shown(id), bytes_of_id = id, key = bytes:sub(at + 9, at + 72) }
  if not signing.sign("", key.key) then return no_key("secret", ": its two halves do not belong together") end
  return key
end

--- Makes a pair of keys.
---@return string public_file what goes into it
---@return string secret_file
---@return string id
function minisign.new_keys()
  local public, secret = signing.key_pair()
  local id = uv.random(8)
  local name = shown(id)
  local public_bytes = "Ed" .. id .. public
  local secret_bytes = "Ed\0\0B2" .. ("\0"):rep(UNUSED) .. id .. secret .. ("\0"):rep(32)
  return ("%sminisign public key %s\n%s\n"):format(COMMENT, name, image.base64(public_bytes)),
    ("%sminisign secret key %s, without a password\n%s\n"):format(COMMENT, name, image.base64(secret_bytes)), name
end

--- Signs a text.
---@param key deskpilot.minisign.secret
---@param message string
---@param comment string one line, which is signed as well
---@return string signature what minisign has in a .minisig file
function minisign.sign(key, message, comment)
  local signature = assert(signing.sign(signing.hash(message, HASH), key.key))
  local over_all = assert(signing.sign(signature .. comment, key.key))
  return ("%ssignature by deskpilot\n%s\n%s%s\n%s\n"):format(COMMENT,
    image.base64("ED" .. key.bytes_of_id .. signature), TRUSTED, comment, image.base64(over_all))
end

--- Whether one of the keys has signed a text.
---@param keys deskpilot.minisign.public[]
---@param message string
---@param signature string untrusted
---@return string? comment the signed one
---@return deskpilot.error? err refused: by another key, or of another text; invalid: it is no signature
function minisign.verify(keys, message, signature)
  local lines = lines_of(#signature <= minisign.longest and signature or "")
  local bytes, over_all = bytes_of(lines[2], 10 + SIGNATURE), bytes_of(lines[4], SIGNATURE)
  if not bytes or not over_all or bytes:sub(1, 2) ~= "ED" or not text.starts(lines[3], TRUSTED) then
    return errors.fail("invalid", "that is no signature of minisign's")
  end
  local id, proof, comment = shown(bytes:sub(3, 10)), bytes:sub(11), lines[3]:sub(#TRUSTED + 1)
  local known = false
  for _, key in ipairs(keys) do
    if key.id == id then
      known = true
      if signing.verify(signing.hash(message, HASH), proof, key.key)
        and signing.verify(proof .. comment, over_all, key.key) then
        return comment
      end
    end
  end
  if known then return errors.fail("refused", "it is not what the key %s has signed", id) end
  return errors.fail("refused", "it is signed by the key %s, which is not trusted here", id)
end

return minisign
