#include "nats_api.h"
#include "base/symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#define SYMBOL(name) {#name, offsetof(nats_api, name)},

static const base_symbol symbols[] = {NATS_API_NAMES(SYMBOL)};

/* Debian's name has the release in it (libnats.so.3.4); any of 3.x will do. */
enum { OLDEST = 3, NEWEST = 40 };

static void *open_library(void)
{
    for (int minor = NEWEST; minor >= OLDEST; minor--) {
        char name[32];
        snprintf(name, sizeof name, "libnats.so.3.%d", minor);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library) {
            return library;
        }
    }
    return NULL;
}

static void *find(void *library, const char *name)
{
    return dlsym(library, name);
}

const nats_api *nats_api_open(base_error *err)
{
    static nats_api api;
    static bool ready;
    if (ready) {
        return &api;
    }
    void *library = open_library();
    if (!library) {
        base_fail(err, BASE_UNAVAILABLE,
                  "libnats, which speaks to the servers of fleets, is not installed: "
                  "apt install libnats3.4 (another 3.x will do)");
        return NULL;
    }
    const char *missing =
        base_symbols_fill(&api, symbols, sizeof symbols / sizeof symbols[0], library, find);
    if (missing) {
        base_fail(err, BASE_UNAVAILABLE, "the installed libnats is too old (it has no %s)",
                  missing);
        return NULL;
    }
    ready = true; /* never closed: it has threads that last as long as the process */
    return &api;
}
