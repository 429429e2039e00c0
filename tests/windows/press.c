/*
 * press WORDS: another program than deskpilot that sends input, for tests of noticing people.
 *   press key VK...    presses these virtual keys (hexadecimal), and lets go in reverse
 *   press hold VK...   only presses them
 *   press move DX DY   moves the mouse by that much
 *   press take MODIFIERS VK   has that hotkey (RegisterHotKey) until its standard input ends; says
 *                      "taken" when it has
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static void send_key(const char *code, DWORD flags)
{
    INPUT input = {.type = INPUT_KEYBOARD};
    input.ki.wVk = (WORD) strtoul(code, NULL, 16);
    input.ki.wScan = (WORD) MapVirtualKeyW(input.ki.wVk, MAPVK_VK_TO_VSC);
    input.ki.dwFlags = flags;
    SendInput(1, &input, sizeof input);
}

static void move(int dx, int dy)
{
    INPUT input = {.type = INPUT_MOUSE};
    input.mi.dx = dx;
    input.mi.dy = dy;
    input.mi.dwFlags = MOUSEEVENTF_MOVE;
    SendInput(1, &input, sizeof input);
}

static int take(const char *modifiers, const char *code)
{
    if (!RegisterHotKey(NULL, 1, strtoul(modifiers, NULL, 16), strtoul(code, NULL, 16))) {
        return 1;
    }
    puts("taken");
    fflush(stdout);
    getchar();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "move") == 0) {
        move(atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "take") == 0) {
        return take(argv[2], argv[3]);
    }
    if (argc < 3) {
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        send_key(argv[i], 0);
    }
    for (int i = argc - 1; i > 1 && strcmp(argv[1], "key") == 0; i--) {
        send_key(argv[i], KEYEVENTF_KEYUP);
    }
    return 0;
}
