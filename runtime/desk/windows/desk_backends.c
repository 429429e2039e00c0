/* The backends of Windows, in the order in which they are tried. */
#include "desk/null/null.h"
#include "desk/win32/elements/win32_elements.h"
#include "desk/win32/win32.h"

const desk_backend desk_backends[] = {
    {.name = "win32", .connect = win32_desk_connect},
    {.name = "null", .connect = null_desk_connect, .only_by_name = true},
    {.name = NULL},
};

const desk_activity_backend desk_activity_backends[] = {
    {.name = "win32", .connect = win32_activity_connect},
    {.name = "null", .connect = null_activity_connect, .only_by_name = true},
    {.name = NULL},
};

const desk_elements_backend desk_elements_backends[] = {
    {.name = "ui-automation", .connect = win32_elements_connect},
    {.name = NULL},
};
