#include "net/net_socket.h"

#include <fcntl.h>

int net_socket_keep(void *nothing, curl_socket_t socket, curlsocktype purpose)
{
    (void) nothing;
    (void) purpose;
    return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}
