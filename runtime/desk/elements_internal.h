/*
 * elements_internal.h: the contract for those who read elements from another accessibility
 * interface; whoever uses them wants elements.h. A backend's struct begins with a `desk_elements`,
 * whose ops its `connect` fills in; the list of a platform names it. The front has checked all
 * arguments, but that a handle is one of this backend's: BASE_INVALID where it is not. Each op
 * locks what it uses, and leaves `out` empty where it fails.
 */
#ifndef DESK_ELEMENTS_INTERNAL_H
#define DESK_ELEMENTS_INTERNAL_H

#include "elements.h"

typedef struct {
    void (*close)(desk_elements *e);
    bool (*read)(desk_elements *e, const desk_elements_query *query, desk_element_list *out,
                 base_error *err);
    bool (*act)(desk_elements *e, const char *handle, const char *action, int index,
                uint64_t deadline, base_error *err);
    bool (*change)(desk_elements *e, const char *handle, const desk_element_change *change,
                   uint64_t deadline, base_error *err);
    bool (*ask)(desk_elements *e, const char *handle, uint64_t deadline, desk_element_details *out,
                base_error *err);
} desk_elements_ops;

/* The first member of each backend's own struct. */
struct desk_elements {
    const desk_elements_ops *ops;
};

typedef struct {
    const char *name;
    /* Does not wait for any application. Errors as of desk_backend's (backend.h). */
    bool (*connect)(desk_elements **out, const desk_elements_options *options, base_error *err);
    bool only_by_name;
} desk_elements_backend;

/* This platform's, in the order in which they are tried; one without a name ends it. */
extern const desk_elements_backend desk_elements_backends[];

/* What desk_elements_open does, with another list. */
bool desk_elements_open_from(const desk_elements_backend *list, desk_elements **out,
                             const desk_elements_options *options, base_error *err);

#endif
