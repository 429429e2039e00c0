#include "png_huffman.h"

#include <assert.h>
#include <string.h>

enum { FREQUENCY_BITS = 24, DEPTH_MAX = 32 };

typedef struct {
    uint32_t frequency;
    uint16_t symbol;
} entry;

/* Rarest first; a radix sort, because a strip's time is short enough to notice qsort. */
static void sort_by_frequency(entry *entries, int count)
{
    entry other[HUFFMAN_MAX_SYMBOLS];
    entry *from = entries, *to = other;
    for (int shift = 0; shift < FREQUENCY_BITS; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < count; i++) {
            start[(from[i].frequency >> shift & 255) + 1]++;
        }
        for (int i = 1; i < 256; i++) {
            start[i] += start[i - 1];
        }
        for (int i = 0; i < count; i++) {
            to[start[from[i].frequency >> shift & 255]++] = from[i];
        }
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, (size_t) count * sizeof *entries);
    }
}

/* How many codes there are of each length: the two-queue construction over sorted leaves. The
 * arrays hold leaves and inner nodes in the order of their weight. */
static void count_lengths(const entry *leaves, int count, int lengths[DEPTH_MAX + 1])
{
    uint32_t weight[HUFFMAN_MAX_SYMBOLS];
    int parent_of_leaf[HUFFMAN_MAX_SYMBOLS], parent[HUFFMAN_MAX_SYMBOLS];
    int depth[HUFFMAN_MAX_SYMBOLS];
    int leaf = 0, inner = 0, inners = count - 1;
    for (int made = 0; made < inners; made++) {
        weight[made] = 0;
        for (int child = 0; child < 2; child++) {
            if (leaf < count && (inner >= made || leaves[leaf].frequency <= weight[inner])) {
                weight[made] += leaves[leaf].frequency;
                parent_of_leaf[leaf++] = made;
            } else {
                weight[made] += weight[inner];
                parent[inner++] = made;
            }
        }
    }
    depth[inners - 1] = 0;
    for (int i = inners - 2; i >= 0; i--) {
        depth[i] = depth[parent[i]] + 1;
    }
    for (int i = 0; i < count; i++) {
        int length = depth[parent_of_leaf[i]] + 1;
        lengths[length < DEPTH_MAX ? length : DEPTH_MAX]++;
    }
}

/* Cuts codes longer than the limit down to it, which makes the code impossible (Kraft sum above 1),
 * and lengthens others until the sum is 1 again, exactly. */
static void limit_lengths(int lengths[DEPTH_MAX + 1], int max_bits)
{
    for (int i = max_bits + 1; i <= DEPTH_MAX; i++) {
        lengths[max_bits] += lengths[i];
        lengths[i] = 0;
    }
    uint32_t kraft = 0;
    for (int i = 1; i <= max_bits; i++) {
        kraft += (uint32_t) lengths[i] << (max_bits - i);
    }
    for (; kraft > 1u << max_bits; kraft--) {
        int i = max_bits - 1;
        while (lengths[i] == 0) {
            i--;
        }
        lengths[max_bits]--;
        lengths[i]--;
        lengths[i + 1] += 2;
    }
    assert(kraft == 1u << max_bits);
}

static uint16_t reversed(uint32_t code, int bits)
{
    uint32_t result = 0;
    for (int i = 0; i < bits; i++) {
        result |= (code >> i & 1) << (bits - 1 - i);
    }
    return (uint16_t) result;
}

static void assign_codes(huffman_code *code, int count, const int lengths[DEPTH_MAX + 1],
                         int max_bits)
{
    uint32_t next[DEPTH_MAX + 1] = {0};
    for (int bits = 1; bits < max_bits; bits++) {
        next[bits + 1] = (next[bits] + (uint32_t) lengths[bits]) << 1;
    }
    for (int i = 0; i < count; i++) {
        if (code->bits[i]) {
            code->code[i] = reversed(next[code->bits[i]]++, code->bits[i]);
        }
    }
}

void huffman_build(huffman_code *code, const uint32_t *frequency, int count, int max_bits)
{
    entry used[HUFFMAN_MAX_SYMBOLS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (frequency[i]) {
            used[n++] = (entry){frequency[i], (uint16_t) i};
        }
    }
    for (int i = 0; n < 2; i++) {
        if (!frequency[i]) {
            used[n++] = (entry){1, (uint16_t) i};
        }
    }
    sort_by_frequency(used, n);
    int lengths[DEPTH_MAX + 1] = {0};
    count_lengths(used, n, lengths);
    limit_lengths(lengths, max_bits);
    memset(code->bits, 0, sizeof code->bits);
    /* The rarest get the longest. */
    for (int i = 0, bits = max_bits; bits >= 1; bits--) {
        for (int k = 0; k < lengths[bits]; k++) {
            code->bits[used[i++].symbol] = (uint8_t) bits;
        }
    }
    assign_codes(code, count, lengths, max_bits);
}
