#include "CSystemd.h"

#include "Library.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int csystemd_add_object(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface, sd_bus_message_handler_t called,
    sd_bus_property_get_t read, void *context) {
  const struct csystemd_library *library = csystemd_library();
  if (!library) return -ELIBACC;
  // Static: sd-bus goes on using it.
  static sd_bus_vtable table[16];
  // The daemon judges who may call what. Without the flag sd-bus would ask the bus about each caller, and wait.
  const uint64_t flags = SD_BUS_VTABLE_UNPRIVILEGED;
  const sd_bus_vtable description[] = {
      // SD_BUS_VTABLE_START, which would have to be linked with the library.
      {.type = _SD_BUS_VTABLE_START,
       .x.start = {sizeof(sd_bus_vtable), _SD_BUS_VTABLE_PARAM_NAMES, library->sd_bus_object_vtable_format}},
      SD_BUS_METHOD_WITH_ARGS("Status", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", status), called, flags),
      SD_BUS_METHOD_WITH_ARGS("Statistics", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", statistics), called, flags),
      SD_BUS_METHOD_WITH_ARGS("History", SD_BUS_ARGS("s", device), SD_BUS_RESULT("s", days), called, flags),
      SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_NO_ARGS, SD_BUS_RESULT("as", problems), called, flags),
      SD_BUS_METHOD_WITH_ARGS(
          "Borrow", SD_BUS_ARGS("s", device, "u", seconds), SD_BUS_RESULT("u", seconds), called, flags),
      SD_BUS_METHOD_WITH_ARGS("Return", SD_BUS_ARGS("s", device), SD_BUS_NO_RESULT, called, flags),
      SD_BUS_METHOD_WITH_ARGS("Reset", SD_BUS_ARGS("s", device, "s", key), SD_BUS_NO_RESULT, called, flags),
      SD_BUS_METHOD_WITH_ARGS("Pause", SD_BUS_ARGS("s", device, "u", seconds), SD_BUS_NO_RESULT, called, flags),
      SD_BUS_METHOD_WITH_ARGS("Resume", SD_BUS_ARGS("s", device), SD_BUS_NO_RESULT, called, flags),
      SD_BUS_METHOD_WITH_ARGS("Watch", SD_BUS_ARGS("s", device), SD_BUS_RESULT("h", stream), called, flags),
      SD_BUS_PROPERTY("Version", "s", read, 0, SD_BUS_VTABLE_PROPERTY_CONST),
      SD_BUS_PROPERTY("Devices", "as", read, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
      SD_BUS_PROPERTY("Paused", "b", read, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
      SD_BUS_SIGNAL_WITH_ARGS("Changed", SD_BUS_NO_ARGS, 0),
      SD_BUS_VTABLE_END,
  };
  _Static_assert(sizeof description == sizeof table, "the table has as many rows as its description");
  for (size_t row = 0; row < sizeof table / sizeof *table; ++row) table[row] = description[row];
  return library->sd_bus_add_object_vtable(bus, slot, path, interface, table, context);
}

int csystemd_reply_error(sd_bus_message *call, const char *name, const char *text) {
  const struct csystemd_library *library = csystemd_library();
  const sd_bus_error error = {.name = name, .message = text};
  return library ? library->sd_bus_reply_method_error(call, &error) : -ELIBACC;
}

int csystemd_notify(const char *state) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv("NOTIFY_SOCKET");
  if (!path) return 0;
  size_t length = strlen(path);
  if (length < 2 || length >= sizeof address.sun_path) return -EINVAL;
  memcpy(address.sun_path, path, length);
  // An abstract name.
  if (path[0] == '@') address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  ssize_t sent;
  do {
    sent = sendto(
        descriptor, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
        offsetof(struct sockaddr_un, sun_path) + length);
  } while (sent < 0 && errno == EINTR);
  int result = sent < 0 ? -errno : 1;
  close(descriptor);
  return result;
}
