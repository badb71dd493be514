/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The engine over disks that are not there: what is sent, what comes out, what faults do, who goes on. Longer than most files:
 * there are many faults.
 */
#include "fake_system.h"

#include "live/measure_engine.h"
#include "live/measure_worker.h"
#include "source/replay.h"

enum { BLOCK = 4096, DISK_BYTES = 4 * 1024 * 1024, CACHE_BYTES = 256 * 1024 };

static const char *const NAMES[FAKES_MAX] = { "0:0:0:0", "0:0:1:0", "1:0:0:0", "1:0:1:0" };

struct rig {
    struct fakes fakes;
    struct measure_device devices[FAKES_MAX];
    struct store *store;
    struct source *source;
    struct measure_options options;
    struct measure_engine *engine;
    struct measurement m[FAKES_MAX];
};

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));

    rig->fakes.n = FAKES_MAX;
    rig->fakes.block = BLOCK;
    pthread_mutex_init(&rig->fakes.mutex, NULL);
    pthread_cond_init(&rig->fakes.cond, NULL);
    for (size_t i = 0; i < FAKES_MAX; i++) {
        struct fake *d = &rig->fakes.v[i];

        d->hctl = NAMES[i];
        d->bytes = DISK_BYTES;
        d->buffer_bytes = 64 * 1024;
        d->reserved = 1 << 20;
        d->direct = true;
        d->hangs_at = -1;
        d->fault.at = -1;
        rig->devices[i].target = (struct command_target){
            .hctl = NAMES[i], .type = 0, .scsi_level = 6, .flags = TARGET_READS | TARGET_NAMED
        };
    }
    rig->store = store_new();
    rig->source = replay_new(rig->store);
    rig->options = (struct measure_options){ .system = &FAKE_SYSTEM,
                                             .user = &rig->fakes,
                                             .source = rig->source,
                                             .cache_bytes = CACHE_BYTES,
                                             .patience_us = 20000000 };
    rig->engine = measure_engine_new(&rig->options, rig->devices, FAKES_MAX);
    assert_non_null(rig->engine);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    for (size_t i = 0; i < FAKES_MAX; i++)
        assert_int_equal(rig->fakes.v[i].opened, rig->fakes.v[i].closed);
    measure_engine_free(rig->engine);
    source_close(rig->source);
    store_free(rig->store);
    pthread_mutex_destroy(&rig->fakes.mutex);
    pthread_cond_destroy(&rig->fakes.cond);
    free(rig);
    return 0;
}

/* With other options. */
static void anew(struct rig *rig)
{
    measure_engine_free(rig->engine);
    rig->engine = measure_engine_new(&rig->options, rig->devices, FAKES_MAX);
    assert_non_null(rig->engine);
}

static struct measurement run(struct rig *rig, const struct measure_request *r, size_t n)
{
    assert_int_equal(measure_engine_run(rig->engine, r, 0, n, rig->m), 0);
    return rig->m[0];
}

static struct measure_request reads(const char *method, unsigned n)
{
    return (struct measure_request){
        .method = method, .block_bytes = BLOCK, .total_bytes = (uint64_t)n * BLOCK, .depth = 1
    };
}

static void every_method_reads_what_is_asked(void **state)
{
    struct rig *rig = *state;
    struct fake *d = &rig->fakes.v[0];

    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++) {
        struct measure_request r = reads(m->name, 50);
        struct measurement x = run(rig, &r, 1);

        d->latency_us = 50;
        assert_int_equal(x.error, 0);
        assert_null(x.disturbed);
        assert_string_equal(x.hctl, "0:0:0:0");
        assert_string_equal(x.method, m->name);
        assert_int_equal(x.commands, 50);
        assert_int_equal(x.bytes, 50 * BLOCK);
        assert_int_equal(x.block_bytes, BLOCK);
        assert_int_equal(x.depth, 1);
        assert_int_equal(x.together, 1);
        assert_int_equal(x.direct, m->way == WAY_SG_DIRECT ? 50 : 0);
        assert_int_equal(x.retries + x.errors + x.short_bytes + x.sense.len, 0);
        assert_true(x.wall_us > 0 && x.us > 0);
        assert_true(x.min_us && x.min_us <= x.median_us && x.median_us <= x.p95_us &&
                    x.p95_us <= x.p99_us && x.p99_us <= x.max_us && x.max_us <= x.us + 1);
        assert_int_equal(x.cpu_us, x.user_us + x.system_us);
        assert_int_equal(d->opened, d->closed);
        assert_int_equal(atomic_exchange(&d->reads, 0), 50);
        /* Where the driver copies or maps, it keeps one buffer for all. */
        assert_int_equal(atomic_exchange(&d->asked_to_reserve, 0),
                         m->way == WAY_SG || m->way == WAY_SG_MMAP ? BLOCK : 0);
        if (m->way == WAY_BLOCK_BUFFERED)
            assert_int_equal(atomic_exchange(&d->forgotten, 0), 50 * BLOCK);
    }
    assert_int_equal(d->mapped, 3);
}

static void long_disks_by_read_16(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media", 4);

    run(rig, &r, 1);
    assert_int_equal(rig->fakes.v[0].opcode, OP_READ_10);
    rig->fakes.v[0].bytes = (uint64_t)6 << 40;
    assert_int_equal(run(rig, &r, 1).error, 0);
    assert_int_equal(rig->fakes.v[0].opcode, OP_READ_16);
}

static void read_buffer_by_its_size(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-buffer/bsg", 4);
    struct measurement m;

    rig->fakes.v[0].buffer_bytes = 1536;
    m = run(rig, &r, 1);
    assert_int_equal(m.error, 0);
    assert_int_equal(m.block_bytes, 1536);
    assert_true(m.bytes >= 4 * BLOCK && m.bytes < 4 * BLOCK + 1536);
    rig->fakes.v[0].buffer_bytes = 0;
    m = run(rig, &r, 1);
    assert_int_equal(m.error, EOPNOTSUPP);
    assert_int_equal(m.sense.len, 18);
    assert_int_equal(m.sense.data[2], 5);
    assert_non_null(m.disturbed);
    assert_int_equal(m.bytes, 0);
}

/* In sequence each block once, whoever reads it; at random the same blocks by the same seed. */
static void places(void **state)
{
    struct rig *rig = *state;
    struct fake *d = &rig->fakes.v[0];
    uint8_t first[PLACES_MAX];
    struct measure_request r = reads("read-media/block-direct", DISK_BYTES / BLOCK);
    unsigned different = 0;

    r.depth = 8;
    run(rig, &r, 1);
    for (size_t i = 0; i < PLACES_MAX; i++)
        assert_int_equal(atomic_exchange(&d->seen[i], 0), i < DISK_BYTES / BLOCK);
    r.random = true;
    for (int round = 0; round < 3; round++) {
        r.seed = round == 2 ? 8 : 7;
        assert_true(run(rig, &r, 1).random);
        for (size_t i = 0; i < PLACES_MAX; i++) {
            uint8_t n = atomic_exchange(&d->seen[i], 0);

            assert_true(i < DISK_BYTES / BLOCK || n == 0);
            if (round == 1)
                assert_int_equal(n, first[i]);
            different += round == 2 && n != first[i];
            first[i] = n;
        }
    }
    assert_true(different > DISK_BYTES / BLOCK / 4);
    r = reads("read-cached/sg", 20);
    run(rig, &r, 1);
    assert_int_equal(d->seen[0], 20);
}

static void buffered_reads_of_the_whole_end_there(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/block-buffered", 2 * DISK_BYTES / BLOCK);
    struct measurement m = run(rig, &r, 1);

    assert_int_equal(m.bytes, DISK_BYTES);
    assert_int_equal(rig->fakes.v[0].forgets, 1);
    assert_int_equal(rig->fakes.v[0].forgotten, DISK_BYTES);
}

static void cold_buffers_outgrow_the_cache(void **state)
{
    struct rig *rig = *state;
    struct fake *d = &rig->fakes.v[0];
    struct measure_request r = reads("read-cached/sg", 300);

    run(rig, &r, 1);
    assert_true(atomic_load(&d->lowest) == atomic_load(&d->highest));
    r.cold = true;
    assert_true(run(rig, &r, 1).cold);
    assert_true(atomic_load(&d->highest) - atomic_load(&d->lowest) >= 2 * CACHE_BYTES);
    r.method = "read-cached/sg-mmap";
    assert_int_equal(run(rig, &r, 1).error, EOPNOTSUPP);
    rig->options.cache_bytes = 0;
    anew(rig);
    r.method = "read-cached/sg";
    assert_int_equal(run(rig, &r, 1).error, EOPNOTSUPP);
    assert_non_null(rig->m[0].disturbed);
}

/* What happens at the tenth read, what becomes of it, and of how many reads. */
static const struct {
    struct fault fault;
    int error;
    unsigned commands, retries, sense_key;
    size_t short_bytes;
} FAULTS[] = {
    { { .at = 10, .status = 2, .key = 6 }, 0, 51, 1, 0, 0 },
    { { .at = 10, .status = 2, .key = 6, .times = 2 }, 0, 52, 2, 0, 0 },
    { { .at = 10, .status = 2, .key = 6, .times = 3 }, EIO, 13, 2, 6, 0 },
    { { .at = 10, .status = 0x08, .times = 3 }, 0, 53, 3, 0, 0 },
    { { .at = 10, .status = 0x28 }, 0, 51, 1, 0, 0 },
    { { .at = 10, .status = 0x18 }, EIO, 11, 0, 0, 0 },
    { { .at = 10, .status = 2, .key = 1 }, 0, 50, 0, 0, 0 },
    { { .at = 10, .status = 2, .key = 3 }, EIO, 11, 0, 3, 0 },
    { { .at = 10, .status = 2, .key = 3, .driver_status = 8 }, EIO, 11, 0, 3, 0 },
    { { .at = 10, .host_status = 1 }, ENODEV, 11, 0, 0, 0 },
    { { .at = 10, .host_status = 3 }, ETIMEDOUT, 11, 0, 0, 0 },
    { { .at = 10, .host_status = 7 }, EIO, 11, 0, 0, 0 },
    { { .at = 10, .driver_status = 6 }, EIO, 11, 0, 0, 0 },
    { { .at = 10, .error = ENODEV }, ENODEV, 11, 0, 0, 0 },
    { { .at = 10, .error = 524 /* of the kernel alone */ }, EIO, 11, 0, 0, 0 },
    { { .at = 10, .residual = 1000 }, 0, 50, 0, 0, 1000 },
    { { .at = 10, .residual = 99999 }, 0, 50, 0, 0, BLOCK },
};

static void faults_of_commands(void **state)
{
    struct rig *rig = *state;
    static const char *const METHODS[] = { "read-media/sg", "read-buffer/bsg" };

    for (size_t i = 0; i < 2 * ELEMENTS(FAULTS); i++) {
        struct measure_request r = reads(METHODS[i % 2], 50);
        struct measurement m;

        rig->fakes.v[0].fault = FAULTS[i / 2].fault;
        rig->fakes.v[0].reads = 0;
        anew(rig);
        m = run(rig, &r, 1);
        if (m.error != FAULTS[i / 2].error)
            print_error("fault %zu: %s\n", i / 2, m.disturbed);
        assert_int_equal(m.error, FAULTS[i / 2].error);
        assert_int_equal(!m.disturbed, !m.error);
        assert_int_equal(m.commands, FAULTS[i / 2].commands);
        assert_int_equal(m.retries, FAULTS[i / 2].retries);
        assert_int_equal(m.errors, m.error ? 1 : 0);
        assert_int_equal(m.short_bytes, FAULTS[i / 2].short_bytes);
        assert_int_equal(m.sense.len ? m.sense.data[2] : 0, FAULTS[i / 2].sense_key);
        assert_int_equal(m.bytes, (m.error ? 10 : 50) * BLOCK - m.short_bytes);
    }
}

static void faults_of_the_block_layer(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/block-direct", 50);

    rig->fakes.v[0].fault = (struct fault){ .at = 10, .error = EIO };
    assert_int_equal(run(rig, &r, 1).error, EIO);
    assert_int_equal(rig->m[0].bytes, 10 * BLOCK);
    rig->fakes.v[0].fault = (struct fault){ .at = 0, .residual = 96 };
    rig->fakes.v[0].reads = 0;
    assert_int_equal(run(rig, &r, 1).error, EIO); /* it has failed, and is left alone */
    assert_int_equal(rig->fakes.v[0].reads, 0);
    anew(rig);
    assert_int_equal(run(rig, &r, 1).error, 0);
    assert_int_equal(rig->m[0].short_bytes, 96);
}

static void attentions_before_the_size_is_told(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media", 5);

    rig->fakes.v[0].attentions = 2;
    assert_int_equal(run(rig, &r, 1).error, 0);
    assert_int_equal(rig->m[0].asked, 3);
    assert_int_equal(rig->m[0].retries, 0); /* of reads */
    rig->fakes.v[0].attentions = 3;
    assert_int_equal(run(rig, &r, 1).error, EIO);
    assert_int_equal(rig->fakes.v[0].reads, 5);
}

static void a_busy_device_is_given_up(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media", 50);

    rig->fakes.v[0].fault = (struct fault){ .at = 10, .status = 8, .times = 1000000 };
    assert_int_equal(run(rig, &r, 1).error, EBUSY);
    assert_int_equal(rig->m[0].retries, 40);
}

/* Patience with it is no longer than the time that a read may take. */
static void a_busy_device_gets_no_more_time(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = {
        .method = "read-media/sg", .block_bytes = BLOCK, .depth = 1, .longest_us = 100000
    };
    uint64_t began_ns = run_now_ns();
    struct measurement m;

    rig->fakes.v[0].fault = (struct fault){ .at = 0, .status = 0x08, .times = 1000 };
    m = run(rig, &r, 1);
    assert_int_equal(m.error, EBUSY);
    assert_string_equal(m.disturbed, "the device stays busy");
    assert_true(m.commands < 12); /* 1, 2, 4, … ms between them */
    assert_true(run_now_ns() - began_ns < 2000000000);
    rig->fakes.v[0].fault.at = atomic_load(&rig->fakes.v[0].reads) +
                               2; /* what came before counts */
    m = run(rig, &r, 1);
    assert_int_equal(m.error, 0);
    assert_int_equal(m.bytes, 2 * BLOCK);
}

/* The device is well; it serves another: by its status, and as the block layer tells it. */
static void reserved_by_somebody_else(void **state)
{
    static const struct fault RESERVED[] = { { .at = 0, .status = 0x18 },
                                             { .at = 0, .error = EBADE } };
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 4);

    for (size_t i = 0; i < ELEMENTS(RESERVED); i++) {
        rig->fakes.v[0].fault = RESERVED[i];
        rig->fakes.v[0].reads = 0;
        anew(rig);
        assert_string_equal(run(rig, &r, 1).disturbed,
                            "it is reserved by somebody else (RESERVATION CONFLICT)");
        assert_int_equal(rig->m[0].retries, 0);
    }
}

/* The highest number is one, not none. */
static void bytes_without_end(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 1);

    r.total_bytes = UINT64_MAX;
    r.longest_us = 20000;
    rig->fakes.v[0].latency_us = 100;
    assert_true(run(rig, &r, 1).bytes > 0);
}

/* Buffers of all devices are no reason to kill others for memory. */
static void no_more_memory_than_there_is(void **state)
{
    static const char TEXT[] = "MemTotal:       9 kB\nMemAvailable:      %d kB\nBuffers: 1 kB\n";
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 4);
    char text[128];
    store_node proc;

    assert_int_equal(run(rig, &r, 2).error, 0); /* nobody says how much there is */
    assert_int_equal(store_dir(rig->store, (struct bytes){ (const uint8_t *)"/proc", 5 }, &proc),
                     0);
    snprintf(text, sizeof(text), TEXT, 4 * BLOCK / 1024);
    assert_int_equal(store_put(rig->store, proc, (struct bytes){ (const uint8_t *)"meminfo", 7 },
                               STORE_FILE, (struct bytes){ (const uint8_t *)text, strlen(text) }, 0,
                               NULL),
                     0);
    assert_int_equal(run(rig, &r, 2).error, 0);
    for (size_t i = 0; i < FAKES_MAX; i++)
        rig->fakes.v[i].opened = rig->fakes.v[i].closed = 0;
    assert_int_equal(run(rig, &r, 3).error, ENOMEM);
    assert_string_equal(rig->m[2].disturbed,
                        "its buffers would take more than half of the memory that is left");
    for (size_t i = 0; i < FAKES_MAX; i++)
        assert_int_equal(rig->fakes.v[i].opened, 0);
    r.depth = 3;
    assert_int_equal(run(rig, &r, 1).error, ENOMEM);
    r.depth = 1;
    r.cold = true; /* more than twice the cache */
    assert_int_equal(run(rig, &r, 1).error, ENOMEM);
}

static void one_fails_the_others_go_on(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 200);

    rig->fakes.v[0].latency_us = rig->fakes.v[1].latency_us = 200;
    rig->fakes.v[1].fault = (struct fault){ .at = 10, .status = 2, .key = 3 };
    rig->fakes.v[2].opens_fail = EACCES;
    rig->devices[3].error = EBUSY;
    rig->devices[3].why = "somebody says so";
    r.depth = 4;
    run(rig, &r, 4);
    assert_int_equal(rig->m[0].error, 0);
    assert_int_equal(rig->m[0].bytes, 200 * BLOCK);
    assert_int_equal(rig->m[0].together, 3);
    assert_int_equal(rig->m[1].error, EIO);
    assert_true(rig->m[1].bytes >= 9 * BLOCK && rig->m[1].bytes < 20 * BLOCK);
    assert_int_equal(rig->m[2].error, EACCES);
    assert_int_equal(rig->m[3].error, EBUSY);
    assert_string_equal(rig->m[3].disturbed, "somebody says so");
    assert_int_equal(rig->fakes.v[3].opened, 0);
}

static void all_begin_and_end_together(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 300);

    for (size_t i = 0; i < 4; i++)
        rig->fakes.v[i].latency_us = 300u
                                     << 2 * i; /* so far apart that a busy processor hides it not */
    r.depth = 2;
    run(rig, &r, 4);
    assert_int_equal(rig->m[0].bytes, 300 * BLOCK);
    assert_true(rig->m[3].bytes < rig->m[0].bytes);
    for (size_t i = 1; i < 4; i++) {
        assert_true(rig->m[i].bytes <= rig->m[i - 1].bytes);
        assert_true(rig->m[i].us * 10 > rig->m[0].us * 8);
    }
    r = (struct measure_request){
        .method = "read-media/sg", .block_bytes = BLOCK, .depth = 2, .longest_us = 200000
    };
    run(rig, &r, 4);
    for (size_t i = 0; i < 4; i++)
        assert_in_range(rig->m[i].us, 180000, 2000000);
}

static void direct_counts_only_where_it_is(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg-direct", 5);

    rig->fakes.v[0].direct = false;
    assert_int_equal(run(rig, &r, 1).error, EOPNOTSUPP);
    assert_int_equal(rig->m[0].direct, 0);
    assert_int_equal(rig->fakes.v[0].reads, 1);
    r.method = "read-media/sg-mmap";
    rig->fakes.v[0].reserved = 1024;
    assert_int_equal(run(rig, &r, 1).error, EMSGSIZE);
    assert_int_equal(rig->fakes.v[0].reads, 1);
}

/* Until the threads that were left behind have gone. */
static void wait_for_stragglers(struct rig *rig)
{
    fake_release(&rig->fakes);
    for (size_t i = 0; i < FAKES_MAX; i++)
        while (atomic_load(&rig->fakes.v[i].opened) != atomic_load(&rig->fakes.v[i].closed))
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void one_hangs_the_others_go_on(void **state)
{
    struct rig *rig = *state;
    struct measure_request r = reads("read-media/sg", 50);

    rig->options.patience_us = 200000;
    anew(rig);
    rig->fakes.v[1].hangs_at = 20;
    rig->fakes.v[2].hangs_at = -2;
    for (size_t i = 0; i < 4; i++)
        rig->fakes.v[i].latency_us = 500;
    rig->fakes.v[0].latency_us = 1000;
    run(rig, &r, 4);
    assert_int_equal(rig->m[3].error, 0);
    assert_int_equal(rig->m[0].error, 0);
    assert_int_equal(rig->m[1].error, ETIMEDOUT);
    assert_int_equal(rig->m[1].bytes, 20 * BLOCK);
    assert_int_equal(rig->m[2].error, ETIMEDOUT);
    assert_int_equal(rig->m[2].bytes, 0);
    run(rig, &r, 4);
    assert_int_equal(rig->m[0].error, 0);
    assert_int_equal(rig->m[1].error, ETIMEDOUT);
    assert_int_equal(rig->fakes.v[1].opened, 1); /* not asked again */
    measure_engine_free(TAKE_PTR(rig->engine));  /* the threads that are left need nothing of it */
    wait_for_stragglers(rig);
    assert_int_equal(rig->fakes.v[1].reads, 21);
}

struct told {
    unsigned calls, stops_at;
    uint64_t bytes;
};

static int note(void *userdata, size_t device, uint64_t bytes)
{
    struct told *t = userdata;

    assert_int_equal(device, 1);
    assert_true(bytes > t->bytes);
    t->bytes = bytes;
    t->calls++;
    return t->stops_at == t->calls ? -EPIPE : 0;
}

static void progress_of_those_that_move(void **state)
{
    struct rig *rig = *state;
    struct told told = { 0 };
    struct measure_request r = {
        .method = "read-media/sg", .block_bytes = BLOCK, .depth = 1, .longest_us = 2500000
    };

    rig->options.progress = note;
    rig->options.userdata = &told;
    rig->devices[0].error = EPERM;
    rig->fakes.v[1].latency_us = 1000;
    anew(rig);
    run(rig, &r, 2);
    assert_int_equal(told.calls, 2);
    assert_true(told.bytes < rig->m[1].bytes);
    told = (struct told){ .stops_at = 1 };
    r.longest_us = 60000000;
    run(rig, &r, 2);
    assert_int_equal(told.calls, 1);
    assert_int_equal(rig->m[1].error, 0);
    assert_in_range(rig->m[1].us, 900000, 5000000);
}

static void whom_nobody_may_read(void **state)
{
    static const struct {
        int type, level;
        unsigned flags;
        int error;
    } ROWS[] = {
        { 0x00, 6, TARGET_READS, 0 },
        { 0x00, 3, TARGET_READS, 0 },
        { 0x00, 6, 0, EPERM },
        { 0x00, 6, TARGET_READS | TARGET_SYSFS_ONLY, EPERM },
        { 0x00, 6, TARGET_READS | TARGET_ASLEEP, EBUSY },
        { 0x00, 6, TARGET_READS | TARGET_ARRAY, EPERM },
        { 0x00, 6, TARGET_READS | TARGET_ARRAY | TARGET_ACTIVE_PATH, 0 },
        { 0x01, 6, TARGET_READS | TARGET_NAMED | TARGET_FORCED, EPERM },
        { 0x05, 6, TARGET_READS | TARGET_NAMED | TARGET_FORCED, EPERM },
        { 0x08, 6, TARGET_READS | TARGET_NAMED | TARGET_FORCED, EPERM },
        { 0x0d, 6, TARGET_READS | TARGET_NAMED | TARGET_FORCED, EPERM },
        { -1, 6, TARGET_READS, EPERM },
    };
    struct rig *rig = *state;

    for (size_t i = 0; i < ELEMENTS(ROWS); i++)
        for (const struct measure_method *m = MEASURE_METHODS; m->name; m++) {
            struct measure_request r = reads(m->name, 2);

            rig->devices[0].target.type = ROWS[i].type;
            rig->devices[0].target.scsi_level = ROWS[i].level;
            rig->devices[0].target.flags = ROWS[i].flags;
            rig->fakes.v[0].opened = rig->fakes.v[0].closed = 0;
            assert_int_equal(run(rig, &r, 1).error, ROWS[i].error);
            assert_int_equal(!rig->m[0].disturbed, !ROWS[i].error);
            assert_int_equal(rig->fakes.v[0].opened, !ROWS[i].error);
        }
}

static void what_cannot_be_asked(void **state)
{
    struct rig *rig = *state;
    struct measure_request rows[] = {
        reads("read", 1),       reads("read-media", 1), reads("read-media", 0),
        reads("read-media", 1), reads("read-media", 1), reads("read-media", 1),
    };
    struct measure_request r = reads("read-media", 1);

    rows[1].block_bytes = 0;
    rows[3].depth = 0;
    rows[4].depth = MEASURE_DEPTH_MAX + 1;
    rows[5].block_bytes = MEASURE_BLOCK_MAX + 1;
    for (size_t i = 0; i < ELEMENTS(rows); i++)
        assert_int_equal(measure_engine_run(rig->engine, &rows[i], 0, 1, rig->m), -EINVAL);
    assert_int_equal(measure_engine_run(rig->engine, &r, 1, FAKES_MAX, rig->m), -EINVAL);
    r.block_bytes = 1000;
    assert_int_equal(run(rig, &r, 1).error, EINVAL);
    r.block_bytes = 2 * DISK_BYTES;
    assert_int_equal(run(rig, &r, 1).error, EMSGSIZE);
    assert_int_equal(rig->fakes.v[0].reads, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_method_reads_what_is_asked),
        TEST(long_disks_by_read_16),
        TEST(read_buffer_by_its_size),
        TEST(places),
        TEST(buffered_reads_of_the_whole_end_there),
        TEST(cold_buffers_outgrow_the_cache),
        TEST(faults_of_commands),
        TEST(faults_of_the_block_layer),
        TEST(attentions_before_the_size_is_told),
        TEST(a_busy_device_is_given_up),
        TEST(a_busy_device_gets_no_more_time),
        TEST(reserved_by_somebody_else),
        TEST(no_more_memory_than_there_is),
        TEST(bytes_without_end),
        TEST(one_fails_the_others_go_on),
        TEST(all_begin_and_end_together),
        TEST(direct_counts_only_where_it_is),
        TEST(one_hangs_the_others_go_on),
        TEST(progress_of_those_that_move),
        TEST(whom_nobody_may_read),
        TEST(what_cannot_be_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
