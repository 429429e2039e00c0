#include "net_internal.h"

#include <errno.h>

enum { WINDOWS_CONNECTION_REFUSED = 10061 };

/* Curl's own words for this failure: the particular ones where it has them. */
static const char *words(const net_request *request, CURLcode code)
{
    return request->message[0] ? request->message : request->http->curl->easy_strerror(code);
}

static void explain_unreachable(net_request *request, CURLcode code, desk_error *err)
{
    long number = 0;
    request->http->curl->easy_getinfo(request->easy, CURLINFO_OS_ERRNO, &number);
    bool refused = number == ECONNREFUSED || number == WINDOWS_CONNECTION_REFUSED;
    desk_fail(err, DESK_UNAVAILABLE, "nothing answers at %s (%.120s)", request->url.origin,
              refused ? "connection refused" : words(request, code));
}

static void explain_timeout(net_request *request, net_result *result)
{
    curl_off_t connected = 0;
    request->http->curl->easy_getinfo(request->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    bool connect = connected == 0 && (request->total_timeout <= 0 ||
                                      request->connect_timeout <= request->total_timeout);
    result->timeout = connect ? NET_TIMEOUT_CONNECT : NET_TIMEOUT_TOTAL;
    if (connect)
        desk_fail(&result->error, DESK_TIMED_OUT, "no connection to %s within %g s",
                  request->url.origin, request->connect_timeout);
    else
        desk_fail(&result->error, DESK_TIMED_OUT, "no whole answer from %s within %g s",
                  request->url.origin, request->total_timeout);
}

/* A callback of ours said no, and curl only knows that it did. */
static void explain_refusal(net_request *request, desk_error *err)
{
    if (request->refused == DESK_NO_MEMORY)
        desk_fail(err, DESK_NO_MEMORY, "no memory for the answer of %s", request->url.origin);
    else
        desk_fail(err, DESK_PROTOCOL, "the answer of %s is larger than %zu bytes",
                  request->url.origin, request->limit);
}

static void explain_tls(net_request *request, CURLcode code, desk_error *err)
{
    desk_fail(err, DESK_PROTOCOL,
              "the TLS verification of %s failed: %.120s (if you trust it, give its authority's "
              "certificate as the CA file)",
              request->url.origin, words(request, code));
}

static void explain_other(net_request *request, CURLcode code, desk_error *err)
{
    const char *origin = request->url.origin;
    switch (code) {
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        desk_fail(err, DESK_IO, "the connection to %s broke: %.150s", origin, words(request, code));
        break;
    case CURLE_SSL_CONNECT_ERROR:
        desk_fail(err, DESK_PROTOCOL, "%s does not speak TLS as it should: %.150s", origin,
                  words(request, code));
        break;
    case CURLE_OUT_OF_MEMORY:
        desk_fail(err, DESK_NO_MEMORY, "no memory for a request to %s", origin);
        break;
    case CURLE_URL_MALFORMAT:
        desk_fail(err, DESK_INVALID, "not a URL: %.150s", words(request, code));
        break;
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
        desk_fail(err, DESK_IO, "the CA file cannot be used: %.200s", words(request, code));
        break;
    default:
        desk_fail(err, DESK_PROTOCOL, "%s did not answer in HTTP as it should: %.150s", origin,
                  words(request, code));
    }
}

void net_explain(net_request *request, CURLcode code, net_result *result)
{
    desk_error *err = &result->error;
    if (code == CURLE_OK)
        return;
    if (request->refused != DESK_OK) {
        explain_refusal(request, err);
        return;
    }
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        explain_timeout(request, result);
        break;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        explain_unreachable(request, code, err);
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        explain_tls(request, code, err);
        break;
    default:
        explain_other(request, code, err);
    }
}
