/*
 * The element reader of Windows: UI Automation, or windows and controls where that is missing. See
 * win32_elements_internal.h for how it reads.
 *
 * COM: calls come from any thread of libuv's pool, and Microsoft wants clients of UI Automation in
 * a multithreaded apartment. So the first call brings that apartment into being and holds it until
 * the reader is closed (CoIncrementMTAUsage); threads that never initialised COM, as those of the
 * pool, are then in it by themselves, objects may be used from each of them, and nothing has to be
 * undone on a thread. One thread of our own would have to hand every request over and could not be
 * interrupted either.
 */
#include "win32_elements.h"
#include "win32_elements_internal.h"

#include "win32_uia_internal.h"

#include <dwmapi.h>
#include <objbase.h>
#include <stdlib.h>
#include <uv.h>

typedef struct {
    desk_elements base;
    uv_mutex_t lock;
    uv_cond_t freed;
    bool busy; /* with a call: one at a time */
    bool started;
    CO_MTA_USAGE_COOKIE apartment; /* NULL: COM cannot be had, so there is no MSAA either */
    uia_source uia;
    HDESK desktop; /* another one than the user's, or NULL */
} win32_elements;

static const desk_elements_ops OPS;

bool win32_elements_connect(desk_elements **out, const desk_elements_options *options,
                            base_error *err)
{
    win32_elements *e = calloc(1, sizeof *e);
    if (!e) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the element reader");
    }
    if (options->display && !(e->desktop = win32_desktop_open(options->display, err))) {
        free(e);
        return false;
    }
    uv_mutex_init(&e->lock); /* critical sections and condition variables: neither can fail */
    uv_cond_init(&e->freed);
    e->base.ops = &OPS;
    *out = &e->base;
    return true;
}

static void win32_elements_close(desk_elements *base)
{
    win32_elements *e = (win32_elements *) base;
    win32_uia_close(&e->uia);
    if (e->apartment) {
        CoDecrementMTAUsage(e->apartment);
    }
    win32_desktop_close(e->desktop);
    uv_cond_destroy(&e->freed);
    uv_mutex_destroy(&e->lock);
    free(e);
}

static void start(win32_elements *e)
{
    if (e->started) {
        return;
    }
    e->started = true;
    if (FAILED(CoIncrementMTAUsage(&e->apartment))) {
        e->apartment = NULL;
    }
    if (e->apartment) {
        win32_uia_open(&e->uia);
    }
}

/* One call, made on the reader's desktop: messages stay on theirs. */
typedef struct {
    win32_elements *elements;
    const desk_elements_query *query; /* of read */
    desk_element_list *out;
    const char *handle, *action; /* of act */
    int index;
    const desk_element_change *change;
    desk_element_details *details; /* of ask */
    uint64_t deadline;
} request;

/* One call at a time. An earlier one that an application or COM does not let go of keeps the later
 * ones waiting no longer than their own time. */
static bool enter(win32_elements *e, uint64_t deadline)
{
    uv_mutex_lock(&e->lock);
    uint64_t now = uv_hrtime();
    for (; e->busy && now < deadline; now = uv_hrtime()) {
        uv_cond_timedwait(&e->freed, &e->lock, deadline - now);
    }
    bool entered = !e->busy;
    e->busy = true;
    uv_mutex_unlock(&e->lock);
    return entered;
}

static void leave(win32_elements *e)
{
    uv_mutex_lock(&e->lock);
    e->busy = false;
    uv_cond_signal(&e->freed);
    uv_mutex_unlock(&e->lock);
}

static bool run(request q, win32_call call, base_error *err)
{
    if (!enter(q.elements, q.deadline)) {
        return base_fail(err, BASE_TIMED_OUT,
                         "the applications' elements are still being asked for by an earlier call");
    }
    bool ok = win32_desktop_run(q.elements->desktop, call, &q, err);
    leave(q.elements);
    return ok;
}

/* --- reading ------------------------------------------------------------------------------------
 */

typedef struct {
    HWND window;
    DWORD pid;
    bool done;
} top_window;

typedef struct {
    const desk_elements_query *query;
    top_window items[WIN32_MAX_WINDOWS];
    size_t count;
    bool too_many;
} top_windows;

/* A cloaked window is "visible", but on another desktop or of an app that is suspended. */
static bool is_cloaked(HWND window)
{
    DWORD cloaked = 0;
    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) &&
           cloaked;
}

/* The windows of this process are the tool's own, and its threads may be waiting for this read. */
static bool wanted(const desk_elements_query *query, HWND window, DWORD pid)
{
    if (pid == GetCurrentProcessId() || (query->pid && (DWORD) query->pid != pid &&
                                         (DWORD) query->pid != win32_process_of(window))) {
        return false;
    }
    return IsWindowVisible(window) && (query->all || !IsIconic(window)) && !is_cloaked(window);
}

static BOOL CALLBACK collect(HWND window, LPARAM parameter)
{
    top_windows *all = (top_windows *) parameter;
    DWORD pid = 0;
    if (!GetWindowThreadProcessId(window, &pid) || !wanted(all->query, window, pid)) {
        return TRUE;
    }
    if (all->count == WIN32_MAX_WINDOWS) {
        all->too_many = true;
        return FALSE;
    }
    all->items[all->count++] = (top_window){window, pid, false};
    return TRUE;
}

static const char *silence(const win32_reading *r, DWORD error)
{
    if (error == ERROR_ACCESS_DENIED) {
        return "has higher rights than deskpilot, so it cannot be read";
    }
    if (uv_hrtime() >= r->query->deadline) {
        return "did not answer before the time was up";
    }
    return "does not answer";
}

/* UI Automation also asks from threads of its own, which are on the user's desktop. What it knows
 * of a window elsewhere without being able to ask it is no answer. */
static bool read_by_uia(win32_elements *e, win32_reading *r, const top_window *w, int32_t app)
{
    size_t before = r->out->count;
    if (!win32_uia_read(&e->uia, r, w->window, w->pid, app)) {
        return false;
    }
    bool only_frame = r->out->count <= before + 1 && GetWindow(w->window, GW_CHILD);
    if (!e->desktop || !only_frame) {
        return true;
    }
    r->out->count = before;
    return false;
}

/* Why something of it is missing; NULL where nothing is. */
static const char *read_window(win32_elements *e, win32_reading *r, const top_window *w,
                               int32_t app)
{
    SetLastError(0);
    if (win32_reading_over(r) ||
        !win32_ask(w->window, win32_reading_timeout(r), WM_NULL, 0, 0, NULL)) {
        const char *why = silence(r, GetLastError());
        win32_frame_read(r, w->window, w->pid, app);
        return why;
    }
    /* Where UI Automation has no answer, the window itself may have one. */
    if (e->uia.automation && read_by_uia(e, r, w, app)) {
        return NULL;
    }
    return win32_controls_read(r, w->window, w->pid, app) ? NULL : silence(r, 0);
}

/* All windows of one process. Once one is silent, the others are not asked: they are usually of the
 * same thread, and each would cost its time anew. */
static void read_app(win32_elements *e, win32_reading *r, top_windows *all, size_t first)
{
    DWORD pid = all->items[first].pid;
    int32_t root = win32_app_add(r, pid);
    bool silent = false;
    for (size_t i = first; i < all->count; i++) {
        top_window *w = &all->items[i];
        if (w->done || w->pid != pid) {
            continue;
        }
        w->done = true;
        if (root < 0) {
            continue;
        }
        if (silent) {
            win32_frame_read(r, w->window, pid, root);
            continue;
        }
        const char *note = read_window(e, r, w, root);
        silent = note && IsWindow(w->window);
        if (silent) {
            win32_app_note(r, win32_element(r, root)->app, note);
        }
    }
}

static bool is_cancelled(const desk_elements_query *query)
{
    return query->cancel && atomic_load(query->cancel);
}

static bool read_windows(win32_elements *e, win32_reading *r, base_error *err)
{
    top_windows *all = calloc(1, sizeof *all);
    if (!all) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
    }
    all->query = r->query;
    bool ok = EnumWindows(collect, (LPARAM) all) || all->too_many;
    if (!ok) {
        win32_fail(err, BASE_UNAVAILABLE,
                   "the windows cannot be listed; deskpilot must run in the user's own session",
                   GetLastError());
    }
    r->out->truncated |= all->too_many;
    for (size_t i = 0; ok && i < all->count && !is_cancelled(r->query); i++) {
        if (!all->items[i].done) {
            read_app(e, r, all, i);
        }
    }
    free(all);
    if (ok && is_cancelled(r->query)) {
        return base_fail(err, BASE_CANCELLED, "cancelled");
    }
    if (ok && r->no_memory) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
    }
    return ok;
}

static bool read_there(void *context, base_error *err)
{
    request *q = context;
    win32_reading r;
    /* Connecting the first time loads libraries; that has a time of its own. */
    uint64_t before = uv_hrtime();
    start(q->elements);
    desk_elements_query extended = *q->query;
    extended.deadline += uv_hrtime() - before;
    bool ok = win32_reading_open(&r, &extended, q->out)
                  ? read_windows(q->elements, &r, err)
                  : base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
    win32_reading_close(&r);
    return ok;
}

static bool win32_elements_read(desk_elements *base, const desk_elements_query *query,
                                desk_element_list *out, base_error *err)
{
    *out = (desk_element_list){0};
    bool ok = run((request){.elements = (win32_elements *) base,
                            .query = query,
                            .out = out,
                            .deadline = query->deadline},
                  read_there, err);
    if (!ok) {
        desk_element_list_free(out);
    }
    return ok;
}

/* --- acting -------------------------------------------------------------------------------------
 */

static bool lost_automation(base_error *err)
{
    return base_fail(err, BASE_UNAVAILABLE, "UI Automation is not available any more");
}

/* Connects, and reads what the request's handle says: of something that is still there. */
static bool find_there(const request *q, win32_handle *h, base_error *err)
{
    start(q->elements);
    return win32_handle_read(h, q->handle, err) && win32_handle_alive(h, err);
}

static bool act_there(void *context, base_error *err)
{
    request *q = context;
    uia_source *uia = &q->elements->uia;
    win32_handle h;
    if (!find_there(q, &h, err)) {
        return false;
    }
    if (h.kind != WIN32_HANDLE_UIA) {
        return win32_control_act(&h, q->action, q->index, q->deadline, err);
    }
    return uia->automation ? win32_uia_act(uia, &h, q->action, q->index, q->deadline, err)
                           : lost_automation(err);
}

static bool win32_elements_act(desk_elements *base, const char *handle, const char *action,
                               int index, uint64_t deadline, base_error *err)
{
    return run((request){.elements = (win32_elements *) base,
                         .handle = handle,
                         .action = action,
                         .index = index,
                         .deadline = deadline},
               act_there, err);
}

static bool change_there(void *context, base_error *err)
{
    request *q = context;
    uia_source *uia = &q->elements->uia;
    win32_handle h;
    if (!find_there(q, &h, err)) {
        return false;
    }
    if (h.kind != WIN32_HANDLE_UIA) {
        return win32_control_change(&h, q->change, q->deadline, err);
    }
    return uia->automation ? win32_uia_change(uia, &h, q->change, q->deadline, err)
                           : lost_automation(err);
}

static bool win32_elements_change(desk_elements *base, const char *handle,
                                  const desk_element_change *change, uint64_t deadline,
                                  base_error *err)
{
    return run((request){.elements = (win32_elements *) base,
                         .handle = handle,
                         .change = change,
                         .deadline = deadline},
               change_there, err);
}

/* --- asking -------------------------------------------------------------------------------------
 */

/* A list of one element, below an application without an element. */
static bool ask_one(const request *q, win32_reading *r, const win32_handle *h, base_error *err)
{
    uia_source *uia = &q->elements->uia;
    r->out->apps[r->out->app_count++] = (desk_element_app){"", (long) h->pid, NULL};
    if (h->kind != WIN32_HANDLE_UIA) {
        return win32_control_ask(r, h, q->details, err);
    }
    return uia->automation ? win32_uia_ask(uia, r, h, q->details, err) : lost_automation(err);
}

static bool ask_there(void *context, base_error *err)
{
    request *q = context;
    win32_handle h;
    win32_reading r;
    /* Two: a list's item is read below its list. */
    desk_elements_query query = {.deadline = q->deadline, .max_nodes = 2, .all = true};
    if (!find_there(q, &h, err)) {
        return false;
    }
    bool ok = win32_reading_open(&r, &query, &q->details->list)
                  ? ask_one(q, &r, &h, err)
                  : base_fail(err, BASE_NO_MEMORY, "not enough memory for the element");
    if (ok && (r.no_memory || q->details->list.count != 1)) {
        ok = base_fail(err, BASE_NO_MEMORY, "not enough memory for the element");
    }
    win32_reading_close(&r);
    return ok;
}

static bool win32_elements_ask(desk_elements *base, const char *handle, uint64_t deadline,
                               desk_element_details *out, base_error *err)
{
    *out = (desk_element_details){.selected = ""};
    bool ok = run((request){.elements = (win32_elements *) base,
                            .handle = handle,
                            .details = out,
                            .deadline = deadline},
                  ask_there, err);
    if (!ok) {
        desk_element_list_free(&out->list);
        *out = (desk_element_details){.selected = ""};
    }
    return ok;
}

static const desk_elements_ops OPS = {
    .close = win32_elements_close,
    .read = win32_elements_read,
    .act = win32_elements_act,
    .change = win32_elements_change,
    .ask = win32_elements_ask,
};
