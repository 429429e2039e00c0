#include "net/net_socket.h"

#include <windows.h>

/* It succeeds but where a program of the network puts a handle of its own in the socket's place;
 * then it is as it was. */
int net_socket_keep(void *nothing, curl_socket_t socket, curlsocktype purpose)
{
    (void) nothing;
    (void) purpose;
    SetHandleInformation((HANDLE) socket, HANDLE_FLAG_INHERIT, 0);
    return CURL_SOCKOPT_OK;
}
