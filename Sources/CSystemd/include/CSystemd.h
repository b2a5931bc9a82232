/// A shim over libsystemd: its functions, which are looked up when they are called for the first time, because not every
/// system has the library; what Swift cannot import of its headers, which is macros and functions with any number of
/// arguments; and what waits where it must not. No policy lives here.

#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

/// Why the library cannot be used, for a message to the user; `NULL` if it can.
///
/// It is loaded once, and for the whole process: the functions are those that the loader's usual order finds first, so that
/// what is preloaded is called in place of the library's. The text is the shim's.
const char *_Nullable csystemd_missing(void);

// The functions of libsystemd, each once: NUMBER returns an `int`, POINTER what stands first, NOTHING nothing.
#define CSYSTEMD_FUNCTIONS(NUMBER, POINTER, NOTHING)                                                                   \
  NUMBER(watchdog_enabled, (unset, interval), int unset, uint64_t *_Nullable interval)                                 \
  NUMBER(bus_new, (bus), sd_bus *_Nullable *_Nonnull bus)                                                              \
  NUMBER(bus_open_system, (bus), sd_bus *_Nullable *_Nonnull bus)                                                      \
  NUMBER(bus_set_fd, (bus, input, output), sd_bus *_Nonnull bus, int input, int output)                                \
  NUMBER(bus_set_bus_client, (bus, is), sd_bus *_Nonnull bus, int is)                                                  \
  NUMBER(bus_start, (bus), sd_bus *_Nonnull bus)                                                                       \
  NOTHING(bus_close, (bus), sd_bus *_Nullable bus)                                                                     \
  POINTER(sd_bus *_Nullable, bus_unref, (bus), sd_bus *_Nullable bus)                                                  \
  POINTER(sd_bus *_Nullable, bus_flush_close_unref, (bus), sd_bus *_Nullable bus)                                      \
  NUMBER(bus_get_fd, (bus), sd_bus *_Nonnull bus)                                                                      \
  NUMBER(bus_get_events, (bus), sd_bus *_Nonnull bus)                                                                  \
  NUMBER(bus_get_timeout, (bus, time), sd_bus *_Nonnull bus, uint64_t *_Nonnull time)                                  \
  NUMBER(bus_process, (bus, message), sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nullable message)              \
  NUMBER(                                                                                                              \
      bus_request_name_async, (bus, slot, name, flags, answered, context), sd_bus *_Nonnull bus,                       \
      sd_bus_slot *_Nullable *_Nullable slot, const char *_Nonnull name, uint64_t flags,                               \
      sd_bus_message_handler_t _Nonnull answered, void *_Nullable context)                                             \
  NUMBER(                                                                                                              \
      bus_add_match_async, (bus, slot, match, matched, installed, context), sd_bus *_Nonnull bus,                      \
      sd_bus_slot *_Nullable *_Nullable slot, const char *_Nonnull match, sd_bus_message_handler_t _Nonnull matched,   \
      sd_bus_message_handler_t _Nullable installed, void *_Nullable context)                                           \
  POINTER(sd_bus_slot *_Nullable, bus_slot_unref, (slot), sd_bus_slot *_Nullable slot)                                 \
  NUMBER(                                                                                                              \
      bus_call, (bus, call, limit, error, answer), sd_bus *_Nonnull bus, sd_bus_message *_Nullable call,               \
      uint64_t limit, sd_bus_error *_Nullable error, sd_bus_message *_Nullable *_Nullable answer)                      \
  NUMBER(                                                                                                              \
      bus_call_async, (bus, slot, call, answered, context, limit), sd_bus *_Nonnull bus,                               \
      sd_bus_slot *_Nullable *_Nullable slot, sd_bus_message *_Nullable call,                                          \
      sd_bus_message_handler_t _Nonnull answered, void *_Nullable context, uint64_t limit)                             \
  NOTHING(bus_error_free, (error), sd_bus_error *_Nonnull error)                                                       \
  NUMBER(                                                                                                              \
      bus_emit_properties_changed_strv, (bus, path, interface, names), sd_bus *_Nonnull bus,                           \
      const char *_Nonnull path, const char *_Nonnull interface, char *_Nullable *_Nonnull names)                      \
  NUMBER(                                                                                                              \
      bus_message_new_method_call, (bus, call, destination, path, interface, member), sd_bus *_Nonnull bus,            \
      sd_bus_message *_Nullable *_Nonnull call, const char *_Nonnull destination, const char *_Nonnull path,           \
      const char *_Nonnull interface, const char *_Nonnull member)                                                     \
  NUMBER(                                                                                                              \
      bus_message_new_signal, (bus, signal, path, interface, member), sd_bus *_Nonnull bus,                            \
      sd_bus_message *_Nullable *_Nonnull signal, const char *_Nonnull path, const char *_Nonnull interface,           \
      const char *_Nonnull member)                                                                                     \
  NUMBER(                                                                                                              \
      bus_message_new_method_return, (call, answer), sd_bus_message *_Nullable call,                                   \
      sd_bus_message *_Nullable *_Nonnull answer)                                                                      \
  POINTER(sd_bus_message *_Nullable, bus_message_ref, (message), sd_bus_message *_Nullable message)                    \
  POINTER(sd_bus_message *_Nullable, bus_message_unref, (message), sd_bus_message *_Nullable message)                  \
  NUMBER(bus_message_send, (message), sd_bus_message *_Nullable message)                                               \
  NUMBER(                                                                                                              \
      bus_message_append_basic, (message, type, value), sd_bus_message *_Nullable message, char type,                  \
      const void *_Nullable value)                                                                                     \
  NUMBER(                                                                                                              \
      bus_message_read_basic, (message, type, value), sd_bus_message *_Nullable message, char type,                    \
      void *_Nonnull value)                                                                                            \
  NUMBER(                                                                                                              \
      bus_message_open_container, (message, type, contents), sd_bus_message *_Nullable message, char type,             \
      const char *_Nonnull contents)                                                                                   \
  NUMBER(bus_message_close_container, (message), sd_bus_message *_Nullable message)                                    \
  NUMBER(                                                                                                              \
      bus_message_enter_container, (message, type, contents), sd_bus_message *_Nullable message, char type,            \
      const char *_Nonnull contents)                                                                                   \
  NUMBER(bus_message_exit_container, (message), sd_bus_message *_Nullable message)                                     \
  NUMBER(bus_message_skip, (message, types), sd_bus_message *_Nullable message, const char *_Nullable types)           \
  NUMBER(                                                                                                              \
      bus_message_is_method_error, (message, name), sd_bus_message *_Nullable message, const char *_Nullable name)     \
  NUMBER(bus_message_set_auto_start, (message, starts), sd_bus_message *_Nullable message, int starts)                 \
  NUMBER(bus_message_get_expect_reply, (message), sd_bus_message *_Nullable message)                                   \
  POINTER(                                                                                                             \
      const sd_bus_error *_Nullable, bus_message_get_error, (message), sd_bus_message *_Nullable message)              \
  POINTER(const char *_Nullable, bus_message_get_sender, (message), sd_bus_message *_Nullable message)                 \
  POINTER(const char *_Nullable, bus_message_get_member, (message), sd_bus_message *_Nullable message)

// They are called with a “c” before their names. Where the library is not there, those that return an `int` return
// `-ELIBACC`, those that return a pointer, `NULL`, and the others do nothing. No watchdog is enabled then.
#define CSYSTEMD_NUMBER(name, arguments, ...) int csystemd_##name(__VA_ARGS__);
#define CSYSTEMD_POINTER(type, name, arguments, ...) type csystemd_##name(__VA_ARGS__);
#define CSYSTEMD_NOTHING(name, arguments, ...) void csystemd_##name(__VA_ARGS__);
CSYSTEMD_FUNCTIONS(CSYSTEMD_NUMBER, CSYSTEMD_POINTER, CSYSTEMD_NOTHING)

/// `sd_bus_add_object_vtable` for the daemon's interface, whose methods and arguments are described in the source
/// of this function.
///
/// The table is one for the whole process: `called` is that of the last call, for every method, and `read` for every property,
/// with `context`, which must live as long as the slot.
int csystemd_add_object(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nonnull slot, const char *_Nonnull path,
    const char *_Nonnull interface, sd_bus_message_handler_t _Nonnull called,
    sd_bus_property_get_t _Nonnull read, void *_Nullable context);

/// `sd_bus_reply_method_errorf` without a format: answers a call with an error of that name.
int csystemd_reply_error(
    sd_bus_message *_Nonnull call, const char *_Nonnull name, const char *_Nonnull text);

/// As `sd_notify(3)`, and never waits: that would for a service manager that hangs, and every keyboard with it. Needs no
/// library.
///
/// Returns 1 if it was notified, 0 if there is no service manager, and a negated `errno` otherwise: `EAGAIN` if it has too
/// much to read.
int csystemd_notify(const char *_Nonnull state);

#endif
