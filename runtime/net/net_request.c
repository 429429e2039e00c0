#include "net_internal.h"
#include "net_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER_BYTES = 256 * 1024 };

/* --- curl's callbacks ---------------------------------------------------------------------------
 */

static void touch(net_request *request)
{
    request->last_byte = uv_now(request->http->loop);
    request->nearly_stalled = false;
}

static void mark_ready(net_request *request)
{
    net_http *http = request->http;
    if (!request->callbacks.on_data || request->link_ready) {
        return;
    }
    request->next_ready = http->ready;
    request->link_ready = &http->ready;
    if (request->next_ready) {
        request->next_ready->link_ready = &request->next_ready;
    }
    http->ready = request;
}

/* Ends the transfer from inside a curl callback: a returned count that differs from the given one
 * is an error for curl. */
static size_t refuse(net_request *request, base_code why)
{
    request->refused = why;
    return 0;
}

static size_t on_write(char *data, size_t one, size_t count, void *user)
{
    net_request *request = user;
    size_t size = one * count;
    touch(request);
    if (size == 0) {
        return 0;
    }
    if (size > request->limit - request->received) {
        return refuse(request, BASE_BAD_PROTOCOL);
    }
    if (!net_buffer_append(&request->body, data, size)) {
        return refuse(request, BASE_NO_MEMORY);
    }
    request->received += size;
    mark_ready(request);
    return size;
}

static void free_headers(net_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        free((char *) request->headers[i].name); /* the value is in the same allocation */
    }
    request->header_count = 0;
    request->header_bytes = 0;
}

/* `line` is "Name: value", `size` long without its line end. */
static bool keep_header(net_request *request, const char *line, size_t size)
{
    if (request->header_count == request->header_capacity) {
        size_t capacity = request->header_capacity ? request->header_capacity * 2 : 16;
        net_header *grown = realloc(request->headers, capacity * sizeof *grown);
        if (!grown) {
            return false;
        }
        request->headers = grown;
        request->header_capacity = capacity;
    }
    char *copy = malloc(size + 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, line, size);
    copy[size] = 0;
    char *value = copy + strcspn(copy, ":");
    if (*value) {
        *value++ = 0;
    }
    value += strspn(value, " \t");
    request->headers[request->header_count++] = (net_header){copy, value};
    return true;
}

static size_t on_header(char *data, size_t one, size_t count, void *user)
{
    net_request *request = user;
    size_t size = one * count, length = size;
    touch(request);
    while (length && strchr("\r\n \t", data[length - 1])) {
        length--;
    }
    if (size >= 5 && memcmp(data, "HTTP/", 5) == 0) {
        /* A new status line: the headers before it belong to a redirect or to a 100. */
        free_headers(request);
        return size;
    }
    if (length == 0 || !memchr(data, ':', length)) {
        return size;
    }
    request->header_bytes += size;
    if (request->header_bytes > MAX_HEADER_BYTES) {
        return refuse(request, BASE_BAD_PROTOCOL);
    }
    return keep_header(request, data, length) ? size : refuse(request, BASE_NO_MEMORY);
}

static size_t on_read(char *out, size_t one, size_t count, void *user)
{
    net_request *request = user;
    size_t capacity = one * count, given = 0;
    touch(request);
    while (given < capacity && request->piece < request->piece_count) {
        const net_piece *piece = &request->pieces[request->piece];
        size_t size = piece->size - request->offset;
        if (size > capacity - given) {
            size = capacity - given;
        }
        if (size) {
            memcpy(out + given, piece->data + request->offset, size);
        }
        given += size;
        request->offset += size;
        if (request->offset == piece->size) {
            request->piece++;
            request->offset = 0;
        }
    }
    return given;
}

/* Curl sends a body again after a redirect, or if a kept-alive connection turns out to be closed.
 * */
static int on_seek(void *user, curl_off_t offset, int origin)
{
    net_request *request = user;
    if (origin != SEEK_SET || offset < 0) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    size_t left = (size_t) offset;
    for (size_t i = 0; i < request->piece_count; i++) {
        if (left < request->pieces[i].size) {
            request->piece = i;
            request->offset = left;
            return CURL_SEEKFUNC_OK;
        }
        left -= request->pieces[i].size;
    }
    request->piece = request->piece_count;
    request->offset = 0;
    return left == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

/* --- setting up ---------------------------------------------------------------------------------
 */

static bool check(const net_options *options, net_url *url, base_error *err)
{
    if (!net_url_parse(options->url, url, err)) {
        return false;
    }
    if (!net_is_token(options->method)) {
        return base_fail(err, BASE_INVALID, "not an HTTP method: %.60s", options->method);
    }
    for (size_t i = 0; i < options->header_count; i++) {
        if (!net_is_token(options->headers[i].name)) {
            return base_fail(err, BASE_INVALID, "not a header's name: %.60s",
                             options->headers[i].name);
        }
        if (!net_is_field_value(options->headers[i].value)) {
            return base_fail(err, BASE_INVALID,
                             "the header %.60s may not hold line ends or control characters",
                             options->headers[i].name);
        }
    }
    return true;
}

static bool add_header(net_request *request, const char *name, const char *value)
{
    /* For curl, "Name;" sets a header without a value, and "Name:" removes curl's own header. */
    size_t size = strlen(name) + strlen(value) + 3;
    char *line = malloc(size);
    if (!line) {
        return false;
    }
    snprintf(line, size, *value ? "%s: %s" : "%s;", name, value);
    const curl_api *curl = request->http->curl;
    struct curl_slist *list = curl->slist_append(request->header_list, line);
    free(line);
    if (!list) {
        return false;
    }
    request->header_list = list;
    return true;
}

static bool set_headers(net_request *request, const net_options *options)
{
    const curl_api *curl = request->http->curl;
    /* Headers that curl would add: local servers answer "Expect: 100-continue" late or never, and
     * the Content-Type would be that of a form, and compressed answers would be asked for. */
    static const char *const not_curls[] = {
        "Expect:", "Content-Type:", "Accept-Encoding: identity"};
    for (size_t i = 0; i < sizeof not_curls / sizeof not_curls[0]; i++) {
        struct curl_slist *list = curl->slist_append(request->header_list, not_curls[i]);
        if (!list) {
            return false;
        }
        request->header_list = list;
    }
    for (size_t i = 0; i < options->header_count; i++) {
        if (!add_header(request, options->headers[i].name, options->headers[i].value)) {
            return false;
        }
    }
    curl->easy_setopt(request->transfer.easy, CURLOPT_HTTPHEADER, request->header_list);
    return true;
}

static bool copy_pieces(net_request *request, const net_options *options)
{
    if (options->piece_count == 0) {
        return true;
    }
    request->pieces = malloc(options->piece_count * sizeof *request->pieces);
    if (!request->pieces) {
        return false;
    }
    memcpy(request->pieces, options->pieces, options->piece_count * sizeof *request->pieces);
    request->piece_count = options->piece_count;
    return true;
}

static void set_method(net_request *request, const char *method)
{
    const curl_api *curl = request->http->curl;
    CURL *easy = request->transfer.easy;
    bool post = strcmp(method, "POST") == 0;
    if (request->piece_count > 0 || post) {
        curl_off_t size = 0;
        for (size_t i = 0; i < request->piece_count; i++) {
            size += (curl_off_t) request->pieces[i].size;
        }
        curl->easy_setopt(easy, CURLOPT_POST, 1L);
        curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
        curl->easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
        curl->easy_setopt(easy, CURLOPT_READDATA, request);
        curl->easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
        curl->easy_setopt(easy, CURLOPT_SEEKDATA, request);
    }
    if (strcmp(method, "HEAD") == 0) {
        curl->easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else if (!post && strcmp(method, "GET") != 0) {
        curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
    } else if (!post && request->piece_count > 0) {
        curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "GET");
    }
}

/* libcurl before 7.85 takes the permitted protocols as a bit mask. The installed one may be old. */
static void set_protocols(const curl_api *curl, CURL *easy)
{
    if (curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK) {
        curl->easy_setopt(easy, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
    }
    if (curl->easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") != CURLE_OK) {
        curl->easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
    }
}

void net_set_connection(const curl_api *curl, CURL *easy, const net_url *url, const char *ca_file,
                        char message[CURL_ERROR_SIZE])
{
    set_protocols(curl, easy);
    curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, message);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, net_socket_keep);
    if (url->loopback) {
        curl->easy_setopt(easy, CURLOPT_PROXY, ""); /* none, also if the environment has one */
    }
    if (ca_file) {
        curl->easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    }
}

static void set_limits(net_request *request)
{
    const curl_api *curl = request->http->curl;
    long connect = (long) (request->connect_timeout * 1000);
    long total = (long) (request->total_timeout * 1000);
    curl->easy_setopt(request->transfer.easy, CURLOPT_CONNECTTIMEOUT_MS,
                      connect > 0 ? connect : 1L);
    if (request->total_timeout > 0) {
        curl->easy_setopt(request->transfer.easy, CURLOPT_TIMEOUT_MS, total > 0 ? total : 1L);
    }
}

static void set_rest(net_request *request, const net_options *options)
{
    const curl_api *curl = request->http->curl;
    CURL *easy = request->transfer.easy;
    curl->easy_setopt(easy, CURLOPT_URL, options->url);
    curl->easy_setopt(easy, CURLOPT_USERAGENT, "deskpilot/" DESKPILOT_VERSION);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, request);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, request);
    curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate"); /* decodes them */
    curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, options->follow_redirects ? 1L : 0L);
    curl->easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
}

net_request *net_request_new(net_http *http, const net_options *options,
                             const net_callbacks *callbacks, base_error *err)
{
    net_url url;
    if (!check(options, &url, err)) {
        return NULL;
    }
    net_request *request = calloc(1, sizeof *request);
    if (!request) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a request");
        return NULL;
    }
    request->http = http;
    request->url = url;
    request->callbacks = *callbacks;
    request->connect_timeout = options->connect_timeout > 0 ? options->connect_timeout : 30;
    request->total_timeout = options->total_timeout;
    request->stall_timeout = options->stall_timeout;
    request->limit = options->max_response_bytes ? options->max_response_bytes : NET_MAX_RESPONSE;
    uv_update_time(http->loop); /* Lua may have run for long since the loop last read the clock */
    request->started = request->last_byte = uv_now(http->loop);
    uv_timer_init(http->loop, &request->stall);
    request->stall.data = NULL;
    request->transfer.easy = http->curl->easy_init();
    if (!request->transfer.easy || !copy_pieces(request, options) ||
        !set_headers(request, options)) {
        net_request_free(request);
        base_fail(err, BASE_NO_MEMORY, "no memory for a request");
        return NULL;
    }
    set_method(request, options->method);
    net_set_connection(http->curl, request->transfer.easy, &request->url, options->ca_file,
                       request->message);
    set_limits(request);
    set_rest(request, options);
    return request;
}

/* --- the result ---------------------------------------------------------------------------------
 */

int net_request_status(net_request *request)
{
    long status = 0;
    request->http->curl->easy_getinfo(request->transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    return (int) status;
}

void net_request_result(net_request *request, net_result *result)
{
    result->status = net_request_status(request);
    result->headers = request->headers;
    result->header_count = request->header_count;
    result->body = request->body.data ? request->body.data : "";
    result->body_size = request->body.size;
    result->seconds = (double) (uv_now(request->http->loop) - request->started) / 1000;
}

static void free_memory(uv_handle_t *handle)
{
    free(NET_CONTAINER(handle, net_request, stall));
}

void net_request_free(net_request *request)
{
    const curl_api *curl = request->http->curl;
    if (request->transfer.easy) {
        curl->easy_cleanup(request->transfer.easy);
    }
    curl->slist_free_all(request->header_list);
    free_headers(request);
    free(request->headers);
    free(request->pieces);
    net_buffer_free(&request->body);
    uv_close((uv_handle_t *) &request->stall, free_memory);
}
