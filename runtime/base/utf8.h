/*
 * utf8.h: decodes and encodes UTF-8, strictly (no surrogates, no overlong forms, nothing above
 * U+10FFFF), and makes untrusted text safe to show. Lengths are in bytes. No function allocates.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of text[0..length). Returns its number of bytes (1..4), or 0 if it is
 * malformed or `length` is 0. `*codepoint` is only set on success. */
size_t base_utf8_read(const char *text, size_t length, uint32_t *codepoint);

/* Encodes a character (at most 4 bytes, no terminating zero). Returns the number of bytes; 0 if the
 * codepoint is not a character. */
size_t base_utf8_write(char *out, uint32_t codepoint);

/* The offset of the first malformed byte, or `length` if there is none. */
size_t base_utf8_check(const char *text, size_t length);

/* Copies at most size - 1 bytes of untrusted text and a terminating zero. Malformed bytes become
 * U+FFFD, control characters and bidirectional overrides are left out, no character is cut in two.
 */
void base_utf8_clean(char *out, size_t size, const char *text, size_t length);

#endif
