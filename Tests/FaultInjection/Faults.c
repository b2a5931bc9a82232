// Fails one call of the program into which it is preloaded, and counts the others.
//
//   LD_PRELOAD=faults.so FAULT=read:3:0 FAULT_REPORT=FILE program
//
// fails the third call of read(2) with the first of the reasons that are given below for it. FILE gets a line for every
// call of a function that can be failed, and "failed NAME" when that was done. Without FAULT, nothing fails.
//
// With STIR_BEFORE_CLOCK, a device sends something just before its clock is set: its repeats' pace. With STALL_AFTER_MOTION,
// the program stands still for as many milliseconds as soon as it has read motion; with STALL_AFTER_RELEASE, as soon as it has
// written a key's release. With HOLD_BEFORE_GRAB=FILE and HOLD_AFTER_GRAB=FILE, it stands still there for as long as there is
// FILE, and makes FILE.held.
//
// Calls from the libraries are counted as those from the program itself: what a library cannot do is what the program
// must bear. Memory that runs out is not among it: Swift ends the program then, and the kernel lets go of the keyboards.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <libudev.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

static char failed_name[64];
static int failed_number = -1;
static int reason;
static int report = -1;

// The library's `syscall`, which is not to fail.
static long call(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((constructor)) static void begin(void) {
  const char *fault = getenv("FAULT");
  if (fault && sscanf(fault, "%63[^:]:%d:%d", failed_name, &failed_number, &reason) != 3) _exit(64);
  const char *path = getenv("FAULT_REPORT");
  if (path) report = (int)call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // Processes that this one starts are others.
  unsetenv("LD_PRELOAD");
}

static void tell(const char *what, const char *name) {
  char line[96];
  int length = snprintf(line, sizeof line, "%s%s\n", what, name);
  if (report >= 0) (void)call(SYS_write, report, line, (size_t)length);
}

// Counts a call.
//
// Returns why it is to fail; 0 if it is not.
static int fault(atomic_int *calls, const char *name, const int *reasons, int count) {
  int saved = errno;
  int number = atomic_fetch_add(calls, 1) + 1;
  int why = 0;
  if (!*failed_name) tell("", name);
  if (number == failed_number && strcmp(name, failed_name) == 0) {
    why = reasons[reason % count];
    tell("failed ", name);
  }
  errno = saved;
  return why;
}

// Fails with FAILURE, which may depend on `why`, if it is this call of what is called `name` that is to fail.
#define FAIL_AS(name, failure, ...)                                                 \
  static atomic_int calls;                                                         \
  static const int reasons[] = {__VA_ARGS__};                                      \
  int why = fault(&calls, name, reasons, (int)(sizeof reasons / sizeof *reasons)); \
  if (why) {                                                                       \
    errno = why;                                                                   \
    return failure;                                                                \
  }

// In a function with the same name before the real one.
#define FAIL(name, failure, ...)                               \
  static __typeof__(&name) real;                               \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
  FAIL_AS(#name, failure, __VA_ARGS__)

#define WRAP(type, name, parameters, arguments, failure, ...) \
  type name parameters {                                      \
    FAIL(name, failure, __VA_ARGS__)                          \
    return real arguments;                                    \
  }


// Files

// Wraps a function whose last argument is only there now and then.
#define WRAP_VARIADIC(name, parameters, last, type, arguments, ...) \
  int name parameters {                                             \
    va_list rest;                                                   \
    va_start(rest, last);                                           \
    type more = va_arg(rest, type);                                 \
    va_end(rest);                                                   \
    FAIL(name, -1, __VA_ARGS__)                                     \
    return real arguments;                                          \
  }

#define OPENING EIO, EMFILE, EINTR, ENOMEM, EACCES, ENOENT
WRAP_VARIADIC(open, (const char *path, int flags, ...), flags, mode_t, (path, flags, more), OPENING)
WRAP_VARIADIC(open64, (const char *path, int flags, ...), flags, mode_t, (path, flags, more), OPENING)
WRAP_VARIADIC(openat, (int folder, const char *path, int flags, ...), flags, mode_t, (folder, path, flags, more), OPENING)
WRAP_VARIADIC(openat64, (int folder, const char *path, int flags, ...), flags, mode_t, (folder, path, flags, more), OPENING)
WRAP_VARIADIC(fcntl, (int fd, int command, ...), command, void *, (fd, command, more), EINVAL, EMFILE, EINTR)
WRAP_VARIADIC(fcntl64, (int fd, int command, ...), command, void *, (fd, command, more), EINVAL, EMFILE, EINTR)
// Has a device send a frame.
static void stir(int fd) {
  static int delay = 1000;
  struct input_event events[] = {
    {.type = EV_REP, .code = REP_DELAY, .value = delay++}, {.type = EV_SYN, .code = SYN_REPORT}};
  (void)call(SYS_write, fd, events, sizeof events);
}

static void hold(const char *name) {
  const char *path = getenv(name);
  if (!path || call(SYS_faccessat, AT_FDCWD, path, F_OK)) return;
  char held[256];
  snprintf(held, sizeof held, "%s.held", path);
  close((int)call(SYS_openat, AT_FDCWD, held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  while (!call(SYS_faccessat, AT_FDCWD, path, F_OK)) usleep(1000);
}

int ioctl(int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  // Counted by itself: tests need to know how often a device was grabbed and given back.
  if (request == EVIOCGRAB) {
    FAIL_AS("EVIOCGRAB", -1, EIO, EBUSY, ENODEV, EINTR)
    if (argument) hold("HOLD_BEFORE_GRAB");
    int result = (int)call(SYS_ioctl, fd, request, argument);
    int saved = errno;
    if (argument) hold("HOLD_AFTER_GRAB");
    errno = saved;
    return result;
  }
  if (request == EVIOCSCLOCKID && getenv("STIR_BEFORE_CLOCK")) stir(fd);
  FAIL(ioctl, -1, EIO, ENODEV, EINTR, ENOMEM, EINVAL, ENOSPC)
  return real(fd, request, argument);
}
WRAP(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), -1, EIO, ENODEV, EINTR, EAGAIN, ENOMEM)
WRAP(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size), -1, EIO, ENODEV, ENOSPC, EINTR, EAGAIN)
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), -1, EIO, ENOSPC, EINTR, EAGAIN)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EIO, EMFILE, ENOMEM)
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, EIO, EMFILE, ENOMEM)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EIO, EMFILE, ENOMEM, EACCES)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL, ENOMEM)
WRAP(struct dirent *, readdir, (DIR *folder), (folder), NULL, EIO, ENOENT)
WRAP(struct dirent64 *, readdir64, (DIR *folder), (folder), NULL, EIO, ENOENT)
WRAP(int, stat, (const char *restrict path, struct stat *restrict status), (path, status), -1, EIO, ENOMEM, EACCES)
WRAP(int, lstat, (const char *restrict path, struct stat *restrict status), (path, status), -1, EIO, ENOMEM, EACCES)
WRAP(int, stat64, (const char *restrict path, struct stat64 *restrict status), (path, status), -1, EIO, ENOMEM, EACCES)
WRAP(int, lstat64, (const char *restrict path, struct stat64 *restrict status), (path, status), -1, EIO, ENOMEM, EACCES)
WRAP(int, fstat, (int fd, struct stat *status), (fd, status), -1, EIO, ENOMEM)
WRAP(int, fstat64, (int fd, struct stat64 *status), (fd, status), -1, EIO, ENOMEM)
WRAP(int, fstatat, (int folder, const char *restrict path, struct stat *restrict status, int flags), (folder, path, status, flags), -1, EIO, ENOMEM, EACCES)
WRAP(int, fstatat64, (int folder, const char *restrict path, struct stat64 *restrict status, int flags), (folder, path, status, flags), -1, EIO, ENOMEM, EACCES)
WRAP(ssize_t, readlink, (const char *restrict path, char *restrict buffer, size_t size), (path, buffer, size), -1, EIO, ENOMEM, EINVAL)
WRAP(ssize_t, readlinkat, (int folder, const char *restrict path, char *restrict buffer, size_t size), (folder, path, buffer, size), -1, EIO, ENOMEM, EINVAL)
WRAP(int, access, (const char *path, int mode), (path, mode), -1, EIO, EACCES, ENOENT)
WRAP(int, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags), -1, EIO, EACCES, ENOENT)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, EIO, ENOSPC, EROFS)
WRAP(int, unlink, (const char *path), (path), -1, EIO, EROFS)
WRAP(struct group *, getgrgid, (gid_t group), (group), NULL, EIO, ENOMEM)

// The event loop

WRAP(int, epoll_create1, (int flags), (flags), -1, EMFILE, ENOMEM)
WRAP(int, epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *event), (epoll, operation, fd, event), -1, ENOMEM, ENOSPC, EPERM)
WRAP(int, epoll_wait, (int epoll, struct epoll_event *events, int count, int timeout), (epoll, events, count, timeout), -1, EINTR, EIO)
static void stall(const char *name) {
  const char *pause = getenv(name);
  if (pause) usleep((useconds_t)atoi(pause) * 1000);
}
// What the program calls past the library's functions is failed as they are.
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  switch (number) {
    case SYS_read: {
      ssize_t size = read((int)a[0], (void *)a[1], (size_t)a[2]);
      const struct input_event *first = (void *)a[1];
      if (size >= (ssize_t)sizeof *first && first->type == EV_REL) stall("STALL_AFTER_MOTION");
      return size;
    }
    case SYS_write: {
      ssize_t size = write((int)a[0], (void *)a[1], (size_t)a[2]);
      const struct input_event *first = (void *)a[1];
      if (size >= (ssize_t)sizeof *first && first->type == EV_KEY && first->value == 0) stall("STALL_AFTER_RELEASE");
      return size;
    }
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait: return epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]);
    default: return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
}
WRAP(int, timerfd_create, (int clock, int flags), (clock, flags), -1, EMFILE, ENOMEM)
WRAP(int, timerfd_settime, (int fd, int flags, const struct itimerspec *next, struct itimerspec *last), (fd, flags, next, last), -1, EIO, EINVAL)
WRAP(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), -1, EMFILE, ENOMEM)
WRAP(int, eventfd, (unsigned int value, int flags), (value, flags), -1, EMFILE, ENOMEM)
WRAP(int, eventfd_read, (int fd, eventfd_t *value), (fd, value), -1, EIO, EAGAIN, EINTR)
WRAP(int, eventfd_write, (int fd, eventfd_t value), (fd, value), -1, EIO, EAGAIN, EINTR)
WRAP(int, pthread_create, (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *), void *restrict context), (thread, attributes, start, context), why, EAGAIN)
WRAP(int, inotify_init1, (int flags), (flags), -1, EMFILE, ENOMEM)
WRAP(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask), -1, ENOSPC, ENOMEM, ENOENT)

// Sockets

WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE, ENOMEM, EACCES)
WRAP(int, connect, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size), -1, ECONNREFUSED, EINTR, ENOENT)
WRAP(int, bind, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size), -1, EADDRINUSE, ENOMEM)
WRAP(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t size), (fd, level, option, value, size), -1, EPERM, ENOMEM)
WRAP(int, getsockopt, (int fd, int level, int option, void *restrict value, socklen_t *restrict size), (fd, level, option, value, size), -1, ENOMEM, ENOPROTOOPT)
WRAP(int, getsockname, (int fd, struct sockaddr *restrict address, socklen_t *restrict size), (fd, address, size), -1, ENOBUFS)
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), -1, EPIPE, ECONNRESET, EAGAIN, EINTR, ENOBUFS)
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), -1, ECONNRESET, EAGAIN, EINTR, ENOBUFS)
WRAP(ssize_t, sendto, (int fd, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t length), (fd, bytes, size, flags, address, length), -1, ECONNREFUSED, EAGAIN, EINTR)
WRAP(ssize_t, send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags), -1, EPIPE, EAGAIN, EINTR)
WRAP(ssize_t, recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags), -1, ECONNRESET, EAGAIN, EINTR, ENOBUFS)
WRAP(int, ppoll, (struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *set), (fds, count, limit, set), -1, EINTR, ENOMEM)

// libevdev

WRAP(int, libevdev_new_from_fd, (int fd, struct libevdev **device), (fd, device), -why, ENOMEM, EBADF, EIO, ENODEV)
WRAP(int, libevdev_set_clock_id, (struct libevdev *device, int clock), (device, clock), -why, EINVAL, ENODEV)
WRAP(int, libevdev_next_event, (struct libevdev *device, unsigned int flags, struct input_event *event), (device, flags, event), -why, EIO, ENODEV, EINTR, EAGAIN, ENOMEM)
WRAP(const char *, libevdev_get_phys, (const struct libevdev *device), (device), NULL, ENOMEM)
WRAP(const char *, libevdev_get_uniq, (const struct libevdev *device), (device), NULL, ENOMEM)
WRAP(int, libevdev_get_repeat, (const struct libevdev *device, int *delay, int *period), (device, delay, period), -1, EINVAL)
WRAP(int, libevdev_uinput_create_from_device, (const struct libevdev *device, int fd, struct libevdev_uinput **clone), (device, fd, clone), -why, ENOMEM, EIO, EINVAL, ENODEV)

// Not a failure: as slow as the kernel is at its worst. SLOW_DESTROY is for how many seconds.
void libevdev_uinput_destroy(struct libevdev_uinput *clone) {
  static void (*real)(struct libevdev_uinput *);
  if (!real) real = (void (*)(struct libevdev_uinput *))dlsym(RTLD_NEXT, "libevdev_uinput_destroy");
  const char *seconds = getenv("SLOW_DESTROY");
  if (seconds) {
    tell("slow destroy", "");
    sleep((unsigned)atoi(seconds));
  }
  real(clone);
}

WRAP(const char *, libevdev_uinput_get_devnode, (struct libevdev_uinput *clone), (clone), NULL, ENOENT)
WRAP(const char *, libevdev_uinput_get_syspath, (struct libevdev_uinput *clone), (clone), NULL, ENOENT)

// libudev

WRAP(struct udev *, udev_new, (void), (), NULL, ENOMEM)
WRAP(struct udev_monitor *, udev_monitor_new_from_netlink, (struct udev *udev, const char *name), (udev, name), NULL, ENOMEM, EMFILE)
WRAP(int, udev_monitor_filter_add_match_subsystem_devtype, (struct udev_monitor *monitor, const char *subsystem, const char *type), (monitor, subsystem, type), -why, ENOMEM)
WRAP(int, udev_monitor_enable_receiving, (struct udev_monitor *monitor), (monitor), -why, EADDRINUSE, ENOMEM)
WRAP(int, udev_monitor_set_receive_buffer_size, (struct udev_monitor *monitor, int size), (monitor, size), -why, EPERM)
WRAP(int, udev_monitor_get_fd, (struct udev_monitor *monitor), (monitor), -why, EBADF)
WRAP(struct udev_device *, udev_monitor_receive_device, (struct udev_monitor *monitor), (monitor), NULL, ENOMEM, ENOBUFS, EAGAIN, EINTR, ENODATA)
WRAP(struct udev_enumerate *, udev_enumerate_new, (struct udev *udev), (udev), NULL, ENOMEM)
WRAP(int, udev_enumerate_add_match_subsystem, (struct udev_enumerate *list, const char *name), (list, name), -why, ENOMEM)
WRAP(int, udev_enumerate_add_match_sysname, (struct udev_enumerate *list, const char *name), (list, name), -why, ENOMEM)
WRAP(int, udev_enumerate_scan_devices, (struct udev_enumerate *list), (list), -why, ENOMEM, EIO)
WRAP(struct udev_list_entry *, udev_enumerate_get_list_entry, (struct udev_enumerate *list), (list), NULL, ENODATA, ENOMEM)
WRAP(struct udev_device *, udev_device_new_from_syspath, (struct udev *udev, const char *path), (udev, path), NULL, ENODEV, ENOMEM, EIO)
WRAP(const char *, udev_device_get_devnode, (struct udev_device *device), (device), NULL, ENOENT, ENOMEM)
WRAP(const char *, udev_device_get_syspath, (struct udev_device *device), (device), NULL, ENOENT, ENOMEM)
WRAP(const char *, udev_device_get_sysname, (struct udev_device *device), (device), NULL, ENOENT, ENOMEM)
WRAP(const char *, udev_device_get_action, (struct udev_device *device), (device), NULL, ENOENT, ENOMEM)
WRAP(int, udev_device_get_is_initialized, (struct udev_device *device), (device), -why, ENOENT, ENOMEM)
WRAP(struct udev_list_entry *, udev_device_get_properties_list_entry, (struct udev_device *device), (device), NULL, ENODATA, ENOMEM)
WRAP(struct udev_list_entry *, udev_device_get_devlinks_list_entry, (struct udev_device *device), (device), NULL, ENODATA, ENOMEM)
WRAP(struct udev_device *, udev_device_get_parent_with_subsystem_devtype, (struct udev_device *device, const char *subsystem, const char *type), (device, subsystem, type), NULL, ENODEV, ENOMEM)
WRAP(const char *, udev_device_get_sysattr_value, (struct udev_device *device, const char *name), (device, name), NULL, ENOENT, EIO, ENODEV)
