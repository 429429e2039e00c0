/* What the null desk was asked to do, line by line. */
#include "null_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow_log(null_desk *n, size_t by)
{
    if (n->log_used + by + 1 > n->log_capacity) {
        size_t capacity = (n->log_used + by + 1) * 2;
        char *log = realloc(n->log, capacity);
        if (!log) {
            return false;
        }
        n->log = log;
        n->log_capacity = capacity;
    }
    return true;
}

/* A log that cannot grow loses lines: a test will see that, and nothing else reads it. */
void null_add_text(null_desk *n, const char *text, size_t length)
{
    if (grow_log(n, length)) {
        memcpy(n->log + n->log_used, text, length);
        n->log_used += length;
        n->log[n->log_used] = '\0';
    }
}

void null_add_line(null_desk *n, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    null_add_text(n, line, strlen(line));
    null_add_text(n, "\n", 1);
}

void null_add_escaped(null_desk *n, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            null_add_text(n, "\\n", 2);
        } else if (text[i] == '\t') {
            null_add_text(n, "\\t", 2);
        } else if (text[i] == '\0') {
            null_add_text(n, "\\0", 2);
        } else if (text[i] == '\\') {
            null_add_text(n, "\\\\", 2);
        } else {
            null_add_text(n, text + i, 1);
        }
    }
}

const char *null_log(desk *d)
{
    const null_desk *n = (const null_desk *) d;
    return n->log ? n->log : "";
}

void null_log_clear(desk *d)
{
    null_desk *n = (null_desk *) d;
    n->log_used = 0;
    if (n->log) {
        n->log[0] = '\0';
    }
}
