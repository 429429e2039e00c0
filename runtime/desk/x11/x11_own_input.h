/* x11_own_input.h: which input events are this program's own; see x11_own_input.c. */
#ifndef DESK_X11_X11_OWN_INPUT_H
#define DESK_X11_X11_OWN_INPUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct x11_own_input x11_own_input;

enum { X11_OWN_INPUT_KINDS = 5 }; /* XCB_KEY_PRESS to XCB_MOTION_NOTIFY */

/* What one watch has seen of a record. */
typedef struct {
    uint32_t seen[X11_OWN_INPUT_KINDS][256];
} x11_account;

/* The record of that display; NULL without memory. To be closed. */
x11_own_input *x11_own_input_open(const char *display);
void x11_own_input_close(x11_own_input *record);

/* To be called before an event is sent: its type (XCB_KEY_PRESS, ...) and key or button, 0 for a
 * move. From any thread. NULL is allowed. */
void x11_own_input_sent(x11_own_input *record, uint8_t type, uint8_t detail);

/* From now on. */
void x11_account_open(x11_account *account, const x11_own_input *record);
/* Whether that event, which has come, is one that we sent. For one thread. */
bool x11_account_is_ours(x11_account *account, const x11_own_input *record, uint8_t type,
                         uint8_t detail);

#endif
