/*
 * replay FILE...: plays the inputs of a fuzzer, and changes of them that are the same at every run,
 * so that the suite sees without the fuzzer itself that it still builds and finds nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 16, ROUNDS = 2000 }; /* bytes of an input; changes of each */

static uint32_t state = 1;

static uint32_t dice(uint32_t sides)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % sides;
}

static size_t read_file(const char *path, uint8_t *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(out, 1, MOST, file);
    fclose(file);
    return size;
}

static size_t change_once(uint8_t *data, size_t size, const uint8_t *other, size_t other_size)
{
    static const uint8_t telling[] = {0,   1,   2,   8,   9,   10,  125, 126,
                                      127, 128, 129, 136, 137, 254, 255};
    size_t at = size ? dice((uint32_t) size) : 0, room = MOST - size;
    switch (size ? dice(6) : 4) {
    case 0:
        data[at] ^= (uint8_t) (1 << dice(8));
        return size;
    case 1:
        data[at] = telling[dice(sizeof telling)];
        return size;
    case 2: /* take one out */
        memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    case 3: /* cut off */
        return at;
    case 4: { /* put a part of another input in */
        size_t from = other_size ? dice((uint32_t) other_size) : 0;
        size_t count = other_size ? dice((uint32_t) (other_size - from)) + 1 : 0;
        count = count < room ? count : room;
        memmove(data + at + count, data + at, size - at);
        memcpy(data + at, other + from, count);
        return size + count;
    }
    default: /* say a part twice */
        room = room < size - at ? room : size - at;
        memcpy(data + size, data + at, room);
        return size + room;
    }
}

int main(int argc, char **argv)
{
    uint8_t *data = malloc(MOST), *other = malloc(MOST);
    if (!data || !other)
        return 1;
    size_t played = 0;
    for (int i = 1; i < argc; i++) {
        size_t size = read_file(argv[i], data);
        LLVMFuzzerTestOneInput(data, size);
        for (int round = 0; round < ROUNDS; round++) {
            size = read_file(argv[i], data);
            size_t other_size = read_file(argv[1 + dice((uint32_t) argc - 1)], other);
            for (uint32_t changes = 1 + dice(4); changes; changes--)
                size = change_once(data, size, other, other_size);
            LLVMFuzzerTestOneInput(data, size);
        }
        played += 1 + ROUNDS;
    }
    printf("%zu inputs played\n", played);
    free(data);
    free(other);
    return played ? 0 : 1;
}
