/*
 * monitors.h: the monitors that the desktop's one space is made of, as a list that backends fill.
 */
#ifndef DESK_MONITORS_H
#define DESK_MONITORS_H

#include "image/image.h"

typedef struct {
    char *name;      /* UTF-8, never NULL once filled; control characters removed */
    image_rect rect; /* in the space that all monitors share */
    image_rect work; /* what task bars and docks leave of it */
    double scale; /* how much larger than at 96 dots an inch things are to be drawn: 1, 1.25, 2 */
    bool primary; /* exactly one is */
} desk_monitor;

typedef struct {
    desk_monitor *items; /* from left to right, those with the same left edge from top to bottom */
    size_t count;        /* at least one */
} desk_monitor_list;

void desk_monitor_list_free(desk_monitor_list *list);
/* Adds one, with a copy of its name, to a list that begins zeroed; false without memory. */
bool desk_monitor_list_add(desk_monitor_list *list, const char *name, desk_monitor monitor);
/* Puts them in order and leaves exactly one primary: the first that says so, else the first. */
void desk_monitor_list_order(desk_monitor_list *list);

#endif
