#include "CEvdev.h"

#include <string.h>
#include <sys/ioctl.h>

int cevdev_get_key_state(int fd, uint8_t *bits, size_t size) {
  return ioctl(fd, EVIOCGKEY(size), bits);
}

int cevdev_set_phys(int fd, const char *phys) {
  return ioctl(fd, UI_SET_PHYS, phys);
}

struct input_event cevdev_event(int64_t time, uint16_t type, uint16_t code, int32_t value) {
  struct input_event event;
  memset(&event, 0, sizeof event);
  event.input_event_sec = time / 1000000;
  event.input_event_usec = time % 1000000;
  event.type = type;
  event.code = code;
  event.value = value;
  return event;
}

int64_t cevdev_event_time(const struct input_event *event) {
  return (int64_t)event->input_event_sec * 1000000 + event->input_event_usec;
}

int cevdev_get_repeat(int fd, int *delay, int *period) {
  int pace[2];
  int result = ioctl(fd, EVIOCGREP, pace);
  if (result >= 0) {
    *delay = pace[0];
    *period = pace[1];
  }
  return result;
}
