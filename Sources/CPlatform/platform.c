#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void reeve_say(int descriptor, const void *text, size_t length) {
    sigset_t pipe, former, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &pipe, &former) != 0) return;
    const char *at = text;
    while (length > 0) {
        ssize_t written = write(descriptor, at, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE && !was_pending) {
            // The signal is this thread's, and waits to be taken.
            struct timespec none = {0, 0};
            while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR) continue;
        }
        if (written <= 0) break;
        at += written;
        length -= (size_t)written;
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

ssize_t reeve_send_descriptor(int socket, const void *bytes, size_t length, int descriptor) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t reeve_receive_descriptor(int socket, void *bytes, size_t capacity, int flags, int *descriptor) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * 4)];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            if (*descriptor < 0) *descriptor = fd;
            else close(fd);
        }
    }
    return received;
}

int reeve_peer_credentials(int socket, uid_t *uid, gid_t *gid, pid_t *pid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -1;
    *uid = credentials.uid;
    *gid = credentials.gid;
    *pid = credentials.pid;
    return 0;
}

int reeve_accept(int socket) {
    return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int reeve_lock_shared(int descriptor) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int reeve_is_locked_by_others(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    if (fcntl(descriptor, F_OFD_GETLK, &lock) < 0) return -1;
    return lock.l_type != F_UNLCK;
}

int reeve_spawn_detached(
    const char *program, char *const arguments[], char *const environment[], int log, int ready, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int status = posix_spawn_file_actions_init(&actions);
    if (status) return status;
    status = posix_spawnattr_init(&attributes);
    if (status) {
        posix_spawn_file_actions_destroy(&actions);
        return status;
    }
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!(status = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0))
        && !(status = posix_spawn_file_actions_adddup2(&actions, log, 1))
        && !(status = posix_spawn_file_actions_adddup2(&actions, log, 2))
        && !(status = posix_spawn_file_actions_adddup2(&actions, ready, 3))
        && !(status = posix_spawn_file_actions_addclosefrom_np(&actions, 4))
        && !(status = posix_spawn_file_actions_addchdir_np(&actions, "/")))
        status = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int reeve_has_room(int descriptor, off_t end, off_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
        && (rlim_t)(end + bytes) > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, end, bytes) < 0) return -1;
    fallocate(descriptor, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, end, bytes);
    return 0;
}

int reeve_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

/// Exported by the Swift runtime.
__attribute__((swiftcall)) extern _Bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, const void *implementation, uintptr_t flags);

_Bool reeve_is_current_executor(const void *identity, const void *implementation) {
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
