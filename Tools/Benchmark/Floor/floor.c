// What a program that only grabs devices and forwards their events cannot do without: the floor that keydebounce is
// measured against.
//
//   benchmark-floor [--blocking] DEVICE...
//
// One loop waits for all devices, as a daemon must that has several. With --blocking, a thread for each waits in `read`: no
// forwarder can do with less than these two calls. Says “ready” when all are grabbed.

#include <errno.h>
#include <fcntl.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void take(const char *path, struct device *device, bool blocking) {
  struct libevdev *source;
  struct libevdev_uinput *clone;
  device->source = open(path, O_RDWR | (blocking ? 0 : O_NONBLOCK) | O_CLOEXEC);
  device->clone = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device->source < 0 || device->clone < 0) fail(path);
  if (libevdev_new_from_fd(device->source, &source) != 0) fail(path);
  if (libevdev_uinput_create_from_device(source, device->clone, &clone) != 0) fail("uinput");
  if (libevdev_grab(source, LIBEVDEV_GRAB) != 0) fail(path);
}

static void forward(const struct device *device) {
  struct input_event events[64];
  ssize_t size = read(device->source, events, sizeof events);
  if (size < 0 && errno != EAGAIN) fail("read");
  if (size > 0 && write(device->clone, events, size) != size) fail("write");
}

static void *forward_forever(void *device) {
  while (1) forward(device);
  return NULL;
}

static void loop(struct device *devices, int count) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) fail("epoll");
  for (int i = 0; i < count; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &devices[i]};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, devices[i].source, &event) != 0) fail("epoll");
  }
  while (1) {
    struct epoll_event ready[64];
    int some = epoll_wait(epoll, ready, 64, -1);
    if (some < 0 && errno != EINTR) fail("epoll");
    for (int i = 0; i < some; i++) forward(ready[i].data.ptr);
  }
}

int main(int count, char **paths) {
  bool blocking = count > 1 && strcmp(paths[1], "--blocking") == 0;
  int first = blocking ? 2 : 1;
  count -= first;
  struct device *devices = calloc(count, sizeof *devices);
  if (!devices) fail("start");
  for (int i = 0; i < count; i++) take(paths[first + i], &devices[i], blocking);
  puts("ready");
  fflush(stdout);
  if (!blocking) loop(devices, count);
  for (int i = 1; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, forward_forever, &devices[i]) != 0) fail("thread");
  }
  forward_forever(&devices[0]);
}
