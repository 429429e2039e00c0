#include "lib_elements.h"

#include "lib.h"

static void set_string(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

/* A set. What is not enabled says so, the other states are only there where they are true. */
static void push_states(lua_State *L, uint64_t states)
{
    lua_newtable(L);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, desk_element_state_name(DESK_STATE_ENABLED));
    for (int state = 0; state < DESK_STATE_COUNT; state++) {
        if (!(states >> state & 1)) {
            continue;
        }
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, desk_element_state_name((desk_element_state) state));
    }
}

static void push_element(lua_State *L, const void *data, size_t index)
{
    const desk_element_list *list = data;
    const desk_element *e = &list->items[index];
    const desk_element_app *app = &list->apps[e->app];
    lua_createtable(L, 0, 16);
    set_integer(L, "index", (lua_Integer) index + 1);
    if (e->parent >= 0) {
        set_integer(L, "parent", e->parent + 1);
    }
    set_integer(L, "depth", e->depth);
    set_string(L, "role", e->role);
    set_string(L, "name", e->name);
    if (*e->description) {
        set_string(L, "description", e->description);
    }
    if (e->text) {
        set_string(L, "text", e->text);
    }
    push_states(L, e->states);
    lua_setfield(L, -2, "states");
    /* All zero where it has no place on the screen. */
    set_integer(L, "x", e->rect.x);
    set_integer(L, "y", e->rect.y);
    set_integer(L, "width", e->rect.width);
    set_integer(L, "height", e->rect.height);
    if (e->has_value) {
        lua_pushnumber(L, e->value);
        lua_setfield(L, -2, "value");
    }
    set_integer(L, "actions", e->actions);
    set_string(L, "app", app->name);
    set_integer(L, "pid", app->pid);
    set_string(L, "handle", e->handle);
}

static void push_app(lua_State *L, const void *list, size_t index)
{
    const desk_element_app *app = &((const desk_element_list *) list)->apps[index];
    lua_createtable(L, 0, 3);
    set_string(L, "name", app->name);
    set_integer(L, "pid", app->pid);
    if (app->note) {
        set_string(L, "note", app->note);
    }
}

void lib_push_elements(lua_State *L, const desk_element_list *list)
{
    lua_createtable(L, 0, 3);
    lib_push_list(L, list->count, push_element, list);
    lua_setfield(L, -2, "elements");
    lib_push_list(L, list->app_count, push_app, list);
    lua_setfield(L, -2, "apps");
    lua_pushboolean(L, list->truncated);
    lua_setfield(L, -2, "truncated");
}

static void push_action(lua_State *L, const void *list, size_t index)
{
    const desk_element_action *action = &((const desk_element_action *) list)[index];
    lua_createtable(L, 0, 4);
    set_string(L, "name", action->name);
    if (*action->title) {
        set_string(L, "title", action->title);
    }
    if (*action->description) {
        set_string(L, "description", action->description);
    }
    if (*action->key) {
        set_string(L, "key", action->key);
    }
}

static void set_number(lua_State *L, const char *key, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
}

void lib_push_element_details(lua_State *L, const desk_element_details *d)
{
    push_element(L, &d->list, 0);
    if (d->has_range) {
        set_number(L, "minimum", d->minimum);
        set_number(L, "maximum", d->maximum);
    }
    if (d->step > 0) {
        set_number(L, "step", d->step);
    }
    if (d->has_text) {
        set_integer(L, "characters", d->characters);
        set_integer(L, "from", d->from);
        set_integer(L, "to", d->to);
        set_string(L, "selected", d->selected);
    }
    lib_push_list(L, d->action_count, push_action, d->actions);
    lua_setfield(L, -2, "action_list");
}
