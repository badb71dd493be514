/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forgetting (history_db_thin() of history.h).
 */
#include "daemon/history.h"

#include <errno.h>

#include "daemon/history_sql.h"

#define HOUR_US (UINT64_C(3600) * 1000000)
#define DAY_US  (24 * HOUR_US)

/* Of the changes of one object in one hour or day, so many at its begin and as many at its end are kept. */
enum { CHANGES_KEPT = 8 };

/* ---- sums ---- */

/* Growth of one counter between ?1 and ?2 in pieces of ?3, where there is more than one: as one, at the last look of
 * these. What is not known in a part is not known in the sum; what grew beside it is. */
static const char SUM_COUNTS[] =
    "CREATE TEMP TABLE IF NOT EXISTS sums AS SELECT series, seq AS first_seq, seq, from_us, at_us, grown FROM count LIMIT 0";
static const char FILL_COUNTS[] =
    "INSERT INTO sums SELECT series, min(seq), max(seq), min(from_us), max(at_us), sum(grown) FROM count"
    " WHERE at_us >= ?1 AND at_us < ?2 GROUP BY series, at_us / ?3 HAVING count(*) > 1";
static const char DROP_COUNTS[] =
    "DELETE FROM count WHERE EXISTS (SELECT 1 FROM sums s WHERE s.series = count.series"
    " AND count.seq >= s.first_seq AND count.seq < s.seq AND count.at_us / ?3 = s.at_us / ?3)"
    " AND at_us >= ?1 AND at_us < ?2";
static const char JOIN_COUNTS[] =
    "UPDATE count SET grown = s.grown, from_us = s.from_us FROM sums s"
    " WHERE s.series = count.series AND s.seq = count.seq";
static const char EMPTY_COUNTS[] = "DELETE FROM sums";

/* Measurements of one kind likewise; kb_per_s is the mean of all, median_us of those in which it is known. */
static const char SUM_PROBES[] =
    "CREATE TEMP TABLE IF NOT EXISTS means AS SELECT id, object, seq, at_us, method, block_bytes, n, kb_per_s, least, most,"
    " median_us, least_median_us, most_median_us FROM probe LIMIT 0";
static const char FILL_PROBES[] =
    "INSERT INTO means SELECT max(id), object, max(seq), max(at_us), method, block_bytes, sum(n), sum(n * kb_per_s) / sum(n),"
    " min(least), max(most), sum(n * median_us) / sum(n) FILTER (WHERE median_us NOT NULL), min(least_median_us),"
    " max(most_median_us) FROM probe WHERE at_us >= ?1 AND at_us < ?2"
    " GROUP BY object, method, block_bytes, at_us / ?3 HAVING count(*) > 1";
static const char DROP_PROBES[] =
    "DELETE FROM probe WHERE at_us >= ?1 AND at_us < ?2 AND EXISTS (SELECT 1 FROM means m WHERE m.object = probe.object"
    " AND m.method = probe.method AND m.block_bytes = probe.block_bytes AND m.at_us / ?3 = probe.at_us / ?3)";
static const char JOIN_PROBES[] =
    "INSERT INTO probe (id, object, seq, at_us, method, block_bytes, n, kb_per_s, least, most, median_us, least_median_us,"
    " most_median_us) SELECT * FROM means";
static const char EMPTY_PROBES[] = "DELETE FROM means";

/* What happened between two times is summed up by pieces of that length. */
static int sum_up(struct history_db *db, uint64_t from_us, uint64_t to_us, uint64_t piece_us)
{
    static const struct {
        const char *text, *types;
    } DO[] = {
        { SUM_COUNTS, "" },     { EMPTY_COUNTS, "" }, { FILL_COUNTS, "iii" },
        { DROP_COUNTS, "iii" }, { JOIN_COUNTS, "" },  { EMPTY_COUNTS, "" },
        { SUM_PROBES, "" },     { EMPTY_PROBES, "" }, { FILL_PROBES, "iii" },
        { DROP_PROBES, "iii" }, { JOIN_PROBES, "" },  { EMPTY_PROBES, "" },
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < ELEMENTS(DO); i++)
        r = sql_run(db, DO[i].text, DO[i].types, from_us, to_us, piece_us);
    return r;
}

/* ---- changes ---- */

/* In a piece with very many changes of one object, those in the middle go, and the next one knows how many. */
static const char RANK_STATES[] =
    "CREATE TEMP TABLE IF NOT EXISTS crowd (id INTEGER PRIMARY KEY, keeper INTEGER, lost INTEGER)";
static const char FILL_STATES[] =
    "INSERT INTO crowd SELECT id, next, left_out + 1 FROM (SELECT id, left_out,"
    " row_number() OVER w AS place, count(*) OVER (PARTITION BY object, since_us / ?3) AS n,"
    " nth_value(id, ?4) OVER (PARTITION BY object, since_us / ?3 ORDER BY begin DESC"
    "  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS next"
    " FROM state WHERE since_us >= ?1 AND since_us < ?2 AND end IS NOT NULL"
    " WINDOW w AS (PARTITION BY object, since_us / ?3 ORDER BY begin))"
    " WHERE n > 2 * ?4 AND place > ?4 AND place <= n - ?4"
    " AND id NOT IN (SELECT id FROM best)";
static const char NOTE_STATES[] =
    "UPDATE state SET left_out = left_out + c.lost FROM (SELECT keeper, sum(lost) AS lost FROM crowd GROUP BY keeper) c"
    " WHERE state.id = c.keeper";
static const char DROP_STATES[] = "DELETE FROM state WHERE id IN (SELECT id FROM crowd)";
static const char EMPTY_STATES[] = "DELETE FROM crowd";

/* What is never forgotten: the best mode and the most lanes of each pair of ends. */
static const char MAKE_BEST[] = "CREATE TEMP TABLE IF NOT EXISTS best (id INTEGER PRIMARY KEY)";
static const char FILL_BEST[] =
    "INSERT OR IGNORE INTO best SELECT id FROM (SELECT id,"
    " row_number() OVER (PARTITION BY object, far_id ORDER BY kb_per_s DESC, begin DESC) AS speed,"
    " row_number() OVER (PARTITION BY object, far_id ORDER BY lanes DESC, begin DESC) AS width"
    " FROM state WHERE is_up AND known) WHERE speed = 1 OR width = 1";
static const char EMPTY_BEST[] = "DELETE FROM best";

static int thin_changes(struct history_db *db, uint64_t from_us, uint64_t to_us, uint64_t piece_us)
{
    int r = sql_run(db, RANK_STATES, "");

    if (r == 0)
        r = sql_run(db, EMPTY_STATES, "");
    if (r == 0)
        r = sql_run(db, FILL_STATES, "iiii", from_us, to_us, piece_us, (uint64_t)CHANGES_KEPT);
    if (r == 0)
        r = sql_run(db, NOTE_STATES, "");
    if (r == 0)
        r = sql_run(db, DROP_STATES, "");
    return r;
}

/* ---- deleting ---- */

static const char OLD_LOOKS[] =
    "DELETE FROM look WHERE wall_us < ? AND seq < (SELECT max(seq) FROM look)";
static const char OLD_COUNTS[] = "DELETE FROM count WHERE at_us < ?";
static const char OLD_PROBES[] = "DELETE FROM probe WHERE at_us < ?";
static const char OLD_STATES[] =
    "DELETE FROM state WHERE end IS NOT NULL AND until_us < ? AND id NOT IN (SELECT id FROM best)";
static const char OLD_FINDINGS[] = "DELETE FROM finding WHERE life = 2 AND until_us < ?";
static const char OLD_ACKNOWLEDGEMENTS[] =
    "DELETE FROM acknowledgement WHERE until_us > 0 AND until_us < ?";
static const char OLD_SERIES[] =
    "DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM count WHERE series = series.id)"
    " AND NOT EXISTS (SELECT 1 FROM state WHERE object = series.object)";
static const char OLD_OBJECTS[] =
    "DELETE FROM object WHERE NOT EXISTS (SELECT 1 FROM state WHERE object = object.id)"
    " AND NOT EXISTS (SELECT 1 FROM series WHERE object = object.id)"
    " AND NOT EXISTS (SELECT 1 FROM probe WHERE object = object.id)";

static int delete_old(struct history_db *db, uint64_t raw_limit, uint64_t keep_limit)
{
    static const char *const BEYOND_KEEP[] = { OLD_COUNTS, OLD_PROBES, OLD_STATES, OLD_FINDINGS,
                                               OLD_ACKNOWLEDGEMENTS };
    int r = sql_run(db, OLD_LOOKS, "i", raw_limit);

    for (size_t i = 0; r == 0 && i < ELEMENTS(BEYOND_KEEP); i++)
        r = sql_run(db, BEYOND_KEEP[i], "i", keep_limit);
    if (r == 0)
        r = sql_run(db, OLD_SERIES, "");
    return r < 0 ? r : sql_run(db, OLD_OBJECTS, "");
}

static uint64_t ago(uint64_t now_us, uint64_t us, uint64_t piece_us)
{
    return now_us > us ? (now_us - us) / piece_us * piece_us : 0;
}

/* All of it, with ages of a part in `cut` of what they are. */
static int thin(struct history_db *db, uint64_t now_us, uint64_t cut)
{
    const struct history_limits *l = &db->limits;
    uint64_t raw = ago(now_us, l->raw_us / cut, HOUR_US);
    uint64_t hourly = ago(now_us, l->hourly_us / cut, DAY_US);
    uint64_t keep = ago(now_us, l->keep_us / cut, 1);
    int r = sql_run(db, MAKE_BEST, "");

    if (r == 0)
        r = sql_run(db, EMPTY_BEST, "");
    if (r == 0)
        r = sql_run(db, FILL_BEST, "");
    if (r == 0)
        r = delete_old(db, raw, keep);
    if (r == 0)
        r = sum_up(db, hourly, raw, HOUR_US);
    if (r == 0)
        r = sum_up(db, 0, hourly, DAY_US);
    if (r == 0)
        r = thin_changes(db, hourly, raw, HOUR_US);
    if (r == 0)
        r = thin_changes(db, 0, hourly, DAY_US);
    return r;
}

/* ---- size ---- */

static const char PAGES[] = "PRAGMA page_count";
static const char FREE_PAGES[] = "PRAGMA freelist_count";
static const char PAGE_BYTES_[] = "PRAGMA page_size";

/* More than nine tenths of what it may have: the rest is for what comes until the next time. */
static int is_too_large(struct history_db *db, bool *ret)
{
    uint64_t pages = 0, unused = 0, size = 0;
    int r = sql_number(db, PAGES, &pages);

    if (r == 0)
        r = sql_number(db, FREE_PAGES, &unused);
    if (r == 0)
        r = sql_number(db, PAGE_BYTES_, &size);
    *ret = (pages - unused) * size > db->limits.size_bytes / 10 * 9;
    return r;
}

static int thin_to_size(struct history_db *db, uint64_t now_us)
{
    enum { LEAST_PART = 1024 }; /* of two years that is some 17 hours */
    bool too_large = false;
    int r = thin(db, now_us, 1);

    if (r == 0)
        r = is_too_large(db, &too_large);
    for (uint64_t cut = 2; r == 0 && too_large && cut <= LEAST_PART; cut *= 2) {
        r = thin(db, now_us, cut);
        if (r == 0)
            r = is_too_large(db, &too_large);
    }
    return r;
}

/* Was there a look yesterday, or is the database younger than that? */
static const char WAS_YESTERDAY[] =
    "SELECT EXISTS (SELECT 1 FROM look WHERE wall_us BETWEEN ?1 AND ?2)";

int history_db_thin(struct history_db *db, uint64_t now_us)
{
    sqlite3_stmt *s = sql_bind(db, WAS_YESTERDAY, "ii",
                               now_us > 2 * DAY_US ? now_us - 2 * DAY_US : 0,
                               now_us > DAY_US ? now_us - DAY_US : 0);
    int r = sql_step(db, s);
    bool believed = r > 0 && sqlite3_column_int(s, 0);

    if (r > 0)
        sqlite3_reset(s);
    if (r < 0 || !believed)
        return r < 0 ? r : 0;
    r = sql_script(db->sql, "BEGIN IMMEDIATE");
    if (r == 0)
        r = thin_to_size(db, now_us);
    if (r == 0)
        r = sql_script(db->sql, "COMMIT");
    if (r < 0 && !sqlite3_get_autocommit(db->sql))
        sql_script(db->sql, "ROLLBACK");
    if (r == 0)
        r = sql_script(db->sql, "PRAGMA incremental_vacuum");
    return r;
}
