#include "process_sockets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_SIZE = 64 };

static bool has(const local_sockets *sockets, unsigned long long inode)
{
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->list[i] == inode) {
            return true;
        }
    }
    return false;
}

static bool add_inode(local_sockets *out, unsigned long long inode)
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
static bool add_sockets(local_sockets *out, const char *table)
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

/* Reading the tables takes milliseconds, so a socket is looked up in them once. False where it goes
 * out, or that cannot be known. */
static bool stays_here(local_sockets *local, unsigned long long inode)
{
    static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "raw", "raw6"};
    if (has(local, inode)) {
        return true;
    }
    local_sockets sockets = {NULL, 0, 0};
    bool known = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && known; i++) {
        known = add_sockets(&sockets, tables[i]);
    }
    bool stays = known && !has(&sockets, inode);
    free(sockets.list);
    return stays && add_inode(local, inode);
}

void local_sockets_free(local_sockets *local)
{
    free(local->list);
}

bool process_is_connected(local_sockets *local, long pid)
{
    char path[PATH_SIZE + 32], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *folder = opendir(path);
    if (!folder) {
        snprintf(path, sizeof path, "/proc/%ld", pid);
        return access(path, F_OK) == 0; /* not ours to read; or it has ended */
    }
    bool connected = false;
    for (struct dirent *entry; !connected && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%.20s", pid, entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        unsigned long long inode;
        target[length > 0 ? length : 0] = '\0';
        connected = sscanf(target, "socket:[%llu]", &inode) == 1 && !stays_here(local, inode);
    }
    closedir(folder);
    return connected;
}
