#include "net/curl_api.h"
#include "base/symbols.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SYMBOL(name)                                                                               \
    {                                                                                              \
        "curl_" #name, offsetof(curl_api, name)                                                    \
    }

static const base_symbol symbols[] = {
    SYMBOL(global_init),         SYMBOL(easy_init),           SYMBOL(easy_cleanup),
    SYMBOL(easy_setopt),         SYMBOL(easy_getinfo),        SYMBOL(easy_strerror),
    SYMBOL(slist_append),        SYMBOL(slist_free_all),      SYMBOL(multi_init),
    SYMBOL(multi_cleanup),       SYMBOL(multi_setopt),        SYMBOL(multi_add_handle),
    SYMBOL(multi_remove_handle), SYMBOL(multi_socket_action), SYMBOL(multi_assign),
    SYMBOL(multi_info_read),     SYMBOL(easy_send),           SYMBOL(easy_recv),
};

/* Debian's variants of libcurl differ only in their TLS library; any of them will do. */
static void *open_library(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
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

const curl_api *curl_api_open(base_error *err)
{
    static curl_api api;
    static bool ready;
    if (ready) {
        return &api;
    }
    void *library = open_library();
    if (!library) {
        base_fail(err, BASE_UNAVAILABLE,
                  "libcurl, which speaks to model servers, is not installed: "
                  "apt install libcurl4");
        return NULL;
    }
    const char *missing =
        base_symbols_fill(&api, symbols, sizeof symbols / sizeof symbols[0], library, find);
    if (missing) {
        base_fail(err, BASE_UNAVAILABLE,
                  "the installed libcurl is too old (it has no %s): apt install libcurl4", missing);
        return NULL;
    }
    CURLcode code = api.global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) {
        base_fail(err, BASE_UNAVAILABLE, "libcurl does not start: %s", api.easy_strerror(code));
        return NULL;
    }
    ready = true; /* never closed: some TLS libraries crash when they are unloaded */
    return &api;
}
