/* The front of the backends: opening and closing a desk, and its events. Each function of the front
 * checks its arguments, then calls the op or has its default. */
#include "desk_internal.h"

#include <string.h>

bool desk_open_from(const desk_backend *list, desk **out, const char *name,
                    const desk_options *options, base_error *err)
{
    static const desk_options none = {0};
    base_error failure = {0}, best = {0};
    options = options ? options : &none;
    if (!desk_options_check(options, err)) {
        return false;
    }
    for (; list->name; list++) {
        if (!desk_backend_fits(list->name, list->only_by_name, name)) {
            continue;
        }
        if (list->connect(out, options, &failure)) {
            (*out)->backend = list->name;
            return true;
        }
        desk_backend_failed(&best, &failure);
    }
    return desk_backend_none(&best, name, err);
}

bool desk_open(desk **out, const char *backend, const desk_options *options, base_error *err)
{
    return desk_open_from(desk_backends, out, backend, options, err);
}

void desk_close(desk *d)
{
    desk_watch_stop(d); /* nothing that comes while it closes is noted any more */
    d->ops.close(d);
}

const char *desk_backend_name(const desk *d)
{
    return d->backend;
}

/* What another program says of itself, as one line that may be shown. */
static void clean_name(char name[DESK_HOLDER_SIZE])
{
    size_t length = strlen(name);
    if (length == 0 || !desk_check_utf8("its name", name, length, NULL)) {
        strcpy(name, "another program");
    }
    for (char *c = name; *c; c++) {
        *c = (unsigned char) *c < ' ' || *c == 127 ? ' ' : *c;
    }
}

bool desk_hold(desk *d, const char *holder, char other[DESK_HOLDER_SIZE], base_error *err)
{
    size_t length = strlen(holder);
    other[0] = '\0';
    if (length == 0 || length >= DESK_HOLDER_SIZE) {
        return base_fail(err, BASE_INVALID, "Who holds a desktop is told in 1 to %d bytes.",
                         DESK_HOLDER_SIZE - 1);
    }
    if (!desk_check_utf8("who holds it", holder, length, err)) {
        return false;
    }
    if (!d->ops.hold || d->ops.hold(d, holder, other, err)) {
        return true;
    }
    if (err->code == BASE_REFUSED) {
        clean_name(other);
        base_fail(err, BASE_REFUSED, "This desktop is in use by %s.", other);
    }
    return false;
}

/* --- events -------------------------------------------------------------------------------------
 */

int desk_poll_fd(desk *d)
{
    return d->ops.poll_fd ? d->ops.poll_fd(d) : -1;
}

int desk_poll_every(desk *d)
{
    return d->ops.poll_every ? d->ops.poll_every(d) : 0;
}

bool desk_pump(desk *d, base_error *err)
{
    return !d->ops.pump || d->ops.pump(d, err);
}

const char *desk_log(desk *d, base_error *err)
{
    if (!d->ops.log) {
        desk_cannot(d, "tell what it was asked to do", "only the null desk keeps a log", err);
        return NULL;
    }
    return d->ops.log(d);
}
