#include "net_sha1.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static void expand(uint32_t w[80], const uint8_t *block)
{
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t) block[4 * i] << 24 | (uint32_t) block[4 * i + 1] << 16 |
               (uint32_t) block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 80; i++) {
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
}

static void mix(uint32_t state[5], const uint8_t *block)
{
    uint32_t w[80];
    expand(w, block);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++) {
        uint32_t f, k;
        if (i < 20) {
            f = (b & c) | (~b & d), k = 0x5a827999;
        } else if (i < 40) {
            f = b ^ c ^ d, k = 0x6ed9eba1;
        } else if (i < 60) {
            f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d, k = 0xca62c1d6;
        }
        uint32_t next = rotate(a, 5) + f + e + k + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void net_sha1(uint8_t out[NET_SHA1_SIZE], const void *data, size_t size)
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *bytes = data;
    size_t left = size;
    for (; left >= BLOCK; left -= BLOCK, bytes += BLOCK) {
        mix(state, bytes);
    }
    uint8_t last[2 * BLOCK] = {0};
    memcpy(last, bytes, left);
    last[left] = 0x80;
    size_t blocks = left < LENGTH_AT ? 1 : 2;
    for (int i = 0; i < 8; i++) {
        last[blocks * BLOCK - 1 - i] = (uint8_t) ((uint64_t) size * 8 >> (8 * i));
    }
    for (size_t i = 0; i < blocks; i++) {
        mix(state, last + i * BLOCK);
    }
    for (int i = 0; i < NET_SHA1_SIZE; i++) {
        out[i] = (uint8_t) (state[i / 4] >> (24 - 8 * (i % 4)));
    }
}
