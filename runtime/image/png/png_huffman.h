/*
 * png_huffman.h: canonical Huffman codes for deflate. Private to png_*.c.
 */
#ifndef IMAGE_PNG_PNG_HUFFMAN_H
#define IMAGE_PNG_PNG_HUFFMAN_H

#include <stdint.h>

enum { HUFFMAN_MAX_SYMBOLS = 288 };

typedef struct {
    uint16_t code[HUFFMAN_MAX_SYMBOLS]; /* bits reversed, as deflate writes them */
    uint8_t bits[HUFFMAN_MAX_SYMBOLS];  /* 0: the symbol does not occur */
} huffman_code;

/* The best code of at most `max_bits` bits for `count` symbols that occur `frequency[i]` times each
 * (below 2^24). The code is always complete (Kraft sum exactly 1), because inflaters refuse any
 * other; where fewer than two symbols occur, symbols that do not get a code as well. */
void huffman_build(huffman_code *code, const uint32_t *frequency, int count, int max_bits);

#endif
