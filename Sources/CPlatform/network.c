#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

int reeve_network_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int reeve_network_read(int descriptor) {
    _Alignas(struct nlmsghdr) char buffer[16384];
    int came = 0;
    for (;;) {
        struct sockaddr_nl sender;
        socklen_t length = sizeof sender;
        ssize_t count = recvfrom(descriptor, buffer, sizeof buffer, 0, (struct sockaddr *)&sender, &length);
        if (count < 0) {
            if (errno == EINTR) continue;
            // Messages were lost: something has happened.
            if (errno == ENOBUFS) {
                came = 1;
                continue;
            }
            return errno == EAGAIN || errno == EWOULDBLOCK ? came : -1;
        }
        if (count == 0) return came;
        // Other processes may send here, too; only the kernel is number 0.
        if (length < sizeof sender || sender.nl_pid != 0) continue;
        size_t left = (size_t)count;
        for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, left);
             header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == RTM_NEWADDR || header->nlmsg_type == RTM_NEWROUTE) came = 1;
        }
    }
}
#else
int reeve_network_open(void) {
    errno = ENOSYS;
    return -1;
}

int reeve_network_read(int descriptor) {
    (void)descriptor;
    errno = ENOSYS;
    return -1;
}
#endif
