#include "CEvdev.h"

#include <sys/ioctl.h>

int cevdev_get_key_state(int fd, uint8_t *bits, size_t size) {
  return ioctl(fd, EVIOCGKEY(size), bits);
}

int cevdev_grab(int fd, int grabs) {
  return ioctl(fd, EVIOCGRAB, (void *)(intptr_t)grabs);
}

int cevdev_await_delivery(int fd) {
  uint8_t lit[LED_CNT / 8];
  return ioctl(fd, EVIOCGLED(sizeof lit), lit);
}

int cevdev_set_clock(int fd, int clock) {
  return ioctl(fd, EVIOCSCLOCKID, &clock);
}

int cevdev_set_phys(int fd, const char *phys) {
  return ioctl(fd, UI_SET_PHYS, phys);
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
