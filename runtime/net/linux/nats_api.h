/*
 * nats_api.h: libnats as a small table of function pointers, which is filled by dlopen at first
 * use: Debian has no static library of it, and only fleets need it.
 *
 * Only functions whose types are opaque are here, which every libnats 3 has in the same form. Its
 * JetStream calls take structs that grow from release to release, so a program that is built with
 * one release may not use them with another: JetStream is spoken in Lua (net/jetstream.lua), in
 * requests of JSON, which is what those calls do too.
 */
#ifndef NET_LINUX_NATS_API_H
#define NET_LINUX_NATS_API_H

#include "base/error.h"

#include <nats/nats.h>

typedef struct {
    const char *(*nats_GetLastError)(natsStatus *status);
    void (*nats_ReleaseThreadMemory)(void);
    const char *(*natsStatus_GetText)(natsStatus status);
    natsStatus (*natsOptions_Create)(natsOptions **options);
    void (*natsOptions_Destroy)(natsOptions *options);
    natsStatus (*natsOptions_SetServers)(natsOptions *options, const char **servers, int count);
    natsStatus (*natsOptions_SetUserInfo)(natsOptions *options, const char *user,
                                          const char *password);
    natsStatus (*natsOptions_SetToken)(natsOptions *options, const char *token);
    natsStatus (*natsOptions_SetUserCredentialsFromFiles)(natsOptions *options, const char *file,
                                                          const char *seed);
    natsStatus (*natsOptions_SetName)(natsOptions *options, const char *name);
    natsStatus (*natsOptions_SetTimeout)(natsOptions *options, int64_t ms);
    natsStatus (*natsOptions_SetSecure)(natsOptions *options, bool secure);
    natsStatus (*natsOptions_SetExpectedHostname)(natsOptions *options, const char *name);
    natsStatus (*natsOptions_LoadCATrustedCertificates)(natsOptions *options, const char *file);
    natsStatus (*natsOptions_LoadCertificatesChain)(natsOptions *options, const char *certificate,
                                                    const char *key);
    natsStatus (*natsOptions_SetMaxReconnect)(natsOptions *options, int most);
    natsStatus (*natsOptions_SetReconnectWait)(natsOptions *options, int64_t ms);
    natsStatus (*natsOptions_SetPingInterval)(natsOptions *options, int64_t ms);
    natsStatus (*natsOptions_SetWriteDeadline)(natsOptions *options, int64_t ms);
    natsStatus (*natsOptions_UseGlobalMessageDelivery)(natsOptions *options, bool global);
    natsStatus (*natsOptions_SetErrorHandler)(natsOptions *options, natsErrHandler handler,
                                              void *user);
    natsStatus (*natsOptions_SetClosedCB)(natsOptions *options, natsConnectionHandler handler,
                                          void *user);
    natsStatus (*natsOptions_SetDisconnectedCB)(natsOptions *options, natsConnectionHandler handler,
                                                void *user);
    natsStatus (*natsOptions_SetReconnectedCB)(natsOptions *options, natsConnectionHandler handler,
                                               void *user);
    natsStatus (*natsConnection_Connect)(natsConnection **connection, natsOptions *options);
    void (*natsConnection_Destroy)(natsConnection *connection);
    natsStatus (*natsConnection_FlushTimeout)(natsConnection *connection, int64_t ms);
    natsStatus (*natsConnection_GetLastError)(natsConnection *connection, const char **text);
    int64_t (*natsConnection_GetMaxPayload)(natsConnection *connection);
    natsStatus (*natsConnection_PublishMsg)(natsConnection *connection, natsMsg *message);
    natsStatus (*natsConnection_Subscribe)(natsSubscription **subscription,
                                           natsConnection *connection, const char *subject,
                                           natsMsgHandler handler, void *user);
    natsStatus (*natsSubscription_SetOnCompleteCB)(natsSubscription *subscription,
                                                   natsOnCompleteCB handler, void *user);
    void (*natsSubscription_Destroy)(natsSubscription *subscription);
    natsStatus (*natsMsg_Create)(natsMsg **message, const char *subject, const char *reply,
                                 const char *data, int size);
    void (*natsMsg_Destroy)(natsMsg *message);
    const char *(*natsMsg_GetSubject)(const natsMsg *message);
    const char *(*natsMsg_GetReply)(const natsMsg *message);
    const char *(*natsMsg_GetData)(const natsMsg *message);
    int (*natsMsg_GetDataLength)(const natsMsg *message);
    natsStatus (*natsMsgHeader_Set)(natsMsg *message, const char *name, const char *value);
    natsStatus (*natsMsgHeader_Get)(natsMsg *message, const char *name, const char **value);
    natsStatus (*natsMsgHeader_Keys)(natsMsg *message, const char ***names, int *count);
} nats_api;

/* The names of all of them, for the files that fill the table. */
#define NATS_API_NAMES(NAME)                                                                       \
    NAME(nats_GetLastError)                                                                        \
    NAME(nats_ReleaseThreadMemory)                                                                 \
    NAME(natsStatus_GetText)                                                                       \
    NAME(natsOptions_Create)                                                                       \
    NAME(natsOptions_Destroy)                                                                      \
    NAME(natsOptions_SetServers)                                                                   \
    NAME(natsOptions_SetUserInfo)                                                                  \
    NAME(natsOptions_SetToken)                                                                     \
    NAME(natsOptions_SetUserCredentialsFromFiles)                                                  \
    NAME(natsOptions_SetName)                                                                      \
    NAME(natsOptions_SetTimeout)                                                                   \
    NAME(natsOptions_SetSecure)                                                                    \
    NAME(natsOptions_SetExpectedHostname)                                                          \
    NAME(natsOptions_LoadCATrustedCertificates)                                                    \
    NAME(natsOptions_LoadCertificatesChain)                                                        \
    NAME(natsOptions_SetMaxReconnect)                                                              \
    NAME(natsOptions_SetReconnectWait)                                                             \
    NAME(natsOptions_SetPingInterval)                                                              \
    NAME(natsOptions_SetWriteDeadline)                                                             \
    NAME(natsOptions_UseGlobalMessageDelivery)                                                     \
    NAME(natsOptions_SetErrorHandler)                                                              \
    NAME(natsOptions_SetClosedCB)                                                                  \
    NAME(natsOptions_SetDisconnectedCB)                                                            \
    NAME(natsOptions_SetReconnectedCB)                                                             \
    NAME(natsConnection_Connect)                                                                   \
    NAME(natsConnection_Destroy)                                                                   \
    NAME(natsConnection_FlushTimeout)                                                              \
    NAME(natsConnection_GetLastError)                                                              \
    NAME(natsConnection_GetMaxPayload)                                                             \
    NAME(natsConnection_PublishMsg)                                                                \
    NAME(natsConnection_Subscribe)                                                                 \
    NAME(natsSubscription_SetOnCompleteCB)                                                         \
    NAME(natsSubscription_Destroy)                                                                 \
    NAME(natsMsg_Create)                                                                           \
    NAME(natsMsg_Destroy)                                                                          \
    NAME(natsMsg_GetSubject)                                                                       \
    NAME(natsMsg_GetReply)                                                                         \
    NAME(natsMsg_GetData)                                                                          \
    NAME(natsMsg_GetDataLength)                                                                    \
    NAME(natsMsgHeader_Set)                                                                        \
    NAME(natsMsgHeader_Get)                                                                        \
    NAME(natsMsgHeader_Keys)

/* The table, which is filled at the first call and kept until the process ends. NULL and
 * BASE_UNAVAILABLE if there is no usable libnats; the message says how to install it. For the main
 * thread. */
const nats_api *nats_api_open(base_error *err);

#endif
