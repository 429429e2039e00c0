/*
 * pipe_browser --bridge-program=DESKPILOT --bridge-script=FILE --bridge-port=PORT [FLAGS]: stands
 * for a browser of Windows, which Wine has none of. It treats its pipes as Chromium does (file
 * descriptors 3 and 4 of the C library, read and written by ReadFile and WriteFile without
 * overlapping), and ends when they are closed. What it is told it hands to a real browser outside
 * of Wine: a script run by DESKPILOT sends it to that browser's port, and back.
 */
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { READ_FROM = 3, WRITE_TO = 4, CHUNK = 65536 };

typedef struct {
    HANDLE from;
    HANDLE to;
} relay;

static DWORD WINAPI pass_on(void *argument)
{
    relay *r = argument;
    static __thread char bytes[CHUNK];
    DWORD count = 0;
    while (ReadFile(r->from, bytes, CHUNK, &count, NULL) && count > 0) {
        DWORD done = 0;
        for (DWORD sent = 0; sent < count; sent += done) {
            if (!WriteFile(r->to, bytes + sent, count - sent, &done, NULL)) {
                ExitProcess(0);
            }
        }
    }
    ExitProcess(0);
}

static const char *value_of(int argc, char **argv, const char *flag)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], flag, strlen(flag)) == 0) {
            return argv[i] + strlen(flag);
        }
    }
    fprintf(stderr, "pipe_browser: %s... is missing\n", flag);
    exit(2);
}

static HANDLE end_of(int descriptor)
{
    HANDLE handle = (HANDLE) _get_osfhandle(descriptor);
    if (GetFileType(handle) != FILE_TYPE_PIPE) {
        fprintf(stderr, "pipe_browser: descriptor %d is no pipe\n", descriptor);
        exit(3);
    }
    return handle;
}

/* The bridge has the ends of two pipes as its standard input and output. */
static void start_bridge(int argc, char **argv, int input, int output)
{
    char script[1024];
    snprintf(script, sizeof script, "dofile([[%s]])(%s)", value_of(argc, argv, "--bridge-script="),
             value_of(argc, argv, "--bridge-port="));
    const char *program = value_of(argc, argv, "--bridge-program=");
    char line[1100];
    snprintf(line, sizeof line, "\"%s\"", script);
    _dup2(input, 0);
    _dup2(output, 1);
    if (_spawnl(_P_NOWAIT, program, "deskpilot", "eval", line, NULL) == -1) {
        fprintf(stderr, "pipe_browser: cannot start %s\n", program);
        exit(4);
    }
    _close(0);
    _close(1);
    _close(input);
    _close(output);
}

int main(int argc, char **argv)
{
    static relay in, out;
    in.from = end_of(READ_FROM);
    out.to = end_of(WRITE_TO);
    int to[2], from[2];
    if (_pipe(to, CHUNK, _O_BINARY | _O_NOINHERIT) ||
        _pipe(from, CHUNK, _O_BINARY | _O_NOINHERIT)) {
        return 5;
    }
    in.to = (HANDLE) _get_osfhandle(to[1]);
    out.from = (HANDLE) _get_osfhandle(from[0]);
    start_bridge(argc, argv, to[0], from[1]);
    CreateThread(NULL, 0, pass_on, &in, 0, NULL);
    pass_on(&out);
}
