#include "net/curl_api.h"

#include <stddef.h>

#define SYMBOL(name) .name = curl_##name

const curl_api *curl_api_open(base_error *err)
{
    static const curl_api api = {
        SYMBOL(global_init),         SYMBOL(easy_init),           SYMBOL(easy_cleanup),
        SYMBOL(easy_setopt),         SYMBOL(easy_getinfo),        SYMBOL(easy_strerror),
        SYMBOL(slist_append),        SYMBOL(slist_free_all),      SYMBOL(multi_init),
        SYMBOL(multi_cleanup),       SYMBOL(multi_setopt),        SYMBOL(multi_add_handle),
        SYMBOL(multi_remove_handle), SYMBOL(multi_socket_action), SYMBOL(multi_assign),
        SYMBOL(multi_info_read),     SYMBOL(easy_send),           SYMBOL(easy_recv),
    };
    static bool ready;
    if (ready) {
        return &api;
    }
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) {
        base_fail(err, BASE_UNAVAILABLE, "libcurl does not start: %s", curl_easy_strerror(code));
        return NULL;
    }
    ready = true;
    return &api;
}
