/* What people press, kept for whoever records it: filled by the watch's thread, emptied by the
 * caller's. */
#include "activity_internal.h"

#include <stdlib.h>
#include <string.h>

/* A plain memset before free may be left out by a compiler. */
static void wipe(void *memory, size_t size)
{
    volatile unsigned char *byte = memory;
    while (size--) {
        *byte++ = 0;
    }
}

void activity_forget_events(desk_activity *h)
{
    activity_record *record = &h->record;
    if (record->events) {
        wipe(record->events, DESK_INPUT_EVENTS_MAX * sizeof *record->events);
    }
    free(record->events);
    memset(record, 0, sizeof *record);
}

bool desk_activity_record(desk_activity *h, bool on, base_error *err)
{
    if (on && !h->ops->records) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "This kind of desktop does not tell what people press, so nothing can be "
                         "recorded here; an X11 desktop does.");
    }
    desk_input_event *events = on ? calloc(DESK_INPUT_EVENTS_MAX, sizeof *events) : NULL;
    if (on && !events) {
        return base_fail(err, BASE_NO_MEMORY,
                         "There is not enough memory to keep what people press.");
    }
    uv_mutex_lock(&h->lock);
    activity_forget_events(h);
    h->record.events = events;
    uv_mutex_unlock(&h->lock);
    return true;
}

bool activity_keeps(desk_activity *h)
{
    uv_mutex_lock(&h->lock);
    bool keeps = h->record.events != NULL;
    uv_mutex_unlock(&h->lock);
    return keeps;
}

void activity_keep(desk_activity *h, const desk_input_event *event)
{
    uv_mutex_lock(&h->lock);
    activity_record *record = &h->record;
    if (record->events && record->count < DESK_INPUT_EVENTS_MAX) {
        record->events[(record->first + record->count++) % DESK_INPUT_EVENTS_MAX] = *event;
    } else if (record->events) {
        record->lost++;
    }
    uv_mutex_unlock(&h->lock);
}

size_t desk_activity_take(desk_activity *h, desk_input_event *out, size_t capacity, size_t *lost)
{
    uv_mutex_lock(&h->lock);
    activity_record *record = &h->record;
    size_t taken = record->count < capacity ? record->count : capacity;
    for (size_t i = 0; i < taken; i++) {
        desk_input_event *event = &record->events[(record->first + i) % DESK_INPUT_EVENTS_MAX];
        out[i] = *event;
        wipe(event, sizeof *event);
    }
    record->first = (record->first + taken) % DESK_INPUT_EVENTS_MAX;
    record->count -= taken;
    *lost = record->lost;
    record->lost = 0;
    uv_mutex_unlock(&h->lock);
    return taken;
}
