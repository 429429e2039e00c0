/*
 * The element reader without UI Automation, against windows of a second process (this program
 * again). What it read is compared with what that process says of itself in shared memory, and so
 * is what became of its controls after acting on them. `test_win32_elements N` makes N reads where
 * handles are counted.
 */
#include "check.h"
#include "desk/elements.h"
#include "test_win32_elements_app.h"

#include <psapi.h>
#include <stdlib.h>

static desk_elements *reader;

enum { READ_MS = 10000 }; /* on a busy machine, too */

static bool read_list(desk_element_list *list, DWORD pid, bool all, unsigned ms)
{
    base_error err = {0};
    desk_elements_query query = {
        .deadline = in_ms(ms), .max_nodes = DESK_ELEMENTS_MAX_NODES, .pid = (long) pid, .all = all};
    bool ok = desk_elements_read(reader, &query, list, &err);
    if (!CHECK(ok)) {
        printf("    %s\n", err.message);
    }
    return ok;
}

static void print_list(const desk_element_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const desk_element *e = &list->items[i];
        printf("    %*s%s \"%s\" text %s (%d,%d %dx%d) actions %d value %g states", e->depth * 2,
               "", e->role, e->name, e->text ? e->text : "-", e->rect.x, e->rect.y, e->rect.width,
               e->rect.height, e->actions, e->value);
        for (int state = 0; state < DESK_STATE_COUNT; state++) {
            if (e->states >> state & 1) {
                printf(" %s", desk_element_state_name((desk_element_state) state));
            }
        }
        printf(" [%s]\n", e->handle);
    }
}

static const desk_element none = {
    .role = "", .name = "", .description = "", .text = "", .handle = ""};

static const desk_element *find(const desk_element_list *list, const char *role, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        const desk_element *e = &list->items[i];
        if (strcmp(e->role, role) == 0 && (!name || strcmp(e->name, name) == 0)) {
            return e;
        }
    }
    return NULL;
}

/* Never NULL: what is missing fails the test and every check on it. */
static const desk_element *must(const desk_element_list *list, const char *role, const char *name)
{
    const desk_element *e = find(list, role, name);
    if (e) {
        return e;
    }
    CHECK(!"an element is missing");
    printf("    %s \"%s\" is not in\n", role, name ? name : "(any)");
    print_list(list);
    return &none;
}

static bool has(const desk_element *e, desk_element_state state)
{
    return e->states >> state & 1;
}

static void check_place(const desk_element *e, RECT rect)
{
    CHECK(e->has_rect);
    CHECK_EQ(e->rect.x, rect.left);
    CHECK_EQ(e->rect.y, rect.top);
    CHECK_EQ(e->rect.width, rect.right - rect.left);
    CHECK_EQ(e->rect.height, rect.bottom - rect.top);
}

static void check_order(const desk_element_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const desk_element *e = &list->items[i];
        CHECK(e->parent < (int32_t) i);
        CHECK_EQ(e->parent < 0, e->depth == 0);
        if (e->parent >= 0) {
            CHECK_EQ(e->depth, list->items[e->parent].depth + 1);
        }
        CHECK(e->app >= 0 && (size_t) e->app < list->app_count);
    }
}

static void check_fields(const app *a, const desk_element_list *list)
{
    const desk_element *name = must(list, "text", "Name:");
    CHECK_STR(name->text ? name->text : "(none)", "J\xc3\xbcrgen \xe6\x97\xa5\xe6\x9c\xac");
    CHECK(has(name, DESK_STATE_EDITABLE) && has(name, DESK_STATE_FOCUSABLE));
    CHECK(has(name, DESK_STATE_ENABLED) && has(name, DESK_STATE_SHOWING));
    check_place(name, a->told->rects[ID_NAME]);
    CHECK(must(list, "password text", "Password")->text == NULL);
    const desk_element *notes = NULL, *fixed = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const desk_element *e = &list->items[i];
        if (e->text && strcmp(e->text, "one\ntwo\tthree") == 0) {
            notes = e;
        }
        if (e->text && strcmp(e->text, "cannot change") == 0) {
            fixed = e;
        }
        CHECK(!e->text || !strstr(e->text, "hunter2"));
        CHECK(!strstr(e->name, "hunter2"));
    }
    CHECK(notes && has(notes, DESK_STATE_MULTI_LINE));
    CHECK(fixed && has(fixed, DESK_STATE_READ_ONLY) && !has(fixed, DESK_STATE_EDITABLE));
}

static void check_buttons(const app *a, const desk_element_list *list)
{
    const desk_element *ok = must(list, "push button", "Save & go");
    check_place(ok, a->told->rects[ID_OK]);
    CHECK_EQ(ok->actions, 1);
    CHECK(has(ok, DESK_STATE_ENABLED));
    CHECK(!has(must(list, "push button", "Off"), DESK_STATE_ENABLED));
    const desk_element *check = must(list, "check box", "Remember");
    CHECK(has(check, DESK_STATE_CHECKABLE) && !has(check, DESK_STATE_CHECKED));
    CHECK(!has(must(list, "radio button", "Blue"), DESK_STATE_CHECKED));
    check_place(must(list, "panel", "Choices"), a->told->rects[ID_GROUP]);
    CHECK(find(list, "push button", "Hidden") == NULL);
    check_place(must(list, "panel", "Own drawing"), a->told->rects[ID_OWN]);
}

static void check_lists(const app *a, const desk_element_list *list)
{
    const desk_element *box = must(list, "list", NULL), *item = must(list, "list item", "Item 1");
    check_place(box, a->told->rects[ID_LIST]);
    CHECK(has(item, DESK_STATE_SELECTED) && has(item, DESK_STATE_SHOWING));
    CHECK(!has(must(list, "list item", "Item 0"), DESK_STATE_SELECTED));
    CHECK(item->parent >= 0 && &list->items[item->parent] == box);
    CHECK(item->rect.y > box->rect.y && item->rect.y < box->rect.y + box->rect.height);
    CHECK(find(list, "list item", "Item 29") == NULL); /* far below what is visible */
    const desk_element *combo = must(list, "combo box", NULL);
    CHECK_STR(combo->text ? combo->text : "(none)", "Red");
    CHECK(has(combo, DESK_STATE_COLLAPSED));
    CHECK_EQ(must(list, "slider", NULL)->value, 37);
    CHECK_EQ(must(list, "progress bar", NULL)->value, 64);
}

static void test_read(app *a)
{
    desk_element_list list;
    if (!read_list(&list, a->process.dwProcessId, false, READ_MS)) {
        return;
    }
    check_order(&list);
    CHECK_EQ(list.app_count, 1);
    CHECK_STR(list.app_count ? list.apps[0].name : "", "test_win32_elements");
    CHECK(list.app_count && !list.apps[0].note);
    CHECK_EQ(list.app_count ? list.apps[0].pid : 0, a->process.dwProcessId);
    const desk_element *frame = must(&list, "frame", "Elements test");
    check_place(frame, a->told->frame_rect);
    CHECK_EQ(frame->depth, 1);
    check_fields(a, &list);
    check_buttons(a, &list);
    check_lists(a, &list);
    desk_element_list_free(&list);
    if (!read_list(&list, a->process.dwProcessId, true, READ_MS)) {
        return;
    }
    CHECK(!has(must(&list, "push button", "Hidden"), DESK_STATE_SHOWING));
    CHECK(!has(must(&list, "list item", "Item 29"), DESK_STATE_SHOWING));
    CHECK(find(&list, "list item", "Green") != NULL);
    desk_element_list_free(&list);
}

static void test_caps(app *a)
{
    desk_element_list list;
    base_error err;
    desk_elements_query query = {
        .deadline = in_ms(READ_MS), .max_nodes = 7, .pid = (long) a->process.dwProcessId};
    if (CHECK(desk_elements_read(reader, &query, &list, &err))) {
        CHECK_EQ(list.count, 7);
        CHECK(list.truncated);
        check_order(&list);
        desk_element_list_free(&list);
    }
    atomic_bool cancel = true;
    query.cancel = &cancel;
    CHECK(!desk_elements_read(reader, &query, &list, &err));
    CHECK_EQ(err.code, BASE_CANCELLED);
    CHECK(list.items == NULL && list.memory == NULL);
}

/* Acts on the first element of that role and name as a fresh read shows it. */
static base_code act(app *a, const char *role, const char *name, const char *action)
{
    desk_element_list list;
    base_error err = {0};
    if (!read_list(&list, a->process.dwProcessId, true, READ_MS)) {
        return BASE_IO;
    }
    const desk_element *e = must(&list, role, name);
    bool ok = desk_elements_act(reader, e->handle, action, 0, in_ms(READ_MS), &err);
    desk_element_list_free(&list);
    return ok ? BASE_OK : err.code;
}

static base_code set_text(app *a, const char *role, const char *name, const char *now,
                          const char *text)
{
    desk_element_list list;
    base_error err = {0};
    bool ok = false;
    if (!read_list(&list, a->process.dwProcessId, false, READ_MS)) {
        return BASE_IO;
    }
    const desk_element *e = NULL;
    for (size_t i = 0; i < list.count && !e; i++) {
        const desk_element *at = &list.items[i];
        if (strcmp(at->role, role) == 0 && (!name || strcmp(at->name, name) == 0) &&
            (!now || (at->text && strcmp(at->text, now) == 0))) {
            e = at;
        }
    }
    if (CHECK(e)) {
        ok = desk_elements_change(reader, e->handle,
                                  &(desk_element_change){.kind = DESK_CHANGE_TEXT, .text = text},
                                  in_ms(READ_MS), &err);
    }
    desk_element_list_free(&list);
    return ok ? BASE_OK : err.code;
}

static void test_act(app *a)
{
    CHECK_EQ(act(a, "push button", "Save & go", NULL), BASE_OK);
    CHECK(becomes(a, &a->told->clicks, 1));
    CHECK_EQ(act(a, "push button", "Save & go", "press"), BASE_OK);
    CHECK(becomes(a, &a->told->clicks, 2));
    CHECK_EQ(act(a, "check box", "Remember", "toggle"), BASE_OK);
    CHECK(becomes(a, &a->told->checked, BST_CHECKED));
    CHECK_EQ(act(a, "radio button", "Blue", "click"), BASE_OK);
    CHECK(becomes(a, &a->told->radio, BST_CHECKED));
    CHECK_EQ(act(a, "list item", "Item 2", NULL), BASE_OK);
    CHECK(becomes(a, &a->told->selections, 1));
    CHECK(becomes(a, &a->told->listed, 2));
    CHECK_EQ(act(a, "list item", "Green", "select"), BASE_OK);
    CHECK(becomes(a, &a->told->choices, 1));
    CHECK(becomes(a, &a->told->chosen, 1));
    CHECK_EQ(act(a, "push button", "Off", NULL), BASE_REFUSED);
    CHECK_EQ(act(a, "push button", "Save & go", "fly"), BASE_NOT_FOUND);
    CHECK_EQ(act(a, "label", "Name:", NULL), BASE_NOT_FOUND);
    CHECK_EQ(act(a, "application", NULL, NULL), BASE_UNSUPPORTED);
    CHECK_EQ(a->told->clicks, 2);
    desk_element_list list;
    if (!read_list(&list, a->process.dwProcessId, false, READ_MS)) {
        return;
    }
    CHECK(has(must(&list, "check box", "Remember"), DESK_STATE_CHECKED));
    CHECK(has(must(&list, "list item", "Item 2"), DESK_STATE_SELECTED));
    CHECK_STR(must(&list, "combo box", NULL)->text, "Green");
    desk_element_list_free(&list);
}

/* The open list of a combo box is a window of its own. */
static void test_open_combo(app *a)
{
    desk_element_list list;
    CHECK_EQ(act(a, "combo box", NULL, NULL), BASE_OK);
    CHECK(becomes(a, &a->told->dropped, TRUE));
    if (read_list(&list, a->process.dwProcessId, false, READ_MS)) {
        CHECK(has(must(&list, "combo box", NULL), DESK_STATE_EXPANDED));
        CHECK(has(must(&list, "list item", "Green"), DESK_STATE_SHOWING));
        CHECK(has(must(&list, "list item", "Green"), DESK_STATE_SELECTED));
        CHECK_EQ(must(&list, "list item", "Red")->actions, 0);
        desk_element_list_free(&list);
    }
    CHECK_EQ(act(a, "combo box", NULL, "press"), BASE_OK);
    CHECK(becomes(a, &a->told->dropped, FALSE));
}

static void test_set_text(app *a)
{
    CHECK_EQ(set_text(a, "text", "Name:", NULL, "\xc3\x84nne \xf0\x9f\x98\x80"), BASE_OK);
    ask_report(a);
    CHECK_EQ(wcscmp(a->told->name, L"\x00c4nne \xd83d\xde00"), 0);
    LONG before = a->told->changes;
    CHECK_EQ(set_text(a, "text", NULL, "one\ntwo\tthree", "a\nb"), BASE_OK);
    CHECK(becomes(a, &a->told->changes, before + 1));
    CHECK_EQ(wcscmp(a->told->notes, L"a\r\nb"), 0);
    CHECK_EQ(set_text(a, "text", NULL, "cannot change", "x"), BASE_REFUSED);
    CHECK_EQ(set_text(a, "combo box", NULL, NULL, "x"), BASE_UNSUPPORTED);
    CHECK_EQ(set_text(a, "text", "Name:", NULL, "\xff"), BASE_INVALID);
}

static void test_hung(app *a, app *hung)
{
    PostMessageW(hung->told->frame, HANG, 0, 0);
    uint64_t limit = in_ms(WAIT_MS);
    while (!hung->told->hung && uv_hrtime() < limit) {
        Sleep(5);
    }
    CHECK(hung->told->hung);
    desk_element_list list;
    uint64_t start = uv_hrtime();
    if (read_list(&list, 0, false, READ_MS)) {
        double ms = (double) (uv_hrtime() - start) / 1e6;
        printf("a read with one hung application took %.0f ms\n", ms);
        CHECK(ms < 5000); /* not for as long as it hangs */
        int silent = 0, complete = 0;
        for (size_t i = 0; i < list.app_count; i++) {
            const desk_element_app *seen = &list.apps[i];
            silent += seen->pid == (long) hung->process.dwProcessId && seen->note;
            complete += seen->pid == (long) a->process.dwProcessId && !seen->note;
        }
        CHECK_EQ(silent, 1);
        CHECK_EQ(complete, 1);
        must(&list, "push button", "Save & go");
        desk_element_list_free(&list);
    }
    base_error err = {0};
    char handle[64];
    snprintf(handle, sizeof handle, "hwnd:%llx:%lu",
             (unsigned long long) (uintptr_t) hung->told->windows[ID_OK],
             hung->process.dwProcessId);
    start = uv_hrtime();
    CHECK(!desk_elements_act(reader, handle, NULL, 0, in_ms(300), &err));
    CHECK_EQ(err.code, BASE_TIMED_OUT);
    CHECK(uv_hrtime() - start < (uint64_t) 5000 * 1000000);
    SetEvent(hung->wake);
}

static void test_gone(const char *handle)
{
    base_error err;
    CHECK(!desk_elements_act(reader, handle, NULL, 0, in_ms(100), &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK(!desk_elements_change(reader, handle,
                                &(desk_element_change){.kind = DESK_CHANGE_TEXT, .text = "x"},
                                in_ms(100), &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK(!desk_elements_act(reader, "hwnd:12", NULL, 0, in_ms(100), &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

enum { COUNTS = 5 };

/* Handles of three kinds. Wine counts none of them, but gives a new handle the lowest number that
 * is free: the fourth grows there where handles are left behind. */
static void count_handles(DWORD counts[COUNTS])
{
    HANDLE fresh = CreateEventW(NULL, FALSE, FALSE, NULL);
    GetProcessHandleCount(GetCurrentProcess(), &counts[0]);
    counts[1] = GetGuiResources(GetCurrentProcess(), GR_GDIOBJECTS);
    counts[2] = GetGuiResources(GetCurrentProcess(), GR_USEROBJECTS);
    counts[3] = (DWORD) (uintptr_t) fresh / 4;
    CloseHandle(fresh);
    PROCESS_MEMORY_COUNTERS memory = {.cb = sizeof memory};
    K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory);
    counts[4] = (DWORD) (memory.PagefileUsage >> 20);
}

static void test_many_reads(app *a, int reads)
{
    DWORD before[COUNTS], after[COUNTS];
    desk_element_list list;
    count_handles(before);
    uint64_t start = uv_hrtime();
    for (int i = 0; i < reads; i++) {
        if (!read_list(&list, a->process.dwProcessId, false, READ_MS)) {
            return;
        }
        desk_element_list_free(&list);
    }
    double ms = (double) (uv_hrtime() - start) / 1e6 / reads;
    count_handles(after);
    printf("%d reads, %.2f ms each; handles %lu -> %lu, GDI %lu -> %lu, USER %lu -> %lu, fresh "
           "%lu -> %lu, memory %lu -> %lu MB\n",
           reads, ms, before[0], after[0], before[1], after[1], before[2], after[2], before[3],
           after[3], before[4], after[4]);
    for (int i = 0; i < COUNTS; i++) {
        CHECK(after[i] <= before[i] + 4);
    }
}

int main(int count, char **arguments)
{
    app a, hung;
    base_error err;
    char gone[64], other[64];
    if (count == 3 && strcmp(arguments[1], "app") == 0) {
        return run_app(arguments[2]);
    }
    if (!start_app(&a, 1) || !start_app(&hung, 2)) {
        return check_done();
    }
    if (!CHECK(desk_elements_open(&reader, &(desk_elements_options){0}, &err))) {
        return check_done();
    }
    test_read(&a);
    test_caps(&a);
    test_act(&a);
    test_open_combo(&a);
    test_set_text(&a);
    test_hung(&a, &hung);
    test_many_reads(&a, count == 2 ? atoi(arguments[1]) : 200);
    snprintf(gone, sizeof gone, "hwnd:%llx:%lu",
             (unsigned long long) (uintptr_t) a.told->windows[ID_OK], a.process.dwProcessId);
    snprintf(other, sizeof other, "hwnd:%llx:%lu",
             (unsigned long long) (uintptr_t) a.told->windows[ID_OK], hung.process.dwProcessId);
    test_gone(other); /* the window is there, but of another process than the handle's */
    stop_app(&a);
    stop_app(&hung);
    test_gone(gone);
    desk_elements_close(reader);
    return check_done();
}
