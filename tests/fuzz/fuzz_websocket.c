/*
 * A server that sends anything. The bytes of an input are what the client of runtime/net/net_ws.h
 * gets; each is played twice, in pieces of different sizes, and has to come to the same both times.
 * What the client says back is judged by the rules of RFC 6455.
 *
 * An input: a byte of choices (below), a byte that the sizes of the pieces come from, and the
 * server's bytes. In a head that is part of the input "$ACCEPT" stands for the proper answer to the
 * client's key.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "net/net_ws.h"

enum {
    RAW_HEAD = 1,     /* the input begins with the answer's head; else a proper one is put before */
    SMALL_LIMIT = 2,  /* messages of 64 bytes at most */
    CLIENT_DOES = 12, /* the client: */
    CLIENT_LISTENS = 0,
    CLIENT_ECHOES = 4,
    CLIENT_CLOSES = 8,       /* at the first message */
    CLIENT_SPEAKS_FIRST = 12 /* and closes when it is half through */
};

#define HEAD                                                                                       \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"            \
    "Sec-WebSocket-Accept: $ACCEPT\r\n\r\n"

/* What one playing came to. */
typedef struct {
    net_ws *ws;
    int client;
    size_t most;
    uint64_t heard;  /* a sum of all messages, with their kinds and lengths */
    size_t messages; /* how many */
    int opened;
    net_ws_state state;
    net_ws_end end;
    net_buffer said;
} playing;

static void add_up(uint64_t *sum, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        *sum = (*sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static void on_open(void *user)
{
    playing *p = user;
    p->opened++;
}

static void on_message(void *user, const char *data, size_t size, bool binary)
{
    playing *p = user;
    base_error err;
    REQUIRE(p->opened == 1 && net_ws_state_of(p->ws) == NET_WS_OPEN);
    REQUIRE(size <= p->most);
    REQUIRE(binary || base_utf8_check(data, size) == size);
    p->messages++;
    add_up(&p->heard, &size, sizeof size);
    add_up(&p->heard, &binary, sizeof binary);
    add_up(&p->heard, data, size);
    if (p->client == CLIENT_ECHOES) {
        REQUIRE(net_ws_send(p->ws, data, size, binary, &err));
    }
    if (p->client == CLIENT_CLOSES) {
        REQUIRE(net_ws_close(p->ws, NET_CLOSED_NORMALLY, "enough", 6, &err));
    }
}

/* Takes some of what the client has to say. */
static void hear(playing *p, size_t most)
{
    const char *data, *again;
    size_t size = net_ws_output(p->ws, &data);
    if (!size) {
        return;
    }
    REQUIRE(net_ws_output(p->ws, &again) == size && again == data);
    size = size < most ? size : most;
    REQUIRE(net_buffer_append(&p->said, data, size));
    net_ws_sent(p->ws, size);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* What begins with a head, with the client's own accept in that. */
static void add_head(net_buffer *out, const char *data, size_t size, const char *accept)
{
    static const char MARK[] = "$ACCEPT";
    size_t length = strlen(MARK);
    bool in_head = true;
    for (size_t i = 0; i < size; i++) {
        in_head = in_head && (i < 4 || memcmp(data + i - 4, "\r\n\r\n", 4) != 0);
        if (in_head && size - i >= length && memcmp(data + i, MARK, length) == 0) {
            REQUIRE(net_buffer_append(out, accept, strlen(accept)));
            i += length - 1;
        } else {
            REQUIRE(net_buffer_append(out, data + i, 1));
        }
    }
}

static net_ws *new_client(playing *p)
{
    static const char *const protocols[] = {"chat", "superchat"};
    net_ws_options options = {
        .upgrade = {.host = "server:1",
                    .target = "/",
                    .protocols = protocols,
                    .protocol_count = sizeof protocols / sizeof protocols[0]},
        .origin = "ws://server:1",
        .max_message = p->most,
    };
    net_ws_events events = {on_open, on_message, p};
    base_error err;
    net_ws *ws = net_ws_new(&options, &events, &err);
    REQUIRE(ws);
    return ws;
}

static void feed(playing *p, const net_buffer *input, uint32_t random, bool in_pieces)
{
    base_error err;
    size_t at = 0, turn = input->size / 2;
    while (at < input->size) {
        size_t size = in_pieces ? 1 + next_random(&random) % 9 : input->size;
        if (p->client == CLIENT_SPEAKS_FIRST && at < turn && at + size > turn) {
            size = turn - at; /* closes at the same place in both playings */
        }
        size = size < input->size - at ? size : input->size - at;
        net_ws_feed(p->ws, input->data + at, size);
        at += size;
        if (p->client == CLIENT_SPEAKS_FIRST && at == turn &&
            net_ws_state_of(p->ws) == NET_WS_OPEN) {
            REQUIRE(net_ws_send(p->ws, "hello", 5, false, &err));
            REQUIRE(net_ws_close(p->ws, 4000, "", 0, &err));
        }
        if (in_pieces) {
            hear(p, 1 + next_random(&random) % 40);
        }
        REQUIRE(net_ws_pending(p->ws) < 1 << 20 || p->client == CLIENT_ECHOES);
    }
}

static void play(playing *p, const uint8_t *data, size_t size, bool in_pieces)
{
    uint8_t choices = data[0];
    *p = (playing){.client = choices & CLIENT_DOES,
                   .most = choices & SMALL_LIMIT ? 64 : 1 << 16,
                   .heard = UINT64_C(0xcbf29ce484222325)};
    p->ws = new_client(p);
    hear(p, SIZE_MAX); /* the request: no server answers before it */
    net_buffer input = {0};
    const char *rest = (const char *) data + 2, *accept = net_ws_accept(p->ws);
    if (choices & RAW_HEAD) {
        add_head(&input, rest, size - 2, accept);
    } else {
        add_head(&input, HEAD, strlen(HEAD), accept);
        REQUIRE(net_buffer_append(&input, rest, size - 2));
    }
    feed(p, &input, 1 + data[1], in_pieces);
    p->state = net_ws_state_of(p->ws);
    net_ws_cut(p->ws, NULL);
    REQUIRE(net_ws_state_of(p->ws) == NET_WS_OVER);
    p->end = *net_ws_end_of(p->ws);
    const char *unused;
    while (net_ws_output(p->ws, &unused)) {
        hear(p, SIZE_MAX);
    }
    REQUIRE(net_ws_pending(p->ws) == 0);
    net_buffer_free(&input);
    net_ws_free(p->ws);
}

static void judge_closing(const uint8_t *payload, size_t size, const uint8_t *key)
{
    REQUIRE(size != 1);
    if (size == 0) {
        return;
    }
    int code = (payload[0] ^ key[0]) << 8 | (payload[1] ^ key[1]);
    REQUIRE(net_close_code_valid(code));
}

/* The client's request and frames, by the letter. */
static void judge(const playing *p)
{
    const uint8_t *data = (const uint8_t *) p->said.data;
    size_t size = p->said.size, at = 3;
    while (at < size && memcmp(data + at - 3, "\r\n\r\n", 4) != 0) {
        at++;
    }
    REQUIRE(at < size); /* the request is whole */
    bool closed = false;
    for (at++; at < size;) {
        REQUIRE(!closed && size - at >= 6);
        int kind = data[at] & 15;
        size_t length = data[at + 1] & 0x7f, least = 0, header = 2;
        REQUIRE((data[at] & 0xf0) == 0x80 && data[at + 1] & 0x80);
        REQUIRE(kind == NET_TEXT || kind == NET_BINARY || kind == NET_PONG || kind == NET_CLOSE);
        REQUIRE(kind < NET_CLOSE || length <= NET_MOST_CONTROL);
        size_t wide = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (wide) {
            least = wide == 2 ? 126 : 0x10000;
            for (length = 0; header < 2 + wide; header++) {
                length = length << 8 | data[at + header];
            }
        }
        REQUIRE(length >= least && size - at >= header + 4 + length);
        if (kind == NET_CLOSE) {
            judge_closing(data + at + header + 4, length, data + at + header);
        }
        closed = kind == NET_CLOSE;
        at += header + 4 + length;
    }
    REQUIRE(closed == (p->opened && p->end.close_code != NET_CLOSED_ABNORMALLY));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    playing whole, pieces;
    play(&whole, data, size, false);
    play(&pieces, data, size, true);
    judge(&whole);
    judge(&pieces);
    REQUIRE(whole.opened == pieces.opened && whole.messages == pieces.messages);
    REQUIRE(whole.heard == pieces.heard && whole.state == pieces.state);
    REQUIRE(whole.end.error.code == pieces.end.error.code);
    if (whole.end.error.code !=
        BASE_REFUSED) { /* there the server's words may hold the key's answer */
        REQUIRE(strcmp(whole.end.error.message, pieces.end.error.message) == 0);
    }
    REQUIRE(whole.end.close_code == pieces.end.close_code);
    REQUIRE(whole.end.http_status == pieces.end.http_status);
    REQUIRE(whole.end.reason_size == pieces.end.reason_size &&
            memcmp(whole.end.reason, pieces.end.reason, whole.end.reason_size) == 0);
    net_buffer_free(&whole.said);
    net_buffer_free(&pieces.said);
    return 0;
}
