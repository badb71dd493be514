/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target over files: a corpus replayed by a plain build, without a fuzzing engine.
 *
 * usage: fuzz_NAME FILE-OR-FOLDER…   exit 0 when all were read and nothing crashed; an empty or
 * missing corpus is a failure, so that a replay cannot pass by reading nothing.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, cap = 0, got;

    if (!f) {
        perror(path);
        return -1;
    }
    do {
        if (size == cap)
            data = realloc(data, cap = cap ? cap * 2 : 4096);
        if (!data)
            abort();
        got = fread(data + size, 1, cap - size, f);
        size += got;
    } while (got);
    fclose(f);
    /* An exact-size copy, so that a sanitizer sees a read one byte too far. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    (*n)++;
    return 0;
}

static int run_path(const char *path, size_t *n)
{
    struct dirent **names;
    struct stat st;
    int r = 0, count;

    if (stat(path, &st) < 0) {
        perror(path);
        return -1;
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path, n);
    count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char file[4096];

        if (names[i]->d_name[0] != '.') {
            snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
            if (run_file(file, n) < 0)
                r = -1;
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return r;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    int r = 0;

    for (int i = 1; i < argc; i++)
        if (run_path(argv[i], &n) < 0)
            r = 1;
    printf("%zu inputs\n", n);
    return r || n == 0;
}
