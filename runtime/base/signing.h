/*
 * signing.h: Ed25519 signatures and BLAKE2b, by libsodium.
 */
#ifndef BASE_SIGNING_H
#define BASE_SIGNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BASE_SIGNING_PUBLIC_SIZE = 32,
    BASE_SIGNING_SEED_SIZE = 32,
    BASE_SIGNING_SECRET_SIZE = 64, /* the seed, then the public key */
    BASE_SIGNING_SIGNATURE_SIZE = 64,
    BASE_SIGNING_HASH_MOST = 64,
};

/* Makes a pair of keys by the system's random numbers. False where there are none. */
bool base_signing_key_pair(uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE],
                           uint8_t secret_key[BASE_SIGNING_SECRET_SIZE]);

/* The pair of keys that belongs to a seed. False where libsodium cannot be used. */
bool base_signing_key_pair_of(uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE],
                              uint8_t secret_key[BASE_SIGNING_SECRET_SIZE],
                              const uint8_t seed[BASE_SIGNING_SEED_SIZE]);

/* Signs a message. False where the second half of the secret key is not the public key of its
 * first, by which it would give itself away. */
bool base_signing_sign(uint8_t signature[BASE_SIGNING_SIGNATURE_SIZE], const void *message,
                       size_t size, const uint8_t secret_key[BASE_SIGNING_SECRET_SIZE]);

/* Whether a signature is that of the message by the owner of the key. Anything may be given. */
bool base_signing_verify(const uint8_t signature[BASE_SIGNING_SIGNATURE_SIZE], const void *message,
                         size_t size, const uint8_t public_key[BASE_SIGNING_PUBLIC_SIZE]);

/* BLAKE2b of some bytes, without a key; `hash_size` is 16 to 64. */
void base_signing_hash(uint8_t *hash, size_t hash_size, const void *data, size_t size);

#endif
