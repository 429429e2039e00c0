#include "net_frames.h"

#include "base/utf8.h"

#include <string.h>

enum {
    FINAL = 0x80,
    RESERVED = 0x70,
    OPCODE = 0x0f,
    MASKED = 0x80,
    LENGTH = 0x7f,
    LENGTH_16 = 126,
    LENGTH_64 = 127,
    KEEP = 1 << 20, /* a larger buffer is freed after its message */
};

/* --- reading ------------------------------------------------------------------------------------
 */

void net_frames_open(net_frame_reader *reader, size_t most, const net_frame_events *events)
{
    *reader = (net_frame_reader){.events = *events, .most = most, .header_need = 2};
}

void net_frames_close(net_frame_reader *reader)
{
    net_buffer_free(&reader->message);
}

static int breach(base_error *err, const char *what)
{
    base_fail(err, BASE_BAD_PROTOCOL, "sent %s", what);
    return NET_CLOSED_PROTOCOL_ERROR;
}

static bool is_control(net_opcode opcode)
{
    return opcode >= NET_CLOSE;
}

/* Checks the first two bytes of a frame. */
static int check_start(net_frame_reader *reader, base_error *err)
{
    uint8_t first = reader->header[0], second = reader->header[1];
    uint8_t length = second & LENGTH;
    reader->final = first & FINAL;
    reader->opcode = (net_opcode) (first & OPCODE);
    if (first & RESERVED) {
        return breach(err, "a frame with a reserved bit");
    }
    if (second & MASKED) {
        return breach(err, "a masked frame");
    }
    switch (reader->opcode) {
    case NET_TEXT:
    case NET_BINARY:
        if (reader->in_message) {
            return breach(err, "a new message inside another");
        }
        break;
    case NET_CONTINUATION:
        if (!reader->in_message) {
            return breach(err, "a continuation of nothing");
        }
        break;
    case NET_CLOSE:
    case NET_PING:
    case NET_PONG:
        if (!reader->final) {
            return breach(err, "a control frame in fragments");
        }
        if (length > NET_MOST_CONTROL) {
            return breach(err, "a control frame of more than 125 bytes");
        }
        break;
    default:
        return breach(err, "a frame of an unknown kind");
    }
    reader->header_need = length == LENGTH_16 ? 4 : length == LENGTH_64 ? 10 : 2;
    return 0;
}

static bool read_length(net_frame_reader *reader)
{
    uint64_t length = 0;
    for (size_t i = 2; i < reader->header_need; i++) {
        length = length << 8 | reader->header[i];
    }
    if (reader->header_need == 2) {
        length = reader->header[1] & LENGTH;
    }
    reader->left = length;
    uint64_t least = reader->header_need == 10  ? UINT64_C(0x10000)
                     : reader->header_need == 4 ? LENGTH_16
                                                : 0;
    return length >= least && length >> 63 == 0;
}

/* Handles a frame's complete header. */
static int begin_payload(net_frame_reader *reader, base_error *err)
{
    if (!read_length(reader)) {
        return breach(err, "a length that is not written as it must be");
    }
    reader->in_payload = true;
    if (is_control(reader->opcode)) {
        reader->control_size = 0;
        return 0;
    }
    if (reader->left > reader->most - reader->message.size) {
        base_fail(err, BASE_BAD_PROTOCOL, "sent a message of more than %zu bytes", reader->most);
        return NET_CLOSED_TOO_BIG;
    }
    if (reader->opcode != NET_CONTINUATION) {
        reader->binary = reader->opcode == NET_BINARY;
        reader->in_message = true;
        reader->checked = 0;
    }
    return 0;
}

static int not_text(base_error *err, const char *what)
{
    base_fail(err, BASE_BAD_PROTOCOL, "sent %s that is not UTF-8", what);
    return NET_CLOSED_NOT_UTF8;
}

/* Checks that the received part of a text is UTF-8. The last three bytes may be an incomplete
 * character. */
static bool is_text_so_far(net_frame_reader *reader)
{
    size_t rest = reader->message.size - reader->checked;
    size_t good = rest ? base_utf8_check(reader->message.data + reader->checked, rest) : 0;
    reader->checked += good;
    return rest - good <= 3;
}

/* Reports a complete message. `from`: the bytes before it are known to be UTF-8. */
static int tell_message(net_frame_reader *reader, const char *data, size_t size, size_t from,
                        base_error *err)
{
    if (!reader->binary && base_utf8_check(data + from, size - from) != size - from) {
        return not_text(err, "a text");
    }
    reader->in_message = false;
    reader->events.on_message(reader->events.user, data, size, reader->binary);
    return 0;
}

static int tell_kept_message(net_frame_reader *reader, base_error *err)
{
    net_buffer *message = &reader->message;
    const char *data = message->data ? message->data : "";
    int code = tell_message(reader, data, message->size, reader->checked, err);
    message->size = 0;
    if (message->capacity > KEEP) {
        net_buffer_free(message);
    }
    return code;
}

static int tell_closing(net_frame_reader *reader, base_error *err)
{
    const uint8_t *body = (const uint8_t *) reader->control;
    size_t size = reader->control_size;
    if (size == 1) {
        return breach(err, "half a code with its closing");
    }
    int code = size ? body[0] << 8 | body[1] : NET_CLOSED_NO_CODE;
    const char *reason = size ? reader->control + 2 : "";
    size_t reason_size = size ? size - 2 : 0;
    if (size && !net_close_code_valid(code)) {
        return breach(err, "a code with its closing that may not be sent");
    }
    if (base_utf8_check(reason, reason_size) != reason_size) {
        return not_text(err, "a reason for its closing");
    }
    reader->closed = true;
    reader->events.on_close(reader->events.user, code, reason, reason_size);
    return 0;
}

static int end_frame(net_frame_reader *reader, base_error *err)
{
    reader->in_payload = false;
    switch (reader->opcode) {
    case NET_CLOSE:
        return tell_closing(reader, err);
    case NET_PING:
        reader->events.on_ping(reader->events.user, reader->control, reader->control_size);
        return 0;
    case NET_PONG:
        return 0;
    default:
        return reader->final && reader->in_message ? tell_kept_message(reader, err) : 0;
    }
}

static int keep_data(net_frame_reader *reader, const char *data, size_t size, base_error *err)
{
    /* Most messages arrive in one piece and need not be copied. */
    if (reader->final && size == reader->left && reader->message.size == 0) {
        return tell_message(reader, data, size, 0, err);
    }
    if (!net_buffer_append(&reader->message, data, size)) {
        base_fail(err, BASE_NO_MEMORY, "sent a message that there is no memory for");
        return NET_CLOSED_INTERNALLY;
    }
    return reader->binary || is_text_so_far(reader) ? 0 : not_text(err, "a text");
}

/* Processes bytes of the payload. Returns the code to close with, or 0. */
static int take_payload(net_frame_reader *reader, const char *data, size_t size, base_error *err)
{
    int code = 0;
    if (is_control(reader->opcode)) {
        memcpy(reader->control + reader->control_size, data, size);
        reader->control_size += size;
    } else {
        code = keep_data(reader, data, size, err);
    }
    reader->left -= size;
    return code == 0 && reader->left == 0 ? end_frame(reader, err) : code;
}

static int take_header(net_frame_reader *reader, uint8_t byte, base_error *err)
{
    reader->header[reader->header_have++] = byte;
    int code = reader->header_have == 2 ? check_start(reader, err) : 0;
    if (code || reader->header_have < reader->header_need) {
        return code;
    }
    code = begin_payload(reader, err);
    reader->header_have = 0;
    reader->header_need = 2;
    return code == 0 && reader->left == 0 ? end_frame(reader, err) : code;
}

int net_frames_feed(net_frame_reader *reader, const char *data, size_t size, base_error *err)
{
    int code = 0;
    while (size && code == 0 && !reader->closed) {
        size_t taken = 1;
        if (reader->in_payload) {
            taken = size < reader->left ? size : (size_t) reader->left;
            code = take_payload(reader, data, taken, err);
        } else {
            code = take_header(reader, (uint8_t) *data, err);
        }
        data += taken;
        size -= taken;
    }
    return code;
}

bool net_close_code_valid(int code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

/* --- writing ------------------------------------------------------------------------------------
 */

static void mask(char *out, const char *data, size_t size, const uint8_t key[4])
{
    uint64_t wide;
    for (size_t i = 0; i < sizeof wide; i++) {
        ((uint8_t *) &wide)[i] = key[i % 4];
    }
    size_t i = 0;
    for (; size - i >= sizeof wide; i += sizeof wide) {
        uint64_t eight;
        memcpy(&eight, data + i, sizeof eight);
        eight ^= wide;
        memcpy(out + i, &eight, sizeof eight);
    }
    for (; i < size; i++) {
        out[i] = (char) (data[i] ^ key[i % 4]);
    }
}

size_t net_frames_write(char *out, net_opcode opcode, const char *data, size_t size,
                        const uint8_t key[4])
{
    uint8_t *header = (uint8_t *) out;
    size_t have = 2, bytes = size < LENGTH_16 ? 0 : size <= 0xffff ? 2 : 8;
    header[0] = (uint8_t) (FINAL | opcode);
    header[1] = (uint8_t) (MASKED | (bytes == 0 ? size : bytes == 2 ? LENGTH_16 : LENGTH_64));
    while (bytes) {
        header[have++] = (uint8_t) ((uint64_t) size >> (8 * --bytes));
    }
    memcpy(header + have, key, 4);
    have += 4;
    mask(out + have, data, size, key);
    return have + size;
}
