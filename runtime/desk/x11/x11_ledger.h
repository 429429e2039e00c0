/* x11_ledger.h: which input events are this program's own; see x11_ledger.c. */
#ifndef DESK_X11_X11_LEDGER_H
#define DESK_X11_X11_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct x11_ledger x11_ledger;

enum { X11_LEDGER_KINDS = 5 }; /* XCB_KEY_PRESS to XCB_MOTION_NOTIFY */

/* What one watch has seen of a ledger. */
typedef struct {
    uint32_t seen[X11_LEDGER_KINDS][256];
} x11_account;

/* The ledger of that display; NULL without memory. To be closed. */
x11_ledger *x11_ledger_open(const char *display);
void x11_ledger_close(x11_ledger *ledger);

/* To be called before an event is sent: its type (XCB_KEY_PRESS, ...) and key or button, 0 for a
 * move. From any thread. NULL is allowed. */
void x11_ledger_sent(x11_ledger *ledger, uint8_t type, uint8_t detail);

/* From now on. */
void x11_account_open(x11_account *account, const x11_ledger *ledger);
/* Whether that event, which has come, is one that we sent. For one thread. */
bool x11_account_is_ours(x11_account *account, const x11_ledger *ledger, uint8_t type,
                         uint8_t detail);

#endif
