-- Signatures and hashes by the standards' own examples.
local signing = require "native.signing"
local t = require "harness"
local text = require "deskpilot.base.text"

local tests = {}

local function bytes(hex)
  return (hex:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end))
end

-- RFC 8032, 7.1, TEST 1 and 2: seed, public key, message, signature.
local EXAMPLES = {
  { "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
      .. "655141438e7a100b" },
  { "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
      .. "00d291612bb0c00" },
}

function tests.signatures_are_those_of_rfc_8032()
  for _, example in ipairs(EXAMPLES) do
    local seed, public, message, signature = table.unpack(example)
    public, message = bytes(public), bytes(message)
    t.eq(text.hex(signing.sign(message, bytes(seed) .. public)), signature)
    t.ok(signing.verify(message, bytes(signature), public))
    t.ok(not signing.verify(message .. "x", bytes(signature), public))
  end
end

function tests.hashes_are_those_of_rfc_7693()
  t.eq(text.hex(signing.hash("abc", 64)), "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
    .. "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
end

function tests.a_pair_of_keys_belongs_together()
  local public, secret = signing.key_pair()
  t.eq(secret:sub(33), public)
  t.ok(signing.verify("a", signing.sign("a", secret), public))
  t.ok(select(2, signing.key_pair()) ~= secret)
  t.eq(signing.sign("a", secret:sub(1, 32) .. ("\0"):rep(32)), nil, "what would give the seed away")
end

function tests.what_has_another_size_is_a_mistake()
  local public, secret = signing.key_pair()
  t.ok(not pcall(signing.sign, "a", secret:sub(2)))
  t.ok(not pcall(signing.verify, "a", "short", public))
  t.ok(not pcall(signing.verify, "a", signing.sign("a", secret), public .. "x"))
  t.ok(not pcall(signing.hash, "a", 65))
  t.ok(not pcall(signing.hash, "a", 0))
end

return tests
