/// The least that a request over a Unix socket costs: an echo server on libuv and a blocking client, both in C.
#ifndef REEVE_ECHO_FLOOR_H
#define REEVE_ECHO_FLOOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Serves echoes at `path` on the calling thread until a client sends a message that begins with 0xFF. Returns 0, or
/// a negated errno value.
int floor_echo_serve(const char *path);

/// Sends `count` messages of `size` bytes one after another, each after the echo of the one before, and stores how
/// long each took in `out_ns`. Returns 0, or a negated errno value.
int floor_echo_round_trips(const char *path, size_t size, size_t count, uint64_t *out_ns);

/// Ends the server at `path`.
int floor_echo_stop(const char *path);

/// Lets the main thread of a process (0: the calling thread) run on this processor alone, or, with -1, on any. Returns 0,
/// or a negated errno value.
int floor_pin(pid_t pid, int processor);

#endif
