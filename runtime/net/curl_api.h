/*
 * curl_api.h: libcurl as a small table of function pointers. On Linux the program is not linked
 * with libcurl, because that adds 7 ms to every start and most commands need no server: the table
 * is filled by dlopen at first use (linux/curl_api.c). On Windows libcurl is linked in, and the
 * table holds its functions (windows/curl_api.c). No other file includes curl's headers.
 */
#ifndef NET_CURL_API_H
#define NET_CURL_API_H

#define CURL_DISABLE_DEPRECATION /* older libraries know only the old option names */
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

/* The table, which is filled at the first call and kept until the process ends. NULL and
 * BASE_UNAVAILABLE if there is no usable libcurl; the message says how to install it. For the main
 * thread. */
const curl_api *curl_api_open(base_error *err);

#endif
