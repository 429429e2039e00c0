#include "net_upgrade.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "net_buffer.h"
#include "net_sha1.h"
#include "net_url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char ACCEPT_GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455, 1.3 */

/* --- the request --------------------------------------------------------------------------------
 */

void net_upgrade_key(char key[NET_UPGRADE_KEY], const uint8_t random[16])
{
    base_base64(key, random, 16);
    key[NET_UPGRADE_KEY - 1] = 0;
}

void net_upgrade_accept(char accept[NET_UPGRADE_ACCEPT], const char key[NET_UPGRADE_KEY])
{
    char text[NET_UPGRADE_KEY + sizeof ACCEPT_GUID];
    uint8_t digest[NET_SHA1_SIZE];
    snprintf(text, sizeof text, "%s%s", key, ACCEPT_GUID);
    net_sha1(digest, text, strlen(text));
    base_base64(accept, digest, sizeof digest);
    accept[NET_UPGRADE_ACCEPT - 1] = 0;
}

static bool is_ours(const char *name)
{
    static const char *const names[] = {"Host", "Upgrade", "Connection", "Content-Length",
                                        "Transfer-Encoding"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            return true;
        }
    }
    return strncasecmp(name, "Sec-WebSocket-", 14) == 0;
}

static bool is_printable(const char *text)
{
    while (*text > 0x20 && *text < 0x7f) {
        text++;
    }
    return *text == 0;
}

bool net_upgrade_check(const net_upgrade *upgrade, base_error *err)
{
    if (!is_printable(upgrade->host) || !is_printable(upgrade->target)) {
        return base_fail(err, BASE_INVALID,
                         "a WebSocket's URL must be ASCII; write other characters as %%XX");
    }
    for (size_t i = 0; i < upgrade->header_count; i++) {
        const net_header *header = &upgrade->headers[i];
        if (!net_is_token(header->name) || !net_is_field_value(header->value)) {
            return base_fail(err, BASE_INVALID, "not a header: %.60s", header->name);
        }
        if (is_ours(header->name)) {
            return base_fail(err, BASE_INVALID, "the header %.60s is not the caller's to set",
                             header->name);
        }
    }
    for (size_t i = 0; i < upgrade->protocol_count; i++) {
        if (!net_is_token(upgrade->protocols[i])) {
            return base_fail(err, BASE_INVALID, "not a protocol's name: %.60s",
                             upgrade->protocols[i]);
        }
    }
    return true;
}

static bool add(net_buffer *text, const char *const *parts)
{
    for (; *parts; parts++) {
        if (!net_buffer_append(text, *parts, strlen(*parts))) {
            return false;
        }
    }
    return true;
}

#define ADD(text, ...) add(text, (const char *const[]){__VA_ARGS__, NULL})

static bool add_rest(net_buffer *text, const net_upgrade *upgrade)
{
    for (size_t i = 0; i < upgrade->protocol_count; i++) {
        if (!ADD(text, i ? ", " : "Sec-WebSocket-Protocol: ", upgrade->protocols[i])) {
            return false;
        }
    }
    if (upgrade->protocol_count && !ADD(text, "\r\n")) {
        return false;
    }
    for (size_t i = 0; i < upgrade->header_count; i++) {
        if (!ADD(text, upgrade->headers[i].name, ": ", upgrade->headers[i].value, "\r\n")) {
            return false;
        }
    }
    return ADD(text, "\r\n");
}

char *net_upgrade_request(const net_upgrade *upgrade, const char key[NET_UPGRADE_KEY], size_t *size)
{
    net_buffer text = {0};
    const char *slash = *upgrade->target == '/' ? "" : "/";
    if (!ADD(&text, "GET ", slash, upgrade->target, " HTTP/1.1\r\nHost: ", upgrade->host,
             "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
             "Sec-WebSocket-Key: ", key, "\r\n") ||
        !add_rest(&text, upgrade)) {
        net_buffer_free(&text);
        return NULL;
    }
    *size = text.size;
    return text.data;
}

/* --- the answer ---------------------------------------------------------------------------------
 */

typedef struct {
    const char *data;
    size_t size;
} span;

/* The headers of the answer that matter. */
typedef struct {
    span upgrade, accept, protocol;
    bool connection, extensions;
} answer;

static bool breach(base_error *err, const char *what)
{
    return base_fail(err, BASE_BAD_PROTOCOL, "answered %s", what);
}

static bool span_is(span text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.data, word, text.size) == 0;
}

static span trim(span text)
{
    while (text.size && strchr(" \t", text.data[0])) {
        text = (span){text.data + 1, text.size - 1};
    }
    while (text.size && strchr(" \t", text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

/* Whether a comma-separated list contains the word. */
static bool list_has(span list, const char *word)
{
    while (list.size) {
        const char *comma = memchr(list.data, ',', list.size);
        size_t size = comma ? (size_t) (comma - list.data) : list.size;
        if (span_is(trim((span){list.data, size}), word)) {
            return true;
        }
        size += comma != NULL;
        list = (span){list.data + size, list.size - size};
    }
    return false;
}

/* Removes the next line from `rest`; false if there is no complete one. */
static bool take_line(span *rest, span *line)
{
    for (size_t i = 0; i + 1 < rest->size; i++) {
        if (rest->data[i] != '\r' || rest->data[i + 1] != '\n') {
            continue;
        }
        *line = (span){rest->data, i};
        *rest = (span){rest->data + i + 2, rest->size - i - 2};
        return true;
    }
    return false;
}

static bool is_clean(span line)
{
    for (size_t i = 0; i < line.size; i++) {
        unsigned char c = (unsigned char) line.data[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool judge_status(span line, int *status, base_error *err)
{
    const char *c = line.data;
    if (line.size < 12 || memcmp(c, "HTTP/1.", 7) != 0 || !is_digit(c[7]) || c[8] != ' ' ||
        !is_digit(c[9]) || !is_digit(c[10]) || !is_digit(c[11]) ||
        (line.size > 12 && c[12] != ' ') || !is_clean(line)) {
        return breach(err, "in something else than HTTP");
    }
    *status = (c[9] - '0') * 100 + (c[10] - '0') * 10 + (c[11] - '0');
    if (*status != 101) {
        char clean[80];
        base_utf8_clean(clean, sizeof clean, c + 9, line.size - 9);
        return base_fail(err, BASE_REFUSED, "does not speak WebSocket there: it answered %s",
                         clean);
    }
    return c[7] == '1' || breach(err, "in HTTP/1.0");
}

/* Stores a header's value; an error if the header is there twice. */
static bool once(span *place, span value, base_error *err)
{
    if (place->data) {
        return breach(err, "with the same header twice");
    }
    *place = value;
    return true;
}

static bool read_header(span line, answer *a, base_error *err)
{
    const char *colon = memchr(line.data, ':', line.size);
    if (!colon || colon == line.data || !is_clean(line) || strchr(" \t", line.data[0]) ||
        strchr(" \t", colon[-1])) {
        return breach(err, "with a malformed header");
    }
    span name = {line.data, (size_t) (colon - line.data)};
    span value = trim((span){colon + 1, line.size - name.size - 1});
    if (span_is(name, "Upgrade")) {
        return once(&a->upgrade, value, err);
    }
    if (span_is(name, "Sec-WebSocket-Accept")) {
        return once(&a->accept, value, err);
    }
    if (span_is(name, "Sec-WebSocket-Protocol")) {
        return once(&a->protocol, value, err);
    }
    if (span_is(name, "Connection")) {
        a->connection = a->connection || list_has(value, "upgrade");
    }
    if (span_is(name, "Sec-WebSocket-Extensions")) {
        a->extensions = a->extensions || value.size > 0;
    }
    return true;
}

static int find_protocol(const net_upgrade *upgrade, span chosen)
{
    for (size_t i = 0; i < upgrade->protocol_count; i++) {
        const char *name = upgrade->protocols[i];
        if (strlen(name) == chosen.size && memcmp(name, chosen.data, chosen.size) == 0) {
            return (int) i;
        }
    }
    return -1;
}

bool net_upgrade_check_answer(const net_upgrade *upgrade, const char accept[NET_UPGRADE_ACCEPT],
                              const char *head, size_t size, int *protocol, int *status,
                              base_error *err)
{
    answer a = {0};
    span rest = {head, size}, line;
    *protocol = -1;
    *status = 0;
    if (!take_line(&rest, &line)) {
        return breach(err, "in something else than HTTP");
    }
    if (!judge_status(line, status, err)) {
        return false;
    }
    while (take_line(&rest, &line) && line.size) {
        if (!read_header(line, &a, err)) {
            return false;
        }
    }
    if (!span_is(a.upgrade, "websocket") || !a.connection) {
        return breach(err, "without switching to WebSocket");
    }
    if (!a.accept.data || a.accept.size != strlen(accept) ||
        memcmp(a.accept.data, accept, a.accept.size) != 0) {
        return breach(err, "with a wrong Sec-WebSocket-Accept");
    }
    if (a.extensions) {
        return breach(err, "with an extension that nobody asked for");
    }
    if (a.protocol.data) {
        *protocol = find_protocol(upgrade, a.protocol);
        if (*protocol < 0) {
            return breach(err, "with a protocol that nobody offered");
        }
    }
    return true;
}
