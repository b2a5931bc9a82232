/// A shim over libsystemd: its functions, which are looked up when they are needed first, because not every system has the
/// library; and the daemon's object, whose description is made of macros. No policy lives here.

#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <systemd/sd-bus.h>
#include <systemd/sd-login.h>

// The functions that are called, without “sd_”.
#define CSYSTEMD_FUNCTIONS(FUNCTION)                                                                      \
  FUNCTION(bus_new) FUNCTION(bus_set_address) FUNCTION(bus_set_fd) FUNCTION(bus_set_bus_client)           \
  FUNCTION(bus_negotiate_fds) FUNCTION(bus_start) FUNCTION(bus_close) FUNCTION(bus_unref)                 \
  FUNCTION(bus_flush_close_unref)                                                                         \
  FUNCTION(bus_get_fd) FUNCTION(bus_get_events) FUNCTION(bus_get_timeout) FUNCTION(bus_process)           \
  FUNCTION(bus_add_match_async) FUNCTION(bus_add_object_vtable) FUNCTION(bus_slot_unref)                  \
  FUNCTION(bus_call) FUNCTION(bus_call_async) FUNCTION(bus_error_free)                                    \
  FUNCTION(bus_emit_properties_changed_strv) FUNCTION(bus_reply_method_error)                             \
  FUNCTION(bus_message_new_method_call) FUNCTION(bus_message_new_signal)                                  \
  FUNCTION(bus_message_new_method_return) FUNCTION(bus_message_ref) FUNCTION(bus_message_unref)           \
  FUNCTION(bus_message_send) FUNCTION(bus_message_append_basic) FUNCTION(bus_message_read_basic)          \
  FUNCTION(bus_message_open_container) FUNCTION(bus_message_close_container)                              \
  FUNCTION(bus_message_enter_container) FUNCTION(bus_message_exit_container)                              \
  FUNCTION(bus_message_skip) FUNCTION(bus_message_is_method_error)                                        \
  FUNCTION(bus_message_get_expect_reply) FUNCTION(bus_message_get_error)                                  \
  FUNCTION(bus_message_get_sender) FUNCTION(bus_message_get_member)                                       \
  FUNCTION(get_uids) FUNCTION(uid_get_display) FUNCTION(session_get_state)                                \
  FUNCTION(login_monitor_new) FUNCTION(login_monitor_unref) FUNCTION(login_monitor_flush)                 \
  FUNCTION(login_monitor_get_fd)

/// libsystemd's functions.
struct __attribute__((swift_attr("@Sendable"))) csystemd_library {
  /// Why the library cannot be used, for a message to the user; `NULL` if it can. Otherwise no function may be called.
  const char *_Nullable missing;
#define CSYSTEMD_FIELD(name) __typeof__(&sd_##name) _Null_unspecified name;
  CSYSTEMD_FUNCTIONS(CSYSTEMD_FIELD)
  // Not called; the description of an object refers to it.
  CSYSTEMD_FIELD(bus_object_vtable_format)
#undef CSYSTEMD_FIELD
};

/// The library, which the first call loads for the whole process. May be called from any thread.
///
/// The functions are those that the loader's usual order finds first: what is preloaded is called in place of the library's.
const struct csystemd_library *_Nonnull csystemd_library(void);

/// `sd_bus_add_object_vtable` for the daemon's interface, whose methods and arguments are described in the source
/// of this function.
///
/// The table is one for the whole process: `called` is that of the last call, for every method, and `read` for every property,
/// with `context`, which must live as long as the slot.
int csystemd_add_object(
    sd_bus *_Nonnull bus, sd_bus_slot *_Nullable *_Nonnull slot, const char *_Nonnull path,
    const char *_Nonnull interface, sd_bus_message_handler_t _Nonnull called,
    sd_bus_property_get_t _Nonnull read, void *_Nullable context);

#endif
