/// A shim over libsystemd: the headers, and what Swift cannot import of them, which is macros and functions with any
/// number of arguments. No policy lives here.

#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

/// What the methods of the daemon's object do. Each gets the `context` given below.
struct csystemd_methods {
  sd_bus_message_handler_t _Nonnull status;
  sd_bus_message_handler_t _Nonnull statistics;
  sd_bus_message_handler_t _Nonnull reload;
  sd_bus_message_handler_t _Nonnull borrow;
  sd_bus_message_handler_t _Nonnull give_back;
};

/// `sd_bus_add_object_vtable` for the daemon's interface, whose methods, arguments and version property are described
/// in the source of this function.
///
/// The table is one for the whole process: the methods are those of the last call. `version` and `context` must live
/// as long as the slot.
int csystemd_add_object(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nonnull slot, const char *_Nonnull path,
    const char *_Nonnull interface, struct csystemd_methods methods, void *_Nullable context);

/// `sd_bus_reply_method_errorf` without a format: answers a call with an error of that name.
int csystemd_reply_error(
    sd_bus_message *_Nonnull call, const char *_Nonnull name, const char *_Nonnull text);

/// `sd_notify(3)` for the process, without taking the variables out of the environment.
int csystemd_notify(const char *_Nonnull state);

#endif
