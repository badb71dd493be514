/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which interface leads to an address, from the texts of the kernel's routing table (iscsi.h).
 *
 * Source: net/ipv4/fib_trie.c, fib_route_seq_show: addresses and masks as hex numbers in the machine's byte
 * order. Policy routing is not in it, nor is IPv6, whose table a capture would have to scrub.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "transport/iscsi.h"

/* linux/route.h */
enum { ROUTE_UP = 0x0001, ROUTE_GATEWAY = 0x0002, ROUTE_REJECT = 0x0200 };

/* The best route so far. */
struct best {
    int prefix; /* -1: none */
    unsigned metric;
    bool is_tied; /* another interface is as good */
    char interface[32];
};

static void offer(struct best *best, int prefix, unsigned metric, const char *interface)
{
    if (prefix < best->prefix || (prefix == best->prefix && metric > best->metric))
        return;
    if (prefix == best->prefix && metric == best->metric) {
        best->is_tied |= strcmp(interface, best->interface) != 0;
        return;
    }
    *best = (struct best){ .prefix = prefix, .metric = metric };
    snprintf(best->interface, sizeof(best->interface), "%s", interface);
}

/* Ones from the top only. */
static bool is_mask(uint32_t mask)
{
    return (~mask & (~mask + 1)) == 0;
}

/* A mask that is none in one byte order is in the other; those that read alike in both (/0, /32) take
 * the order of the others. */
static bool is_big_endian(const char *text)
{
    unsigned mask;

    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
        if (sscanf(line + 1, "%*31s %*x %*x %*x %*d %*d %*d %x", &mask) == 1 &&
            !is_mask(__builtin_bswap32(mask)))
            return true;
    return false;
}

static void find(const char *text, struct in_addr address, bool on_link, struct best *best)
{
    uint32_t wanted = ntohl(address.s_addr);
    bool big = is_big_endian(text);

    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        unsigned destination, gateway, flags, metric, mask;
        char interface[32];

        if (sscanf(line + 1, "%31s %x %x %x %*d %*d %u %x", interface, &destination, &gateway,
                   &flags, &metric, &mask) != 6)
            continue;
        destination = big ? destination : __builtin_bswap32(destination);
        mask = big ? mask : __builtin_bswap32(mask);
        if (!(flags & ROUTE_UP) || flags & ROUTE_REJECT || (on_link && flags & ROUTE_GATEWAY) ||
            (wanted & mask) != destination)
            continue;
        offer(best, __builtin_popcount(mask), metric, interface);
    }
}

int iscsi_route(const char *routes, const char *address, bool on_link, char interface[static 32])
{
    struct best best = { .prefix = -1 };
    struct in_addr four;

    if (inet_pton(AF_INET, address, &four) != 1)
        return -EINVAL;
    find(routes, four, on_link, &best);
    if (best.prefix < 0)
        return -ENOENT;
    if (best.is_tied)
        return -ENOTUNIQ;
    memcpy(interface, best.interface, sizeof(best.interface));
    return 0;
}

bool iscsi_is_address(const char *text)
{
    struct in6_addr six;
    struct in_addr four;

    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1;
}

bool iscsi_is_loopback(const char *address)
{
    static const struct in6_addr LOOPBACK = IN6ADDR_LOOPBACK_INIT;
    struct in6_addr six;
    struct in_addr four;

    if (inet_pton(AF_INET, address, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &six) == 1 && memcmp(&six, &LOOPBACK, sizeof(six)) == 0;
}
