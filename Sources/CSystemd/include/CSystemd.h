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

// As the functions of libsystemd that are called so without the “c”. Where the library is not there, those that return an
// `int` return `-ELIBACC`, those that return a pointer, `NULL`, and the others do nothing. No watchdog is enabled then.

int csystemd_watchdog_enabled(int unset, uint64_t *_Nullable interval);

int csystemd_bus_new(sd_bus *_Nullable *_Nonnull bus);
int csystemd_bus_open_system(sd_bus *_Nullable *_Nonnull bus);
int csystemd_bus_set_fd(sd_bus *_Nonnull bus, int input, int output);
int csystemd_bus_set_bus_client(sd_bus *_Nonnull bus, int is);
int csystemd_bus_start(sd_bus *_Nonnull bus);
void csystemd_bus_close(sd_bus *_Nullable bus);
sd_bus *_Nullable csystemd_bus_unref(sd_bus *_Nullable bus);
sd_bus *_Nullable csystemd_bus_flush_close_unref(sd_bus *_Nullable bus);
int csystemd_bus_get_fd(sd_bus *_Nonnull bus);
int csystemd_bus_get_events(sd_bus *_Nonnull bus);
int csystemd_bus_get_timeout(sd_bus *_Nonnull bus, uint64_t *_Nonnull time);
int csystemd_bus_process(sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nullable message);
int csystemd_bus_request_name_async(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nullable slot, const char *_Nonnull name, uint64_t flags,
    sd_bus_message_handler_t _Nonnull answered, void *_Nullable context);
int csystemd_bus_add_match_async(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nullable slot, const char *_Nonnull match,
    sd_bus_message_handler_t _Nonnull matched, sd_bus_message_handler_t _Nullable installed, void *_Nullable context);
sd_bus_slot *_Nullable csystemd_bus_slot_unref(sd_bus_slot *_Nullable slot);

int csystemd_bus_call(
    sd_bus *_Nonnull bus, sd_bus_message *_Nullable call, uint64_t limit, sd_bus_error *_Nullable error,
    sd_bus_message *_Nullable *_Nullable answer);
int csystemd_bus_call_async(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nullable slot, sd_bus_message *_Nullable call,
    sd_bus_message_handler_t _Nonnull answered, void *_Nullable context, uint64_t limit);
void csystemd_bus_error_free(sd_bus_error *_Nonnull error);

int csystemd_bus_message_new_method_call(
    sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull call, const char *_Nonnull destination,
    const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull member);
int csystemd_bus_message_new_signal(
    sd_bus *_Nonnull bus, sd_bus_message *_Nullable *_Nonnull signal, const char *_Nonnull path,
    const char *_Nonnull interface, const char *_Nonnull member);
int csystemd_bus_emit_properties_changed_strv(
    sd_bus *_Nonnull bus, const char *_Nonnull path, const char *_Nonnull interface,
    char *_Nullable *_Nonnull names);
int csystemd_bus_message_new_method_return(
    sd_bus_message *_Nullable call, sd_bus_message *_Nullable *_Nonnull answer);
sd_bus_message *_Nullable csystemd_bus_message_ref(sd_bus_message *_Nullable message);
sd_bus_message *_Nullable csystemd_bus_message_unref(sd_bus_message *_Nullable message);
int csystemd_bus_message_send(sd_bus_message *_Nullable message);
int csystemd_bus_message_append_basic(sd_bus_message *_Nullable message, char type, const void *_Nullable value);
int csystemd_bus_message_read_basic(sd_bus_message *_Nullable message, char type, void *_Nonnull value);
int csystemd_bus_message_open_container(sd_bus_message *_Nullable message, char type, const char *_Nonnull contents);
int csystemd_bus_message_close_container(sd_bus_message *_Nullable message);
int csystemd_bus_message_enter_container(sd_bus_message *_Nullable message, char type, const char *_Nonnull contents);
int csystemd_bus_message_exit_container(sd_bus_message *_Nullable message);
int csystemd_bus_message_skip(sd_bus_message *_Nullable message, const char *_Nullable types);
int csystemd_bus_message_is_method_error(sd_bus_message *_Nullable message, const char *_Nullable name);
int csystemd_bus_message_set_auto_start(sd_bus_message *_Nullable message, int starts);
int csystemd_bus_message_get_expect_reply(sd_bus_message *_Nullable message);
const sd_bus_error *_Nullable csystemd_bus_message_get_error(sd_bus_message *_Nullable message);
const char *_Nullable csystemd_bus_message_get_sender(sd_bus_message *_Nullable message);
const char *_Nullable csystemd_bus_message_get_member(sd_bus_message *_Nullable message);

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
