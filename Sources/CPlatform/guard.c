#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARDS = 32768 };

static struct {
    _Atomic uintptr_t start;
    _Atomic uintptr_t end;
    atomic_uint missing;
} guards[GUARDS];

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static uintptr_t page_size;

static void bus_error(int number, siginfo_t *info, void *context) {
    int code = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    // One that a process has sent has no address.
    for (int i = 0; info->si_code > 0 && i < GUARDS; i++) {
        uintptr_t start = atomic_load(&guards[i].start);
        if (!start || at < start || at >= atomic_load(&guards[i].end)) continue;
        void *page = (void *)(at & ~(page_size - 1));
        if (mmap(page, page_size, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != page) break;
        atomic_fetch_add(&guards[i].missing, 1);
        errno = code;
        return;
    }
    // None of ours: what would have happened without us. Whoever handles it goes on to do so, and we to guard.
    errno = code;
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
    if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
    // The process ends when the instruction is tried again, or by the signal that was sent.
    sigaction(SIGBUS, &before, NULL);
    if (info->si_code <= 0) raise(number);
}

static int install(void) {
    if (page_size) return 1;
    long size = sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = bus_error, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (size <= 0 || sigaction(SIGBUS, NULL, &before) < 0) return 0;
    page_size = (uintptr_t)size;
    if (sigaction(SIGBUS, &action, NULL) == 0) return 1;
    page_size = 0;
    return 0;
}

int reeve_guard_memory(const void *start, size_t length) {
    int guard = -1;
    pthread_mutex_lock(&registration);
    if (install()) {
        for (int i = 0; i < GUARDS && guard < 0; i++) {
            if (atomic_load(&guards[i].start)) continue;
            atomic_store(&guards[i].missing, 0);
            atomic_store(&guards[i].end, (uintptr_t)start + length);
            atomic_store(&guards[i].start, (uintptr_t)start);
            guard = i;
        }
    }
    pthread_mutex_unlock(&registration);
    return guard;
}

unsigned reeve_missing_pages(int guard) {
    return guard < 0 ? 0 : atomic_load(&guards[guard].missing);
}

void reeve_unguard_memory(int guard) {
    if (guard >= 0) atomic_store(&guards[guard].start, 0);
}
