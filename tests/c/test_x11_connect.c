/*
 * A display that takes a connection and never answers, as one does that can open no more files.
 */
#include "xserver.h"

#include "desk/x11/x11_connection.h"

#include <sys/socket.h>
#include <sys/un.h>

static void test_silent_display(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    desk *d = NULL;
    int number = 1000000 + (int) getpid(); /* no server's */
    snprintf(display, sizeof display, ":%d", number);
    if (mkdir("/tmp/.X11-unix", 01777) == 0) { /* no server has run on this machine */
        chmod("/tmp/.X11-unix", 01777);
    }
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/.X11-unix/X%d", number);
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(server, (struct sockaddr *) &name, sizeof name) == 0);
    CHECK(listen(server, 5) == 0);
    double began = now();
    CHECK(!desk_open(&d, "x11", &(desk_options){.display = display}, &err));
    CHECK(now() - began >= X11_CONNECT_SECONDS && now() - began < X11_CONNECT_SECONDS + 5);
    CHECK_EQ(err.code, BASE_UNAVAILABLE);
    CHECK(strstr(err.message, "has not answered for 10 s") != NULL);
    close(server); /* the thread that was left behind sees its end */
    unlink(name.sun_path);
}

int main(void)
{
    test_silent_display();
    return check_done();
}
