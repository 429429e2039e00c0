#include "win32_elements_internal.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define NS_PER_MS 1000000

enum {
    PATIENT_QUESTIONS = 5, /* without an answer use up a read's time */
};

unsigned win32_left_ms(uint64_t deadline)
{
    uint64_t now = uv_hrtime();
    uint64_t left = deadline > now ? (deadline - now) / NS_PER_MS : 0;
    return left < 1 ? 1 : left > 3600000 ? 3600000 : (unsigned) left;
}

bool win32_reading_open(win32_reading *r, const desk_elements_query *query, desk_element_list *out)
{
    unsigned share = win32_left_ms(query->deadline) / PATIENT_QUESTIONS;
    *r = (win32_reading){.query = query, .out = out};
    r->patience = share > WIN32_MESSAGE_TIMEOUT_MS ? share : WIN32_MESSAGE_TIMEOUT_MS;
    r->arena = calloc(1, sizeof *r->arena);
    r->buffer = malloc(WIN32_TEXT_UNITS * sizeof *r->buffer);
    out->memory = r->arena;
    out->apps = calloc(DESK_ELEMENTS_MAX_APPS, sizeof *out->apps);
    return r->arena && r->buffer && out->apps;
}

void win32_reading_close(win32_reading *r)
{
    free(r->buffer);
}

static bool cancelled(const win32_reading *r)
{
    return r->query->cancel && atomic_load(r->query->cancel);
}

bool win32_reading_over(const win32_reading *r)
{
    return r->no_memory || r->out->count >= r->query->max_nodes || cancelled(r) ||
           uv_hrtime() >= r->query->deadline;
}

unsigned win32_reading_timeout(const win32_reading *r)
{
    unsigned left = win32_left_ms(r->query->deadline);
    return left < r->patience ? left : r->patience;
}

static bool grow(win32_reading *r)
{
    if (r->out->count < r->capacity) {
        return true;
    }
    size_t capacity = r->capacity ? r->capacity * 2 : 256;
    desk_element *items = realloc(r->out->items, capacity * sizeof *items);
    if (!items) {
        return false;
    }
    r->out->items = items;
    r->capacity = capacity;
    return true;
}

int32_t win32_element_add(win32_reading *r, int32_t parent, const char *handle)
{
    desk_element_list *out = r->out;
    if (out->count >= r->query->max_nodes) {
        out->truncated = true;
        return -1;
    }
    char *copy = base_arena_copy(r->arena, handle, strlen(handle));
    if (!copy || !grow(r)) {
        r->no_memory = true;
        return -1;
    }
    desk_element *above = parent >= 0 ? &out->items[parent] : NULL;
    out->items[out->count] =
        (desk_element){.parent = parent,
                       .app = above ? above->app : (int32_t) out->app_count - 1,
                       .depth = above ? above->depth + 1 : 0,
                       .role = "unknown",
                       .name = "",
                       .description = "",
                       .handle = copy};
    return (int32_t) out->count++;
}

static void app_name(win32_reading *r, DWORD pid, desk_element_app *app)
{
    DWORD units = WIN32_TEXT_UNITS;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process) {
        return;
    }
    if (QueryFullProcessImageNameW(process, 0, r->buffer, &units)) {
        const wchar_t *name = wcsrchr(r->buffer, L'\\');
        name = name ? name + 1 : r->buffer;
        size_t length = wcslen(name);
        if (length > 4 && _wcsicmp(name + length - 4, L".exe") == 0) {
            length -= 4;
        }
        app->name = win32_reading_name(r, name, length);
    }
    CloseHandle(process);
}

int32_t win32_app_add(win32_reading *r, DWORD pid)
{
    desk_element_list *out = r->out;
    if (out->app_count >= DESK_ELEMENTS_MAX_APPS) {
        out->truncated = true;
        return -1;
    }
    char handle[WIN32_HANDLE_ROOM];
    win32_handle_write(&(win32_handle){.kind = WIN32_HANDLE_APP, .pid = pid}, handle);
    out->apps[out->app_count++] = (desk_element_app){"", (long) pid, NULL};
    int32_t index = win32_element_add(r, -1, handle);
    if (index < 0) {
        out->app_count--;
        return -1;
    }
    app_name(r, pid, &out->apps[out->app_count - 1]);
    desk_element *e = &out->items[index];
    e->role = "application";
    e->name = out->apps[out->app_count - 1].name;
    e->states = WIN32_STATE(ENABLED) | WIN32_STATE(SHOWING) | WIN32_STATE(VISIBLE);
    return index;
}

void win32_app_note(win32_reading *r, int32_t app, const char *note)
{
    if (!r->out->apps[app].note) {
        r->out->apps[app].note = note;
    }
}

void win32_reading_keep_last(win32_reading *r)
{
    if (r->out->count == 0) {
        return;
    }
    r->out->items[0] = r->out->items[r->out->count - 1];
    r->out->items[0].parent = -1;
    r->out->items[0].depth = 0;
    r->out->count = 1;
}

/* --- texts --------------------------------------------------------------------------------------
 */

static size_t cut_units(const wchar_t *wide, size_t units, size_t most)
{
    if (units <= most) {
        return units;
    }
    bool splits = wide[most - 1] >= 0xd800 && wide[most - 1] < 0xdc00;
    return splits ? most - 1 : most;
}

const char *win32_reading_name(win32_reading *r, const wchar_t *wide, size_t units)
{
    units = cut_units(wide, units, DESK_ELEMENTS_MAX_NAME);
    char *clean = units ? win32_clean_utf8(wide, (int) units, DESK_ELEMENTS_MAX_NAME - 1) : NULL;
    if (!clean) {
        return "";
    }
    const char *copy = base_arena_copy(r->arena, clean, strlen(clean));
    free(clean);
    return copy ? copy : "";
}

const char *win32_reading_caption(win32_reading *r, const wchar_t *wide, size_t units)
{
    wchar_t plain[DESK_ELEMENTS_MAX_NAME];
    size_t used = 0;
    for (size_t i = 0; i < units && used < DESK_ELEMENTS_MAX_NAME; i++) {
        if (wide[i] == L'\t') {
            break; /* a menu item's shortcut follows */
        }
        if (wide[i] == L'&' && i + 1 < units) {
            i++; /* the next is the mnemonic, or the ampersand that is meant */
        }
        plain[used++] = wide[i];
    }
    return win32_reading_name(r, plain, used);
}

/* Line breaks become "\n" and stay, as do tabs; other control characters go. */
static size_t clean_text(char *text)
{
    size_t used = 0;
    for (char *line = text;;) {
        size_t length = strcspn(line, "\n\t");
        char end = line[length]; /* in place: the cleaned part's terminator may overwrite it */
        base_utf8_clean(text + used, length + 1, line, length);
        used += strlen(text + used);
        if (!end) {
            break;
        }
        text[used++] = end;
        line += length + 1;
    }
    text[used] = 0;
    return used;
}

const char *win32_reading_text(win32_reading *r, const wchar_t *wide, size_t units)
{
    units = cut_units(wide, units, DESK_ELEMENTS_MAX_TEXT);
    char *utf8 = units ? win32_utf8(wide, (int) units) : NULL;
    if (!utf8) {
        return "";
    }
    size_t length = clean_text(utf8);
    const char *copy = base_arena_copy(r->arena, utf8, length);
    free(utf8);
    return copy ? copy : "";
}

void win32_element_place(desk_element *e, RECT rect)
{
    int64_t width = (int64_t) rect.right - rect.left, height = (int64_t) rect.bottom - rect.top;
    const int64_t most = 1 << 24; /* no screen is that large, no sum of two such places overflows */
    if (width <= 0 || height <= 0 || width > most || height > most) {
        return;
    }
    if (rect.left < -most || rect.left > most || rect.top < -most || rect.top > most) {
        return;
    }
    e->rect = (image_rect){rect.left, rect.top, (int) width, (int) height};
    e->has_rect = true;
}
