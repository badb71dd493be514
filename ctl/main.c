/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "output/output.h"
#include "source/capture.h"
#include "source/replay.h"

static int64_t refill(void *userdata, uint8_t *buffer, size_t size)
{
    return (int64_t)fread(buffer, 1, size, userdata);
}

int main(int argc, char **argv)
{
    struct history *h = history_new();
    struct report *report = NULL;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--capture") != 0)
            continue;
        FILE *f = fopen(argv[++i], "r");
        struct json_reader *j = json_reader_new(refill, f);
        struct store *s = store_new();
        struct arena *a = arena_new();
        struct capture_reading reading;
        int r = capture_read(j, s, a, &reading);

        if (r < 0) {
            fprintf(stderr, "%s: %s: %s\n", argv[i], reading.where, reading.why);
            return 1;
        }
        struct source *src = replay_new(s);
        bool last = true;
        for (int k = i + 1; k < argc; k++)
            if (strcmp(argv[k], "--capture") == 0)
                last = false;
        if (last)
            r = diagnose(src, LEVEL_ALL, h, &report);
        else
            r = diagnose_remember(src, h);
        if (r < 0) {
            fprintf(stderr, "%s\n", strerror(-r));
            return 1;
        }
        source_close(src);
        json_reader_free(j);
        fclose(f);
    }
    output_json(report, true, stdout);
    return 0;
}
