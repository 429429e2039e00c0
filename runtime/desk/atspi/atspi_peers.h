/* atspi_peers.h: connections to applications' own sockets, kept from one read to the next. */
#ifndef DESK_ATSPI_ATSPI_PEERS_H
#define DESK_ATSPI_ATSPI_PEERS_H

#include "desk/elements.h"

#include <dbus/dbus.h>

/* How many connections an application gets, among which its questions are shared out: GTK's bridge,
 * which Chromium has too, takes one message from each of its connections in a round of its main
 * loop, and such a round takes longer than the answer. More than eight gain nothing. */
enum { ATSPI_CONNECTIONS = 8 };

typedef struct {
    DBusConnection *c[ATSPI_CONNECTIONS];
    int count; /* 0: none */
} atspi_connections;

typedef struct {
    char bus[32];                  /* unique name on the bus */
    char root[96];                 /* its root's path */
    long pid;                      /* of the process at the other end, as the system says */
    atspi_connections connections; /* none: it has no socket, or did not let us in */
    bool seen;                     /* in the registry, by the read under way */
    char *placed; /* paths of elements that had a place in the last read, a zero byte after each */
    size_t placed_size; /* bytes */
} atspi_peer;

typedef struct {
    atspi_peer items[DESK_ELEMENTS_MAX_APPS];
    size_t count;
} atspi_peers;

/* The application's entry, NULL if it was never tried. */
atspi_peer *atspi_peer_find(atspi_peers *peers, const char *bus);
/* Whether questions can go that way. */
bool atspi_peer_open(const atspi_peer *peer);
/* Connects to what the application says is its socket ("" for none) and remembers how it went. Only
 * sockets of this machine that belong to the process `pid` are connected to. */
void atspi_peer_join(atspi_peers *peers, const char *bus, const char *root, const char *address,
                     long pid);
/* Forgets the applications that the last read has not seen, and those that have let go. */
void atspi_peers_sweep(atspi_peers *peers);
void atspi_peers_close(atspi_peers *peers);

#endif
