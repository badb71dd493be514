/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json_load FILE: load a JSON file into a jansson tree, and exit.
 * What a reader of captures would cost that holds the whole file as a tree; bench.py measures ours against it.
 * Exit status: 0 loaded, 1 not loaded (the place is said), 64 wrong usage.
 */
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root;

    if (argc != 2) {
        fprintf(stderr, "usage: json_load FILE\n");
        return 64;
    }
    root = json_load_file(argv[1], 0, &error);
    if (!root) {
        fprintf(stderr, "%s:%d:%d: %s\n", argv[1], error.line, error.column, error.text);
        return 1;
    }
    _exit(0); /* the tree is not freed: only loading counts */
}
