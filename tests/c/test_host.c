/* The host of the Lua state where memory ends while it calls the program: the process says so and
 * ends with the documented status, whichever request fails. */
#include "check.h"
#include "host/host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_MEMORY = 3, STEPS = 200 /* requests that fail one by one */, STRIDE = 97 };

static size_t before, failing; /* requests that succeed, and how many fail then */

static void *allocate(void *unused, void *block, size_t old_size, size_t new_size)
{
    (void) unused;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (!block || new_size > old_size) {
        if (before > 0) {
            before--;
        } else if (failing > 0) {
            failing--;
            return NULL;
        }
    }
    return realloc(block, new_size);
}

static _Noreturn void play(int errors)
{
    char *argv[] = {(char *) "deskpilot", (char *) "--version", NULL};
    lua_State *L = host_open();
    dup2(errors, STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    lua_setallocf(L, allocate, NULL);
    _exit(host_call(L, "deskpilot.cli", "main", 2, argv, 1));
}

/* Whether the program could do its work all the same. */
static bool succeeds(size_t number, size_t times)
{
    char words[512];
    int status = 0, errors[2];
    before = number;
    failing = times;
    CHECK(pipe(errors) == 0);
    pid_t child = fork();
    if (child == 0) {
        play(errors[1]);
    }
    close(errors[1]);
    ssize_t size = read(errors[0], words, sizeof words - 1);
    words[size > 0 ? size : 0] = '\0';
    close(errors[0]);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    bool ok = WEXITSTATUS(status) == 0;
    if (!ok) {
        CHECK_EQ(WEXITSTATUS(status), NO_MEMORY);
    }
    CHECK_STR(words, ok ? "" : "deskpilot: there is not enough memory\n");
    return ok;
}

static void every_request(size_t times)
{
    size_t number = 0, ended = 0;
    while (number < 1000000 && !succeeds(number, times)) {
        ended++;
        number += number < STEPS ? 1 : STRIDE;
    }
    printf("%zu ends without memory\n", ended);
    CHECK(ended > STEPS);
}

int main(void)
{
    every_request(SIZE_MAX);
    for (size_t number = 0; number < STEPS; number++) {
        succeeds(number, 2); /* the second one is Lua's own, after it has collected */
    }
    return check_done();
}
