/*
 * Connections to applications' own sockets. What an application says of its socket is untrusted: an
 * address of libdbus can start programs ("unixexec:") or lead to other machines ("tcp:"), so only
 * sockets of this machine are taken, and only if the process at the other end is the application's.
 */
#define _GNU_SOURCE /* struct ucred */
#include "atspi_peers.h"

#include "atspi_bus.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#define LOGIN_NS (50 * (uint64_t) 1000000)

enum { MAX_ADDRESS = 256, MAX_MESSAGE = 32 * 1024 * 1024 };

/* All but the first `kept`. */
static void close_connections(atspi_connections *connections, int kept)
{
    while (connections->count > kept) {
        atspi_disconnect(connections->c[--connections->count]);
    }
}

static void forget(atspi_peers *peers, size_t index)
{
    close_connections(&peers->items[index].connections, 0);
    free(peers->items[index].placed);
    peers->count--;
    memmove(&peers->items[index], &peers->items[index + 1],
            (peers->count - index) * sizeof peers->items[0]);
}

atspi_peer *atspi_peer_find(atspi_peers *peers, const char *bus)
{
    for (size_t i = 0; i < peers->count; i++) {
        if (strcmp(peers->items[i].bus, bus) == 0) {
            return &peers->items[i];
        }
    }
    return NULL;
}

bool atspi_peer_open(const atspi_peer *peer)
{
    for (int i = 0; i < peer->connections.count; i++) {
        if (!dbus_connection_get_is_connected(peer->connections.c[i])) {
            return false;
        }
    }
    return peer->connections.count > 0;
}

/* The path of "unix:path=PATH" or, from a zero byte on, "unix:abstract=NAME", where that is all
 * there is to it (but for a guid, which always comes last). */
static bool socket_of(const char *address, struct sockaddr_un *out, socklen_t *length)
{
    bool abstract = strncmp(address, "unix:abstract=", 14) == 0;
    if (!abstract && strncmp(address, "unix:path=", 10) != 0) {
        return false;
    }
    const char *name = strchr(address, '=') + 1;
    size_t size = strcspn(name, ",;%"), start = abstract ? 1 : 0;
    bool plain = !name[size] || strncmp(name + size, ",guid=", 6) == 0;
    if (!plain || strpbrk(name + size, ";%") || size == 0 || size + 2 > sizeof out->sun_path) {
        return false;
    }
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(out->sun_path + start, name, size);
    /* One more either way: the zero before an abstract name, or after a path. */
    *length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + size + 1);
    return true;
}

/* Whether somebody takes connections there at once: libdbus's connect would wait for it. */
static bool is_open(const char *address)
{
    struct sockaddr_un to;
    socklen_t length;
    if (strlen(address) >= MAX_ADDRESS || !socket_of(address, &to, &length)) {
        return false;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    int status = connect(fd, (struct sockaddr *) &to, length);
    close(fd);
    return status == 0;
}

static bool belongs_to(DBusConnection *c, long pid)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;
    int fd;
    return dbus_connection_get_socket(c, &fd) &&
           getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && pid > 0 &&
           (long) who.pid == pid;
}

static DBusConnection *open_connection(const char *address, long pid)
{
    DBusConnection *c = dbus_connection_open_private(address, NULL);
    if (!c) {
        return NULL;
    }
    dbus_connection_set_exit_on_disconnect(c, FALSE);
    dbus_connection_set_max_message_size(c, MAX_MESSAGE);
    if (belongs_to(c, pid) && dbus_connection_read_write(c, 0)) {
        return c;
    }
    atspi_disconnect(c);
    return NULL;
}

/* Without a bus there is no hello: the connection is ready when both know who the other is. */
static bool log_in(DBusConnection *c, uint64_t deadline)
{
    while (!dbus_connection_get_is_authenticated(c)) {
        if (uv_hrtime() >= deadline || !atspi_turn(c, deadline)) {
            return false;
        }
    }
    return true;
}

/* All are opened before the first logs in, so that they do that together. */
static atspi_connections open_connections(const char *address, long pid)
{
    atspi_connections connections = {.count = 0};
    DBusConnection *c;
    if (!is_open(address)) {
        return connections;
    }
    uint64_t deadline = uv_hrtime() + LOGIN_NS;
    while (connections.count < ATSPI_CONNECTIONS && (c = open_connection(address, pid))) {
        connections.c[connections.count++] = c;
    }
    int ready = 0;
    while (ready < connections.count && log_in(connections.c[ready], deadline)) {
        ready++;
    }
    close_connections(&connections, ready);
    return connections;
}

void atspi_peer_join(atspi_peers *peers, const char *bus, const char *root, const char *address,
                     long pid)
{
    if (peers->count == DESK_ELEMENTS_MAX_APPS || strlen(bus) >= sizeof peers->items[0].bus ||
        strlen(root) >= sizeof peers->items[0].root) {
        return;
    }
    atspi_peer *peer = &peers->items[peers->count++];
    *peer = (atspi_peer){.connections = open_connections(address, pid), .pid = pid};
    strcpy(peer->bus, bus);
    strcpy(peer->root, root);
}

void atspi_peers_sweep(atspi_peers *peers)
{
    for (size_t i = peers->count; i-- > 0;) {
        atspi_peer *peer = &peers->items[i];
        if (!peer->seen || (peer->connections.count > 0 && !atspi_peer_open(peer))) {
            forget(peers, i);
        } else {
            peer->seen = false;
        }
    }
}

void atspi_peers_close(atspi_peers *peers)
{
    while (peers->count > 0) {
        forget(peers, peers->count - 1);
    }
}
