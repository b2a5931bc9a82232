/// What Linux offers a process and Swift's Glibc module leaves out: headers, a constant, and calls that Swift cannot import or
/// that are cheaper so.

#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

/// `SI_KERNEL`: a signal's code if the kernel itself sent it.
enum { CLINUX_SI_KERNEL = SI_KERNEL };

/// `read(2)`, `write(2)` and `epoll_wait(2)`, for the path of an event.
///
/// Those of the C library are points at which a thread may be cancelled. Nobody does that here, but once the process has a
/// second thread, each call costs two atomic operations for it.
///
/// @returns As those do: -1 on failure, with the reason in `errno`.
static inline ssize_t clinux_read(int fd, void *_Nonnull buffer, size_t size) {
  return syscall(SYS_read, fd, buffer, size);
}

static inline ssize_t clinux_write(int fd, const void *_Nonnull buffer, size_t size) {
  return syscall(SYS_write, fd, buffer, size);
}

static inline int clinux_epoll_wait(int epoll, struct epoll_event *_Nonnull events, int count, int timeout) {
#ifdef SYS_epoll_wait
  return (int)syscall(SYS_epoll_wait, epoll, events, count, timeout);
#else
  // Newer architectures have this one alone. Without a set of signals it does the same.
  return (int)syscall(SYS_epoll_pwait, epoll, events, count, timeout, NULL, 0);
#endif
}

/// `PR_SET_DUMPABLE`: no core of this process is ever written, whatever the system does with cores.
///
/// @returns 0, or -1 with the reason in `errno`.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// `PR_SET_THP_DISABLE`: memory comes in pages of the usual size.
static inline void clinux_forbid_huge_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

/// `setfsgid(2)`: files that this thread makes from now on belong to the group.
///
/// @returns Whether the kernel allows it; `errno` is not set.
static inline bool clinux_set_file_group(gid_t group) {
  setfsgid(group);
  return (gid_t)setfsgid(group) == group;
}

/// `unshare(2)`: from now on this thread's descriptors are its own: those that the process has open now, and those that the thread
/// opens. Others neither see nor close them.
///
/// @returns 0, or -1 with the reason in `errno`.
int clinux_own_descriptors(void);

/// `accept4(2)`: takes a connection of a listening socket, which never waits and is closed in programs that are started.
///
/// @returns The connection, which is the caller's to close; -1 if none waits, or on failure, with the reason in `errno`.
int clinux_accept(int listener);

/// `SO_PEERCRED`: the user who connected a local socket, as the kernel saw it then.
///
/// @returns The user's number; -1 on failure, with the reason in `errno`.
int64_t clinux_peer_user(int socket);

/// Has a crash of this process write a text to a terminal and set its state before the process ends as it would without.
/// One terminal at a time. Nothing can be done about SIGKILL.
///
/// @param text At most 127 bytes, which are copied.
void clinux_restore_terminal_in_crash(
  int input, int output, const struct termios *_Nonnull state, const char *_Nonnull text);

/// From now on a crash leaves the terminal alone.
void clinux_leave_terminal_in_crash(void);

#endif
