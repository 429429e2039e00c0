/*
 * net_socket.h: what differs between systems in sockets.
 */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include <curl/curl.h>

/* A CURLOPT_SOCKOPTFUNCTION: programs that are started do not inherit the socket. */
int net_socket_keep(void *nothing, curl_socket_t socket, curlsocktype purpose);

#endif
