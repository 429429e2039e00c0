/* The backends of Linux, in the order in which they are tried. */
#include "desk/atspi/atspi.h"
#include "desk/null/null.h"
#include "desk/x11/x11.h"

const desk_backend desk_backends[] = {
    {.name = "x11", .connect = x11_desk_connect},
    {.name = "null", .connect = null_desk_connect, .only_by_name = true},
    {.name = NULL},
};

const desk_activity_backend desk_activity_backends[] = {
    {.name = "x11", .connect = x11_activity_connect},
    {.name = "null", .connect = null_activity_connect, .only_by_name = true},
    {.name = NULL},
};

const desk_elements_backend desk_elements_backends[] = {
    {.name = "at-spi", .connect = atspi_elements_connect},
    {.name = NULL},
};
