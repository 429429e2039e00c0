/*
 * base64.h: bytes as text, the way screenshots travel inside JSON (RFC 4648, with padding).
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many characters `size` bytes become. No terminating zero is counted. */
static inline size_t base_base64_size(size_t size)
{
    return (size / 3 + (size % 3 != 0)) * 4;
}

/* Writes exactly base_base64_size(size) characters. */
void base_base64(char *out, const uint8_t *data, size_t size);

/* The bytes of such a text, strictly: whole groups of four, padding at the end only. Writes at most
 * length / 4 * 3 bytes and says in *size how many. False for anything else. */
bool base_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length);

#endif
