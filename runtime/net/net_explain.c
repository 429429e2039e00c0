#include "net_internal.h"

#include <errno.h>

enum { WINDOWS_CONNECTION_REFUSED = 10061 };

/* A failed transfer. `message` is curl's error message: the detailed one if there is one, else the
 * general one for the code. */
typedef struct {
    const curl_api *curl;
    CURL *easy;
    CURLcode code;
    const char *origin;
    const char *message;
} failure;

static void explain_unreachable(const failure *f, base_error *err)
{
    long number = 0;
    f->curl->easy_getinfo(f->easy, CURLINFO_OS_ERRNO, &number);
    bool refused = number == ECONNREFUSED || number == WINDOWS_CONNECTION_REFUSED;
    base_fail(err, BASE_UNAVAILABLE, "nothing answers at %s (%.120s)", f->origin,
              refused ? "connection refused" : f->message);
}

static void explain_timeout(net_request *request, net_result *result)
{
    curl_off_t connected = 0;
    request->http->curl->easy_getinfo(request->transfer.easy, CURLINFO_PRETRANSFER_TIME_T,
                                      &connected);
    bool connect = connected == 0 && (request->total_timeout <= 0 ||
                                      request->connect_timeout <= request->total_timeout);
    result->timeout = connect ? NET_TIMEOUT_CONNECT : NET_TIMEOUT_TOTAL;
    if (connect) {
        base_fail(&result->error, BASE_TIMED_OUT, "no connection to %s within %g s",
                  request->url.origin, request->connect_timeout);
    } else {
        base_fail(&result->error, BASE_TIMED_OUT, "no whole answer from %s within %g s",
                  request->url.origin, request->total_timeout);
    }
}

/* Explains a transfer that one of our callbacks has ended. Curl knows no more than that. */
static void explain_refusal(net_request *request, base_error *err)
{
    if (request->refused == BASE_NO_MEMORY) {
        base_fail(err, BASE_NO_MEMORY, "no memory for the answer of %s", request->url.origin);
    } else {
        base_fail(err, BASE_BAD_PROTOCOL, "the answer of %s is larger than %zu bytes",
                  request->url.origin, request->limit);
    }
}

static void explain_tls(const failure *f, base_error *err)
{
    base_fail(err, BASE_BAD_PROTOCOL,
              "the TLS verification of %s failed: %.120s (if you trust it, give its authority's "
              "certificate as the CA file)",
              f->origin, f->message);
}

static void explain_other(const failure *f, base_error *err)
{
    switch (f->code) {
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        base_fail(err, BASE_IO, "the connection to %s broke: %.150s", f->origin, f->message);
        break;
    case CURLE_SSL_CONNECT_ERROR:
        base_fail(err, BASE_BAD_PROTOCOL, "%s does not speak TLS as it should: %.150s", f->origin,
                  f->message);
        break;
    case CURLE_OUT_OF_MEMORY:
        base_fail(err, BASE_NO_MEMORY, "no memory for a connection to %s", f->origin);
        break;
    case CURLE_URL_MALFORMAT:
        base_fail(err, BASE_INVALID, "not a URL: %.150s", f->message);
        break;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
        base_fail(err, BASE_IO, "the CA file cannot be used: %.200s", f->message);
        break;
    default:
        base_fail(err, BASE_BAD_PROTOCOL, "%s did not answer in HTTP as it should: %.150s",
                  f->origin, f->message);
    }
}

void net_explain_connection(const curl_api *curl, CURL *easy, CURLcode code, const net_url *url,
                            const char *message, base_error *err)
{
    failure f = {curl, easy, code, url->origin, message[0] ? message : curl->easy_strerror(code)};
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        explain_unreachable(&f, err);
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        explain_tls(&f, err);
        break;
    default:
        explain_other(&f, err);
    }
}

void net_explain(net_request *request, CURLcode code, net_result *result)
{
    if (code == CURLE_OK) {
        return;
    }
    if (request->refused != BASE_OK) {
        explain_refusal(request, &result->error);
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
        explain_timeout(request, result);
    } else {
        net_explain_connection(request->http->curl, request->transfer.easy, code, &request->url,
                               request->message, &result->error);
    }
}
