/// A shim over libevdev, libudev and uinput: the headers, and the few macros that Swift cannot import.
///
/// Functions that call the kernel make one call each, and return as it does: 0 or more on success, -1 on
/// failure, with the reason in `errno`. No policy lives here.

#ifndef CEVDEV_H
#define CEVDEV_H

#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <libudev.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/// `EVIOCGKEY`: writes the state of all keys to `bits`, one bit a key code, lowest bit first.
///
/// The kernel also takes the key events that this descriptor has not read yet out of its queue, because
/// they are part of the answer.
static inline int cevdev_get_key_state(int fd, uint8_t *_Nonnull bits, size_t size) {
  return ioctl(fd, EVIOCGKEY(size), bits);
}

/// `EVIOCGRAB`: from now on nothing else reads the device, or everything does again.
///
/// Not libevdev's, which first asks the device for all that it has: another program would be quicker.
static inline int cevdev_grab(int fd, int grabs) { return ioctl(fd, EVIOCGRAB, (void *)(intptr_t)grabs); }

/// `EVIOCGLED`, for its side effect: the kernel answers when the frame that it is just passing on, if there is one, is in the
/// queues of those who receive it.
static inline int cevdev_await_delivery(int fd) {
  uint8_t lit[LED_CNT / 8];
  return ioctl(fd, EVIOCGLED(sizeof lit), lit);
}

/// `EVIOCSCLOCKID`: the clock by which events are stamped.
static inline int cevdev_set_clock(int fd, int clock) { return ioctl(fd, EVIOCSCLOCKID, &clock); }

/// `EVIOCGREP`: how long a key is held until it repeats, and the pause from then on, in milliseconds. Fails for devices
/// that repeat nothing.
static inline int cevdev_get_repeat(int fd, int *_Nonnull pace) { return ioctl(fd, EVIOCGREP, pace); }

/// `UI_SET_PHYS`: sets the `phys` of the uinput device to be created.
static inline int cevdev_set_phys(int fd, const char *_Nonnull phys) { return ioctl(fd, UI_SET_PHYS, phys); }

/// Fills an event; hides that `input_event` holds its time differently on 32-bit machines.
///
/// @param time Microseconds of the monotonic clock.
static inline struct input_event cevdev_event(int64_t time, uint16_t type, uint16_t code, int32_t value) {
  struct input_event event = {0};
  event.input_event_sec = time / 1000000;
  event.input_event_usec = time % 1000000;
  event.type = type;
  event.code = code;
  event.value = value;
  return event;
}

/// The time of an event in microseconds.
static inline int64_t cevdev_event_time(const struct input_event *_Nonnull event) {
  return (int64_t)event->input_event_sec * 1000000 + event->input_event_usec;
}

#endif
