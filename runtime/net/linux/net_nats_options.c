#include "net_nats_internal.h"

#include <string.h>

/* Seconds: between two attempts to connect again, and between two pings, of which the second that
 * is not answered counts as the end of the connection. */
enum { RECONNECT_WAIT = 1, PING_INTERVAL = 20, WRITE_DEADLINE = 5 };

/* Without the place in libnats that it begins with: "(conn.c:2088): ". */
static const char *without_place(const char *words)
{
    const char *end = words && *words == '(' ? strstr(words, "): ") : NULL;
    return end ? end + 3 : words;
}

bool nats_explain(const nats_api *api, natsStatus status, base_error *err)
{
    base_code code = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED
                         ? BASE_REFUSED
                     : status == NATS_TIMEOUT   ? BASE_TIMED_OUT
                     : status == NATS_NO_MEMORY ? BASE_NO_MEMORY
                     : status == NATS_SSL_ERROR || status == NATS_SECURE_CONNECTION_REQUIRED ||
                             status == NATS_SECURE_CONNECTION_WANTED
                         ? BASE_BAD_PROTOCOL
                     : status == NATS_INVALID_ARG || status == NATS_ADDRESS_MISSING ? BASE_INVALID
                     : status == NATS_IO_ERROR                                      ? BASE_IO
                                               : BASE_UNAVAILABLE;
    natsStatus last = NATS_OK;
    const char *words = without_place(api->nats_GetLastError(&last));
    const char *general = api->natsStatus_GetText(status);
    bool more = last == status && words && *words && strcmp(words, general) != 0;
    return base_fail(err, code, "%s%s%s", general, more ? ": " : "", more ? words : "");
}

/* What can go wrong here lies in files of the caller's. */
static natsStatus set_trust(const nats_api *api, natsOptions *to, const net_nats_options *from,
                            const char **file)
{
    natsStatus status = NATS_OK;
    if (from->tls || from->ca_file || from->cert_file) {
        status = api->natsOptions_SetSecure(to, true);
    }
    if (status == NATS_OK && from->ca_file) {
        *file = from->ca_file;
        status = api->natsOptions_LoadCATrustedCertificates(to, from->ca_file);
    }
    if (status == NATS_OK && from->cert_file) {
        *file = from->cert_file;
        status = api->natsOptions_LoadCertificatesChain(to, from->cert_file, from->key_file);
    }
    if (status == NATS_OK && from->tls_name) {
        *file = from->tls_name;
        status = api->natsOptions_SetExpectedHostname(to, from->tls_name);
    }
    if (status == NATS_OK && from->credentials_file) {
        *file = from->credentials_file;
        status = api->natsOptions_SetUserCredentialsFromFiles(to, from->credentials_file, NULL);
    }
    return status;
}

static natsStatus set_who(const nats_api *api, natsOptions *to, const net_nats_options *from)
{
    natsStatus status = api->natsOptions_SetServers(to, from->servers, from->server_count);
    if (status == NATS_OK) {
        status = api->natsOptions_SetName(to, from->name);
    }
    if (status == NATS_OK && from->token) {
        status = api->natsOptions_SetToken(to, from->token);
    }
    if (status == NATS_OK && from->user) {
        status = api->natsOptions_SetUserInfo(to, from->user, from->password);
    }
    return status;
}

static natsStatus set_times(const nats_api *api, natsOptions *to, const net_nats_options *from)
{
    natsStatus status = api->natsOptions_SetTimeout(to, (int64_t) (from->timeout * 1000));
    if (status == NATS_OK) {
        status = api->natsOptions_SetMaxReconnect(to, -1);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetReconnectWait(to, RECONNECT_WAIT * 1000);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetPingInterval(to, PING_INTERVAL * 1000);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetWriteDeadline(to, WRITE_DEADLINE * 1000);
    }
    return status;
}

bool nats_set_options(net_nats *nats, const net_nats_options *from, base_error *err)
{
    const nats_api *api = nats->api;
    natsStatus status = api->natsOptions_Create(&nats->options);
    if (status == NATS_OK) {
        status = set_who(api, nats->options, from);
    }
    if (status == NATS_OK) {
        status = set_times(api, nats->options, from);
    }
    if (status != NATS_OK) {
        return nats_explain(api, status, err);
    }
    const char *file = NULL;
    status = set_trust(api, nats->options, from, &file);
    if (status == NATS_OK) {
        return true;
    }
    base_error why;
    nats_explain(api, status, &why);
    return base_fail(err, BASE_INVALID, "cannot use %s for a connection to NATS: %.150s", file,
                     why.message);
}
