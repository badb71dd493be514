/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of one cell (cell.h).
 */
#include "probe/cell.h"

#include <string.h>

/* Nobody has measured so much of anything. */
static const double MOST = 1e15;

uint64_t cell_ratio(uint64_t a, double scale, uint64_t b)
{
    double x = b ? (double)a * scale / (double)b : 0;

    return x < MOST ? (uint64_t)(x + 0.5) : 0;
}

uint64_t cell_kb_per_s(const struct measurement *m)
{
    return cell_ratio(m->bytes, 1000, m->us);
}

uint64_t cell_commands_per_1000s(const struct measurement *m)
{
    uint64_t commands = m->commands;

    if (!commands && m->block_bytes)
        commands = m->bytes / m->block_bytes;
    return cell_ratio(commands, 1e9, m->us);
}

uint64_t cell_cpu_permille(const struct measurement *m)
{
    return cell_ratio(m->cpu_us, 1000, m->us);
}

bool cell_is_bound_by_cpu(const struct measurement *m)
{
    enum { BUSY_PERMILLE = 900 };

    return cell_cpu_permille(m) / (m->depth ? m->depth : 1) >= BUSY_PERMILLE;
}

uint64_t cell_cpu_ns_per_mb(const struct measurement *m)
{
    return cell_ratio(m->cpu_us, 1e9, m->bytes);
}

uint64_t cell_latency_us(const struct measurement *m)
{
    return m->median_us ? m->median_us
                        : cell_ratio(m->depth ? m->depth : 1, 1e9, cell_commands_per_1000s(m));
}

bool cell_same(const struct measurement *a, const struct measurement *b)
{
    return strcmp(a->method, b->method) == 0 && a->block_bytes == b->block_bytes &&
           a->depth == b->depth && a->cold == b->cold && a->random == b->random;
}
