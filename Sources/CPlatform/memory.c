#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

int reeve_memory_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int reeve_forbid_shrinking(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK);
}

int reeve_exclude_from_cores(void *start, size_t length) {
    return madvise(start, length, MADV_DONTDUMP);
}

int reeve_punch_hole(int descriptor, off_t offset, off_t length) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

const void *reeve_find(const void *bytes, size_t length, const void *part, size_t part_length) {
    return memmem(bytes, length, part, part_length);
}
