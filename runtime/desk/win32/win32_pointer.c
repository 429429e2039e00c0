/*
 * The pointer is moved by SetCursorPos: it takes physical pixels as they are, where an absolute
 * SendInput has to go through 65536ths of the desktop. Windows under the pointer get their
 * WM_MOUSEMOVE from it just the same.
 */
#include "win32_internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <uv.h>

enum {
    MILLISECOND = 1000000, /* in nanoseconds */
    ARRIVAL = 20 * MILLISECOND,
    LONGEST_ARRIVAL = 200 * MILLISECOND,
    OUR_MOVE = 1000 * MILLISECOND, /* after this a move to the same place is somebody else's */
    ABSOLUTE_SIDE = 65536,         /* what MOUSEEVENTF_ABSOLUTE calls the width and the height */
};

static bool is_at(POINT target, POINT *at)
{
    return GetCursorPos(at) && at->x == target.x && at->y == target.y;
}

/* The middle of the pixel, or every other point would be off by one. */
static LONG absolute(LONG pixel, int origin, int side)
{
    return (LONG) ((((int64_t) pixel - origin) * 2 + 1) * ABSOLUTE_SIDE / (2 * (int64_t) side));
}

/* Where the pointer was sent lately, and when last; watches ask on threads of their own. Enough of
 * them for what a busy machine tells late of a pointer that is sent on every few milliseconds. */
enum { PLACES = 256 };
static _Atomic uint64_t places[PLACES], sent_at;
static atomic_uint next_place;

static uint64_t packed(POINT p)
{
    return (uint64_t) (uint32_t) p.x << 32 | (uint32_t) p.y;
}

bool win32_is_our_move(POINT to)
{
    bool there = false;
    for (int i = 0; i < PLACES; i++) {
        there |= atomic_load(&places[i]) == packed(to);
    }
    return there && uv_hrtime() - atomic_load(&sent_at) < OUR_MOVE;
}

static void note_move(POINT target)
{
    atomic_store(&places[atomic_fetch_add(&next_place, 1) % PLACES], packed(target));
    atomic_store(&sent_at, uv_hrtime());
}

static void add_place(INPUT *input, POINT target, image_rect screen)
{
    input->mi.dx = absolute(target.x, screen.x, screen.width);
    input->mi.dy = absolute(target.y, screen.y, screen.height);
    input->mi.dwFlags |= MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE | MOUSEEVENTF_VIRTUALDESK;
}

static void send_to(POINT target, image_rect screen)
{
    note_move(target);
    if (SetCursorPos(target.x, target.y)) {
        return;
    }
    INPUT input = {.type = INPUT_MOUSE};
    add_place(&input, target, screen);
    win32_send(&input, 1, NULL); /* whether it arrived is looked at anyway */
}

static bool win32_pointer_move(desk *d, int x, int y, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    image_rect screen;
    POINT target = {x, y}, at = {0, 0};
    if (!win32_screen_rect(d, &screen, err)) {
        return false;
    }
    send_to(target, screen);
    uint64_t start = uv_hrtime();
    while (!is_at(target, &at)) {
        if (uv_hrtime() - start > ARRIVAL) {
            return base_fail(err, BASE_REFUSED,
                             "The pointer was sent to %d,%d but is at %ld,%ld: something holds it, "
                             "or no monitor is there.",
                             x, y, at.x, at.y);
        }
        Sleep(1);
        send_to(target, screen); /* the user's own hand on the mouse may have come in between */
    }
    w->moved = true;
    w->target = target;
    w->moved_at = start;
    return true;
}

/* In a virtual desktop of Wine a move is taken in a little later, and the pointer may go back for a
 * moment: what depends on its place right after a move waits that long, so that a button is pressed
 * where the pointer was sent; where it did go back, from then on. Whatever comes later does not
 * wait, nor do the moves of a drag. */
void win32_hold_still(win32_desk *w)
{
    image_rect screen;
    POINT at;
    if (!w->moved || !win32_screen_rect(&w->base, &screen, NULL)) {
        return;
    }
    uint64_t still_since = w->moved_at;
    while (uv_hrtime() - still_since < ARRIVAL && uv_hrtime() - w->moved_at < LONGEST_ARRIVAL) {
        if (!is_at(w->target, &at)) {
            send_to(w->target, screen);
            still_since = uv_hrtime();
        }
        Sleep(1);
    }
    w->moved = false;
}

static bool win32_pointer_get(desk *d, int *x, int *y, base_error *err)
{
    POINT at;
    win32_hold_still((win32_desk *) d);
    if (!GetCursorPos(&at)) {
        return base_fail(err, BASE_REFUSED,
                         "Windows does not tell where the pointer is: the screen is locked or a "
                         "UAC prompt is shown.");
    }
    *x = at.x;
    *y = at.y;
    return true;
}

/* The button to press so that applications see `button`: users who have the mouse in the left hand
 * swap two of them, and Windows swaps what is sent as well (Wine 8 does not). */
static desk_button physical(desk_button button)
{
    bool swapped = GetSystemMetrics(SM_SWAPBUTTON) != 0;
    return swapped && button == DESK_LEFT    ? DESK_RIGHT
           : swapped && button == DESK_RIGHT ? DESK_LEFT
                                             : button;
}

static bool was_sent_lately(const win32_desk *w)
{
    return w->moved_at && uv_hrtime() - w->moved_at < OUR_MOVE;
}

static bool under_pointer_takes_input(const win32_desk *w, base_error *err)
{
    POINT at = w->target;
    bool known = was_sent_lately(w) || GetCursorPos(&at);
    return win32_takes_input(known ? WindowFromPoint(at) : NULL, err);
}

/* A button that is used soon after a move is used where that move led: place and button are one
 * event, so that nothing comes in between, neither the user's hand nor (on a busy Wine, however
 * long we wait) a window that hears only now of where the pointer was before, and puts it back
 * there. */
static void add_recent_place(win32_desk *w, INPUT *input)
{
    image_rect screen;
    if (was_sent_lately(w) && win32_screen_rect(&w->base, &screen, NULL)) {
        note_move(w->target);
        add_place(input, w->target, screen);
    }
}

static bool press(win32_desk *w, desk_button button, bool down, base_error *err)
{
    static const struct {
        DWORD down, up, data;
    } flags[] = {
        [DESK_LEFT] = {MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP, 0},
        [DESK_MIDDLE] = {MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP, 0},
        [DESK_RIGHT] = {MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP, 0},
        [DESK_BACK] = {MOUSEEVENTF_XDOWN, MOUSEEVENTF_XUP, XBUTTON1},
        [DESK_FORWARD] = {MOUSEEVENTF_XDOWN, MOUSEEVENTF_XUP, XBUTTON2},
    };
    INPUT input = {.type = INPUT_MOUSE};
    input.mi.dwFlags = down ? flags[button].down : flags[button].up;
    input.mi.mouseData = flags[button].data;
    add_recent_place(w, &input);
    if (!win32_send(&input, 1, err)) {
        return false;
    }
    unsigned bit = 1u << button;
    w->buttons_down = down ? w->buttons_down | bit : w->buttons_down & ~bit;
    return true;
}

static bool win32_button(desk *d, desk_button button, bool down, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    win32_hold_still(w);
    return (!down || under_pointer_takes_input(w, err)) && press(w, physical(button), down, err);
}

/* One event for each notch, as a wheel does: some programs only look at the sign. What is left over
 * is one more, as from a touchpad. */
static bool turn(int parts, DWORD flag, int sign, base_error *err)
{
    INPUT input = {.type = INPUT_MOUSE};
    input.mi.dwFlags = flag;
    for (int left = abs(parts); left > 0; left -= WHEEL_DELTA) {
        int delta = left < WHEEL_DELTA ? left : WHEEL_DELTA;
        input.mi.mouseData = (DWORD) (parts < 0 ? -sign * delta : sign * delta);
        if (!win32_send(&input, 1, err)) {
            return false;
        }
    }
    return true;
}

static bool win32_wheel(desk *d, int dx, int dy, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    win32_hold_still(w);
    if (!under_pointer_takes_input(w, err)) {
        return false;
    }
    /* Away from the user, which scrolls up, is positive here. */
    return turn(dx, MOUSEEVENTF_HWHEEL, 1, err) && turn(dy, MOUSEEVENTF_WHEEL, -1, err);
}

void win32_pointer_close(win32_desk *w)
{
    for (desk_button button = DESK_LEFT; button <= DESK_FORWARD; button++) {
        if (w->buttons_down & 1u << button) {
            press(w, button, false, NULL);
        }
    }
    w->buttons_down = 0;
}

/* No program looks at clicks before their window does, so no button waits. */
void win32_pointer_ops(desk_ops *ops)
{
    ops->pointer_get = win32_pointer_get;
    ops->pointer_move = win32_pointer_move;
    ops->pointer_button = win32_button;
    ops->pointer_wheel = win32_wheel;
}
