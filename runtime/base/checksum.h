/*
 * checksum.h: the two checksums of a PNG, with vector instructions where the processor has them,
 * which is several times faster than zlib. Results and parameters are those of zlib's crc32 and
 * adler32.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in zlib; start with 0. */
uint32_t base_crc32(uint32_t crc, const uint8_t *data, size_t size);

/* Adler-32 as in zlib; start with 1. */
uint32_t base_adler32(uint32_t adler, const uint8_t *data, size_t size);

/* Copies a row of `width` pixels of 4 bytes (blue, green, red, unused) to `to`, with the unused
 * byte cleared, and in the same pass updates `adler` for the row of a PNG: the byte `filter`, then
 * red, green and blue of each pixel. `to` may be equal to `from`. */
uint32_t base_adler32_take_row(uint32_t adler, uint8_t filter, uint32_t *to, const uint32_t *from,
                               int width);

#endif
