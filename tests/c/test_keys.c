/* Names of keys and combinations: what people write, what comes out, what is refused and how. */
#include "base/utf8.h"
#include "check.h"
#include "desk/keys.h"

static base_error err;

static void reads(const char *text, desk_key wanted)
{
    desk_key key = DESK_KEY_NONE;
    if (!CHECK(desk_key_parse(text, &key, &err)) || !CHECK_EQ(key, wanted)) {
        printf("    reading \"%s\"\n", text);
    }
}

static void is_canonical(const char *text, const char *wanted)
{
    char out[DESK_COMBO_NAME_SIZE] = "";
    if (!CHECK(desk_combo_canonical(text, out, &err))) {
        printf("    %s: %s\n", text, err.message);
    }
    CHECK_STR(out, wanted);
}

static void fails(const char *text, const char *part, const char *nearest)
{
    desk_combo combo;
    err = (base_error){0};
    if (!CHECK(!desk_combo_parse(text, &combo, &err))) {
        printf("    \"%s\" was read\n", text);
    }
    CHECK_EQ(err.code, BASE_INVALID);
    if (!CHECK(strstr(err.message, part) && strstr(err.message, nearest))) {
        printf("    %s\n", err.message);
    }
}

static void test_every_name_comes_back(void)
{
    size_t count = 0;
    for (const char *name; (name = desk_key_known(count)); count++) {
        desk_key key;
        char back[DESK_KEY_NAME_SIZE];
        CHECK(desk_key_parse(name, &key, &err));
        desk_key_name(key, back);
        CHECK_STR(back, name);
    }
    /* Every key of the list has a name. */
    size_t named = DESK_KEY_END_OF_LIST - DESK_KEY_NAMED;
    CHECK_EQ(count, named + 1); /* and space, which is a character */
}

static void test_reading(void)
{
    reads("ctrl", DESK_KEY_CTRL);
    reads("Control", DESK_KEY_CTRL);
    reads("enter", DESK_KEY_ENTER);
    reads("Return", DESK_KEY_ENTER);
    reads("f24", DESK_KEY_F24);
    reads("F1", DESK_KEY_F1);
    reads("numpad_7", DESK_KEY_NUMPAD_0 + 7);
    reads("KP_7", DESK_KEY_NUMPAD_0 + 7);
    reads("volume_up", DESK_KEY_VOLUME_UP);
    reads("XF86AudioRaiseVolume", DESK_KEY_VOLUME_UP);
    reads("Page Up", DESK_KEY_PAGE_UP);
    reads("PageUp", DESK_KEY_PAGE_UP);
    reads("page-up", DESK_KEY_PAGE_UP);
    reads("cmd", DESK_KEY_WIN);
    reads("a", 'a');
    reads("A", 'a');
    reads("+", '+');
    reads("plus", '+');
    reads("-", '-');
    reads("_", '_');
    reads(" ", DESK_KEY_SPACE);
    reads("space", DESK_KEY_SPACE);
    reads("\n", DESK_KEY_ENTER);
    reads("é", 0xe9);
    reads("漢", 0x6f22);
    reads("😀", 0x1f600);
}

static void test_combos(void)
{
    desk_combo combo;
    CHECK(desk_combo_parse("ctrl+shift+s", &combo, &err));
    CHECK_EQ(combo.count, 3);
    CHECK_EQ(combo.keys[0], DESK_KEY_CTRL);
    CHECK_EQ(combo.keys[2], 's');
    CHECK(desk_combo_parse("ctrl++", &combo, &err));
    CHECK_EQ(combo.count, 2);
    CHECK_EQ(combo.keys[1], '+');
    CHECK(desk_combo_parse("+", &combo, &err));
    CHECK_EQ(combo.count, 1);
    CHECK(desk_combo_parse("ctrl+++a", &combo, &err));
    CHECK_EQ(combo.count, 3);
    CHECK(desk_combo_parse("1+2+3+4+5+6+7+8", &combo, &err));
    CHECK_EQ(combo.count, 8);
}

static void test_canonical(void)
{
    is_canonical("S+Shift+Control", "ctrl+shift+s");
    is_canonical("Ctrl + Alt + Del", "ctrl+alt+delete");
    is_canonical("right_alt+f4", "alt+f4");
    is_canonical("left_ctrl+right_ctrl+c", "ctrl+c");
    is_canonical("cmd+option+esc", "alt+win+escape");
    is_canonical("ctrl++", "ctrl++");
    is_canonical("alt_gr+é", "alt_gr+é");
    is_canonical("super", "win");
    is_canonical("b+a", "b+a");
}

static void test_refusals(void)
{
    fails("contrl+s", "contrl", "\"ctrl\"");
    fails("ctrl+entr", "entr", "\"enter\"");
    fails("f25", "f25", "\"f2");
    fails("pagup", "pagup", "\"page_up\"");
    fails("retrun", "retrun", "\"enter\"");
    fails("", "missing", "key");
    fails("ctrl+", "missing", "ctrl++");
    fails("+a", "joined", "+");
    fails("ctrl+ctrl", "twice", "ctrl");
    fails("1+2+3+4+5+6+7+8+9", "at most", "8");
    fails("\x01", "no key", "nearest");
    fails("\xff\xfe", "no key", "\xef\xbf\xbd");
    fails("\xe2\x80\xaegnp", "\"gnp\"",
          "nearest"); /* an override must not turn the message round */
    char long_name[2000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    fails(long_name, "xxxx", "nearest");
}

static void test_utf8(void)
{
    char out[8];
    CHECK_EQ(base_utf8_check("aé漢😀", 10), 10);
    CHECK_EQ(base_utf8_check("a\xc0\x80", 3), 1);        /* overlong */
    CHECK_EQ(base_utf8_check("ab\xed\xa0\x80", 5), 2);   /* surrogate */
    CHECK_EQ(base_utf8_check("\xf4\x90\x80\x80", 4), 0); /* above U+10FFFF */
    CHECK_EQ(base_utf8_check("\xe6\xbc", 2), 0);         /* cut short */
    base_utf8_clean(out, sizeof out, "a\nb\x7f\xff", 5);
    CHECK_STR(out, "ab\xef\xbf\xbd");
    base_utf8_clean(out, sizeof out, "123456é", 8);
    CHECK_STR(out, "123456"); /* no half character */
}

int main(void)
{
    test_every_name_comes_back();
    test_reading();
    test_combos();
    test_canonical();
    test_refusals();
    test_utf8();
    return check_done();
}
