/* bare_desk.h: a backend that can do nothing, to see what the front answers where a backend leaves
 * an operation out. */
#ifndef BARE_DESK_H
#define BARE_DESK_H

#include "check.h"
#include "desk/backend.h"

#include <stdlib.h>

static int bare_closed; /* how often one was */

static void close_bare(desk *d)
{
    bare_closed++;
    free(d);
}

static bool connect_bare(desk **out, const desk_options *options, base_error *failure)
{
    (void) failure;
    CHECK(options != NULL);
    *out = calloc(1, sizeof **out);
    (*out)->ops.close = close_bare;
    return *out != NULL;
}

static const desk_backend bare[] = {{.name = "bare", .connect = connect_bare}, {.name = NULL}};

#endif
