#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/timerfd.h>

// A timer of the wall clock, due in a time that nobody lives to see; it is cancelled when that clock jumps, which it also
// does when the machine wakes up.
static int arm(int descriptor) {
    struct itimerspec far = {.it_value = {.tv_sec = (time_t)1 << 40}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, NULL);
}

int reeve_wake_open(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -1;
    if (arm(descriptor) == 0 || errno == ECANCELED) return descriptor;
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int reeve_wake_read(int descriptor) {
    uint64_t count;
    int woke = 0;
    if (read(descriptor, &count, sizeof count) < 0) {
        if (errno == EAGAIN || errno == EINTR) return 0;
        if (errno != ECANCELED) return -1;
        woke = 1;
    }
    return arm(descriptor) == 0 ? woke : errno == ECANCELED ? 1 : -1;
}
#else
int reeve_wake_open(void) {
    errno = ENOSYS;
    return -1;
}

int reeve_wake_read(int descriptor) {
    (void)descriptor;
    errno = ENOSYS;
    return -1;
}
#endif
