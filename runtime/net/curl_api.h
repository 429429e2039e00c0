/*
 * curl_api.h: libcurl as a small table of function pointers. The program is not linked with it:
 * linking costs 7 ms of every start, and most commands never speak to a server. On Linux the table
 * is filled by dlopen at first use (linux/curl_api.c); where libcurl is linked in, it holds the
 * functions themselves (windows/curl_api.c). Nobody else includes curl's headers.
 */
#ifndef NET_CURL_API_H
#define NET_CURL_API_H

#define CURL_DISABLE_DEPRECATION /* the old names of options are kept for older libraries */
#include "base/error.h"

#include <curl/curl.h>

typedef struct {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    CURLcode (*easy_send)(CURL *easy, const void *data, size_t size, size_t *sent);
    CURLcode (*easy_recv)(CURL *easy, void *data, size_t size, size_t *received);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_socket_action)(CURLM *multi, curl_socket_t socket, int events, int *running);
    CURLMcode (*multi_assign)(CURLM *multi, curl_socket_t socket, void *user);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
} curl_api;

/* The table, opened and initialised at the first call and kept for the life of the process. NULL
 * and BASE_UNAVAILABLE, with how to install it, where there is no usable libcurl. Main thread. */
const curl_api *curl_api_open(base_error *err);

#endif
