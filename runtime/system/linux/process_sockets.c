#include "process_sockets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_SIZE = 64 };

typedef local_sockets inodes;

static bool has(const inodes *sockets, unsigned long long inode)
{
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->list[i] == inode) {
            return true;
        }
    }
    return false;
}

static bool add_inode(inodes *out, unsigned long long inode)
{
    if (out->count == out->capacity) {
        size_t capacity = out->capacity ? 2 * out->capacity : 64;
        unsigned long long *more = realloc(out->list, capacity * sizeof *more);
        if (!more) {
            return false;
        }
        out->list = more;
        out->capacity = capacity;
    }
    out->list[out->count++] = inode;
    return true;
}

/* The sockets of a table such as /proc/net/tcp: the tenth word of each line. False without memory.
 */
static bool add_sockets(inodes *out, const char *table)
{
    char path[PATH_SIZE], line[512];
    unsigned long long inode;
    snprintf(path, sizeof path, "/proc/self/net/%s", table);
    FILE *file = fopen(path, "re");
    bool ok = true;
    while (file && ok && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &inode) == 1) {
            ok = add_inode(out, inode);
        }
    }
    if (file) {
        fclose(file);
    }
    return ok;
}

/* Adds the sockets of a process that nothing is known of yet. False where they cannot be read. */
static bool add_unknown(inodes *out, const local_sockets *local, long pid)
{
    char path[PATH_SIZE + 32], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *folder = opendir(path);
    if (!folder) {
        snprintf(path, sizeof path, "/proc/%ld", pid);
        return access(path, F_OK) != 0; /* not ours to read; or it has ended */
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%.20s", pid, entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        unsigned long long inode;
        target[length > 0 ? length : 0] = '\0';
        if (sscanf(target, "socket:[%llu]", &inode) == 1 && !has(local, inode)) {
            ok = add_inode(out, inode);
        }
    }
    closedir(folder);
    return ok;
}

/* Whether one of some sockets goes out, or that cannot be known; else all are known as local. */
static bool go_out(local_sockets *local, const inodes *sockets)
{
    static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "raw", "raw6"};
    inodes network = {0};
    bool stay = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && stay; i++) {
        stay = add_sockets(&network, tables[i]);
    }
    for (size_t i = 0; i < sockets->count && stay; i++) {
        stay = !has(&network, sockets->list[i]);
    }
    for (size_t i = 0; i < sockets->count && stay; i++) {
        stay = has(local, sockets->list[i]) || add_inode(local, sockets->list[i]);
    }
    free(network.list);
    return !stay;
}

void local_sockets_free(local_sockets *local)
{
    free(local->list);
}

bool processes_are_connected(local_sockets *local, const long *pids, size_t count)
{
    inodes unknown = {0};
    bool readable = true;
    for (size_t i = 0; i < count && readable; i++) {
        readable = add_unknown(&unknown, local, pids[i]);
    }
    /* Reading the tables takes milliseconds, so a socket is looked up in them once. */
    bool connected = !readable || (unknown.count > 0 && go_out(local, &unknown));
    free(unknown.list);
    return connected;
}
