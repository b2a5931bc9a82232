// What a program that only grabs devices and forwards their events cannot do without: the floor that keydebounce is
// measured against.
//
//   benchmark-floor DEVICE...
//
// Says “ready” when all are grabbed.

#include <errno.h>
#include <fcntl.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct device {
  int source;
  int clone;
};

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void take(const char *path, struct device *device, int epoll) {
  struct libevdev *source;
  struct libevdev_uinput *clone;
  device->source = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  device->clone = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device->source < 0 || device->clone < 0) fail(path);
  if (libevdev_new_from_fd(device->source, &source) != 0) fail(path);
  if (libevdev_uinput_create_from_device(source, device->clone, &clone) != 0) fail("uinput");
  if (libevdev_grab(source, LIBEVDEV_GRAB) != 0) fail(path);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = device};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, device->source, &event) != 0) fail("epoll");
}

int main(int count, char **paths) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct device *devices = calloc(count, sizeof *devices);
  if (epoll < 0 || !devices) fail("start");
  for (int i = 1; i < count; i++) take(paths[i], &devices[i], epoll);
  puts("ready");
  fflush(stdout);
  while (1) {
    struct epoll_event ready[64];
    int some = epoll_wait(epoll, ready, 64, -1);
    if (some < 0 && errno != EINTR) fail("epoll");
    for (int i = 0; i < some; i++) {
      const struct device *device = ready[i].data.ptr;
      struct input_event events[64];
      ssize_t size = read(device->source, events, sizeof events);
      if (size < 0 && errno != EAGAIN) fail("read");
      if (size > 0 && write(device->clone, events, size) != size) fail("write");
    }
  }
}
