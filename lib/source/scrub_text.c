/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finders for text: numbers in hex, serial numbers, what drivers print below /proc/scsi, routes, and
 * what gives itself away anywhere.
 */
#include "source/scrub_find.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "source/scrub_map.h"

/* What stands where a serial number, name or address should and is none. */
static const char *const PLACEHOLDERS[] = { "(null)", "<NULL>", "unknown", "Unknown", "none",
                                            "None",   "n/a",    "N/A",     "default" };

bool bytes_are(struct bytes b, const char *text)
{
    return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

bool byte_is_padding(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

struct bytes bytes_trimmed(struct bytes b)
{
    while (b.len && byte_is_padding(b.data[b.len - 1]))
        b.len--;
    while (b.len && byte_is_padding(*b.data)) {
        b.data++;
        b.len--;
    }
    return b;
}

int span_add(struct spans *s, struct span span)
{
    if (span.len == 0)
        return 0;
    if (!span.guess)
        for (size_t i = s->n; i-- > 0;)
            if (!s->v[i].guess) {
                if (s->v[i].start + s->v[i].len > span.start)
                    return 0;
                break;
            }
    return vec_push(s, span);
}

/* "0000:00:14.0": what xhci_hcd gives as the serial number of its root hub. */
static bool is_pci_address(struct bytes text)
{
    static const char FORM[] = "0000:00:00.0";

    if (text.len != sizeof(FORM) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (FORM[i] == '0' ? hex_digit(text.data[i]) < 0 : text.data[i] != FORM[i])
            return false;
    return true;
}

bool text_is_identity(struct bytes text)
{
    size_t same = 0;

    while (same < text.len && text.data[same] == text.data[0])
        same++;
    if (same == text.len || is_pci_address(text))
        return false;
    for (size_t i = 0; i < ELEMENTS(PLACEHOLDERS); i++)
        if (bytes_are(text, PLACEHOLDERS[i]))
            return false;
    return true;
}

struct span span_over(struct bytes value, struct bytes part, enum writing writing)
{
    return (struct span){ .start = (size_t)(part.data - value.data),
                          .len = part.len,
                          .writing = writing };
}

int span_add_serial(struct spans *s, struct bytes value, size_t start, size_t len, bool guess)
{
    struct bytes text = bytes_trimmed(bytes_slice(value, start, len));
    struct span span;

    if (text.len == 0 || !text_is_identity(text))
        return 0;
    span = span_over(value, text, WRITTEN_SERIAL);
    span.guess = guess;
    return span_add(s, span);
}

/* End of the hex digits from `at` on. */
static size_t digits_end(struct bytes text, size_t at)
{
    while (at < text.len && hex_digit(text.data[at]) >= 0)
        at++;
    return at;
}

struct hex_run hex_run_at(struct bytes text, size_t at)
{
    struct hex_run run = { at, digits_end(text, at), 0, 0 };
    unsigned first = (unsigned)(run.end - at);
    uint8_t separator = bytes_at(text, run.end);

    run.digits = first;
    if ((first != 2 && first != 4) || (separator != ':' && separator != '-'))
        return run;
    while (bytes_at(text, run.end) == separator &&
           digits_end(text, run.end + 1) == run.end + 1 + first) {
        run.group = first;
        run.digits += first;
        run.end += 1 + first;
    }
    return run;
}

size_t hex_run_tail(struct bytes text, const struct hex_run *run, unsigned digits)
{
    size_t at = run->end;

    while (digits)
        digits -= hex_digit(text.data[--at]) >= 0;
    return at;
}

int span_add_hex(struct spans *s, struct bytes value, size_t start, size_t len)
{
    struct bytes text = bytes_slice(value, 0, start + len);
    int r = 0;

    for (size_t at = start; r == 0 && at < text.len; at++) {
        struct hex_run run = hex_run_at(text, at);
        unsigned digits = run.digits >= 32 ? 32 : run.digits >= 16 ? 16 : run.digits;

        if (run.digits == 0)
            continue;
        /* Ten digits: an OUI that begins with zeros, printed by %llx; below that there is none. */
        if (run.digits == 12 && run.group == 2)
            r = span_add(s, (struct span){ at, run.end - at, WRITTEN_MAC, 0, false });
        else if (digits >= 10 && (run.group == 0 || digits >= 16)) {
            at = hex_run_tail(text, &run, digits);
            r = span_add(s, (struct span){ at, run.end - at, WRITTEN_HEX, 0, false });
        }
        at = run.end;
    }
    return r;
}

int span_add_t10(struct spans *s, struct bytes value, size_t start, size_t len)
{
    struct bytes all = bytes_slice(value, start, len), vendor = bytes_slice(all, 0, 8);
    /* SAT-3 10.3.4.2.3: product of 40 characters; else as INQUIRY has it, 16 (SPC-4 7.8.6.4). */
    size_t product = 8 + (bytes_are(bytes_trimmed(vendor), "ATA") ? 40 : 16);

    if (bytes_trimmed(bytes_slice(all, product, all.len)).len)
        return span_add_serial(s, value, start + product, all.len - product, false);
    return span_add_serial(s, value, start + 8, all.len > 8 ? all.len - 8 : 0, true);
}

/* The word at *at of a line, moving *at behind it; empty at the end of the line. */
static struct bytes word_of_line(struct bytes text, size_t *at)
{
    size_t start;

    while (*at < text.len && (text.data[*at] == ' ' || text.data[*at] == '\t'))
        (*at)++;
    for (start = *at; *at < text.len && !byte_is_padding(text.data[*at]);)
        (*at)++;
    return bytes_slice(text, start, *at - start);
}

/* The number of eight hex digits, 0 for anything else. */
static uint32_t eight_digits(struct bytes word)
{
    uint32_t value = 0;

    for (size_t i = 0; word.len == 8 && i < 8; i++) {
        if (hex_digit(word.data[i]) < 0)
            return 0;
        value = value << 4 | (uint32_t)hex_digit(word.data[i]);
    }
    return value;
}

enum { ROUTE_WORDS = 8, ROUTE_DESTINATION = 1, ROUTE_GATEWAY = 2, ROUTE_MASK = 7 };

/* One line of /proc/net/route (net/ipv4/fib_trie.c, fib_route_seq_show). The words are network-order
 * integers printed by %08X, so their bytes are swapped on little-endian machines. */
static int find_route(struct bytes text, size_t *at, bool swapped, struct spans *ret)
{
    struct bytes words[ROUTE_WORDS];
    uint32_t mask;
    int r = 0;

    for (size_t i = 0; i < ROUTE_WORDS; i++)
        words[i] = word_of_line(text, at);
    mask = eight_digits(words[ROUTE_MASK]);
    for (size_t i = ROUTE_DESTINATION; r == 0 && i <= ROUTE_GATEWAY; i++) {
        struct span span;

        if (eight_digits(words[i]) == 0)
            continue;
        span = span_over(text, words[i], WRITTEN_ROUTE);
        span.arg = (i == ROUTE_DESTINATION ? (unsigned)__builtin_popcount(mask) : 32) |
                   (swapped ? 0x100 : 0);
        r = span_add(ret, span);
    }
    while (*at < text.len && text.data[*at] != '\n')
        (*at)++;
    (*at)++;
    return r;
}

/* Does the table come from a little-endian machine? Told by a mask that is not all ones: its first byte,
 * FFh, is printed first on a big-endian one. */
static bool routes_are_swapped(struct bytes text)
{
    for (size_t at = 0; at < text.len; at++) {
        struct bytes word = { 0 };

        for (size_t i = 0; i < ROUTE_WORDS; i++)
            word = word_of_line(text, &at);
        if (eight_digits(word) >> 24 == 0xff && eight_digits(word) != 0xffffffff)
            return false;
        while (at < text.len && text.data[at] != '\n')
            at++;
    }
    return true;
}

int scrub_find_routes(struct bytes text, struct spans *ret)
{
    bool swapped = routes_are_swapped(text);
    int r = 0;

    for (size_t at = 0; r == 0 && at < text.len;)
        r = find_route(text, &at, swapped, ret);
    return r;
}

/* Does the text at `at` read `word`, in letters of either case? */
static bool reads(struct bytes text, size_t at, const char *word)
{
    for (; *word; word++, at++)
        if (at >= text.len || (text.data[at] | 0x20) != (*word | 0x20))
            return false;
    return true;
}

/* "Serial# R12345", "Serial Number: 0A1B": where the number starts; 0 where nothing of the kind is. */
static size_t serial_behind_label(struct bytes text, size_t at)
{
    if (!reads(text, at, "serial"))
        return 0;
    at += 6;
    if (reads(text, at, " number"))
        at += 7;
    else if (reads(text, at, " no."))
        at += 4;
    if (bytes_at(text, at) != '#' && bytes_at(text, at) != ':' && bytes_at(text, at) != '=')
        return 0;
    while (at < text.len && (text.data[at] == ' ' || strchr("#:=", text.data[at])))
        at++;
    return at;
}

/* What drivers wrote into procfs before they had sysfs attributes: "Serial# R12345" and
 * "scsi-qla0-adapter-port=210000e08b0a1b2c". */
int scrub_find_in_proc_scsi(struct bytes text, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at < text.len; at++) {
        struct hex_run run;
        size_t serial = serial_behind_label(text, at), end = serial;

        if (serial) {
            struct bytes word = word_of_line(text, &end);

            if (word.len && word.data[word.len - 1] == ',')
                word.len--;
            r = span_add_serial(ret, text, serial, word.len, false);
            at = end;
            continue;
        }
        run = hex_run_at(text, at);
        if (run.digits == 16 && memchr("125", text.data[at], 3))
            r = span_add(ret, (struct span){ at, run.end - at, WRITTEN_HEX, 0, false });
        at = run.digits ? run.end - 1 : at;
    }
    return r;
}

/* Does the text end, before `at`, in that word? */
static bool is_before(struct bytes text, size_t at, const char *word)
{
    size_t n = strlen(word);

    return at >= n && memcmp(text.data + at - n, word, n) == 0;
}

static bool is_name_character(uint8_t c)
{
    return hex_digit(c) >= 0 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || memchr(".:-_", c, 4);
}

/* End of the iSCSI name at `at`. Paths go on with "-lun-", SCSI name strings with ",t,". */
static size_t iqn_end(struct bytes text, size_t at)
{
    static const char LUN[] = "-lun-";

    while (at < text.len && is_name_character(text.data[at])) {
        if (text.len - at >= sizeof(LUN) - 1 && memcmp(text.data + at, LUN, sizeof(LUN) - 1) == 0)
            break;
        at++;
    }
    return at;
}

int scrub_find_evident(struct bytes text, struct spans *ret)
{
    int r = 0;

    for (size_t at = 0; r == 0 && at + 8 < text.len; at++) {
        struct hex_run run;

        if (text.data[at] == 'i' && memcmp(text.data + at, "iqn.", 4) == 0) {
            size_t end = iqn_end(text, at);

            r = span_add(ret, (struct span){ at, end - at, WRITTEN_IQN, 0, false });
            at = end - 1;
            continue;
        }
        if (hex_digit(text.data[at]) < 0)
            continue;
        run = hex_run_at(text, at);
        if ((run.digits == 16 || run.digits == 32) &&
            (is_before(text, at, "naa.") || is_before(text, at, "eui.") ||
             (is_before(text, at, "0x") && text.data[at] == '5')))
            r = span_add(ret, (struct span){ at, run.end - at, WRITTEN_HEX, 0, false });
        at = run.end - 1;
    }
    return r;
}
