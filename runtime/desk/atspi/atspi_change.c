/* The ways to change an element, by AT-SPI's interfaces for them. */
#include "atspi_change.h"

#include "atspi_message.h"

enum { ROLE_COMBO_BOX = 11, ROLE_MENU = 33, SCROLL_ANYWHERE = 6 };

/* --- texts and values ---------------------------------------------------------------------------
 */

static bool set_text(const atspi_target *t, const char *text)
{
    DBusMessage *call = atspi_call(t, "EditableText", "SetTextContents");
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
    }
    return atspi_target_do(t, call, "take a text");
}

static DBusMessage *property_call(const atspi_target *t, const char *method, const char *interface,
                                  const char *property)
{
    DBusMessage *call =
        dbus_message_new_method_call(t->bus, t->path, DBUS_INTERFACE_PROPERTIES, method);
    if (call && dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING,
                                         &property, DBUS_TYPE_INVALID)) {
        return call;
    }
    if (call) {
        dbus_message_unref(call);
    }
    base_fail(t->err, BASE_NO_MEMORY, "not enough memory to ask an application");
    return NULL;
}

static bool set_value(const atspi_target *t, double value)
{
    DBusMessageIter i, variant;
    DBusMessage *call = property_call(t, "Set", "org.a11y.atspi.Value", "CurrentValue");
    if (!call) {
        return false;
    }
    dbus_message_iter_init_append(call, &i);
    dbus_message_iter_open_container(&i, DBUS_TYPE_VARIANT, "d", &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_DOUBLE, &value);
    dbus_message_iter_close_container(&i, &variant);
    DBusMessage *reply = atspi_target_ask(t, call, "take a value");
    if (reply) {
        dbus_message_unref(reply);
    }
    return reply != NULL;
}

/* --- the selected part of a text ----------------------------------------------------------------
 */

/* The number that a call without arguments answers; -1 with the target's error. */
static int32_t ask_number(const atspi_target *t, const char *interface, const char *method,
                          int type, const char *what)
{
    dbus_int32_t number = -1;
    DBusMessage *reply = atspi_target_ask(t, atspi_call(t, interface, method), what);
    if (!reply) {
        return -1;
    }
    if (!dbus_message_get_args(reply, NULL, type, &number, DBUS_TYPE_INVALID) || number < 0) {
        base_fail(t->err, BASE_BAD_PROTOCOL, "the application's answer was not understood");
        number = -1;
    }
    dbus_message_unref(reply);
    return number;
}

static bool set_caret(const atspi_target *t, dbus_int32_t at)
{
    DBusMessage *call = atspi_call(t, "Text", "SetCaretOffset");
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &at, DBUS_TYPE_INVALID);
    }
    return atspi_target_do(t, call, "move its caret");
}

static bool select_text(const atspi_target *t, dbus_int32_t from, dbus_int32_t to)
{
    static const char what[] = "select a part of its text";
    dbus_int32_t first = 0, selected = ask_number(t, "Text", "GetNSelections", 'i', what);
    if (selected < 0) {
        return false;
    }
    if (from == to) {
        return set_caret(t, from);
    }
    DBusMessage *call = atspi_call(t, "Text", selected > 0 ? "SetSelection" : "AddSelection");
    if (call && selected > 0) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &first, DBUS_TYPE_INVALID);
    }
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &from, DBUS_TYPE_INT32, &to,
                                 DBUS_TYPE_INVALID);
    }
    return atspi_target_do(t, call, what);
}

/* --- selecting an element -----------------------------------------------------------------------
 */

/* Makes `t` its own parent. The reply, which `t->path` then lies in, is to be unreferenced. */
static DBusMessage *to_parent(atspi_target *t)
{
    DBusMessageIter i, variant, fields;
    const char *path;
    DBusMessage *reply = atspi_target_ask(
        t, property_call(t, "Get", "org.a11y.atspi.Accessible", "Parent"), "tell its parent");
    if (!reply) {
        return NULL;
    }
    if (atspi_begin(reply, "v", &i)) {
        dbus_message_iter_recurse(&i, &variant);
        if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRUCT) {
            dbus_message_iter_recurse(&variant, &fields);
            dbus_message_iter_next(&fields); /* the application, which is the same */
            if (dbus_message_iter_get_arg_type(&fields) == DBUS_TYPE_OBJECT_PATH) {
                dbus_message_iter_get_basic(&fields, &path);
                t->path = path;
                return reply;
            }
        }
    }
    dbus_message_unref(reply);
    base_fail(t->err, BASE_BAD_PROTOCOL, "the application's answer was not understood");
    return NULL;
}

static bool has_role(const atspi_target *t, int32_t role)
{
    return ask_number(t, "Accessible", "GetRole", 'u', "tell its role") == role;
}

static bool call_with(const atspi_target *t, const char *interface, const char *method,
                      dbus_int32_t number)
{
    DBusMessage *call = atspi_call(t, interface, method);
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &number, DBUS_TYPE_INVALID);
    }
    return atspi_target_do(t, call, "select it");
}

/* The row of a cell of a table; -1 for what is none. */
static int32_t row_of(const atspi_target *t)
{
    DBusMessageIter i, variant, fields;
    base_error ignored;
    atspi_target quiet = *t;
    quiet.err = &ignored;
    dbus_int32_t row = -1;
    DBusMessage *reply = atspi_target_ask(
        &quiet, property_call(&quiet, "Get", "org.a11y.atspi.TableCell", "Position"),
        "be in a row");
    if (reply && atspi_begin(reply, "v", &i)) {
        dbus_message_iter_recurse(&i, &variant);
        if (dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRUCT) {
            dbus_message_iter_recurse(&variant, &fields);
            if (dbus_message_iter_get_arg_type(&fields) == DBUS_TYPE_INT32) {
                dbus_message_iter_get_basic(&fields, &row);
            }
        }
    }
    if (reply) {
        dbus_message_unref(reply);
    }
    return row;
}

/* `menu` is what the element is in: if it is the menu of a combo box, that chooses the item. What
 * is in another menu is no choice that stays. */
static bool select_in_menu(const atspi_target *menu, int32_t index)
{
    atspi_target above = *menu;
    DBusMessage *reply = to_parent(&above);
    if (!reply) {
        return false;
    }
    bool ok = has_role(&above, ROLE_COMBO_BOX)
                  ? call_with(&above, "Selection", "SelectChild", index) &&
                        call_with(&above, "Selection", "IsChildSelected", index)
                  : base_fail(menu->err, BASE_UNSUPPORTED, "a menu keeps nothing selected");
    dbus_message_unref(reply);
    return ok;
}

/* Rows go first: the cells of GTK's trees are numbered with the headers, which their selection does
 * not know of. */
static bool select_in_parent(const atspi_target *t, int32_t index)
{
    int32_t row = row_of(t);
    atspi_target parent = *t;
    DBusMessage *reply = to_parent(&parent);
    if (!reply) {
        return false;
    }
    bool ok = has_role(&parent, ROLE_MENU)
                  ? select_in_menu(&parent, index)
                  : (row >= 0 && call_with(&parent, "Table", "AddRowSelection", row)) ||
                        call_with(&parent, "Selection", "SelectChild", index);
    dbus_message_unref(reply);
    return ok;
}

static bool select_it(const atspi_target *t)
{
    static const char *const actions[] = {"select", "click", "press", "activate", NULL};
    int32_t index = ask_number(t, "Accessible", "GetIndexInParent", 'i', "tell its place");
    if (index < 0) {
        return false;
    }
    base_error why = {0};
    atspi_target quiet = *t;
    quiet.err = &why;
    if (select_in_parent(&quiet, index)) {
        return true;
    }
    if (why.code == BASE_UNSUPPORTED) {
        return atspi_target_act_any(t, actions);
    }
    if (t->err) {
        *t->err = why;
    }
    return false;
}

/* --- the rest -----------------------------------------------------------------------------------
 */

static bool focus(const atspi_target *t)
{
    return atspi_target_do(t, atspi_call(t, "Component", "GrabFocus"), "take the focus");
}

/* Few toolkits scroll when asked to; most do for what gets the focus. */
static bool scroll_into_view(const atspi_target *t)
{
    dbus_uint32_t how = SCROLL_ANYWHERE;
    base_error ignored;
    atspi_target quiet = *t;
    quiet.err = &ignored;
    DBusMessage *call = atspi_call(&quiet, "Component", "ScrollTo");
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_UINT32, &how, DBUS_TYPE_INVALID);
    }
    return atspi_target_do(&quiet, call, "be scrolled to") || focus(t);
}

static bool open_or_close(const atspi_target *t, bool on)
{
    static const char *const open[] = {"expand or contract", "expand", "open",  "toggle",
                                       "activate",           "press",  "click", NULL};
    static const char *const shut[] = {"expand or contract", "collapse", "close", "toggle",
                                       "activate",           "press",    "click", NULL};
    return atspi_target_act_any(t, on ? open : shut);
}

bool atspi_target_change(const atspi_target *t, const desk_element_change *change)
{
    static const char *const toggle[] = {"toggle", "click", "press", "activate", NULL};
    switch (change->kind) {
    case DESK_CHANGE_TEXT:
        return set_text(t, change->text);
    case DESK_CHANGE_VALUE:
        return set_value(t, change->number);
    case DESK_CHANGE_SELECTED:
        return select_it(t);
    case DESK_CHANGE_CHECKED:
        return atspi_target_act_any(t, toggle);
    case DESK_CHANGE_EXPANDED:
        return open_or_close(t, change->on);
    case DESK_CHANGE_FOCUSED:
        return focus(t);
    case DESK_CHANGE_IN_VIEW:
        return scroll_into_view(t);
    case DESK_CHANGE_SELECTION:
        return select_text(t, change->from, change->to);
    }
    return base_fail(t->err, BASE_UNSUPPORTED, "an element cannot be changed so");
}
