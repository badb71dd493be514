/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of methods.
 */
#include "source/measure.h"

#include <string.h>

#include "base/text.h"

#define BUFFER "the device's buffer by READ BUFFER, the link without the medium"
#define CACHED "the same small range again and again, out of the device's cache"
#define MEDIA  "the medium from its first block on, or at random places"

const struct measure_method MEASURE_METHODS[] = {
    { "read-buffer/sg", MEASURE_READ_BUFFER, WAY_SG, BUFFER "; copied by the sg driver" },
    { "read-buffer/sg-direct", MEASURE_READ_BUFFER, WAY_SG_DIRECT,
      BUFFER "; not copied, where sg's allow_dio is 1" },
    { "read-buffer/sg-mmap", MEASURE_READ_BUFFER, WAY_SG_MMAP,
      BUFFER "; into the sg driver's buffer, seen by mmap" },
    { "read-buffer/bsg", MEASURE_READ_BUFFER, WAY_BSG, BUFFER "; through bsg" },
    { "read-cached/sg", MEASURE_READ_CACHED, WAY_SG, CACHED "; copied by the sg driver" },
    { "read-cached/sg-direct", MEASURE_READ_CACHED, WAY_SG_DIRECT,
      CACHED "; not copied, where sg's allow_dio is 1" },
    { "read-cached/sg-mmap", MEASURE_READ_CACHED, WAY_SG_MMAP,
      CACHED "; into the sg driver's buffer, seen by mmap" },
    { "read-cached/bsg", MEASURE_READ_CACHED, WAY_BSG, CACHED "; through bsg" },
    { "read-cached/block-direct", MEASURE_READ_CACHED, WAY_BLOCK_DIRECT,
      CACHED "; by the block layer, past the page cache" },
    { "read-cached/block-buffered", MEASURE_READ_CACHED, WAY_BLOCK_BUFFERED,
      CACHED
      "; by the block layer through the page cache, which is emptied of it before each read" },
    { "read-media/sg", MEASURE_READ_MEDIA, WAY_SG, MEDIA "; copied by the sg driver" },
    { "read-media/sg-direct", MEASURE_READ_MEDIA, WAY_SG_DIRECT,
      MEDIA "; not copied, where sg's allow_dio is 1" },
    { "read-media/sg-mmap", MEASURE_READ_MEDIA, WAY_SG_MMAP,
      MEDIA "; into the sg driver's buffer, seen by mmap" },
    { "read-media/bsg", MEASURE_READ_MEDIA, WAY_BSG, MEDIA "; through bsg" },
    { "read-media/block-direct", MEASURE_READ_MEDIA, WAY_BLOCK_DIRECT,
      MEDIA "; by the block layer, past the page cache" },
    { "read-media/block-buffered", MEASURE_READ_MEDIA, WAY_BLOCK_BUFFERED,
      MEDIA "; by the block layer through the page cache, which is emptied of the range before" },
    { 0 },
};

const struct measure_method *measure_method_named(const char *name)
{
    size_t len = strlen(name);

    for (const struct measure_method *m = MEASURE_METHODS; m->name; m++) {
        if (strcmp(m->name, name) == 0)
            return m;
        if (m->way == WAY_SG && strncmp(m->name, name, len) == 0 &&
            strcmp(m->name + len, "/sg") == 0)
            return m;
    }
    return NULL;
}
