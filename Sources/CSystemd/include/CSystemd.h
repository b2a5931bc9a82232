/// A shim over libsystemd: the headers, what Swift cannot import of them, which is macros and functions with any number
/// of arguments, and what waits where it must not. No policy lives here.

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
  sd_bus_message_handler_t _Nonnull reset;
};

/// `sd_bus_add_object_vtable` for the daemon's interface, whose methods and arguments are described in the source
/// of this function.
///
/// The table is one for the whole process: the methods are those of the last call. `context` must live as long as the
/// slot.
int csystemd_add_object(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nonnull slot, const char *_Nonnull path,
    const char *_Nonnull interface, struct csystemd_methods methods, void *_Nullable context);

/// `sd_bus_reply_method_errorf` without a format: answers a call with an error of that name.
int csystemd_reply_error(
    sd_bus_message *_Nonnull call, const char *_Nonnull name, const char *_Nonnull text);

/// As `sd_notify(3)`, and never waits: that would for a service manager that hangs, and every keyboard with it.
///
/// Returns 1 if it was notified, 0 if there is no service manager, and a negated `errno` otherwise: `EAGAIN` if it has too
/// much to read.
int csystemd_notify(const char *_Nonnull state);

#endif
