/*
 * replay FILE...: plays the inputs of a fuzzer, and ROUNDS changes of each that are the same at
 * every run, so that the suite sees without the fuzzer itself that it still builds and finds
 * nothing.
 */
#include "fuzz.h"

enum { MOST = 1 << 16 }; /* bytes of an input */

static uint32_t state = 1;

static uint32_t dice(uint32_t sides)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % sides;
}

typedef struct {
    uint8_t *data;
    size_t size;
} input;

static input read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    input read = {malloc(MOST), 0};
    if (!read.data) {
        perror(path);
        exit(1);
    }
    read.size = fread(read.data, 1, MOST, file);
    fclose(file);
    return read;
}

static size_t change_once(uint8_t *data, size_t size, const input *other)
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
        size_t from = other->size ? dice((uint32_t) other->size) : 0;
        size_t count = other->size ? dice((uint32_t) (other->size - from)) + 1 : 0;
        count = count < room ? count : room;
        if (count == 0) {
            return size;
        }
        memmove(data + at + count, data + at, size - at);
        memcpy(data + at, other->data + from, count);
        return size + count;
    }
    default: /* say a part twice */
        room = room < size - at ? room : size - at;
        memcpy(data + size, data + at, room);
        return size + room;
    }
}

static void play_changed(const input *from, const input *other, uint8_t *data)
{
    size_t size = from->size;
    memcpy(data, from->data, size);
    for (uint32_t changes = 1 + dice(4); changes; changes--) {
        size = change_once(data, size, other);
    }
    LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    uint32_t count = (uint32_t) argc - 1;
    input *inputs = calloc(count + 1, sizeof *inputs);
    uint8_t *data = malloc(MOST);
    if (!inputs || !data || !count) {
        free(inputs);
        free(data);
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = read_file(argv[i + 1]);
        LLVMFuzzerTestOneInput(inputs[i].data, inputs[i].size);
    }
    for (uint32_t i = 0; i < count * ROUNDS; i++) {
        play_changed(&inputs[i % count], &inputs[dice(count)], data);
    }
    printf("%u inputs played\n", count * (1 + ROUNDS));
    for (uint32_t i = 0; i < count; i++) {
        free(inputs[i].data);
    }
    free(inputs);
    free(data);
    return 0;
}
