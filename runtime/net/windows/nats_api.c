#include "net/nats_api.h"

#define SYMBOL(name) .name = name,

const nats_api *nats_api_open(base_error *err)
{
    static const nats_api api = {NATS_API_NAMES(SYMBOL)};
    (void) err;
    return &api;
}
