/*
 * What deskpilot.exe is linked with has no libnats, whose TLS is OpenSSL's alone. It speaks with
 * NATS by a client in Lua (lua/deskpilot/net/nats_client.lua), so nothing of the program's own
 * comes here.
 */
#include "net/net_nats.h"

net_nats *net_nats_open(uv_loop_t *loop, const net_nats_options *options,
                        const net_nats_events *events, base_error *err)
{
    (void) loop;
    (void) options;
    (void) events;
    base_fail(err, BASE_UNSUPPORTED, "deskpilot.exe has no libnats: connect by deskpilot.net.nats");
    return NULL;
}

/* There is never a connection that the rest could be called with. */
bool net_nats_publish(net_nats *nats, const net_nats_message *message, base_error *err)
{
    (void) nats;
    (void) message;
    return base_fail(err, BASE_UNSUPPORTED, "no NATS");
}

bool net_nats_subscribe(net_nats *nats, unsigned id, const char *subject, base_error *err)
{
    (void) nats;
    (void) id;
    (void) subject;
    return base_fail(err, BASE_UNSUPPORTED, "no NATS");
}

bool net_nats_unsubscribe(net_nats *nats, unsigned id, base_error *err)
{
    (void) nats;
    (void) id;
    return base_fail(err, BASE_UNSUPPORTED, "no NATS");
}

void net_nats_close(net_nats *nats)
{
    (void) nats;
}

void net_nats_drop(net_nats *nats)
{
    (void) nats;
}
