/*
 * base64.h: base64 (RFC 4648, with padding), for screenshots in JSON.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of characters for `size` bytes, without a terminating zero. */
static inline size_t base_base64_size(size_t size)
{
    return (size / 3 + (size % 3 != 0)) * 4;
}

/* Writes exactly base_base64_size(size) characters. */
void base_base64(char *out, const uint8_t *data, size_t size);

/* Decodes a text, strictly: only complete groups of four characters, padding only at the end.
 * Writes at most length / 4 * 3 bytes, their number to *size. False for a malformed text. */
bool base_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length);

#endif
