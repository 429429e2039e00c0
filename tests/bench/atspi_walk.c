/*
 * atspi_walk APP...: reads the trees of the named applications with libatspi, one call at a time,
 * as assistive programs do: the yardstick for the speed of our own reader, and its judge for
 * completeness. Reads the fields that ours reads, of the elements that ours reads them of.
 *
 *   --showing   does not go below what is not showing
 *   --list      no fields, but a line for each element: HANDLE, a tab, 1 if it is showing, else 0
 *
 * The last line is "COUNT elements in MILLISECONDS ms": the walk alone, without connecting. The bus
 * is the environment's session bus.
 */
#include <atspi/atspi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool showing_only, list;
static int count;

/* As our reader does, only what may tell more than name and children do is asked for its text. */
static bool tells_text(AtspiAccessible *e, AtspiRole role, AtspiStateSet *states)
{
    static const AtspiRole holders[] = {ATSPI_ROLE_COMBO_BOX,    ATSPI_ROLE_PASSWORD_TEXT,
                                        ATSPI_ROLE_SPIN_BUTTON,  ATSPI_ROLE_STATUS_BAR,
                                        ATSPI_ROLE_TERMINAL,     ATSPI_ROLE_TEXT,
                                        ATSPI_ROLE_AUTOCOMPLETE, ATSPI_ROLE_EDITBAR,
                                        ATSPI_ROLE_ENTRY,        ATSPI_ROLE_DOCUMENT_TEXT};
    if (atspi_state_set_contains(states, ATSPI_STATE_EDITABLE)) {
        return true;
    }
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        if (role == holders[i]) {
            return true;
        }
    }
    char *name = atspi_accessible_get_name(e, NULL);
    bool tells = (!name || !*name) && atspi_accessible_get_child_count(e, NULL) == 0;
    g_free(name);
    return tells;
}

static void read_text(AtspiAccessible *e)
{
    AtspiText *text = atspi_accessible_get_text_iface(e);
    if (!text) {
        return;
    }
    g_free(atspi_text_get_text(text, 0, 2000, NULL));
    g_object_unref(text);
}

static void read_value(AtspiAccessible *e)
{
    AtspiValue *value = atspi_accessible_get_value_iface(e);
    if (!value) {
        return;
    }
    atspi_value_get_current_value(value, NULL);
    g_object_unref(value);
}

static void read_place_and_actions(AtspiAccessible *e)
{
    AtspiComponent *component = atspi_accessible_get_component_iface(e);
    if (component) {
        g_free(atspi_component_get_extents(component, ATSPI_COORD_TYPE_SCREEN, NULL));
        g_object_unref(component);
    }
    AtspiAction *action = atspi_accessible_get_action_iface(e); /* whether there is any is enough */
    if (action) {
        g_object_unref(action);
    }
}

static void read_fields(AtspiAccessible *e, AtspiStateSet *states)
{
    g_free(atspi_accessible_get_name(e, NULL));
    g_free(atspi_accessible_get_description(e, NULL));
    AtspiRole role = atspi_accessible_get_role(e, NULL);
    bool showing = atspi_state_set_contains(states, ATSPI_STATE_SHOWING);
    if (showing_only && !showing) {
        return;
    }
    read_value(e);
    if (tells_text(e, role, states)) {
        read_text(e);
    }
    if (showing) {
        read_place_and_actions(e);
    }
}

/* True when the element is showing. */
static bool visit(AtspiAccessible *e)
{
    AtspiStateSet *states = atspi_accessible_get_state_set(e);
    bool showing = atspi_state_set_contains(states, ATSPI_STATE_SHOWING);
    AtspiObject *object = ATSPI_OBJECT(e);
    if (list) {
        printf("%s%s\t%d\n", object->app->bus_name, object->path, showing);
    } else {
        read_fields(e, states);
    }
    g_object_unref(states);
    return showing;
}

static void walk(AtspiAccessible *e, bool is_root)
{
    bool showing = visit(e);
    count++;
    if (showing_only && !showing && !is_root) {
        return;
    }
    int children = atspi_accessible_get_child_count(e, NULL);
    for (int i = 0; i < children; i++) {
        AtspiAccessible *child = atspi_accessible_get_child_at_index(e, i, NULL);
        if (!child) {
            continue;
        }
        walk(child, false);
        g_object_unref(child);
    }
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (name && strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    showing_only = is_wanted("--showing", argc, argv);
    list = is_wanted("--list", argc, argv);
    if (atspi_init() != 0) {
        return 1;
    }
    AtspiAccessible *desktop = atspi_get_desktop(0);
    int children = atspi_accessible_get_child_count(desktop, NULL);
    double spent = 0;
    for (int i = 0; i < children; i++) {
        AtspiAccessible *app = atspi_accessible_get_child_at_index(desktop, i, NULL);
        char *name = app ? atspi_accessible_get_name(app, NULL) : NULL;
        gint64 began = g_get_monotonic_time();
        if (is_wanted(name, argc, argv)) {
            walk(app, true);
        }
        spent += (double) (g_get_monotonic_time() - began) / 1000;
        g_free(name);
        if (app) {
            g_object_unref(app);
        }
    }
    printf("%d elements in %.3f ms\n", count, spent);
    return 0;
}
