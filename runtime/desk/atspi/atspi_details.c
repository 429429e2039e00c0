/* What a list does not tell of an element: its range, its selected text, its actions by name. */
#include "atspi_details.h"

#include "atspi_message.h"
#include "atspi_queue.h"
#include "atspi_words.h"

#include <math.h>
#include <string.h>

enum { MAX_ACTIONS = 100 };

void atspi_ask_details(atspi_read *r, int32_t index)
{
    static const struct {
        unsigned interface;
        atspi_question_kind kind;
    } wanted[] = {
        {ATSPI_HAS_VALUE, ATSPI_ASK_MINIMUM},      {ATSPI_HAS_VALUE, ATSPI_ASK_MAXIMUM},
        {ATSPI_HAS_VALUE, ATSPI_ASK_STEP},         {ATSPI_HAS_TEXT, ATSPI_ASK_CHARACTERS},
        {ATSPI_HAS_TEXT, ATSPI_ASK_CARET},         {ATSPI_HAS_TEXT, ATSPI_ASK_SELECTIONS},
        {ATSPI_HAS_ACTION, ATSPI_ASK_ACTION_LIST},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (r->nodes[index].interfaces & wanted[i].interface) {
            atspi_queue(r, wanted[i].kind, r->nodes[index].app, index);
        }
    }
}

static double finite_property(DBusMessage *reply)
{
    double value;
    return atspi_property(reply, DBUS_TYPE_DOUBLE, &value) && isfinite(value) ? value : 0;
}

/* GetActions tells what is for people; the names that do not change are asked for one by one. */
static void actions_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    desk_element_details *d = r->details;
    DBusMessageIter i, actions, fields;
    if (!atspi_begin(reply, "a(sss)", &i)) {
        return;
    }
    d->actions = base_arena_alloc(r->arena, MAX_ACTIONS * sizeof *d->actions);
    if (!d->actions) {
        r->no_memory = true;
        return;
    }
    for (dbus_message_iter_recurse(&i, &actions);
         dbus_message_iter_get_arg_type(&actions) == DBUS_TYPE_STRUCT &&
         d->action_count < MAX_ACTIONS;
         dbus_message_iter_next(&actions)) {
        const char *words[3];
        dbus_message_iter_recurse(&actions, &fields);
        for (int k = 0; k < 3; k++) {
            dbus_message_iter_get_basic(&fields, &words[k]);
            words[k] = atspi_take_name(r, words[k]);
            dbus_message_iter_next(&fields);
        }
        d->actions[d->action_count] = (desk_element_action){words[0], words[0], words[1], words[2]};
        question.kind = ATSPI_ASK_ACTION_NAME;
        question.index = (int32_t) d->action_count++;
        atspi_queue_question(r, question);
    }
}

static void name_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    DBusMessageIter i;
    const char *name;
    if (!atspi_begin(reply, "s", &i)) {
        return;
    }
    dbus_message_iter_get_basic(&i, &name);
    if (*name) {
        r->details->actions[question.index].name = atspi_take_name(r, name);
    }
}

/* Untrusted: only what is a range of characters is one. */
static void selection_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    desk_element_details *d = r->details;
    dbus_int32_t from, to;
    if (!reply || !dbus_message_get_args(reply, NULL, DBUS_TYPE_INT32, &from, DBUS_TYPE_INT32, &to,
                                         DBUS_TYPE_INVALID)) {
        return;
    }
    if (from > to) {
        dbus_int32_t swap = from;
        from = to;
        to = swap;
    }
    if (from < 0 || from == to) {
        return;
    }
    d->from = from;
    d->to = to;
    atspi_queue(r, ATSPI_ASK_SELECTED_TEXT, question.app, question.node);
}

void atspi_details_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    desk_element_details *d = r->details;
    dbus_int32_t number;
    DBusMessageIter i;
    const char *text;
    switch (question.kind) {
    case ATSPI_ASK_MINIMUM:
        d->minimum = finite_property(reply);
        break;
    case ATSPI_ASK_MAXIMUM:
        d->maximum = finite_property(reply);
        break;
    case ATSPI_ASK_STEP:
        d->step = finite_property(reply);
        break;
    case ATSPI_ASK_CHARACTERS:
        d->has_text = atspi_property(reply, DBUS_TYPE_INT32, &number) && number >= 0;
        d->characters = d->has_text ? number : 0;
        break;
    case ATSPI_ASK_CARET: /* what is selected, if anything is, goes before it */
        if (d->from == d->to && atspi_property(reply, DBUS_TYPE_INT32, &number) && number >= 0) {
            d->from = d->to = number;
        }
        break;
    case ATSPI_ASK_SELECTIONS:
        if (atspi_begin(reply, "i", &i)) {
            dbus_message_iter_get_basic(&i, &number);
            if (number > 0) {
                atspi_queue(r, ATSPI_ASK_SELECTION, question.app, question.node);
            }
        }
        break;
    case ATSPI_ASK_SELECTION:
        selection_answer(r, question, reply);
        break;
    case ATSPI_ASK_SELECTED_TEXT:
        if (atspi_begin(reply, "s", &i)) {
            dbus_message_iter_get_basic(&i, &text);
            d->selected = atspi_take_text(r, text);
        }
        break;
    case ATSPI_ASK_ACTION_LIST:
        actions_answer(r, question, reply);
        break;
    case ATSPI_ASK_ACTION_NAME:
        name_answer(r, question, reply);
        break;
    default:
        break;
    }
}
