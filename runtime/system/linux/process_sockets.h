/*
 * process_sockets.h: whether processes have connections to the network.
 */
#ifndef SYSTEM_LINUX_PROCESS_SOCKETS_H
#define SYSTEM_LINUX_PROCESS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

/* The inodes of sockets that are known to be no network connections. All zero in the beginning. */
typedef struct {
    unsigned long long *list;
    size_t count, capacity;
} local_sockets;

/* Frees the list; the struct is the caller's. */
void local_sockets_free(local_sockets *local);

/* Whether a socket of one of some processes goes out, by the tables of /proc/net; true where that
 * cannot be known. What it has learned of others is kept in `local`. */
bool processes_are_connected(local_sockets *local, const long *pids, size_t count);

#endif
