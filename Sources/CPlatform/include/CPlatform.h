/// What Swift can't say: control messages with descriptors, the identity of a thread in one
/// instruction, open-file-description locks.
#ifndef REEVE_CPLATFORM_H
#define REEVE_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A number that differs between live threads; one instruction where the processor keeps a thread pointer.
static inline uintptr_t reeve_thread_identity(void) {
#if defined(__x86_64__)
    uintptr_t self;
    __asm__("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return (uintptr_t)__builtin_thread_pointer();
#endif
}

/// Writes text for people to a descriptor, as far as it takes it: a log whose reader is gone, or whose disk is full, is no
/// reason to end the process, nor to send it a signal.
void reeve_say(int descriptor, const void *text, size_t length);

/// Sends `length` bytes with one descriptor attached (SCM_RIGHTS). Returns what `sendmsg` returns.
ssize_t reeve_send_descriptor(int socket, const void *bytes, size_t length, int descriptor);

/// Receives up to `capacity` bytes; `*descriptor` becomes the descriptor that came with them
/// (close-on-exec), or -1. Further descriptors in the message are closed.
ssize_t reeve_receive_descriptor(int socket, void *bytes, size_t capacity, int flags, int *descriptor);

/// Uid, gid and pid of the process at the other end of a connected Unix socket. Returns 0, or -1 with errno.
int reeve_peer_credentials(int socket, uid_t *uid, gid_t *gid, pid_t *pid);

/// Accepts a connection: non-blocking, close-on-exec. Returns the descriptor, or -1 with errno.
int reeve_accept(int socket);

/// Takes a shared lock that belongs to this open file description (F_OFD_SETLK). Returns 0, or -1 with errno.
int reeve_lock_shared(int descriptor);

/// 1 if another open file description holds a lock on the file, 0 if not, -1 with errno on failure.
int reeve_is_locked_by_others(int descriptor);

/// Starts `program` in a session of its own with default signals, `/` as directory, `/dev/null` as input, `log` as
/// both outputs and `ready` as descriptor 3; it inherits no other descriptor. Returns 0 or an errno value.
int reeve_spawn_detached(
    const char *program, char *const arguments[], char *const environment[], int log, int ready, pid_t *pid);

/// Whether a file can have `bytes` more from `end` on, its last byte, without giving them to it. Returns 0, or -1 with
/// errno.
int reeve_has_room(int descriptor, off_t end, off_t bytes);

/// A pipe whose ends are closed on exec. Returns 0, or -1 with errno.
int reeve_pipe(int ends[2]);

/// From now on, a read of mapped memory in this range whose page isn't there any more (the file has become shorter, or
/// its disk fails) finds zeros instead of ending the process with SIGBUS. Returns a number for the range, or -1 if it
/// can't be had.
int reeve_guard_memory(const void *start, size_t length);

/// How many pages of the range were missing when they were read. They stay zero until the range is unmapped.
unsigned reeve_missing_pages(int guard);

/// Must be called before the range is unmapped.
void reeve_unguard_memory(int guard);

/// A file in memory that has no name: closed on exec, may be sealed. Returns the descriptor, or -1 with errno.
int reeve_memory_file(const char *name);

/// From now on nobody can make this file of memory shorter. Returns 0, or -1 with errno.
int reeve_forbid_shrinking(int descriptor);

/// Keeps a range of whole pages out of core dumps. Returns 0, or -1 with errno.
int reeve_exclude_from_cores(void *start, size_t length);

/// Lets a range of a file read as zeros and gives its blocks back. Returns 0, or -1 with errno.
int reeve_punch_hole(int descriptor, off_t offset, off_t length);

/// Where `part` is in `bytes` first, or NULL.
const void *reeve_find(const void *bytes, size_t length, const void *part, size_t part_length);

/// Calls `body` with the metadata sections of each loaded image until it returns 0. Exported by the Swift runtime.
void swift_enumerateAllMetadataSections(_Bool (*body)(const void *sections, void *context), void *context);

/// Whether the running task or thread is on an actor's executor, given by its two words. The Swift runtime's own answer,
/// which unlike `assumeIsolated` doesn't trap.
_Bool reeve_is_current_executor(const void *identity, const void *implementation);

/// A socket on which the kernel tells of addresses and routes (rtnetlink): non-blocking, close-on-exec. Returns the
/// descriptor, or -1 with errno; ENOSYS where there is no such thing.
int reeve_network_open(void);

/// Reads all that the kernel has told. Returns 1 if an address or a route has come, 0 if not, -1 with errno on failure.
int reeve_network_read(int descriptor);

/// A descriptor that becomes readable when the machine has slept, or its clock was set: non-blocking, close-on-exec. Returns
/// it, or -1 with errno; ENOSYS where there is no such thing.
int reeve_wake_open(void);

/// Watches on. Returns 1 if the machine has slept or its clock was set, 0 if not, -1 with errno on failure.
int reeve_wake_read(int descriptor);

#endif
