#include "base/signing.h"

#include <sodium.h>

bool base_signing_key_pair(uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE],
                           uint8_t secret_key[BASE_SIGNING_SECRET_SIZE])
{
    return sodium_init() >= 0 && crypto_sign_keypair(public_key, secret_key) == 0;
}

bool base_signing_key_pair_of(uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE],
                              uint8_t secret_key[BASE_SIGNING_SECRET_SIZE],
                              const uint8_t seed[BASE_SIGNING_SEED_SIZE])
{
    return sodium_init() >= 0 && crypto_sign_seed_keypair(public_key, secret_key, seed) == 0;
}

bool base_signing_sign(uint8_t signature[BASE_SIGNING_SIGNATURE_SIZE], const void *message,
                       size_t size, const uint8_t secret_key[BASE_SIGNING_SECRET_SIZE])
{
    uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE], whole[BASE_SIGNING_SECRET_SIZE];
    if (sodium_init() < 0 || crypto_sign_seed_keypair(public_key, whole, secret_key) != 0) {
        return false;
    }
    bool right = sodium_memcmp(whole, secret_key, sizeof whole) == 0 &&
                 crypto_sign_detached(signature, NULL, message, size, whole) == 0;
    sodium_memzero(whole, sizeof whole);
    return right;
}

bool base_signing_verify(const uint8_t signature[BASE_SIGNING_SIGNATURE_SIZE], const void *message,
                         size_t size, const uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE])
{
    return sodium_init() >= 0 &&
           crypto_sign_verify_detached(signature, message, size, public_key) == 0;
}

void base_signing_hash(uint8_t *hash, size_t hash_size, const void *data, size_t size)
{
    crypto_generichash(hash, hash_size, data, size, NULL, 0);
}
