#include "atspi_ahead.h"

#include "atspi_nodes.h"
#include "atspi_queue.h"

#include <stdlib.h>
#include <string.h>

/* Of one application. A larger tree comes slowly enough for questions of its first elements to be
 * answered while the rest is taken in; Chromium's 167 places took longer by a sixth this way. */
enum { MOST_PLACES = 96 };

void atspi_ahead_ask(atspi_read *r, int32_t app, const atspi_peer *peer)
{
    if (!peer->placed || r->apps[app].slow || r->node_count + MOST_PLACES > r->node_max) {
        return;
    }
    const char *end = peer->placed + peer->placed_size;
    for (const char *path = peer->placed; path < end; path += strlen(path) + 1) {
        int32_t index = atspi_node_find(r, app, path);
        if (index < 0) {
            index = atspi_node_add(r, app, path);
        }
        if (index < 0) {
            return;
        }
        r->nodes[index].asked_place = true;
        atspi_queue(r, ATSPI_ASK_EXTENTS, app, index);
    }
}

/* The elements of one application that have a place, and how many bytes their paths take. None
 * where they are too many. */
static size_t placed(const atspi_read *r, int32_t app, int32_t *nodes, size_t *bytes)
{
    size_t count = 0;
    *bytes = 0;
    for (int32_t i = 0; i < r->node_count; i++) {
        if (r->nodes[i].app != app || !r->nodes[i].known || !atspi_node_has_place(&r->nodes[i])) {
            continue;
        }
        if (count == MOST_PLACES) {
            return 0;
        }
        *bytes += strlen(r->nodes[i].path) + 1;
        nodes[count++] = i;
    }
    return count;
}

static void remember(const atspi_read *r, int32_t app, atspi_peer *peer)
{
    int32_t nodes[MOST_PLACES];
    size_t bytes, count = placed(r, app, nodes, &bytes);
    free(peer->placed);
    peer->placed = count > 0 ? malloc(bytes) : NULL;
    peer->placed_size = peer->placed ? bytes : 0;
    char *at = peer->placed;
    for (size_t i = 0; at && i < count; i++) {
        size_t size = strlen(r->nodes[nodes[i]].path) + 1;
        memcpy(at, r->nodes[nodes[i]].path, size);
        at += size;
    }
}

void atspi_ahead_remember(atspi_read *r)
{
    for (int32_t i = 1; i < r->app_count; i++) {
        atspi_peer *peer = atspi_peer_find(r->peers, r->apps[i].bus);
        if (peer && !r->apps[i].skipped) {
            remember(r, i, peer);
        }
    }
}
