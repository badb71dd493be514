/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pieces of all sizes and alignments stay inside their blocks and apart from each other.
 */
#include "../cmocka_all.h"

#include <string.h>

#include "base/arena.h"

/* Fills blocks to each of their last bytes with texts (not aligned) before objects (aligned), and looks
 * whether every piece still holds what was put into it. */
static void pieces_do_not_overlap(void **state)
{
    enum { PIECES = 3000 };
    static char *texts[PIECES];
    static uint64_t *objects[PIECES];

    (void)state;
    for (size_t step = 1; step < 40; step++) {
        struct arena *a = arena_new();

        for (size_t i = 0; i < PIECES; i++) {
            size_t len = (i * step) % 61;
            char text[64];

            memset(text, 'a' + (int)(i % 26), len);
            texts[i] = arena_strndup(a, text, len);
            objects[i] = arena_alloc(a, sizeof(uint64_t) * 3);
            assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
            memset(objects[i], (int)(i & 0xff), sizeof(uint64_t) * 3);
        }
        for (size_t i = 0; i < PIECES; i++) {
            assert_int_equal(strspn(texts[i], (char[]){ (char)('a' + (int)(i % 26)), 0 }),
                             (i * step) % 61);
            for (size_t k = 0; k < 3; k++)
                assert_true(objects[i][k] == 0x0101010101010101u * (i & 0xff));
        }
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
