/* The element reader of X11 desktops: AT-SPI over D-Bus. See atspi_state.h for how it reads. */
#include "atspi.h"
#include "atspi_act.h"
#include "atspi_bus.h"
#include "atspi_change.h"
#include "atspi_nodes.h"
#include "atspi_read.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define CONNECT_NS (3 * (uint64_t) 1000000000)

typedef struct {
    desk_elements base;
    char *session; /* address of the session bus, NULL for the environment's */
    uv_mutex_t lock;
    DBusConnection *c; /* NULL until first needed, and after it was lost */
    atspi_peers peers;
    atspi_slow slow;
} atspi_elements;

static const desk_elements_ops OPS;

bool atspi_elements_connect(desk_elements **out, const desk_elements_options *options,
                            base_error *err)
{
    atspi_elements *e = calloc(1, sizeof *e);
    if (e && options->bus) {
        e->session = strdup(options->bus);
    }
    if (!e || (options->bus && !e->session) || uv_mutex_init(&e->lock) != 0) {
        if (e) {
            free(e->session);
        }
        free(e);
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the element reader");
    }
    e->base.ops = &OPS;
    *out = &e->base;
    return true;
}

static void atspi_elements_close(desk_elements *base)
{
    atspi_elements *e = (atspi_elements *) base;
    atspi_peers_close(&e->peers);
    atspi_disconnect(e->c);
    uv_mutex_destroy(&e->lock);
    free(e->session);
    free(e);
}

/* A connection, made anew where the last one was lost. */
static bool connected(atspi_elements *e, uint64_t deadline, atomic_bool *cancel, base_error *err)
{
    if (e->c && !dbus_connection_get_is_connected(e->c)) {
        atspi_peers_close(&e->peers);
        atspi_disconnect(e->c);
        e->c = NULL;
    }
    if (!e->c) {
        e->c = atspi_connect(e->session, deadline, cancel, err);
    }
    return e->c != NULL;
}

/* A read with an empty result; NULL without memory. */
static atspi_read *new_read(atspi_elements *e, const desk_elements_query *query,
                            desk_element_list *out)
{
    atspi_read *r = calloc(1, sizeof *r);
    base_arena *arena = calloc(1, sizeof *arena);
    if (!r || !arena) {
        free(r);
        free(arena);
        return NULL;
    }
    *r = (atspi_read){
        .c = e->c, .query = query, .arena = arena, .slow = &e->slow, .peers = &e->peers};
    out->memory = arena;
    return r;
}

static bool read_locked(atspi_elements *e, const desk_elements_query *query, desk_element_list *out,
                        base_error *err)
{
    /* Connecting the first time starts services; that has a time of its own. */
    uint64_t start = uv_hrtime();
    if (!connected(e, start + CONNECT_NS, query->cancel, err)) {
        return false;
    }
    desk_elements_query extended = *query;
    extended.deadline += uv_hrtime() - start;
    atspi_read *r = new_read(e, &extended, out);
    if (!r) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
    }
    bool ok = atspi_read_run(r, err) && atspi_result(r, out, err);
    atspi_read_free(r);
    free(r);
    if (!ok) {
        desk_element_list_free(out);
    }
    return ok;
}

static bool atspi_elements_read(desk_elements *base, const desk_elements_query *query,
                                desk_element_list *out, base_error *err)
{
    atspi_elements *e = (atspi_elements *) base;
    *out = (desk_element_list){0};
    uv_mutex_lock(&e->lock);
    bool ok = read_locked(e, query, out, err);
    uv_mutex_unlock(&e->lock);
    return ok;
}

/* --- one element --------------------------------------------------------------------------------
 */

static bool ask_locked(atspi_elements *e, const char *handle, uint64_t deadline,
                       desk_element_details *out, base_error *err)
{
    desk_elements_query query = {.deadline = deadline, .max_nodes = 1, .all = true};
    atspi_target t;
    if (!connected(e, deadline, NULL, err) || !atspi_target_open(&t, e->c, handle, deadline, err)) {
        return false;
    }
    atspi_read *r = new_read(e, &query, &out->list);
    if (!r) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the element");
    }
    r->details = out;
    bool ok = atspi_read_one(r, t.bus, t.path, err) && atspi_result(r, &out->list, err);
    ok = ok && (out->list.count == 1 || base_fail(err, BASE_NOT_FOUND, "the element is gone"));
    out->has_range = out->maximum > out->minimum;
    atspi_read_free(r);
    free(r);
    return ok;
}

static bool atspi_elements_ask(desk_elements *base, const char *handle, uint64_t deadline,
                               desk_element_details *out, base_error *err)
{
    atspi_elements *e = (atspi_elements *) base;
    *out = (desk_element_details){.selected = ""};
    uv_mutex_lock(&e->lock);
    bool ok = ask_locked(e, handle, deadline, out, err);
    uv_mutex_unlock(&e->lock);
    if (!ok) {
        desk_element_list_free(&out->list);
        *out = (desk_element_details){.selected = ""};
    }
    return ok;
}

static bool atspi_elements_act(desk_elements *base, const char *handle, const char *action,
                               int index, uint64_t deadline, base_error *err)
{
    atspi_elements *e = (atspi_elements *) base;
    atspi_target t;
    uv_mutex_lock(&e->lock);
    bool ok = connected(e, deadline, NULL, err) &&
              atspi_target_open(&t, e->c, handle, deadline, err) &&
              atspi_target_act(&t, action, index);
    uv_mutex_unlock(&e->lock);
    return ok;
}

static bool atspi_elements_change(desk_elements *base, const char *handle,
                                  const desk_element_change *change, uint64_t deadline,
                                  base_error *err)
{
    atspi_elements *e = (atspi_elements *) base;
    atspi_target t;
    uv_mutex_lock(&e->lock);
    bool ok = connected(e, deadline, NULL, err) &&
              atspi_target_open(&t, e->c, handle, deadline, err) && atspi_target_change(&t, change);
    uv_mutex_unlock(&e->lock);
    return ok;
}

static const desk_elements_ops OPS = {
    .close = atspi_elements_close,
    .read = atspi_elements_read,
    .act = atspi_elements_act,
    .change = atspi_elements_change,
    .ask = atspi_elements_ask,
};
