/*
 * The watch of Windows's input desktop: a thread with low-level hooks, through which all input goes
 * before any program gets it, and with the hotkeys that are ours. A hook must return at once (the
 * whole desktop waits for it), so it only leaves messages for its own thread.
 *
 * Our own input has a mark (win32_our_mark()). The pointer's moves have none, being made by
 * SetCursorPos: those that lead where we sent it are ours (win32_pointer.c).
 */
#include "win32.h"
#include "win32_internal.h"

#include <stdlib.h>

enum { MESSAGE_KEY = WM_APP + 1, MESSAGE_TAKE, MESSAGE_GIVE_BACK };

typedef struct {
    desk_activity base;
    uv_thread_t thread;
    uv_sem_t started;
    DWORD thread_id;
    HHOOK keyboard, mouse;
    DWORD error; /* why there are no hooks */
} win32_activity;

/* What a message asks the thread to do; it lives until `done` is posted. */
typedef struct {
    int number;
    UINT modifiers, vk;
    DWORD error;
    uv_sem_t done;
} request;

static _Thread_local win32_activity *here; /* hooks are called on the thread that set them */

/* --- the thread --------------------------------------------------------------------------------
 */

static LRESULT CALLBACK on_key(int code, WPARAM what, LPARAM data)
{
    const KBDLLHOOKSTRUCT *key = (const KBDLLHOOKSTRUCT *) data;
    if (code == HC_ACTION && key->dwExtraInfo != win32_our_mark()) {
        bool down = what == WM_KEYDOWN || what == WM_SYSKEYDOWN;
        activity_noticed(&here->base);
        PostThreadMessageW(here->thread_id, MESSAGE_KEY, key->vkCode, down);
    }
    return CallNextHookEx(NULL, code, what, data);
}

static LRESULT CALLBACK on_mouse(int code, WPARAM what, LPARAM data)
{
    const MSLLHOOKSTRUCT *mouse = (const MSLLHOOKSTRUCT *) data;
    if (code == HC_ACTION && mouse->dwExtraInfo != win32_our_mark() &&
        !(what == WM_MOUSEMOVE && win32_is_our_move(mouse->pt))) {
        activity_noticed(&here->base);
    }
    return CallNextHookEx(NULL, code, what, data);
}

static void set_hooks(win32_activity *w)
{
    HINSTANCE program = GetModuleHandleW(NULL);
    w->keyboard = SetWindowsHookExW(WH_KEYBOARD_LL, on_key, program, 0);
    w->mouse = w->keyboard ? SetWindowsHookExW(WH_MOUSE_LL, on_mouse, program, 0) : NULL;
    w->error = w->mouse ? 0 : GetLastError();
}

static void answer(request *r, bool ok)
{
    r->error = ok ? 0 : GetLastError();
    uv_sem_post(&r->done);
}

static void take_message(win32_activity *w, const MSG *message)
{
    request *r = (request *) message->lParam;
    switch (message->message) {
    case MESSAGE_KEY:
        activity_key(&w->base, (unsigned) message->wParam, message->lParam != 0);
        break;
    case MESSAGE_TAKE:
        answer(r, RegisterHotKey(NULL, r->number, r->modifiers | MOD_NOREPEAT, r->vk));
        break;
    case MESSAGE_GIVE_BACK:
        answer(r, UnregisterHotKey(NULL, r->number));
        break;
    case WM_HOTKEY:
        activity_taken_pressed(&w->base, (int) message->wParam);
        break;
    }
}

static void watch(void *context)
{
    win32_activity *w = context;
    MSG message;
    here = w;
    w->thread_id = GetCurrentThreadId();
    PeekMessageW(&message, NULL, 0, 0, PM_NOREMOVE); /* makes the queue, so that posts arrive */
    set_hooks(w);
    uv_sem_post(&w->started);
    while (w->error == 0 && GetMessageW(&message, NULL, 0, 0) > 0) {
        take_message(w, &message);
    }
    if (w->mouse) {
        UnhookWindowsHookEx(w->mouse);
    }
    if (w->keyboard) {
        UnhookWindowsHookEx(w->keyboard);
    }
}

/* --- for the rest of the program ---------------------------------------------------------------
 */

static const desk_activity_ops OPS;

static void free_all(win32_activity *w)
{
    uv_sem_destroy(&w->started);
    activity_finish(&w->base);
    free(w);
}

bool win32_activity_connect(desk_activity **out, const desk_options *where, base_error *err)
{
    if (where->display) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "a private desktop on Windows has no mouse and keyboard, so nobody can "
                         "input it");
    }
    win32_activity *w = calloc(1, sizeof *w);
    if (!w) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desktop.");
    }
    activity_prepare(&w->base, &OPS);
    uv_sem_init(&w->started, 0);
    int failed = uv_thread_create(&w->thread, watch, w);
    if (failed) {
        free_all(w);
        return base_fail(err, BASE_NO_MEMORY, "No thread can be started: %s.", uv_strerror(failed));
    }
    uv_sem_wait(&w->started);
    if (w->error) {
        DWORD error = w->error;
        uv_thread_join(&w->thread);
        free_all(w);
        return win32_fail(err, BASE_REFUSED, "The mouse and keyboard cannot be watched", error);
    }
    *out = &w->base;
    return true;
}

static void close_watch(desk_activity *h)
{
    win32_activity *w = (win32_activity *) h;
    PostThreadMessageW(w->thread_id, WM_QUIT, 0, 0);
    uv_thread_join(&w->thread);
    free_all(w);
}

static void add_either(activity_codes *set, unsigned any, unsigned left, unsigned right)
{
    activity_codes_add(set, any);
    activity_codes_add(set, left);
    activity_codes_add(set, right);
}

/* Adds the virtual keys of one key of a combination; 0 or its bit for RegisterHotKey. */
static unsigned add_key(activity_codes *set, desk_key key, const win32_stroke *stroke)
{
    switch (key) {
    case DESK_KEY_CTRL:
        add_either(set, VK_CONTROL, VK_LCONTROL, VK_RCONTROL);
        return MOD_CONTROL;
    case DESK_KEY_ALT:
        add_either(set, VK_MENU, VK_LMENU, VK_RMENU);
        return MOD_ALT;
    case DESK_KEY_SHIFT:
        add_either(set, VK_SHIFT, VK_LSHIFT, VK_RSHIFT);
        return MOD_SHIFT;
    case DESK_KEY_WIN:
        add_either(set, VK_LWIN, VK_LWIN, VK_RWIN);
        return MOD_WIN;
    default:
        activity_codes_add(set, stroke->vk);
    }
    /* RegisterHotKey does not know left from right. */
    switch (stroke->vk) {
    case VK_LCONTROL:
    case VK_RCONTROL:
        return MOD_CONTROL;
    case VK_LMENU:
    case VK_RMENU:
        return MOD_ALT;
    case VK_LSHIFT:
    case VK_RSHIFT:
        return MOD_SHIFT;
    case VK_LWIN:
    case VK_RWIN:
        return MOD_WIN;
    }
    return stroke->modifiers & WIN32_SHIFT ? MOD_SHIFT : 0;
}

static bool find_keys(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    (void) h;
    for (size_t i = 0; i < hotkey->combo.count; i++) {
        desk_key key = hotkey->combo.keys[i];
        win32_stroke stroke = win32_stroke_of(key);
        if (!stroke.vk) {
            char name[DESK_KEY_NAME_SIZE];
            desk_key_name(key, name);
            return base_fail(err, BASE_UNSUPPORTED, "This keyboard has no key \"%s\".", name);
        }
        hotkey->modifiers |= add_key(&hotkey->keys[i], key, &stroke);
    }
    return true;
}

static UINT main_key(const activity_hotkey *hotkey)
{
    for (size_t i = 0; i < hotkey->combo.count; i++) {
        if (!desk_key_is_modifier(hotkey->combo.keys[i])) {
            return win32_stroke_of(hotkey->combo.keys[i]).vk;
        }
    }
    return 0;
}

/* Hotkeys belong to the thread that registers them. Gives Windows's error, 0 for none. */
static DWORD ask_thread(desk_activity *h, UINT what, const activity_hotkey *hotkey)
{
    request r = {.number = hotkey->number, .modifiers = hotkey->modifiers, .vk = main_key(hotkey)};
    uv_sem_init(&r.done, 0);
    if (PostThreadMessageW(((win32_activity *) h)->thread_id, what, 0, (LPARAM) &r)) {
        uv_sem_wait(&r.done);
    } else {
        r.error = GetLastError();
    }
    uv_sem_destroy(&r.done);
    return r.error;
}

static bool take(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    DWORD error = ask_thread(h, MESSAGE_TAKE, hotkey);
    if (error == ERROR_HOTKEY_ALREADY_REGISTERED) {
        return base_fail(err, BASE_REFUSED,
                         "Another program (or Windows itself) has taken this hotkey; choose "
                         "another one.");
    }
    return error == 0 || win32_fail(err, BASE_REFUSED, "Windows does not give this hotkey", error);
}

static void give_back(desk_activity *h, const activity_hotkey *hotkey)
{
    ask_thread(h, MESSAGE_GIVE_BACK, hotkey);
}

static const desk_activity_ops OPS = {
    .close = close_watch,
    .find_keys = find_keys,
    .take = take,
    .give_back = give_back,
};
