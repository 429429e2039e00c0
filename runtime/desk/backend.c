/* Which of several backends is taken, and what is told where none can be; for every list of them.
 */
#include "backend.h"

#include "base/utf8.h"

#include <string.h>

enum { COOKIE_DIGITS = 32 };

bool desk_backend_fits(const char *name, bool only_by_name, const char *wanted)
{
    return wanted ? strcmp(name, wanted) == 0 : !only_by_name;
}

void desk_backend_failed(base_error *best, const base_error *err)
{
    if (best->code == BASE_OK || (best->code == BASE_NOT_FOUND && err->code != BASE_NOT_FOUND)) {
        *best = *err;
    }
}

bool desk_backend_none(const base_error *best, const char *wanted, base_error *err)
{
    if (best->code == BASE_OK) {
        return wanted ? base_fail(err, BASE_UNSUPPORTED,
                                  "This build has no desktop backend called \"%.40s\".", wanted)
                      : base_fail(err, BASE_UNSUPPORTED, "This build has no desktop backend.");
    }
    /* That nothing names a desktop is, to whoever wants one, a desktop that is not there. */
    base_code code = best->code == BASE_NOT_FOUND ? BASE_UNAVAILABLE : best->code;
    return base_fail(err, code, "%s", best->message);
}

bool desk_options_check(const desk_options *options, base_error *err)
{
    const char *display = options->display, *cookie = options->cookie;
    if (display && base_utf8_check(display, strlen(display)) < strlen(display)) {
        return base_fail(err, BASE_INVALID, "The display's name is not valid UTF-8.");
    }
    if (cookie &&
        (strlen(cookie) != COOKIE_DIGITS || strspn(cookie, "0123456789abcdef") != COOKIE_DIGITS)) {
        return base_fail(err, BASE_INVALID,
                         "The cookie of an X display is %d hexadecimal digits in lower case.",
                         COOKIE_DIGITS);
    }
    return true;
}
