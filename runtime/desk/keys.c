#include "keys.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    desk_key key;
} named_key;

/* Canonical names; f1..f24 and numpad_0..numpad_9 are made by rule. */
static const named_key NAMES[] = {
    {"ctrl", DESK_KEY_CTRL},
    {"left_ctrl", DESK_KEY_LEFT_CTRL},
    {"right_ctrl", DESK_KEY_RIGHT_CTRL},
    {"alt", DESK_KEY_ALT},
    {"left_alt", DESK_KEY_LEFT_ALT},
    {"right_alt", DESK_KEY_RIGHT_ALT},
    {"alt_gr", DESK_KEY_ALT_GR},
    {"shift", DESK_KEY_SHIFT},
    {"left_shift", DESK_KEY_LEFT_SHIFT},
    {"right_shift", DESK_KEY_RIGHT_SHIFT},
    {"win", DESK_KEY_WIN},
    {"left_win", DESK_KEY_LEFT_WIN},
    {"right_win", DESK_KEY_RIGHT_WIN},
    {"enter", DESK_KEY_ENTER},
    {"tab", DESK_KEY_TAB},
    {"space", DESK_KEY_SPACE},
    {"backspace", DESK_KEY_BACKSPACE},
    {"delete", DESK_KEY_DELETE},
    {"insert", DESK_KEY_INSERT},
    {"escape", DESK_KEY_ESCAPE},
    {"home", DESK_KEY_HOME},
    {"end", DESK_KEY_END},
    {"page_up", DESK_KEY_PAGE_UP},
    {"page_down", DESK_KEY_PAGE_DOWN},
    {"left", DESK_KEY_LEFT},
    {"right", DESK_KEY_RIGHT},
    {"up", DESK_KEY_UP},
    {"down", DESK_KEY_DOWN},
    {"menu", DESK_KEY_MENU},
    {"print_screen", DESK_KEY_PRINT_SCREEN},
    {"pause", DESK_KEY_PAUSE},
    {"caps_lock", DESK_KEY_CAPS_LOCK},
    {"num_lock", DESK_KEY_NUM_LOCK},
    {"scroll_lock", DESK_KEY_SCROLL_LOCK},
    {"help", DESK_KEY_HELP},
    {"sleep", DESK_KEY_SLEEP},
    {"f1", DESK_KEY_F1},
    {"f2", DESK_KEY_F1 + 1},
    {"f3", DESK_KEY_F1 + 2},
    {"f4", DESK_KEY_F1 + 3},
    {"f5", DESK_KEY_F1 + 4},
    {"f6", DESK_KEY_F1 + 5},
    {"f7", DESK_KEY_F1 + 6},
    {"f8", DESK_KEY_F1 + 7},
    {"f9", DESK_KEY_F1 + 8},
    {"f10", DESK_KEY_F1 + 9},
    {"f11", DESK_KEY_F1 + 10},
    {"f12", DESK_KEY_F1 + 11},
    {"f13", DESK_KEY_F1 + 12},
    {"f14", DESK_KEY_F1 + 13},
    {"f15", DESK_KEY_F1 + 14},
    {"f16", DESK_KEY_F1 + 15},
    {"f17", DESK_KEY_F1 + 16},
    {"f18", DESK_KEY_F1 + 17},
    {"f19", DESK_KEY_F1 + 18},
    {"f20", DESK_KEY_F1 + 19},
    {"f21", DESK_KEY_F1 + 20},
    {"f22", DESK_KEY_F1 + 21},
    {"f23", DESK_KEY_F1 + 22},
    {"f24", DESK_KEY_F24},
    {"numpad_0", DESK_KEY_NUMPAD_0},
    {"numpad_1", DESK_KEY_NUMPAD_0 + 1},
    {"numpad_2", DESK_KEY_NUMPAD_0 + 2},
    {"numpad_3", DESK_KEY_NUMPAD_0 + 3},
    {"numpad_4", DESK_KEY_NUMPAD_0 + 4},
    {"numpad_5", DESK_KEY_NUMPAD_0 + 5},
    {"numpad_6", DESK_KEY_NUMPAD_0 + 6},
    {"numpad_7", DESK_KEY_NUMPAD_0 + 7},
    {"numpad_8", DESK_KEY_NUMPAD_0 + 8},
    {"numpad_9", DESK_KEY_NUMPAD_9},
    {"numpad_add", DESK_KEY_NUMPAD_ADD},
    {"numpad_subtract", DESK_KEY_NUMPAD_SUBTRACT},
    {"numpad_multiply", DESK_KEY_NUMPAD_MULTIPLY},
    {"numpad_divide", DESK_KEY_NUMPAD_DIVIDE},
    {"numpad_decimal", DESK_KEY_NUMPAD_DECIMAL},
    {"numpad_equal", DESK_KEY_NUMPAD_EQUAL},
    {"numpad_enter", DESK_KEY_NUMPAD_ENTER},
    {"volume_up", DESK_KEY_VOLUME_UP},
    {"volume_down", DESK_KEY_VOLUME_DOWN},
    {"volume_mute", DESK_KEY_VOLUME_MUTE},
    {"media_play_pause", DESK_KEY_MEDIA_PLAY_PAUSE},
    {"media_next", DESK_KEY_MEDIA_NEXT},
    {"media_previous", DESK_KEY_MEDIA_PREVIOUS},
    {"media_stop", DESK_KEY_MEDIA_STOP},
    {"browser_back", DESK_KEY_BROWSER_BACK},
    {"browser_forward", DESK_KEY_BROWSER_FORWARD},
    {"browser_refresh", DESK_KEY_BROWSER_REFRESH},
    {"browser_stop", DESK_KEY_BROWSER_STOP},
    {"browser_search", DESK_KEY_BROWSER_SEARCH},
    {"browser_favorites", DESK_KEY_BROWSER_FAVORITES},
    {"browser_home", DESK_KEY_BROWSER_HOME},
    {"launch_mail", DESK_KEY_LAUNCH_MAIL},
    {"launch_media", DESK_KEY_LAUNCH_MEDIA},
    {"launch_files", DESK_KEY_LAUNCH_FILES},
    {"launch_calculator", DESK_KEY_LAUNCH_CALCULATOR},
};

/* What people, models, xdotool, pyautogui and browsers also call them. Case, "_", "-" and spaces
 * do not count in the comparison, so "PageUp" needs no line of its own. */
static const named_key ALIASES[] = {
    {"control", DESK_KEY_CTRL},
    {"ctl", DESK_KEY_CTRL},
    {"ctrl_left", DESK_KEY_LEFT_CTRL},
    {"ctrl_right", DESK_KEY_RIGHT_CTRL},
    {"control_left", DESK_KEY_LEFT_CTRL},
    {"control_right", DESK_KEY_RIGHT_CTRL},
    {"left_control", DESK_KEY_LEFT_CTRL},
    {"right_control", DESK_KEY_RIGHT_CTRL},
    {"control_l", DESK_KEY_LEFT_CTRL},
    {"control_r", DESK_KEY_RIGHT_CTRL},
    {"lctrl", DESK_KEY_LEFT_CTRL},
    {"rctrl", DESK_KEY_RIGHT_CTRL},
    {"option", DESK_KEY_ALT},
    {"opt", DESK_KEY_ALT},
    {"alt_left", DESK_KEY_LEFT_ALT},
    {"alt_right", DESK_KEY_RIGHT_ALT},
    {"left_option", DESK_KEY_LEFT_ALT},
    {"right_option", DESK_KEY_RIGHT_ALT},
    {"alt_l", DESK_KEY_LEFT_ALT},
    {"alt_r", DESK_KEY_RIGHT_ALT},
    {"lalt", DESK_KEY_LEFT_ALT},
    {"ralt", DESK_KEY_RIGHT_ALT},
    {"alt_graph", DESK_KEY_ALT_GR},
    {"iso_level3_shift", DESK_KEY_ALT_GR},
    {"shift_left", DESK_KEY_LEFT_SHIFT},
    {"shift_right", DESK_KEY_RIGHT_SHIFT},
    {"shift_l", DESK_KEY_LEFT_SHIFT},
    {"shift_r", DESK_KEY_RIGHT_SHIFT},
    {"lshift", DESK_KEY_LEFT_SHIFT},
    {"rshift", DESK_KEY_RIGHT_SHIFT},
    {"super", DESK_KEY_WIN},
    {"cmd", DESK_KEY_WIN},
    {"command", DESK_KEY_WIN},
    {"windows", DESK_KEY_WIN},
    {"meta", DESK_KEY_WIN},
    {"os", DESK_KEY_WIN},
    {"super_l", DESK_KEY_LEFT_WIN},
    {"super_r", DESK_KEY_RIGHT_WIN},
    {"win_left", DESK_KEY_LEFT_WIN},
    {"win_right", DESK_KEY_RIGHT_WIN},
    {"meta_left", DESK_KEY_LEFT_WIN},
    {"meta_right", DESK_KEY_RIGHT_WIN},
    {"left_super", DESK_KEY_LEFT_WIN},
    {"right_super", DESK_KEY_RIGHT_WIN},
    {"left_meta", DESK_KEY_LEFT_WIN},
    {"right_meta", DESK_KEY_RIGHT_WIN},
    {"left_cmd", DESK_KEY_LEFT_WIN},
    {"right_cmd", DESK_KEY_RIGHT_WIN},
    {"left_windows", DESK_KEY_LEFT_WIN},
    {"right_windows", DESK_KEY_RIGHT_WIN},
    {"lwin", DESK_KEY_LEFT_WIN},
    {"rwin", DESK_KEY_RIGHT_WIN},
    {"return", DESK_KEY_ENTER},
    {"spacebar", DESK_KEY_SPACE},
    {"bksp", DESK_KEY_BACKSPACE},
    {"del", DESK_KEY_DELETE},
    {"ins", DESK_KEY_INSERT},
    {"esc", DESK_KEY_ESCAPE},
    {"pgup", DESK_KEY_PAGE_UP},
    {"pgdn", DESK_KEY_PAGE_DOWN},
    {"pgdown", DESK_KEY_PAGE_DOWN},
    {"prior", DESK_KEY_PAGE_UP},
    {"next", DESK_KEY_PAGE_DOWN},
    {"left_arrow", DESK_KEY_LEFT},
    {"right_arrow", DESK_KEY_RIGHT},
    {"up_arrow", DESK_KEY_UP},
    {"down_arrow", DESK_KEY_DOWN},
    {"arrow_left", DESK_KEY_LEFT},
    {"arrow_right", DESK_KEY_RIGHT},
    {"arrow_up", DESK_KEY_UP},
    {"arrow_down", DESK_KEY_DOWN},
    {"context_menu", DESK_KEY_MENU},
    {"apps", DESK_KEY_MENU},
    {"application", DESK_KEY_MENU},
    {"print", DESK_KEY_PRINT_SCREEN},
    {"prtsc", DESK_KEY_PRINT_SCREEN},
    {"prtscn", DESK_KEY_PRINT_SCREEN},
    {"prntscrn", DESK_KEY_PRINT_SCREEN},
    {"sysrq", DESK_KEY_PRINT_SCREEN},
    {"break", DESK_KEY_PAUSE},
    {"caps", DESK_KEY_CAPS_LOCK},
    {"numlk", DESK_KEY_NUM_LOCK},
    {"numpad_lock", DESK_KEY_NUM_LOCK},
    {"kp_0", DESK_KEY_NUMPAD_0},
    {"kp_1", DESK_KEY_NUMPAD_0 + 1},
    {"kp_2", DESK_KEY_NUMPAD_0 + 2},
    {"kp_3", DESK_KEY_NUMPAD_0 + 3},
    {"kp_4", DESK_KEY_NUMPAD_0 + 4},
    {"kp_5", DESK_KEY_NUMPAD_0 + 5},
    {"kp_6", DESK_KEY_NUMPAD_0 + 6},
    {"kp_7", DESK_KEY_NUMPAD_0 + 7},
    {"kp_8", DESK_KEY_NUMPAD_0 + 8},
    {"kp_9", DESK_KEY_NUMPAD_9},
    {"kp_add", DESK_KEY_NUMPAD_ADD},
    {"kp_subtract", DESK_KEY_NUMPAD_SUBTRACT},
    {"kp_multiply", DESK_KEY_NUMPAD_MULTIPLY},
    {"kp_divide", DESK_KEY_NUMPAD_DIVIDE},
    {"kp_decimal", DESK_KEY_NUMPAD_DECIMAL},
    {"kp_equal", DESK_KEY_NUMPAD_EQUAL},
    {"kp_enter", DESK_KEY_NUMPAD_ENTER},
    {"numpad_plus", DESK_KEY_NUMPAD_ADD},
    {"numpad_minus", DESK_KEY_NUMPAD_SUBTRACT},
    {"numpad_times", DESK_KEY_NUMPAD_MULTIPLY},
    {"numpad_period", DESK_KEY_NUMPAD_DECIMAL},
    {"numpad_return", DESK_KEY_NUMPAD_ENTER},
    {"mute", DESK_KEY_VOLUME_MUTE},
    {"audio_volume_up", DESK_KEY_VOLUME_UP},
    {"audio_volume_down", DESK_KEY_VOLUME_DOWN},
    {"audio_volume_mute", DESK_KEY_VOLUME_MUTE},
    {"xf86_audio_raise_volume", DESK_KEY_VOLUME_UP},
    {"xf86_audio_lower_volume", DESK_KEY_VOLUME_DOWN},
    {"xf86_audio_mute", DESK_KEY_VOLUME_MUTE},
    {"play_pause", DESK_KEY_MEDIA_PLAY_PAUSE},
    {"media_play", DESK_KEY_MEDIA_PLAY_PAUSE},
    {"media_pause", DESK_KEY_MEDIA_PLAY_PAUSE},
    {"xf86_audio_play", DESK_KEY_MEDIA_PLAY_PAUSE},
    {"next_track", DESK_KEY_MEDIA_NEXT},
    {"media_next_track", DESK_KEY_MEDIA_NEXT},
    {"media_track_next", DESK_KEY_MEDIA_NEXT},
    {"xf86_audio_next", DESK_KEY_MEDIA_NEXT},
    {"previous_track", DESK_KEY_MEDIA_PREVIOUS},
    {"prev_track", DESK_KEY_MEDIA_PREVIOUS},
    {"media_prev", DESK_KEY_MEDIA_PREVIOUS},
    {"media_previous_track", DESK_KEY_MEDIA_PREVIOUS},
    {"media_track_previous", DESK_KEY_MEDIA_PREVIOUS},
    {"xf86_audio_prev", DESK_KEY_MEDIA_PREVIOUS},
    {"xf86_audio_stop", DESK_KEY_MEDIA_STOP},
    {"xf86_back", DESK_KEY_BROWSER_BACK},
    {"xf86_forward", DESK_KEY_BROWSER_FORWARD},
    {"browser_reload", DESK_KEY_BROWSER_REFRESH},
    {"xf86_refresh", DESK_KEY_BROWSER_REFRESH},
    {"browser_favourites", DESK_KEY_BROWSER_FAVORITES},
    {"launch_app1", DESK_KEY_LAUNCH_FILES},
    {"launch_app2", DESK_KEY_LAUNCH_CALCULATOR},
    {"plus", '+'},
    {"minus", '-'},
    {"hyphen", '-'},
    {"dash", '-'},
    {"equal", '='},
    {"equals", '='},
    {"comma", ','},
    {"period", '.'},
    {"dot", '.'},
    {"slash", '/'},
    {"backslash", '\\'},
    {"semicolon", ';'},
    {"colon", ':'},
    {"apostrophe", '\''},
    {"quote", '\''},
    {"grave", '`'},
    {"backtick", '`'},
    {"asterisk", '*'},
    {"underscore", '_'},
    {"bracket_left", '['},
    {"bracket_right", ']'},
    {"left_bracket", '['},
    {"right_bracket", ']'},
};

enum {
    NAME_COUNT = sizeof NAMES / sizeof NAMES[0],
    ALIAS_COUNT = sizeof ALIASES / sizeof ALIASES[0]
};

/* Lower case without the marks between words. An over-long text is cut: it matches no name. */
static void fold(const char *text, size_t length, char out[DESK_KEY_NAME_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < DESK_KEY_NAME_SIZE; i++) {
        if (!strchr("_- ", text[i])) {
            out[used++] = (char) tolower((unsigned char) text[i]);
        }
    }
    out[used] = '\0';
}

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance of two folded names. */
static size_t distance(const char *a, const char *b)
{
    size_t row[DESK_KEY_NAME_SIZE + 1];
    size_t columns = strlen(b);
    for (size_t j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            size_t change = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = minimum(change, minimum(row[j], diagonal) + 1);
        }
    }
    return row[columns];
}

typedef struct {
    const char *wanted; /* folded */
    const named_key *best;
    size_t best_distance;
} search;

/* Compares every name of a table; true as soon as one is the wanted one. */
static bool search_table(search *s, const named_key *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char folded[DESK_KEY_NAME_SIZE];
        fold(table[i].name, strlen(table[i].name), folded);
        size_t d = distance(s->wanted, folded);
        if (d < s->best_distance) {
            s->best = &table[i];
            s->best_distance = d;
        }
        if (d == 0) {
            return true;
        }
    }
    return false;
}

static bool unknown_key(const char *text, size_t length, const named_key *nearest, base_error *err)
{
    char shown[48];
    base_utf8_clean(shown, sizeof shown, text, length);
    char name[DESK_KEY_NAME_SIZE];
    desk_key_name(nearest->key, name);
    return base_fail(err, BASE_INVALID, "There is no key called \"%s\"; the nearest is \"%s\".",
                     shown, name);
}

/* A text of one character is that character's key, but for the ones that have a name. */
static bool parse_character(uint32_t c, desk_key *out)
{
    if (c == '\n' || c == '\r') {
        *out = DESK_KEY_ENTER;
    } else if (c == '\t') {
        *out = DESK_KEY_TAB;
    } else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
        return false;
    } else {
        *out = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }
    return true;
}

static bool parse_key(const char *text, size_t length, desk_key *out, base_error *err)
{
    if (length == 0) {
        return base_fail(err, BASE_INVALID, "The name of a key is missing.");
    }
    uint32_t c;
    if (base_utf8_read(text, length, &c) == length && parse_character(c, out)) {
        return true;
    }
    char folded[DESK_KEY_NAME_SIZE];
    fold(text, length, folded);
    search s = {folded, &NAMES[0], SIZE_MAX};
    if (!search_table(&s, NAMES, NAME_COUNT) && !search_table(&s, ALIASES, ALIAS_COUNT)) {
        return unknown_key(text, length, s.best, err);
    }
    *out = s.best->key;
    return true;
}

bool desk_key_parse(const char *text, desk_key *out, base_error *err)
{
    return parse_key(text, strlen(text), out, err);
}

void desk_key_name(desk_key key, char name[DESK_KEY_NAME_SIZE])
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (NAMES[i].key == key) {
            snprintf(name, DESK_KEY_NAME_SIZE, "%s", NAMES[i].name);
            return;
        }
    }
    name[key < DESK_KEY_NAMED ? base_utf8_write(name, key) : 0] = '\0';
}

bool desk_key_is_modifier(desk_key key)
{
    return key >= DESK_KEY_CTRL && key <= DESK_KEY_LAST_MODIFIER;
}

const char *desk_key_known(size_t index)
{
    return index < NAME_COUNT ? NAMES[index].name : NULL;
}

/* The part of a combo that starts at `text`: up to the next "+", or a "+" that is a key itself. */
static size_t part_length(const char *text)
{
    return text[0] == '+' ? 1 : strcspn(text, "+");
}

static void trim(const char **text, size_t *length)
{
    while (*length > 1 && **text == ' ') {
        ++*text;
        --*length;
    }
    while (*length > 1 && (*text)[*length - 1] == ' ') {
        --*length;
    }
}

static bool combo_add(desk_combo *combo, const char *text, size_t length, base_error *err)
{
    desk_key key;
    trim(&text, &length);
    if (!parse_key(text, length, &key, err)) {
        return false;
    }
    for (size_t i = 0; i < combo->count; i++) {
        if (combo->keys[i] == key) {
            char name[DESK_KEY_NAME_SIZE];
            desk_key_name(key, name);
            return base_fail(err, BASE_INVALID, "The combination names \"%s\" twice.", name);
        }
    }
    if (combo->count == DESK_COMBO_MAX) {
        return base_fail(err, BASE_INVALID, "A combination can have at most %d keys.",
                         DESK_COMBO_MAX);
    }
    combo->keys[combo->count++] = key;
    return true;
}

bool desk_combo_parse(const char *text, desk_combo *out, base_error *err)
{
    desk_combo combo = {0};
    for (const char *at = text;;) {
        size_t length = part_length(at);
        if (length == 0 && combo.count > 0) {
            return base_fail(err, BASE_INVALID,
                             "A key is missing after the last \"+\" (the plus key itself is "
                             "written as in \"ctrl++\").");
        }
        if (!combo_add(&combo, at, length, err)) {
            return false;
        }
        at += length;
        if (*at == '\0') {
            break;
        }
        at++; /* part_length stops at a joint or at the end, except after a "+" key */
        if (at[-1] != '+') {
            return base_fail(err, BASE_INVALID, "Keys of a combination are joined by \"+\".");
        }
    }
    *out = combo;
    return true;
}

static desk_key without_side(desk_key key)
{
    switch (key) {
    case DESK_KEY_LEFT_CTRL:
    case DESK_KEY_RIGHT_CTRL:
        return DESK_KEY_CTRL;
    case DESK_KEY_LEFT_ALT:
    case DESK_KEY_RIGHT_ALT:
        return DESK_KEY_ALT;
    case DESK_KEY_LEFT_SHIFT:
    case DESK_KEY_RIGHT_SHIFT:
        return DESK_KEY_SHIFT;
    case DESK_KEY_LEFT_WIN:
    case DESK_KEY_RIGHT_WIN:
        return DESK_KEY_WIN;
    default:
        return key;
    }
}

static void append_name(char out[DESK_COMBO_NAME_SIZE], desk_key key)
{
    char name[DESK_KEY_NAME_SIZE];
    desk_key_name(key, name);
    size_t used = strlen(out);
    snprintf(out + used, DESK_COMBO_NAME_SIZE - used, "%s%s", used ? "+" : "", name);
}

bool desk_combo_canonical(const char *text, char out[DESK_COMBO_NAME_SIZE], base_error *err)
{
    static const desk_key order[] = {DESK_KEY_CTRL, DESK_KEY_ALT, DESK_KEY_ALT_GR, DESK_KEY_SHIFT,
                                     DESK_KEY_WIN};
    desk_combo combo;
    if (!desk_combo_parse(text, &combo, err)) {
        return false;
    }
    out[0] = '\0';
    for (size_t m = 0; m < sizeof order / sizeof order[0]; m++) {
        for (size_t i = 0; i < combo.count; i++) {
            if (without_side(combo.keys[i]) == order[m]) {
                append_name(out, order[m]);
                break; /* left and right of the same modifier are one */
            }
        }
    }
    for (size_t i = 0; i < combo.count; i++) {
        if (!desk_key_is_modifier(combo.keys[i])) {
            append_name(out, combo.keys[i]);
        }
    }
    return true;
}
