#include "atspi_nodes.h"

#include "atspi_words.h"

#include <stdlib.h>
#include <string.h>

static const char MORE[] = "has more elements than are read at once; the others were left out";

void atspi_cut(atspi_read *r, int32_t app, const char *note)
{
    r->truncated = true;
    if (!r->apps[app].note) {
        r->apps[app].note = note;
    }
}

static uint32_t bucket_of(int32_t app, const char *path)
{
    uint32_t hash = 2166136261u ^ (uint32_t) app;
    for (; *path; path++) {
        hash = (hash ^ (uint8_t) *path) * 16777619u;
    }
    return (hash ^ hash >> 15) % ATSPI_BUCKETS;
}

int32_t atspi_node_find(const atspi_read *r, int32_t app, const char *path)
{
    for (int32_t i = r->buckets[bucket_of(app, path)]; i >= 0; i = r->nodes[i].next_same_hash) {
        if (r->nodes[i].app == app && strcmp(r->nodes[i].path, path) == 0) {
            return i;
        }
    }
    return -1;
}

static bool grow(atspi_read *r)
{
    if (r->node_count < r->node_capacity) {
        return true;
    }
    int32_t capacity = r->node_capacity ? r->node_capacity * 2 : 512;
    atspi_node *nodes = realloc(r->nodes, (size_t) capacity * sizeof *nodes);
    if (!nodes) {
        return false;
    }
    r->nodes = nodes;
    r->node_capacity = capacity;
    return true;
}

int32_t atspi_node_add(atspi_read *r, int32_t app, const char *path)
{
    if (r->node_count >= r->node_max) {
        atspi_cut(r, app, MORE);
        return -1;
    }
    char *copy = base_arena_copy(r->arena, path, strlen(path));
    if (!copy || !grow(r)) {
        r->no_memory = true;
        return -1;
    }
    uint32_t bucket = bucket_of(app, path);
    int32_t index = r->node_count++;
    r->nodes[index] = (atspi_node){.path = copy,
                                   .name = "",
                                   .description = "",
                                   .app = app,
                                   .parent = -1,
                                   .first_child = -1,
                                   .next_sibling = -1,
                                   .next_same_hash = r->buckets[bucket]};
    r->buckets[bucket] = index;
    return index;
}

bool atspi_is_root(const atspi_read *r, int32_t node)
{
    return r->apps[r->nodes[node].app].root_node == node;
}

bool atspi_node_wanted(const atspi_read *r, const atspi_node *node)
{
    return r->query->all || (node->states >> DESK_STATE_SHOWING & 1);
}

bool atspi_node_has_place(const atspi_node *node)
{
    return node->has_rect && (node->states >> DESK_STATE_SHOWING & 1);
}

/* --- the result ---------------------------------------------------------------------------------
 */

typedef struct {
    int32_t order, node;
} place;

static int by_order(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->order != q->order) {
        return p->order < q->order ? 1 : -1;
    }
    return p->node < q->node ? 1 : p->node > q->node ? -1 : 0;
}

/* Turns parents into lists of children, each in its order. */
static bool link_children(atspi_read *r)
{
    place *places = malloc(((size_t) r->node_count + 1) * sizeof *places);
    if (!places) {
        return false;
    }
    for (int32_t i = 0; i < r->node_count; i++) {
        places[i] = (place){r->nodes[i].order, i};
    }
    /* The last first: each is put in front of its parent's list. */
    qsort(places, (size_t) r->node_count, sizeof *places, by_order);
    for (int32_t i = 0; i < r->node_count; i++) {
        int32_t node = places[i].node, parent = r->nodes[node].parent;
        if (parent < 0 || atspi_is_root(r, node)) {
            continue;
        }
        r->nodes[node].next_sibling = r->nodes[parent].first_child;
        r->nodes[parent].first_child = node;
    }
    free(places);
    return true;
}

static const char *handle_of(atspi_read *r, const atspi_node *node)
{
    const char *bus = r->apps[node->app].bus;
    size_t a = strlen(bus), b = strlen(node->path);
    char *handle = base_arena_alloc(r->arena, a + b + 1);
    if (!handle) {
        return NULL;
    }
    memcpy(handle, bus, a);
    memcpy(handle + a, node->path, b + 1);
    return handle;
}

static bool put(atspi_read *r, desk_element_list *out, int32_t index, int32_t parent, int depth)
{
    const atspi_node *node = &r->nodes[index];
    const char *handle = handle_of(r, node);
    if (!handle) {
        return false;
    }
    bool has_rect = atspi_node_has_place(node);
    out->items[out->count++] = (desk_element){.parent = parent,
                                              .app = node->app - 1,
                                              .depth = depth,
                                              .role = atspi_role_name(node->role),
                                              .name = node->name,
                                              .description = node->description,
                                              .text = node->text,
                                              .handle = handle,
                                              .states = node->states,
                                              .rect = has_rect ? node->rect : (image_rect){0},
                                              .has_rect = has_rect,
                                              .has_value = node->has_value,
                                              .value = node->value,
                                              .actions = node->actions};
    return true;
}

typedef struct {
    int32_t next;   /* the node to look at next on this level */
    int32_t parent; /* nearest ancestor in the result */
} level;

/* One tree, depth first. Every node has one parent and the root none, so no cycle can be reached.
 */
static bool put_tree(atspi_read *r, desk_element_list *out, int32_t root)
{
    level levels[ATSPI_MAX_DEPTH];
    int deep = 0;
    if (!r->nodes[root].answered || r->nodes[root].unanswered > 0) {
        return true; /* it has said nothing; the list of applications has a note */
    }
    levels[0] = (level){root, -1};
    while (deep >= 0) {
        int32_t index = levels[deep].next, parent = levels[deep].parent;
        if (index < 0) {
            deep--;
            continue;
        }
        const atspi_node *node = &r->nodes[index];
        levels[deep].next = index == root ? -1 : node->next_sibling;
        bool wanted = index == root || (atspi_node_wanted(r, node) && node->unanswered == 0);
        if (wanted && out->count >= r->query->max_nodes) {
            atspi_cut(r, node->app, MORE);
            return true;
        }
        if (wanted && !put(r, out, index, parent, parent < 0 ? 0 : out->items[parent].depth + 1)) {
            return false;
        }
        if (node->first_child < 0) {
            continue;
        }
        if (deep + 1 == ATSPI_MAX_DEPTH) {
            atspi_cut(r, node->app, "has elements more than 200 levels deep, which were left out");
            continue;
        }
        levels[++deep] = (level){node->first_child, wanted ? (int32_t) out->count - 1 : parent};
    }
    return true;
}

static void put_apps(const atspi_read *r, desk_element_list *out)
{
    for (int32_t i = 1; i < r->app_count; i++) {
        const atspi_app *app = &r->apps[i];
        int32_t root = app->root_node;
        bool silent = !app->skipped && (root < 0 || !r->nodes[root].answered);
        const char *note = app->note ? app->note : silent ? "answers no questions" : NULL;
        /* Of one element that is asked about, the root is itself. */
        bool named = root >= 0 && !r->details;
        out->apps[out->app_count++] =
            (desk_element_app){named ? r->nodes[root].name : "", app->pid, note};
    }
}

bool atspi_result(atspi_read *r, desk_element_list *out, base_error *err)
{
    size_t most =
        (size_t) r->node_count < r->query->max_nodes ? (size_t) r->node_count : r->query->max_nodes;
    out->items = calloc(most + 1, sizeof *out->items);
    out->apps = calloc((size_t) r->app_count + 1, sizeof *out->apps);
    bool ok = out->items && out->apps && link_children(r);
    for (int32_t i = 1; ok && i < r->app_count; i++) {
        if (r->apps[i].root_node >= 0 && !r->apps[i].skipped) {
            ok = put_tree(r, out, r->apps[i].root_node);
        }
    }
    if (ok) {
        put_apps(r, out); /* what was cut is known now */
    }
    out->truncated = r->truncated;
    return ok || base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
}
