---@meta native.signing
-- Made by `./dev docs` from the comments above the C functions: change those.

--- native.signing: Ed25519 signatures and BLAKE2b, of which `deskpilot.base.minisign` makes files of
--- keys and signatures. Keys and signatures are strings of bytes.
---@class native.signing
local module = {}

--- Makes a pair of keys by the system's random numbers, or the one that belongs to a seed.
---@param seed string? 32 bytes
---@return string public_key 32 bytes
---@return string secret_key 64 bytes: the seed, then the public key
function module.key_pair(seed) end

--- Signs a message.
---@param message string
---@param secret_key string 64 bytes
---@return string? signature 64 bytes; nil where the key's second half does not belong to its first
function module.sign(message, secret_key) end

--- Whether a signature is that of the message by the owner of the key.
---@param message string
---@param signature string 64 bytes
---@param public_key string 32 bytes
---@return boolean
function module.verify(message, signature, public_key) end

--- BLAKE2b of some bytes.
---@param bytes string
---@param size integer 16 to 64
---@return string hash of that many bytes
function module.hash(bytes, size) end

return module
