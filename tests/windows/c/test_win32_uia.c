/*
 * Reading and acting by UI Automation against a made-up one (test_win32_uia_fake.h). The
 * application behind it can mean harm: elements that fail, endless depth, huge names, absurd
 * places.
 */
#include "check.h"
#include "desk/win32/elements/win32_uia_internal.h"
#include "test_win32_uia_fake.h"

#include <stdlib.h>
#include <uv.h>

/* --- reading ------------------------------------------------------------------------------------
 */

static uia_source source;

static bool read_tree(desk_element_list *out, size_t max, bool all, bool bare)
{
    win32_reading r;
    static desk_elements_query q;
    q = (desk_elements_query){.deadline = uv_hrtime() + (uint64_t) 5000000000,
                              .max_nodes = max,
                              .all = all,
                              .bare = bare};
    *out = (desk_element_list){0};
    CHECK(win32_reading_open(&r, &q, out));
    int32_t app = win32_app_add(&r, GetCurrentProcessId());
    int before = alive;
    bool ok = win32_uia_read(&source, &r, (HWND) 0x1234, GetCurrentProcessId(), app);
    CHECK_EQ(alive, before);
    CHECK_EQ(uncached, 0);
    win32_reading_close(&r);
    for (size_t i = 1; i < out->count; i++) {
        const desk_element *e = &out->items[i];
        CHECK(e->parent >= 0 && e->parent < (int32_t) i);
        CHECK(e->depth == out->items[e->parent].depth + 1);
    }
    return ok;
}

static const desk_element *find(const desk_element_list *list, const char *name)
{
    static const desk_element none = {.role = "(missing)", .name = "", .handle = ""};
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    return &none;
}

static bool has(const desk_element *e, desk_element_state state)
{
    return e->states >> state & 1;
}

static void make_form(void)
{
    start_tree();
    add(root, 2, UIA_BUTTON, HAS_INVOKE, L"Save");
    add(root, 3, UIA_BUTTON, HAS_TOGGLE, L"Bold")->state = UIA_TOGGLE_ON;
    add(root, 4, UIA_CHECK_BOX, HAS_TOGGLE, L"Some")->state = UIA_TOGGLE_BETWEEN;
    add(root, 5, UIA_RADIO_BUTTON, HAS_SELECTION, L"Blue")->state = 1;
    add(root, 6, UIA_EDIT, HAS_VALUE, L"Name")->value = L"Ada\r\nL";
    add(root, 7, UIA_EDIT, HAS_VALUE | PASSWORD, L"Secret")->value = L"hunter2";
    add(root, 8, UIA_EDIT, HAS_VALUE | READ_ONLY, L"Fixed")->value = L"no";
    add(root, 9, UIA_COMBO_BOX, HAS_EXPAND, L"Colour")->state = UIA_EXPAND_COLLAPSED;
    add(root, 10, UIA_SLIDER, HAS_RANGE, L"Volume");
    add(root, 11, UIA_BUTTON, HAS_INVOKE | DISABLED, L"Off");
    node *group = add(root, 12, UIA_GROUP, OFFSCREEN, L"Out");
    add(group, 13, UIA_LIST_ITEM, HAS_SELECTION, L"In")->state = 1;
    add(root, 14, UIA_MENU_ITEM, HAS_EXPAND, L"File")->state = UIA_EXPAND_COLLAPSED;
    add(root, 15, UIA_MENU_ITEM, HAS_INVOKE, L"Open");
    add(root, 16, UIA_WINDOW, MODAL, L"Ask");
    add(root, 17, UIA_DOCUMENT, 0, L"Page");
    add(root, 18, UIA_TEXT, 0, L"Words");
    add(root, 19, UIA_CUSTOM, HAS_LEGACY, L"Own");
    add(root, 20, 77, 0, L"Strange");
}

static void test_words(void)
{
    static const char *const roles[][2] = {
        {"Window", "frame"},         {"Save", "push button"},  {"Bold", "toggle button"},
        {"Some", "check box"},       {"Blue", "radio button"}, {"Name", "text"},
        {"Secret", "password text"}, {"Colour", "combo box"},  {"Volume", "slider"},
        {"In", "list item"},         {"File", "menu"},         {"Open", "menu item"},
        {"Ask", "dialog"},           {"Page", "document web"}, {"Words", "label"},
        {"Own", "unknown"},          {"Strange", "unknown"},   {"Out", "(missing)"},
    };
    desk_element_list list;
    make_form();
    CHECK(read_tree(&list, 100, false, false));
    CHECK(limit_ms > 1000 && limit_ms <= 2501);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        CHECK_STR(find(&list, roles[i][0])->role, roles[i][1]);
    }
    CHECK(has(find(&list, "Bold"), DESK_STATE_PRESSED));
    CHECK(has(find(&list, "Some"), DESK_STATE_INDETERMINATE));
    CHECK(has(find(&list, "Blue"), DESK_STATE_CHECKED));
    CHECK(!has(find(&list, "Off"), DESK_STATE_ENABLED));
    CHECK(has(find(&list, "Colour"), DESK_STATE_COLLAPSED));
    CHECK(has(find(&list, "In"), DESK_STATE_SELECTED));
    CHECK_EQ(find(&list, "In")->depth, 2); /* the group is not showing, what is in it is */
    CHECK(has(find(&list, "Name"), DESK_STATE_EDITABLE));
    CHECK(has(find(&list, "Fixed"), DESK_STATE_READ_ONLY));
    CHECK_STR(find(&list, "Name")->text, "Ada\nL");
    CHECK(find(&list, "Secret")->text == NULL);
    CHECK(find(&list, "Volume")->has_value && find(&list, "Volume")->value == 12.5);
    CHECK_EQ(find(&list, "Save")->actions, 1);
    CHECK_EQ(find(&list, "Own")->actions, 1);
    CHECK_EQ(find(&list, "Words")->actions, 0);
    CHECK_EQ(find(&list, "Save")->rect.x, 20);
    CHECK_EQ(find(&list, "Save")->rect.width, 100);
    desk_element_list_free(&list);
    CHECK(read_tree(&list, 100, true, true));
    CHECK_STR(find(&list, "Out")->role, "panel");
    CHECK(find(&list, "Name")->text == NULL);
    CHECK_EQ(find(&list, "Save")->actions, 0);
    desk_element_list_free(&list);
}

static void test_harm(void)
{
    desk_element_list list;
    start_tree();
    node *fails = add(root, 2, UIA_BUTTON, FAILS, L"Fails");
    add(fails, 3, UIA_BUTTON, 0, L"Below");
    add(root, 4, UIA_BUTTON, ODD_TYPES, L"Odd");
    add(root, 5, UIA_BUTTON, BAD_NUMBERS | HAS_RANGE, L"Endless");
    wchar_t *huge = malloc(100001 * sizeof *huge);
    for (int i = 0; i < 100000; i++) {
        huge[i] = 0x65e5;
    }
    huge[100000] = 0;
    add(root, 6, UIA_EDIT, HAS_VALUE, huge)->value = huge;
    node *deep = add(root, 7, UIA_GROUP, 0, L"0");
    for (int i = 0; i < 1000; i++) {
        deep = add(deep, 100 + i, UIA_GROUP, 0, L"deeper");
    }
    CHECK(read_tree(&list, 5000, false, false));
    CHECK(list.truncated);
    CHECK_EQ(find(&list, "Below")->depth, 2);
    CHECK_EQ(find(&list, "Endless")->has_rect, false);
    CHECK_EQ(find(&list, "Endless")->has_value, false);
    CHECK_STR(find(&list, "Endless")->role, "push button");
    int deepest = 0;
    for (size_t i = 0; i < list.count; i++) {
        deepest = list.items[i].depth > deepest ? list.items[i].depth : deepest;
        CHECK(strlen(list.items[i].name) < DESK_ELEMENTS_MAX_NAME);
        CHECK(!list.items[i].text || strlen(list.items[i].text) <= DESK_ELEMENTS_MAX_TEXT * 3);
    }
    CHECK(deepest <= WIN32_MAX_DEPTH);
    desk_element_list_free(&list);
    CHECK(read_tree(&list, 5, false, false));
    CHECK_EQ(list.count, 5);
    CHECK(list.truncated);
    desk_element_list_free(&list);
    times_out = true;
    CHECK(!read_tree(&list, 100, false, false));
    CHECK_EQ(list.count, 1);
    times_out = false;
    desk_element_list_free(&list);
    start_tree();
    free(huge);
}

/* --- acting -------------------------------------------------------------------------------------
 */

static base_code act(int id, const char *action, int index)
{
    base_error err = {0};
    win32_handle h = {.kind = WIN32_HANDLE_UIA, .id = {42, id}, .id_count = 2};
    int before = alive;
    bool ok = win32_uia_act(&source, &h, action, index, uv_hrtime() + 1000000000, &err);
    CHECK_EQ(alive, before);
    return ok ? BASE_OK : err.code;
}

static base_code set_text(int id, const char *text)
{
    base_error err = {0};
    win32_handle h = {.kind = WIN32_HANDLE_UIA, .id = {42, id}, .id_count = 2};
    int before = alive;
    bool ok = win32_uia_set_text(&source, &h, text, uv_hrtime() + 1000000000, &err);
    CHECK_EQ(alive, before);
    return ok ? BASE_OK : err.code;
}

static void test_act(void)
{
    static const struct {
        int id;
        const char *action;
        int index, done;
    } good[] = {
        {2, NULL, 0, UIA_PATTERN_INVOKE},          {2, "press", 0, UIA_PATTERN_INVOKE},
        {3, "toggle", 0, UIA_PATTERN_TOGGLE},      {5, "click", 0, UIA_PATTERN_SELECTION_ITEM},
        {9, NULL, 0, UIA_PATTERN_EXPAND_COLLAPSE}, {9, "collapse", 0, -1},
        {19, NULL, 0, UIA_PATTERN_LEGACY},
    };
    make_form();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        node *n = search(root, good[i].id);
        n->done = 0;
        CHECK_EQ(act(good[i].id, good[i].action, good[i].index), BASE_OK);
        CHECK_EQ(n->done, good[i].done);
    }
    CHECK_EQ(act(2, "fly", 0), BASE_NOT_FOUND);
    CHECK_EQ(act(2, NULL, 1), BASE_NOT_FOUND);
    CHECK_EQ(act(18, NULL, 0), BASE_NOT_FOUND);
    CHECK_EQ(act(11, NULL, 0), BASE_REFUSED);
    CHECK_EQ(act(999, NULL, 0), BASE_NOT_FOUND);
    CHECK_EQ(set_text(6, "\xc3\x84nne"), BASE_OK);
    CHECK(wcscmp(search(root, 6)->set, L"\x00c4nne") == 0);
    CHECK_EQ(set_text(8, "x"), BASE_REFUSED);
    CHECK_EQ(set_text(2, "x"), BASE_UNSUPPORTED);
    CHECK_EQ(set_text(6, "\xff"), BASE_INVALID);
    times_out = true;
    CHECK_EQ(act(2, NULL, 0), BASE_TIMED_OUT);
    times_out = false;
}

static base_code change(int id, desk_element_change wanted)
{
    base_error err = {0};
    win32_handle h = {.kind = WIN32_HANDLE_UIA, .id = {42, id}, .id_count = 2};
    int before = alive;
    search(root, id == 999 ? 1 : id)->done = 0;
    bool ok = win32_uia_change(&source, &h, &wanted, uv_hrtime() + 1000000000, &err);
    CHECK_EQ(alive, before);
    return ok ? BASE_OK : err.code;
}

static void test_change(void)
{
    static const struct {
        int id;
        desk_change_kind kind;
        bool on;
        int done;
    } good[] = {
        {3, DESK_CHANGE_CHECKED, false, UIA_PATTERN_TOGGLE},
        {5, DESK_CHANGE_CHECKED, false, UIA_PATTERN_SELECTION_ITEM},
        {13, DESK_CHANGE_SELECTED, false, UIA_PATTERN_SELECTION_ITEM},
        {9, DESK_CHANGE_EXPANDED, true, UIA_PATTERN_EXPAND_COLLAPSE},
        {9, DESK_CHANGE_EXPANDED, false, -1},
        {6, DESK_CHANGE_FOCUSED, false, -2},
        {21, DESK_CHANGE_IN_VIEW, false, UIA_PATTERN_SCROLL_ITEM},
        {6, DESK_CHANGE_IN_VIEW, false, -2},
    };
    static const desk_change_kind never[] = {DESK_CHANGE_VALUE, DESK_CHANGE_SELECTED,
                                             DESK_CHANGE_CHECKED, DESK_CHANGE_EXPANDED,
                                             DESK_CHANGE_SELECTION};
    make_form();
    add(root, 21, UIA_LIST_ITEM, HAS_SCROLL, L"Far away");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        desk_element_change wanted = {.kind = good[i].kind, .on = good[i].on};
        CHECK_EQ(change(good[i].id, wanted), BASE_OK);
        CHECK_EQ(search(root, good[i].id)->done, good[i].done);
    }
    CHECK_EQ(change(10, (desk_element_change){.kind = DESK_CHANGE_VALUE, .number = 7.25}), BASE_OK);
    CHECK(search(root, 10)->number == 7.25);
    CHECK_EQ(change(6, (desk_element_change){.kind = DESK_CHANGE_TEXT, .text = "new"}), BASE_OK);
    CHECK(wcscmp(search(root, 6)->set, L"new") == 0);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        CHECK_EQ(change(18, (desk_element_change){.kind = never[i]}), BASE_UNSUPPORTED);
    }
    CHECK_EQ(change(999, (desk_element_change){.kind = DESK_CHANGE_FOCUSED}), BASE_NOT_FOUND);
}

static base_code ask(int id, desk_element_details *out)
{
    base_error err = {0};
    win32_reading r;
    desk_elements_query q = {.deadline = uv_hrtime() + 1000000000, .max_nodes = 2, .all = true};
    win32_handle h = {.kind = WIN32_HANDLE_UIA, .id = {42, id}, .id_count = 2};
    int before = alive;
    *out = (desk_element_details){0};
    CHECK(win32_reading_open(&r, &q, &out->list));
    out->list.app_count = 1;
    bool ok = win32_uia_ask(&source, &r, &h, out, &err);
    CHECK_EQ(alive, before);
    CHECK_EQ(uncached, 0);
    CHECK_EQ(out->list.count, ok ? 1 : 0);
    win32_reading_close(&r);
    return ok ? BASE_OK : err.code;
}

static void test_ask(void)
{
    desk_element_details d;
    make_form();
    CHECK_EQ(ask(10, &d), BASE_OK);
    CHECK_STR(d.list.items[0].role, "slider");
    CHECK(d.has_range && d.minimum == -5 && d.maximum == 50 && d.list.items[0].value == 12.5);
    desk_element_list_free(&d.list);
    CHECK_EQ(ask(9, &d), BASE_OK);
    CHECK(has(&d.list.items[0], DESK_STATE_COLLAPSED) && d.action_count == 1);
    CHECK_STR(d.actions[0].name, "expand or contract");
    desk_element_list_free(&d.list);
    CHECK_EQ(ask(1, &d), BASE_OK);
    CHECK_STR(d.list.items[0].role, "frame");
    desk_element_list_free(&d.list);
    CHECK_EQ(ask(999, &d), BASE_NOT_FOUND);
    desk_element_list_free(&d.list);
}

static void test_source(bool second)
{
    is_second = second;
    limit_ms = -1;
    alive = 1; /* the automation itself */
    CHECK(win32_uia_adopt(&source, &automation));
    CHECK_EQ(source.has_timeouts, second);
    if (second) {
        test_words();
    }
    test_harm();
    test_act();
    test_change();
    test_ask();
    CHECK_EQ(limit_ms >= 0, second);
    win32_uia_close(&source);
    CHECK_EQ(alive, 0);
    win32_uia_close(&source);
}

int main(void)
{
    test_source(true);
    test_source(false);
    free_tree(root);
    return check_done();
}
