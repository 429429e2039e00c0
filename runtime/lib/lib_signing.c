/* native.signing: Ed25519 signatures and BLAKE2b, of which `deskpilot.base.minisign` makes files of
 * keys and signatures. Keys and signatures are strings of bytes. */
#include "base/signing.h"
#include "lib.h"

/* The bytes of an argument that has to have so many. */
static const uint8_t *check_bytes(lua_State *L, int arg, size_t wanted)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, arg, &size);
    luaL_argcheck(L, size == wanted, arg, "a key or signature of another size");
    return (const uint8_t *) bytes;
}

/* Makes a pair of keys by the system's random numbers, or the one that belongs to a seed.
 * ---@param seed string? 32 bytes
 * ---@return string public_key 32 bytes
 * ---@return string secret_key 64 bytes: the seed, then the public key */
static int lib_signing_key_pair(lua_State *L)
{
    uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE], secret_key[BASE_SIGNING_SECRET_SIZE];
    bool made = lua_isnoneornil(L, 1)
                    ? base_signing_key_pair(public_key, secret_key)
                    : base_signing_key_pair_of(public_key, secret_key,
                                               check_bytes(L, 1, BASE_SIGNING_SEED_SIZE));
    if (!made) {
        return luaL_error(L, "this system gives no random numbers");
    }
    lua_pushlstring(L, (const char *) public_key, sizeof public_key);
    lua_pushlstring(L, (const char *) secret_key, sizeof secret_key);
    return 2;
}

/* Signs a message.
 * ---@param message string
 * ---@param secret_key string 64 bytes
 * ---@return string? signature 64 bytes; nil where the key's second half does not belong to its
 * first */
static int lib_signing_sign(lua_State *L)
{
    size_t size;
    const char *message = luaL_checklstring(L, 1, &size);
    uint8_t signature[BASE_SIGNING_SIGNATURE_SIZE];
    if (!base_signing_sign(signature, message, size, check_bytes(L, 2, BASE_SIGNING_SECRET_SIZE))) {
        return 0;
    }
    lua_pushlstring(L, (const char *) signature, sizeof signature);
    return 1;
}

/* Whether a signature is that of the message by the owner of the key.
 * ---@param message string
 * ---@param signature string 64 bytes
 * ---@param public_key string 32 bytes
 * ---@return boolean */
static int lib_signing_verify(lua_State *L)
{
    size_t size;
    const char *message = luaL_checklstring(L, 1, &size);
    const uint8_t *signature = check_bytes(L, 2, BASE_SIGNING_SIGNATURE_SIZE);
    lua_pushboolean(L, base_signing_verify(signature, message, size,
                                           check_bytes(L, 3, BASE_SIGNING_PUBLIC_SIZE)));
    return 1;
}

/* BLAKE2b of some bytes.
 * ---@param bytes string
 * ---@param size integer 16 to 64
 * ---@return string hash of that many bytes */
static int lib_signing_hash(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    lua_Integer wanted = luaL_checkinteger(L, 2);
    luaL_argcheck(L, wanted >= 16 && wanted <= BASE_SIGNING_HASH_MOST, 2, "16 to 64");
    uint8_t hash[BASE_SIGNING_HASH_MOST];
    base_signing_hash(hash, (size_t) wanted, bytes, size);
    lua_pushlstring(L, (const char *) hash, (size_t) wanted);
    return 1;
}

int lib_open_signing(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"key_pair", lib_signing_key_pair},
        {"sign", lib_signing_sign},
        {"verify", lib_signing_verify},
        {"hash", lib_signing_hash},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
