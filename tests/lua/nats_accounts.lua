--- Operators, accounts and users of NATS as its tool `nsc` makes them, for servers and credentials files of tests: keys
--- (nkeys) and signed tokens (JWT).
local image = require "native.image"
local json = require "deskpilot.base.json"
local signing = require "native.signing"

local nats_accounts = {}

local KINDS = { operator = 14 << 3, account = 0, user = 20 << 3 }
local SEED = 18 << 3
local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

local function base32(bytes)
  local out, bits, count = {}, 0, 0
  for i = 1, #bytes do
    bits, count = bits << 8 | bytes:byte(i), count + 8
    while count >= 5 do
      count = count - 5
      local at = bits >> count & 31
      out[#out + 1] = LETTERS:sub(at + 1, at + 1)
    end
    bits = bits & (1 << count) - 1
  end
  if count > 0 then
    local at = bits << 5 - count & 31
    out[#out + 1] = LETTERS:sub(at + 1, at + 1)
  end
  return table.concat(out)
end

-- CRC-16 of XMODEM, low byte first.
local function with_checksum(bytes)
  local crc = 0
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i) << 8
    for _ = 1, 8 do crc = crc & 0x8000 ~= 0 and (crc << 1 ~ 0x1021) & 0xffff or crc << 1 & 0xffff end
  end
  return bytes .. string.pack("<I2", crc)
end

local function base64_url(bytes)
  return (image.base64(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end

---@class nats_accounts.key
---@field public string as NATS writes it
---@field seed string
---@field secret string

--- A new key of that kind.
---@param kind "operator"|"account"|"user"
---@return nats_accounts.key
function nats_accounts.key(kind)
  local public, secret = signing.key_pair()
  local prefix = KINDS[kind]
  return { public = base32(with_checksum(string.char(prefix) .. public)), secret = secret,
    seed = base32(with_checksum(string.char(SEED | prefix >> 5, (prefix & 31) << 3) .. secret:sub(1, 32))) }
end

--- A signed token.
---@param kind "operator"|"account"|"user"
---@param key nats_accounts.key whose it is
---@param issuer nats_accounts.key
---@param plain boolean? an account without JetStream
---@return string
function nats_accounts.token(kind, key, issuer, plain)
  local facts = { type = kind, version = 2 }
  if kind == "account" then
    facts.limits = { wildcards = true }
    for _, name in ipairs { "subs", "data", "payload", "imports", "exports", "conn", "leaf" } do
      facts.limits[name] = -1
    end
    for _, name in ipairs(plain and {} or { "mem_storage", "disk_storage", "streams", "consumer" }) do
      facts.limits[name] = -1
    end
  elseif kind == "user" then
    facts.subs, facts.data, facts.payload = -1, -1, -1
  end
  local words = base64_url(json.encode { typ = "JWT", alg = "ed25519-nkey" }) .. "." .. base64_url(json.encode {
    jti = key.public, iat = os.time(), iss = issuer.public, sub = key.public, name = kind, nats = facts })
  return words .. "." .. base64_url(assert(signing.sign(words, issuer.secret)))
end

---@class nats_accounts.accounts
---@field config string lines of the server's configuration
---@field credentials fun(): string the text of a file for a new user

--- An operator with one account that has JetStream.
---@return nats_accounts.accounts
function nats_accounts.new()
  local operator, account = nats_accounts.key "operator", nats_accounts.key "account"
  local system = nats_accounts.key "account" -- the server's own
  local function preloaded(key)
    return ("%s: %s"):format(key.public, nats_accounts.token("account", key, operator, key == system))
  end
  return {
    config = ("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload { %s\n%s }"):format(
      nats_accounts.token("operator", operator, operator), system.public, preloaded(account), preloaded(system)),
    credentials = function()
      local user = nats_accounts.key "user"
      return ("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n"
        .. "------END USER NKEY SEED------\n"):format(nats_accounts.token("user", user, account), user.seed)
    end,
  }
end

return nats_accounts
