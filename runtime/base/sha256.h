/*
 * sha256.h: SHA-256 (FIPS 180-4), by which people recognise a file: as sha256sum prints it.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { BASE_SHA256_SIZE = 32 };

void base_sha256(uint8_t out[BASE_SHA256_SIZE], const void *data, size_t size);

#endif
