/*
 * Names of keys and key combinations as a model or a mission may write them, and the bytes of texts
 * from anywhere: what is read has one canonical form, which reads back as the same; what is no name
 * is refused with a sentence; UTF-8 is read and written as RFC 3629 has it.
 */
#include "base/utf8.h"
#include "desk/keys.h"
#include "fuzz.h"

static void require_sentence(const base_error *err)
{
    REQUIRE(err->code == BASE_INVALID && err->message[0]);
    REQUIRE(base_utf8_check(err->message, strlen(err->message)) == strlen(err->message));
}

static void play_key(const char *text)
{
    desk_key key = DESK_KEY_NONE, again = DESK_KEY_NONE;
    base_error err = {0};
    char name[DESK_KEY_NAME_SIZE];
    if (!desk_key_parse(text, &key, &err)) {
        require_sentence(&err);
        return;
    }
    REQUIRE(key != DESK_KEY_NONE && key < DESK_KEY_END_OF_LIST);
    desk_key_name(key, name);
    REQUIRE(memchr(name, 0, sizeof name) && name[0]);
    REQUIRE(desk_key_parse(name, &again, &err) && again == key);
}

static void play_combo(const char *text)
{
    desk_combo combo = {0}, again = {0};
    base_error err = {0};
    char name[DESK_COMBO_NAME_SIZE], twice[DESK_COMBO_NAME_SIZE];
    bool read = desk_combo_parse(text, &combo, &err);
    if (!read) {
        require_sentence(&err);
    }
    bool named = desk_combo_canonical(text, name, &err);
    REQUIRE(read || !named);
    if (!read) {
        return;
    }
    REQUIRE(combo.count >= 1 && combo.count <= DESK_COMBO_MAX);
    for (size_t i = 0; i < combo.count; i++) {
        for (size_t j = 0; j < i; j++) {
            REQUIRE(combo.keys[i] != combo.keys[j]);
        }
    }
    if (named) { /* "left_ctrl+ctrl" has none: both are the plain one */
        REQUIRE(memchr(name, 0, sizeof name) && desk_combo_parse(name, &again, &err));
        REQUIRE(desk_combo_canonical(name, twice, &err) && strcmp(name, twice) == 0);
        REQUIRE(again.count == combo.count);
    }
}

/* A character by the table of RFC 3629, section 4. */
static size_t length_by_rfc(const uint8_t *p, size_t size)
{
    static const struct {
        uint8_t first, last, least, most;
        size_t length;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; size && i < sizeof rows / sizeof rows[0]; i++) {
        if (p[0] < rows[i].first || p[0] > rows[i].last || size < rows[i].length) {
            continue;
        }
        size_t good = 1;
        while (good < rows[i].length &&
               (good == 1 ? p[1] >= rows[i].least && p[1] <= rows[i].most : p[good] >> 6 == 2)) {
            good++;
        }
        return good == rows[i].length ? good : 0;
    }
    return 0;
}

static void play_characters(const char *text, size_t size)
{
    size_t bad = size;
    for (size_t at = 0; at < size;) {
        uint32_t codepoint = UINT32_MAX;
        char written[4];
        size_t length = base_utf8_read(text + at, size - at, &codepoint);
        REQUIRE(length == length_by_rfc((const uint8_t *) text + at, size - at));
        if (length) {
            REQUIRE(base_utf8_write(written, codepoint) == length);
            REQUIRE(memcmp(written, text + at, length) == 0);
        } else {
            REQUIRE(codepoint == UINT32_MAX);
            bad = at < bad ? at : bad;
        }
        at += length ? length : 1;
    }
    REQUIRE(base_utf8_check(text, size) == bad);
}

static void play_cleaning(const char *text, size_t size, size_t room)
{
    char *clean = malloc(room);
    REQUIRE(clean);
    base_utf8_clean(clean, room, text, size);
    size_t length = strnlen(clean, room);
    REQUIRE(length < room && base_utf8_check(clean, length) == length);
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        at += base_utf8_read(clean + at, length - at, &c);
        REQUIRE(c >= 0x20 && (c < 0x7f || c > 0x9f) && !(c >= 0x202a && c <= 0x202e) &&
                !(c >= 0x2066 && c <= 0x2069));
    }
    free(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of exactly its size, so that a step beyond its end is seen. */
    char *text = malloc(size + 1);
    REQUIRE(text);
    memcpy(text, data, size);
    text[size] = 0;
    play_key(text);
    play_combo(text);
    char *bytes = malloc(size ? size : 1);
    REQUIRE(bytes);
    memcpy(bytes, data, size);
    play_characters(bytes, size);
    play_cleaning(bytes, size, 1 + (size ? data[0] : 0));
    play_cleaning(bytes, size, 3 * size + 1);
    free(bytes);
    free(text);
    return 0;
}
