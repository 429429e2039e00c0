/* Taking messages apart, and making what they hold safe to keep. */
#include "atspi_message.h"

#include "atspi_words.h"
#include "base/utf8.h"

#include <string.h>

/* --- texts --------------------------------------------------------------------------------------
 */

const char *atspi_take_name(atspi_read *r, const char *text)
{
    char clean[DESK_ELEMENTS_MAX_NAME];
    base_utf8_clean(clean, sizeof clean, text, strlen(text));
    if (!*clean) {
        return "";
    }
    const char *copy = base_arena_copy(r->arena, clean, strlen(clean));
    if (!copy) {
        r->no_memory = true;
    }
    return copy ? copy : "";
}

/* A text keeps its line breaks and tabs, which the cleaning of a line takes away. */
const char *atspi_take_text(atspi_read *r, const char *text)
{
    enum { ROOM = DESK_ELEMENTS_MAX_TEXT * 4 + 1 };
    char *clean = base_arena_alloc(r->arena, ROOM);
    if (!clean) {
        r->no_memory = true;
        return NULL;
    }
    size_t used = 0;
    for (;;) {
        size_t part = strcspn(text, "\n\t");
        base_utf8_clean(clean + used, ROOM - used, text, part);
        used += strlen(clean + used);
        if (!text[part] || used + 2 > ROOM) {
            break;
        }
        clean[used++] = text[part];
        clean[used] = 0;
        text += part + 1;
    }
    return clean;
}

/* --- reading messages ---------------------------------------------------------------------------
 */

void atspi_next_string(DBusMessageIter *i, const char **out)
{
    dbus_message_iter_get_basic(i, out);
    dbus_message_iter_next(i);
}

int32_t atspi_next_int(DBusMessageIter *i)
{
    dbus_int32_t value;
    dbus_message_iter_get_basic(i, &value);
    dbus_message_iter_next(i);
    return value;
}

atspi_reference atspi_next_reference(DBusMessageIter *i)
{
    atspi_reference ref;
    DBusMessageIter fields;
    dbus_message_iter_recurse(i, &fields);
    atspi_next_string(&fields, &ref.bus);
    atspi_next_string(&fields, &ref.path);
    dbus_message_iter_next(i);
    return ref;
}

unsigned atspi_next_interfaces(DBusMessageIter *i)
{
    DBusMessageIter names;
    unsigned found = 0;
    for (dbus_message_iter_recurse(i, &names);
         dbus_message_iter_get_arg_type(&names) == DBUS_TYPE_STRING;) {
        const char *name;
        atspi_next_string(&names, &name);
        found |= atspi_interface(name);
    }
    dbus_message_iter_next(i);
    return found;
}

uint64_t atspi_next_states(DBusMessageIter *i)
{
    DBusMessageIter words;
    uint32_t both[2] = {0, 0};
    dbus_message_iter_recurse(i, &words);
    for (int n = 0; n < 2 && dbus_message_iter_get_arg_type(&words) == DBUS_TYPE_UINT32; n++) {
        both[n] = (uint32_t) atspi_next_int(&words);
    }
    dbus_message_iter_next(i);
    return atspi_states(both[0], both[1]);
}

bool atspi_begin(DBusMessage *reply, const char *signature, DBusMessageIter *i)
{
    return reply && dbus_message_has_signature(reply, signature) &&
           dbus_message_iter_init(reply, i);
}

bool atspi_property(DBusMessage *reply, int type, void *out)
{
    DBusMessageIter i, value;
    if (!atspi_begin(reply, "v", &i)) {
        return false;
    }
    dbus_message_iter_recurse(&i, &value);
    if (dbus_message_iter_get_arg_type(&value) != type) {
        return false;
    }
    dbus_message_iter_get_basic(&value, out);
    return true;
}
