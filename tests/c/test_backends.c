/* Which backend of a list is taken, and what is told where none can be: desks, watches of people.
 */
#include "bare_desk.h"
#include "desk/activity_internal.h"
#include "desk/elements_internal.h"
#include "fails.h"

#include <stdlib.h>

static int tried[4]; /* in which order, from 1 */
static int attempts;

static bool not_there(desk **out, const desk_options *options, base_error *failure)
{
    (void) out;
    (void) options;
    tried[0] = ++attempts;
    return base_fail(failure, BASE_NOT_FOUND, "WINDOW_SYSTEM is not set.");
}

static bool not_there_either(desk **out, const desk_options *options, base_error *failure)
{
    (void) out;
    (void) options;
    tried[1] = ++attempts;
    return base_fail(failure, BASE_NOT_FOUND, "OTHER_SYSTEM is not set.");
}

static bool broken(desk **out, const desk_options *options, base_error *failure)
{
    (void) out;
    tried[2] = ++attempts;
    return base_fail(failure, BASE_UNSUPPORTED, "The display \"%s\" has 8 bits a pixel.",
                     options->display ? options->display : "none");
}

static bool broken_too(desk **out, const desk_options *options, base_error *failure)
{
    (void) out;
    (void) options;
    tried[3] = ++attempts;
    return base_fail(failure, BASE_REFUSED, "The display lets nobody in.");
}

static bool open_some(const desk_backend *list, const char *name)
{
    desk *d = NULL;
    memset(tried, 0, sizeof tried);
    attempts = 0;
    bool ok = desk_open_from(list, &d, name, NULL, &err);
    if (ok) {
        desk_close(d);
    }
    return ok;
}

static void test_order(void)
{
    static const desk_backend first[] = {{.name = "absent", .connect = not_there},
                                         {.name = "bare", .connect = connect_bare},
                                         {.name = "broken", .connect = broken},
                                         {.name = NULL}};
    desk *d = NULL;
    CHECK(open_some(first, NULL));
    CHECK(tried[0] == 1 && tried[2] == 0); /* none after the one that connects */
    CHECK(open_some(first, "bare"));
    CHECK_EQ(attempts, 0);
    CHECK(desk_open_from(first, &d, NULL, NULL, &err));
    CHECK_STR(desk_backend_name(d), "bare");
    desk_close(d);
    FAILS(open_some(first, "broken"), BASE_UNSUPPORTED, "The display \"none\" has 8 bits a pixel.");
    CHECK_EQ(attempts, 1);
    FAILS(open_some(first, "absent"), BASE_UNAVAILABLE, "WINDOW_SYSTEM is not set.");
    FAILS(open_some(first, "bar"), BASE_UNSUPPORTED,
          "This build has no desktop backend called \"bar\".");
    CHECK_EQ(attempts, 0);
}

static void test_which_error(void)
{
    static const desk_backend none_there[] = {{.name = "a", .connect = not_there},
                                              {.name = "b", .connect = not_there_either},
                                              {.name = NULL}},
                              one_found[] = {{.name = "a", .connect = not_there},
                                             {.name = "b", .connect = broken},
                                             {.name = "c", .connect = not_there_either},
                                             {.name = NULL}},
                              two_found[] = {{.name = "a", .connect = broken_too},
                                             {.name = "b", .connect = broken},
                                             {.name = NULL}},
                              hidden[] = {
                                  {.name = "a", .connect = connect_bare, .only_by_name = true},
                                  {.name = NULL}};
    FAILS(open_some(none_there, NULL), BASE_UNAVAILABLE, "WINDOW_SYSTEM is not set.");
    CHECK(tried[0] == 1 && tried[1] == 2);
    FAILS(open_some(one_found, NULL), BASE_UNSUPPORTED, "The display \"none\" has 8 bits a pixel.");
    CHECK(tried[0] == 1 && tried[2] == 2 && tried[1] == 3);
    FAILS(open_some(two_found, NULL), BASE_REFUSED, "The display lets nobody in.");
    FAILS(open_some(hidden, NULL), BASE_UNSUPPORTED, "This build has no desktop backend.");
    CHECK(open_some(hidden, "a"));
}

static void test_options(void)
{
    static const char cookie[] =
        "The cookie of an X display is 32 hexadecimal digits in lower case.";
    static const char *const bad[] = {
        "", "30313233343536373839616263646g66", "303132333435363738396162636465",
        "30313233343536373839616263646566a", "30313233343536373839616263646F66"};
    desk *d = NULL;
    desk_activity *h = NULL;
    desk_elements *e = NULL;
    desk_options name = {.display = "bad\xff"};
    FAILS(desk_open_from(bare, &d, NULL, &name, &err), BASE_INVALID,
          "The display's name is not valid UTF-8.");
    FAILS(desk_activity_open(&h, "null", &name, NULL, NULL, &err), BASE_INVALID,
          "The display's name is not valid UTF-8.");
    FAILS(desk_elements_open(&e, &(desk_elements_options){.display = "\xc3"}, &err), BASE_INVALID,
          "The display's name is not valid UTF-8.");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desk_options options = {.cookie = bad[i]};
        FAILS(desk_open_from(bare, &d, NULL, &options, &err), BASE_INVALID, cookie);
        FAILS(desk_activity_open(&h, "null", &options, NULL, NULL, &err), BASE_INVALID, cookie);
    }
    desk_options good = {.display = "Anzeige ü", .cookie = "30313233343536373839616263646566"};
    if (CHECK(desk_open_from(bare, &d, NULL, &good, &err))) {
        desk_close(d);
    }
}

/* The null desk is there for whoever names it, and taken for no other. */
static void test_this_platform(void)
{
    bool found = false;
    for (const desk_backend *b = desk_backends; b->name; b++) {
        CHECK_EQ(b->only_by_name, strcmp(b->name, "null") == 0);
        found |= b->only_by_name;
    }
    CHECK(found && strcmp(desk_backends[0].name, "null") != 0);
    for (const desk_activity_backend *b = desk_activity_backends; b->name; b++) {
        CHECK_EQ(b->only_by_name, strcmp(b->name, "null") == 0);
    }
    CHECK(desk_elements_backends[0].name != NULL);
}

/* --- watches of people --------------------------------------------------------------------------
 */

static bool nobody(desk_activity **out, const desk_options *where, base_error *failure)
{
    (void) out;
    CHECK(where != NULL);
    return base_fail(failure, BASE_NOT_FOUND, "WINDOW_SYSTEM is not set.");
}

static void close_watch(desk_activity *h)
{
    activity_finish(h);
    free(h);
}

static bool find_any_key(desk_activity *h, activity_hotkey *hotkey, base_error *failure)
{
    (void) h;
    (void) hotkey;
    (void) failure;
    return true;
}

static bool watch_only(desk_activity **out, const desk_options *where, base_error *failure)
{
    static const desk_activity_ops ops = {.close = close_watch, .find_keys = find_any_key};
    (void) where;
    (void) failure;
    *out = calloc(1, sizeof **out);
    activity_prepare(*out, &ops);
    return true;
}

static void on_hotkey(void *context)
{
    (void) context;
}

static void test_activitys(void)
{
    static const desk_activity_backend none[] = {{.name = "a", .connect = nobody}, {.name = NULL}},
                                       second[] = {{.name = "a", .connect = nobody},
                                                   {.name = "b", .connect = watch_only},
                                                   {.name = NULL}};
    desk_activity *h = NULL;
    desk_combo combo;
    FAILS(desk_activity_open_from(none, &h, NULL, NULL, NULL, NULL, &err), BASE_UNAVAILABLE,
          "WINDOW_SYSTEM is not set.");
    FAILS(desk_activity_open_from(none, &h, "b", NULL, NULL, NULL, &err), BASE_UNSUPPORTED,
          "This build has no desktop backend called \"b\".");
    CHECK(desk_combo_parse("ctrl+alt+a", &combo, &err));
    if (CHECK(desk_activity_open_from(second, &h, NULL, NULL, NULL, NULL, &err))) {
        FAILS(desk_activity_add(h, &combo, DESK_HOTKEY_GRABBED, on_hotkey, NULL, &err),
              BASE_UNSUPPORTED, "This desktop gives no program a hotkey.");
        int seen = desk_activity_add(h, &combo, DESK_HOTKEY_WATCHED, on_hotkey, NULL, &err);
        CHECK(seen > 0);
        desk_activity_remove(h, seen);
        desk_activity_close(h);
    }
}

int main(void)
{
    test_order();
    test_which_error();
    test_options();
    test_this_platform();
    test_activitys();
    return check_done();
}
