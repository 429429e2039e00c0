/*
 * ctrlc PROGRAM [ARGS]: for tests of Ctrl+C. Runs a program in a console of its own, with our
 * standard output and error, and sends to that console what comes on standard input: 'c' is a
 * Ctrl+C, 'b' a Ctrl+Break, 'x' what closing the console's window does, 't' types what follows up
 * to the end of the line, and Enter; 'w' waits until the console shows what follows up to the end
 * of the line. Ends when the program does, with its exit status. With the variable CTRLC_TYPES the
 * program's standard input and error are the console too.
 *
 * A Ctrl+C can be sent only to all of a console at once, not to a process group, hence the console;
 * we are a part of it ourselves and turn a deaf ear.
 */
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

static BOOL WINAPI ignore(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

static HANDLE child;

/* What the system does for an event: a thread of the program that runs this routine. For Wine,
 * which sends no Ctrl+Break (8.0), and for closing. */
static bool raise_event(DWORD event)
{
    LPTHREAD_START_ROUTINE routine = (LPTHREAD_START_ROUTINE) (void *) GetProcAddress(
        GetModuleHandleW(L"kernelbase.dll"), "CtrlRoutine");
    HANDLE thread =
        routine ? CreateRemoteThread(child, NULL, 0, routine, (void *) (ULONG_PTR) event, 0, NULL)
                : NULL;
    return thread && CloseHandle(thread);
}

static HANDLE open_console(const wchar_t *name)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    return CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                       &inherited, OPEN_EXISTING, 0, NULL);
}

static void type_key(HANDLE console, char key)
{
    bool enter = key == '\n';
    INPUT_RECORD press = {.EventType = KEY_EVENT};
    press.Event.KeyEvent.bKeyDown = TRUE;
    press.Event.KeyEvent.wRepeatCount = 1;
    press.Event.KeyEvent.wVirtualKeyCode = enter ? VK_RETURN : 0;
    press.Event.KeyEvent.uChar.UnicodeChar = enter ? L'\r' : (wchar_t) (unsigned char) key;
    INPUT_RECORD both[2] = {press, press};
    both[1].Event.KeyEvent.bKeyDown = FALSE;
    DWORD count;
    WriteConsoleInputW(console, both, 2, &count);
}

static void type_line(HANDLE input)
{
    HANDLE console = open_console(L"CONIN$");
    char key = 0;
    DWORD count;
    while (key != '\n' && ReadFile(input, &key, 1, &count, NULL) && count == 1) {
        type_key(console, key);
    }
    CloseHandle(console);
}

/* Whether some place of the console's screen, read as one text, is what is looked for. */
static bool shows(HANDLE console, const char *wanted)
{
    static wchar_t screen[1 << 16];
    CONSOLE_SCREEN_BUFFER_INFO info;
    DWORD count = 0;
    if (!GetConsoleScreenBufferInfo(console, &info)) {
        return false;
    }
    DWORD size = (DWORD) info.dwSize.X * (DWORD) info.dwSize.Y;
    DWORD most = sizeof screen / sizeof *screen;
    ReadConsoleOutputCharacterW(console, screen, size < most ? size : most, (COORD){0, 0}, &count);
    for (DWORD at = 0, same; at < count; at++) {
        for (same = 0; wanted[same] && at + same < count; same++) {
            if (screen[at + same] != (wchar_t) (unsigned char) wanted[same]) {
                break;
            }
        }
        if (!wanted[same]) {
            return true;
        }
    }
    return false;
}

static void wait_for_line(HANDLE input)
{
    HANDLE console = open_console(L"CONOUT$");
    char wanted[256];
    size_t length = 0;
    DWORD count;
    while (length < sizeof wanted - 1 && ReadFile(input, &wanted[length], 1, &count, NULL) &&
           count == 1 && wanted[length] != '\n') {
        length++;
    }
    wanted[length] = 0;
    while (!shows(console, wanted)) {
        Sleep(10);
    }
    CloseHandle(console);
}

static DWORD WINAPI send_events(void *input)
{
    char key;
    DWORD count;
    while (ReadFile(input, &key, 1, &count, NULL) && count == 1) {
        if (key == 't') {
            type_line(input);
        }
        if (key == 'w') {
            wait_for_line(input);
        }
        if (key != 'c' && key != 'b' && key != 'x') {
            continue;
        }
        DWORD event = key == 'c' ? CTRL_C_EVENT : key == 'b' ? CTRL_BREAK_EVENT : CTRL_CLOSE_EVENT;
        /* No program may say for another that its console was closed: that one is always raised. */
        if ((key == 'x' || !GenerateConsoleCtrlEvent(event, 0)) && !raise_event(event)) {
            fprintf(stderr, "ctrlc: the event was not sent, error %lu\n", GetLastError());
        }
    }
    TerminateProcess(child, 124);
    return 0;
}

/* Our command line behind our own name, quoted as it was given. */
static wchar_t *command_behind_us(void)
{
    wchar_t *at = GetCommandLineW();
    wchar_t stop = *at == L'"' ? L'"' : L' ';
    at += stop == L'"';
    while (*at && *at != stop) {
        at++;
    }
    at += *at == L'"';
    while (*at == L' ') {
        at++;
    }
    return at;
}

static HANDLE start(wchar_t *command, HANDLE out, HANDLE err)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    bool types = GetEnvironmentVariableW(L"CTRLC_TYPES", NULL, 0) > 0;
    HANDLE nothing = types ? open_console(L"CONIN$")
                           : CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inherited,
                                         OPEN_EXISTING, 0, NULL);
    err = types ? open_console(L"CONOUT$") : err;
    STARTUPINFOW startup = {.cb = sizeof startup,
                            .dwFlags = STARTF_USESTDHANDLES,
                            .hStdInput = nothing,
                            .hStdOutput = out,
                            .hStdError = err};
    PROCESS_INFORMATION process;
    SetHandleInformation(out, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    SetHandleInformation(err, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    BOOL started =
        CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process);
    CloseHandle(nothing);
    if (!started) {
        return NULL;
    }
    CloseHandle(process.hThread);
    return process.hProcess;
}

int main(void)
{
    HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE), err = GetStdHandle(STD_ERROR_HANDLE);
    DWORD status = 125;
    FreeConsole();
    AllocConsole();
    ShowWindow(GetConsoleWindow(), SW_HIDE);
    SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have left it ignored, which is inherited */
    child = start(command_behind_us(), out, err);
    if (!child) {
        fprintf(stderr, "ctrlc: cannot start that program, error %lu\n", GetLastError());
        return 125;
    }
    SetConsoleCtrlHandler(ignore, TRUE);
    HANDLE sender = CreateThread(NULL, 0, send_events, in, 0, NULL);
    WaitForSingleObject(child, INFINITE);
    GetExitCodeProcess(child, &status);
    CloseHandle(sender);
    ExitProcess(status); /* with the sender, which waits for input */
}
