/*
 * net_frames.h: WebSocket frames (RFC 6455, section 5) as a client sees them. The reader turns
 * bytes, in whatever pieces they come, into messages, pings and a closing; it refuses everything
 * that a server may not send and never holds more than one message of the allowed size. The writer
 * makes one masked frame. No socket, no clock, no state but the reader's own.
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
    NET_MOST_REASON = 123,  /* bytes of a closing's reason */
    NET_FRAME_HEADER = 14,  /* at most, of frames that we send */
};

/* Codes of a closing that have a meaning here. */
enum {
    NET_CLOSED_NORMALLY = 1000,
    NET_CLOSED_BREACH = 1002,    /* of the protocol */
    NET_CLOSED_WITHOUT = 1005,   /* a closing without a code; never sent */
    NET_CLOSED_ABRUPTLY = 1006,  /* no closing at all; never sent */
    NET_CLOSED_NOT_UTF8 = 1007,  /* a text was not */
    NET_CLOSED_TOO_BIG = 1009,   /* a message was */
    NET_CLOSED_INTERNALLY = 1011 /* a failure on this side */
};

typedef struct {
    /* What is handed over is only borrowed. */
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void (*on_ping)(void *user, const char *data, size_t size);
    /* `code` is NET_CLOSED_WITHOUT when none came. Everything after it is ignored. */
    void (*on_close)(void *user, int code, const char *reason, size_t size);
    void *user;
} net_frame_events;

typedef struct {
    net_frame_events events;
    size_t most; /* bytes of a message */
    uint8_t header[NET_FRAME_HEADER];
    size_t header_have, header_need;
    bool in_payload;
    bool final;      /* of the frame under way */
    bool in_message; /* its first frame has begun, its last has not ended */
    bool binary;     /* that message */
    bool closed;     /* on_close has been called */
    net_opcode opcode;
    uint64_t left;      /* bytes of the frame's payload to come */
    net_buffer message; /* what has come of it */
    size_t checked;     /* bytes of it that are known to be UTF-8 */
    char control[NET_MOST_CONTROL];
    size_t control_size;
} net_frame_reader;

/* A reader of messages of at most `most` bytes. */
void net_frames_open(net_frame_reader *reader, size_t most, const net_frame_events *events);

void net_frames_close(net_frame_reader *reader);

/* Reads all of `data`. 0; or the code to close with, and in `err` a clause that says what the
 * server did ("sent ..."), code BASE_BAD_PROTOCOL or BASE_NO_MEMORY; the reader is not to be fed
 * any more. */
int net_frames_feed(net_frame_reader *reader, const char *data, size_t size, base_error *err);

/* Writes one whole masked frame, header included, to `out`, which has NET_FRAME_HEADER + size
 * bytes. Returns how many were written. */
size_t net_frames_write(char *out, net_opcode opcode, const char *data, size_t size,
                        const uint8_t key[4]);

/* Whether a closing with this code may be sent. */
bool net_close_code_valid(int code);

#endif
