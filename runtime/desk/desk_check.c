/* The front of the backends: the checks that its files share. */
#include "desk_internal.h"

#include "base/utf8.h"

bool desk_cannot(const desk *d, const char *what, const char *reason, base_error *err)
{
    return base_fail(err, BASE_UNSUPPORTED, "This desktop (%s) cannot %s%s%s.", d->backend, what,
                     reason ? ": " : "", reason ? reason : "");
}

bool desk_check_window(uint64_t id, base_error *err)
{
    return id != 0 || base_fail(err, BASE_NOT_FOUND,
                                "There is no window 0: take an id from the list of windows.");
}

bool desk_check_utf8(const char *what, const char *text, size_t length, base_error *err)
{
    size_t good = base_utf8_check(text, length);
    return good == length ||
           base_fail(err, BASE_INVALID, "%s is not valid UTF-8 at byte %zu.", what, good + 1);
}
