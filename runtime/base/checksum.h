/*
 * checksum.h: the two checksums of a PNG, several times faster than zlib's where the processor
 * helps. Same values, same way of going on from a sum so far as zlib's functions of that name.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in zlib; start with 0. */
uint32_t base_crc32(uint32_t crc, const uint8_t *data, size_t size);

/* Adler-32 as in zlib; start with 1. */
uint32_t base_adler32(uint32_t adler, const uint8_t *data, size_t size);

/* A row of a PNG in RGB, made and summed in one go from `width` pixels of 4 bytes (blue, green,
 * red, unused): copies them to `to` with the unused byte cleared and goes on from `adler` over the
 * byte `filter` and then red, green, blue of each. `to` may be `from`. */
uint32_t base_adler32_take_row(uint32_t adler, uint8_t filter, uint32_t *to, const uint32_t *from,
                               int width);

#endif
