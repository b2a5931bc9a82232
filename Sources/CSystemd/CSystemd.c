#include "CSystemd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct csystemd_library library;
static char missing[256];

// Looks a function up in the usual order, not in the library alone: what a test preloads comes first.
static void *find(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  if (!function && !*missing) snprintf(missing, sizeof missing, "it is too old: it has no %s", name);
  return function;
}

static void load(void) {
  // Closed with the process.
  if (dlopen("libsystemd.so.0", RTLD_NOW | RTLD_GLOBAL)) {
#define FIND(name) library.name = (__typeof__(library.name))find("sd_" #name);
    CSYSTEMD_FUNCTIONS(FIND)
    FIND(bus_object_vtable_format)
  } else {
    const char *reason = dlerror();
    snprintf(missing, sizeof missing, "%s", reason ? reason : "libsystemd.so.0 cannot be loaded");
  }
  if (*missing) library.missing = missing;
}

const struct csystemd_library *csystemd_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return &library;
}

int csystemd_add_object(
    sd_bus *bus, sd_bus_slot **slot, const char *path, const char *interface, sd_bus_message_handler_t called,
    sd_bus_property_get_t read, void *context) {
  // Static: sd-bus goes on using it.
  static sd_bus_vtable table[16];
  // The daemon judges who may call what. Without the flag sd-bus would ask the bus about each caller, and wait.
  const uint64_t flags = SD_BUS_VTABLE_UNPRIVILEGED;
  const sd_bus_vtable description[] = {
      // SD_BUS_VTABLE_START, which would have to be linked with the library.
      {.type = _SD_BUS_VTABLE_START,
       .x.start = {sizeof(sd_bus_vtable), _SD_BUS_VTABLE_PARAM_NAMES, csystemd_library()->bus_object_vtable_format}},
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
  memcpy(table, description, sizeof table);
  return library.bus_add_object_vtable(bus, slot, path, interface, table, context);
}
