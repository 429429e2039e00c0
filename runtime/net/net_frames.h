/*
 * net_frames.h: WebSocket frames (RFC 6455, section 5) for a client. The reader decodes bytes, in
 * pieces of any size, into messages, pings and a close frame. It reports an error for everything
 * that a server may not send, and never holds more than one message of the permitted size. The
 * writer makes one masked frame. There is no socket, no clock and no state besides the reader's.
 */
#ifndef NET_NET_FRAMES_H
#define NET_NET_FRAMES_H

#include "base/error.h"
#include "net_buffer.h"

#include <stdint.h>

typedef enum {
    NET_CONTINUATION = 0,
    NET_TEXT = 1,
    NET_BINARY = 2,
    NET_CLOSE = 8,
    NET_PING = 9,
    NET_PONG = 10
} net_opcode;

enum {
    NET_MOST_CONTROL = 125, /* bytes in a control frame */
    NET_MOST_REASON = 123,  /* bytes of the reason in a close frame */
    NET_FRAME_HEADER = 14,  /* the longest header of frames that we send */
};

/* The close codes (RFC 6455, 7.4.1) that are used here. */
enum {
    NET_CLOSED_NORMALLY = 1000,
    NET_CLOSED_PROTOCOL_ERROR = 1002,
    NET_CLOSED_NO_CODE = 1005,    /* a close frame without a code; never sent */
    NET_CLOSED_ABNORMALLY = 1006, /* no close frame; never sent */
    NET_CLOSED_NOT_UTF8 = 1007,   /* a text message is not UTF-8 */
    NET_CLOSED_TOO_BIG = 1009,    /* a message is too long */
    NET_CLOSED_INTERNALLY = 1011  /* a failure on this side */
};

typedef struct {
    /* The data is valid only during the call. */
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void (*on_ping)(void *user, const char *data, size_t size);
    /* `code` is NET_CLOSED_NO_CODE if the frame has none. Further bytes are ignored. */
    void (*on_close)(void *user, int code, const char *reason, size_t size);
    void *user;
} net_frame_events;

typedef struct {
    net_frame_events events;
    size_t most; /* bytes of a message */
    uint8_t header[NET_FRAME_HEADER];
    size_t header_have, header_need;
    bool in_payload;
    bool final;      /* FIN bit of the current frame */
    bool in_message; /* the message's first frame has begun, its last has not ended */
    bool binary;     /* kind of that message */
    bool closed;     /* on_close has been called */
    net_opcode opcode;
    uint64_t left;      /* bytes of the frame's payload that have not arrived */
    net_buffer message; /* the part of the message that has arrived */
    size_t checked;     /* bytes of it that have been checked to be UTF-8 */
    char control[NET_MOST_CONTROL];
    size_t control_size;
} net_frame_reader;

/* A reader of messages of at most `most` bytes. */
void net_frames_open(net_frame_reader *reader, size_t most, const net_frame_events *events);

void net_frames_close(net_frame_reader *reader);

/* Reads all of `data`. Returns 0; or the code to close with, and in `err` a clause about what the
 * server did ("sent ..."), code BASE_BAD_PROTOCOL or BASE_NO_MEMORY. The reader may not be used
 * after that. */
int net_frames_feed(net_frame_reader *reader, const char *data, size_t size, base_error *err);

/* Writes a complete masked frame to `out`, which must have NET_FRAME_HEADER + size bytes. Returns
 * how many were written. */
size_t net_frames_write(char *out, net_opcode opcode, const char *data, size_t size,
                        const uint8_t key[4]);

/* Whether a close frame may have this code. */
bool net_close_code_valid(int code);

#endif
