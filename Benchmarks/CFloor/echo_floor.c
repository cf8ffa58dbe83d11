#define _GNU_SOURCE
#include "echo_floor.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

static char read_buffer[256 * 1024];

static void free_handle(uv_handle_t *handle) { free(handle); }

static void give_buffer(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
    (void)handle;
    (void)size;
    *buffer = uv_buf_init(read_buffer, sizeof read_buffer);
}

static void written(uv_write_t *request, int status) {
    (void)status;
    free(request->data);
    free(request);
}

static void was_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    if (count == 0) return;
    if (count < 0) {
        uv_close((uv_handle_t *)stream, free_handle);
        return;
    }
    if ((unsigned char)buffer->base[0] == 0xFF) {
        uv_stop(stream->loop);
        return;
    }
    uv_buf_t out = uv_buf_init(buffer->base, (unsigned)count);
    int sent = uv_try_write(stream, &out, 1);
    if (sent == UV_EAGAIN) sent = 0;
    if (sent < 0) {
        uv_close((uv_handle_t *)stream, free_handle);
        return;
    }
    if (sent == count) return;
    size_t rest = (size_t)(count - sent);
    uv_write_t *request = malloc(sizeof *request);
    request->data = malloc(rest);
    memcpy(request->data, buffer->base + sent, rest);
    out = uv_buf_init(request->data, (unsigned)rest);
    uv_write(request, stream, &out, 1, written);
}

static void connected(uv_stream_t *server, int status) {
    if (status < 0) return;
    uv_pipe_t *client = malloc(sizeof *client);
    uv_pipe_init(server->loop, client, 0);
    if (uv_accept(server, (uv_stream_t *)client) == 0) {
        uv_read_start((uv_stream_t *)client, give_buffer, was_read);
    } else {
        uv_close((uv_handle_t *)client, free_handle);
    }
}

static void close_handle(uv_handle_t *handle, void *server) {
    if (!uv_is_closing(handle)) uv_close(handle, handle == server ? NULL : free_handle);
}

int floor_echo_serve(const char *path) {
    uv_loop_t loop;
    uv_pipe_t server;
    int status = uv_loop_init(&loop);
    if (status < 0) return status;
    uv_pipe_init(&loop, &server, 0);
    status = uv_pipe_bind(&server, path);
    if (status == 0) status = uv_listen((uv_stream_t *)&server, 128, connected);
    if (status == 0) uv_run(&loop, UV_RUN_DEFAULT);
    uv_walk(&loop, close_handle, &server);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return status;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int code = errno;
        close(fd);
        return -code;
    }
    return fd;
}

int floor_echo_round_trips(const char *path, size_t size, size_t count, uint64_t *out_ns) {
    int fd = connect_to(path);
    if (fd < 0) return fd;
    char *message = calloc(1, size);
    char *answer = malloc(size);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        ssize_t sent = send(fd, message, size, MSG_NOSIGNAL);
        if (sent != (ssize_t)size) status = sent < 0 ? -errno : -EIO;
        for (size_t got = 0; got < size && status == 0;) {
            ssize_t n = recv(fd, answer + got, size - got, 0);
            if (n > 0) got += (size_t)n;
            else if (n == 0 || errno != EINTR) status = n == 0 ? -ECONNRESET : -errno;
        }
        clock_gettime(CLOCK_MONOTONIC, &after);
        out_ns[i] = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u
            + (uint64_t)(after.tv_nsec - before.tv_nsec);
    }
    free(message);
    free(answer);
    close(fd);
    return status;
}

int floor_echo_stop(const char *path) {
    int fd = connect_to(path);
    if (fd < 0) return fd;
    unsigned char end = 0xFF;
    ssize_t sent = send(fd, &end, 1, MSG_NOSIGNAL);
    int status = sent == 1 ? 0 : -errno;
    close(fd);
    return status;
}

int floor_pin(pid_t pid, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (processor >= 0) {
        CPU_SET(processor, &set);
    } else {
        for (int each = 0; each < CPU_SETSIZE; each++) CPU_SET(each, &set);
    }
    return sched_setaffinity(pid, sizeof set, &set) == 0 ? 0 : -errno;
}
