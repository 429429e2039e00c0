#include "unfinished.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <uv.h>

enum { MOST = 16, PATH_SIZE = 4096 };

/* A thread that ends the process takes a place for itself, and so does whoever forgets its file:
 * neither reads what the other one changes. */
typedef enum { FREE, SET, TAKEN } place_state;

static struct {
    _Atomic place_state state;
    char path[PATH_SIZE];
} places[MOST];

static bool take(size_t i, place_state from)
{
    return atomic_compare_exchange_strong(&places[i].state, &from, TAKEN);
}

static void unlink_file(const char *path)
{
    uv_fs_t request;
    uv_fs_unlink(NULL, &request, path, NULL);
    uv_fs_req_cleanup(&request);
}

void system_unfinished_add(const char *path)
{
    size_t size = strlen(path) + 1;
    for (size_t i = 0; size <= PATH_SIZE && i < MOST; i++) {
        if (take(i, FREE)) {
            memcpy(places[i].path, path, size);
            atomic_store(&places[i].state, SET);
            return;
        }
    }
}

void system_unfinished_remove(const char *path)
{
    unlink_file(path);
    for (size_t i = 0; i < MOST; i++) {
        if (atomic_load(&places[i].state) == SET && strcmp(places[i].path, path) == 0 &&
            take(i, SET)) {
            atomic_store(&places[i].state, FREE);
        }
    }
}

void system_unfinished_remove_all(void)
{
    for (size_t i = 0; i < MOST; i++) {
        if (take(i, SET)) {
            unlink_file(places[i].path);
        }
    }
}
