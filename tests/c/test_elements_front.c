/* The front of the element readers: what it refuses before a reader sees it, and which is taken. */
#include "desk/elements_internal.h"
#include "fails.h"

#include <math.h>
#include <stdlib.h>

static int calls; /* that have reached the reader */

static void close_reader(desk_elements *e)
{
    calls++;
    free(e);
}

static bool read_none(desk_elements *e, const desk_elements_query *query, desk_element_list *out,
                      base_error *failure)
{
    (void) e;
    (void) query;
    (void) out;
    (void) failure;
    calls++;
    return true;
}

static bool act_well(desk_elements *e, const char *handle, const char *action, int index,
                     uint64_t deadline, base_error *failure)
{
    (void) e;
    (void) handle;
    (void) action;
    (void) index;
    (void) deadline;
    (void) failure;
    calls++;
    return true;
}

static bool change_well(desk_elements *e, const char *handle, const desk_element_change *change,
                        uint64_t deadline, base_error *failure)
{
    (void) e;
    (void) handle;
    (void) change;
    (void) deadline;
    (void) failure;
    calls++;
    return true;
}

static bool ask_well(desk_elements *e, const char *handle, uint64_t deadline,
                     desk_element_details *out, base_error *failure)
{
    (void) e;
    (void) handle;
    (void) deadline;
    (void) out;
    (void) failure;
    calls++;
    return true;
}

static bool connect_reader(desk_elements **out, const desk_elements_options *options,
                           base_error *failure)
{
    static const desk_elements_ops ops = {close_reader, read_none, act_well, change_well, ask_well};
    (void) failure;
    CHECK(options != NULL);
    *out = calloc(1, sizeof **out);
    (*out)->ops = &ops;
    return true;
}

static bool no_bus(desk_elements **out, const desk_elements_options *options, base_error *failure)
{
    (void) out;
    (void) options;
    return base_fail(failure, BASE_NOT_FOUND, "There is no bus.");
}

static bool change(desk_elements *e, desk_element_change what)
{
    return desk_elements_change(e, "a", &what, 0, &err);
}

static void test_changes(desk_elements *e)
{
    FAILS(change(e, (desk_element_change){.kind = DESK_CHANGE_TEXT}), BASE_INVALID,
          "the text is not valid UTF-8");
    FAILS(change(e, (desk_element_change){.kind = DESK_CHANGE_TEXT, .text = "\xff"}), BASE_INVALID,
          "the text is not valid UTF-8");
    FAILS(change(e, (desk_element_change){.kind = DESK_CHANGE_VALUE, .number = NAN}), BASE_INVALID,
          "an element's value is a finite number");
    FAILS(change(e, (desk_element_change){.kind = DESK_CHANGE_VALUE, .number = -INFINITY}),
          BASE_INVALID, "an element's value is a finite number");
    FAILS(change(e, (desk_element_change){.kind = DESK_CHANGE_SELECTION, .from = 3, .to = 2}),
          BASE_INVALID,
          "characters 3 to 2 are no part of a text: they count from 0, and the end comes after the "
          "start");
    CHECK(!change(e, (desk_element_change){.kind = DESK_CHANGE_SELECTION, .from = -1, .to = 2}));
    FAILS(change(e, (desk_element_change){.kind = (desk_change_kind) 99}), BASE_INVALID,
          "an element cannot be changed so");
    CHECK_EQ(calls, 0);
    CHECK(change(e, (desk_element_change){.kind = DESK_CHANGE_TEXT, .text = ""}));
    CHECK(change(e, (desk_element_change){.kind = DESK_CHANGE_VALUE, .number = -1e300}));
    CHECK(change(e, (desk_element_change){.kind = DESK_CHANGE_SELECTION, .from = 2, .to = 2}));
    CHECK(change(e, (desk_element_change){.kind = DESK_CHANGE_FOCUSED}));
    CHECK_EQ(calls, 4);
}

static void test_elements(void)
{
    static const desk_elements_backend second[] = {
        {.name = "a", .connect = no_bus}, {.name = "b", .connect = connect_reader}, {.name = NULL}};
    desk_elements *e = NULL;
    desk_element_list list;
    desk_element_details details;
    static const char no_handle[] = "this is not an element's handle";
    FAILS(desk_elements_open_from((desk_elements_backend[]){{"a", no_bus, false}, {0}}, &e, NULL,
                                  &err),
          BASE_UNAVAILABLE, "There is no bus.");
    if (!CHECK(desk_elements_open_from(second, &e, NULL, &err))) {
        return;
    }
    FAILS(desk_elements_read(e, &(desk_elements_query){0}, &list, &err), BASE_INVALID,
          "at least one element must be asked for");
    FAILS(desk_elements_read(e, &(desk_elements_query){.max_nodes = 1, .pid = -1}, &list, &err),
          BASE_INVALID, "a process has no negative number");
    CHECK(list.count == 0 && !list.items);
    FAILS(desk_elements_act(e, "", NULL, 0, 0, &err), BASE_INVALID, no_handle);
    FAILS(desk_elements_act(e, NULL, NULL, 0, 0, &err), BASE_INVALID, no_handle);
    FAILS(desk_elements_act(e, "\xff", NULL, 0, 0, &err), BASE_INVALID, no_handle);
    FAILS(desk_elements_act(e, "a", NULL, -1, 0, &err), BASE_INVALID,
          "an element's actions count from 0");
    FAILS(desk_elements_act(e, "a", "\xff", 0, 0, &err), BASE_INVALID,
          "the action's name is not valid UTF-8");
    FAILS(desk_elements_ask(e, "", 0, &details, &err), BASE_INVALID, no_handle);
    CHECK_STR(details.selected, "");
    FAILS(desk_elements_change(e, "", &(desk_element_change){0}, 0, &err), BASE_INVALID, no_handle);
    CHECK_EQ(calls, 0);
    test_changes(e);
    calls = 0;
    CHECK(desk_elements_read(e, &(desk_elements_query){.max_nodes = 1}, &list, &err));
    CHECK(desk_elements_act(e, "a", NULL, 0, 0, &err) &&
          desk_elements_act(e, "a", "x", 0, 0, &err));
    CHECK(desk_elements_ask(e, "a", 0, &details, &err));
    CHECK_EQ(calls, 4);
    desk_elements_close(e);
    CHECK_EQ(calls, 5);
}

int main(void)
{
    test_elements();
    return check_done();
}
