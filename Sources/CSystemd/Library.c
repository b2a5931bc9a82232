#include "Library.h"

#include "CSystemd.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static struct csystemd_library library;
static char missing[256] = "";

// Looks a function up in the usual order, not in the library alone: what a test preloads comes first.
static void *find(const char *name) {
  void *function = dlsym(RTLD_DEFAULT, name);
  if (!function && !*missing) snprintf(missing, sizeof missing, "it is too old: it has no %s", name);
  return function;
}

static void load(void) {
  // Closed with the process.
  if (!dlopen("libsystemd.so.0", RTLD_NOW | RTLD_GLOBAL)) {
    const char *reason = dlerror();
    snprintf(missing, sizeof missing, "%s", reason ? reason : "libsystemd.so.0 cannot be loaded");
    return;
  }
#define FIND(name) library.name = (__typeof__(library.name))find(#name);
  CSYSTEMD_FUNCTIONS(FIND)
  FIND(sd_bus_object_vtable_format)
}

const struct csystemd_library *csystemd_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return *missing ? NULL : &library;
}

const char *csystemd_missing(void) { return csystemd_library() ? NULL : missing; }

// MARK: - What is called

#define WRAP(type, name, otherwise, arguments, ...)            \
  type csystemd_##name(__VA_ARGS__) {                          \
    const struct csystemd_library *found = csystemd_library(); \
    return found ? found->sd_##name arguments : otherwise;     \
  }
#define NUMBER(name, arguments, ...) WRAP(int, name, -ELIBACC, arguments, __VA_ARGS__)
#define NOTHING(name, arguments, ...)                          \
  void csystemd_##name(__VA_ARGS__) {                          \
    const struct csystemd_library *found = csystemd_library(); \
    if (found) found->sd_##name arguments;                     \
  }

NUMBER(watchdog_enabled, (unset, interval), int unset, uint64_t *interval)

NUMBER(bus_new, (bus), sd_bus **bus)
NUMBER(bus_open_system, (bus), sd_bus **bus)
NUMBER(bus_set_fd, (bus, input, output), sd_bus *bus, int input, int output)
NUMBER(bus_set_bus_client, (bus, is), sd_bus *bus, int is)
NUMBER(bus_start, (bus), sd_bus *bus)
NOTHING(bus_close, (bus), sd_bus *bus)
WRAP(sd_bus *, bus_unref, NULL, (bus), sd_bus *bus)
WRAP(sd_bus *, bus_flush_close_unref, NULL, (bus), sd_bus *bus)
NUMBER(bus_get_fd, (bus), sd_bus *bus)
NUMBER(bus_get_events, (bus), sd_bus *bus)
NUMBER(bus_get_timeout, (bus, time), sd_bus *bus, uint64_t *time)
NUMBER(bus_process, (bus, message), sd_bus *bus, sd_bus_message **message)
NUMBER(
    bus_request_name_async, (bus, slot, name, flags, answered, context), sd_bus *bus, sd_bus_slot **slot,
    const char *name, uint64_t flags, sd_bus_message_handler_t answered, void *context)
NUMBER(
    bus_add_match_async, (bus, slot, match, matched, installed, context), sd_bus *bus, sd_bus_slot **slot,
    const char *match, sd_bus_message_handler_t matched, sd_bus_message_handler_t installed, void *context)
WRAP(sd_bus_slot *, bus_slot_unref, NULL, (slot), sd_bus_slot *slot)

NUMBER(
    bus_call, (bus, call, limit, error, answer), sd_bus *bus, sd_bus_message *call, uint64_t limit,
    sd_bus_error *error, sd_bus_message **answer)
NUMBER(
    bus_call_async, (bus, slot, call, answered, context, limit), sd_bus *bus, sd_bus_slot **slot,
    sd_bus_message *call, sd_bus_message_handler_t answered, void *context, uint64_t limit)
NOTHING(bus_error_free, (error), sd_bus_error *error)

NUMBER(
    bus_message_new_method_call, (bus, call, destination, path, interface, member), sd_bus *bus,
    sd_bus_message **call, const char *destination, const char *path, const char *interface, const char *member)
NUMBER(
    bus_message_new_signal, (bus, signal, path, interface, member), sd_bus *bus, sd_bus_message **signal,
    const char *path, const char *interface, const char *member)
NUMBER(
    bus_emit_properties_changed_strv, (bus, path, interface, names), sd_bus *bus, const char *path,
    const char *interface, char **names)
NUMBER(bus_message_new_method_return, (call, answer), sd_bus_message *call, sd_bus_message **answer)
WRAP(sd_bus_message *, bus_message_ref, NULL, (message), sd_bus_message *message)
WRAP(sd_bus_message *, bus_message_unref, NULL, (message), sd_bus_message *message)
NUMBER(bus_message_send, (message), sd_bus_message *message)
NUMBER(bus_message_append_basic, (message, type, value), sd_bus_message *message, char type, const void *value)
NUMBER(bus_message_read_basic, (message, type, value), sd_bus_message *message, char type, void *value)
NUMBER(
    bus_message_open_container, (message, type, contents), sd_bus_message *message, char type, const char *contents)
NUMBER(bus_message_close_container, (message), sd_bus_message *message)
NUMBER(
    bus_message_enter_container, (message, type, contents), sd_bus_message *message, char type, const char *contents)
NUMBER(bus_message_exit_container, (message), sd_bus_message *message)
NUMBER(bus_message_skip, (message, types), sd_bus_message *message, const char *types)
NUMBER(bus_message_is_method_error, (message, name), sd_bus_message *message, const char *name)
NUMBER(bus_message_set_auto_start, (message, starts), sd_bus_message *message, int starts)
NUMBER(bus_message_get_expect_reply, (message), sd_bus_message *message)
WRAP(const sd_bus_error *, bus_message_get_error, NULL, (message), sd_bus_message *message)
WRAP(const char *, bus_message_get_sender, NULL, (message), sd_bus_message *message)
WRAP(const char *, bus_message_get_member, NULL, (message), sd_bus_message *message)
