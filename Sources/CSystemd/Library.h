// libsystemd's functions, as they were found.

#ifndef CSYSTEMD_LIBRARY_H
#define CSYSTEMD_LIBRARY_H

#include <stdbool.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

// Every function that is called.
#define CSYSTEMD_FUNCTIONS(F)                                                                                      \
  F(sd_watchdog_enabled) F(sd_bus_new) F(sd_bus_open_system) F(sd_bus_set_fd) F(sd_bus_set_bus_client)             \
  F(sd_bus_start) F(sd_bus_close) F(sd_bus_unref) F(sd_bus_flush_close_unref) F(sd_bus_get_fd)                     \
  F(sd_bus_get_events) F(sd_bus_get_timeout) F(sd_bus_process) F(sd_bus_request_name_async)                        \
  F(sd_bus_add_match_async) F(sd_bus_add_object_vtable) F(sd_bus_slot_unref) F(sd_bus_call) F(sd_bus_call_async)   \
  F(sd_bus_error_free) F(sd_bus_message_new_method_call) F(sd_bus_message_new_method_return)                       \
  F(sd_bus_message_ref) F(sd_bus_message_new_signal) F(sd_bus_message_unref) F(sd_bus_message_send)                \
  F(sd_bus_message_append_basic) F(sd_bus_message_read_basic) F(sd_bus_message_open_container)                     \
  F(sd_bus_message_close_container) F(sd_bus_message_enter_container) F(sd_bus_message_is_method_error)            \
  F(sd_bus_message_get_expect_reply) F(sd_bus_message_get_error) F(sd_bus_message_exit_container)                  \
  F(sd_bus_message_skip) F(sd_bus_message_get_sender) F(sd_bus_message_get_member)                                 \
  F(sd_bus_message_set_auto_start) F(sd_bus_reply_method_error) F(sd_bus_emit_properties_changed_strv)

struct csystemd_library {
#define FIELD(name) __typeof__(&name) name;
  CSYSTEMD_FUNCTIONS(FIELD)
#undef FIELD
  // Not called; the description of an object refers to it.
  const unsigned *sd_bus_object_vtable_format;
};

// The library; `NULL` if it is not there. Loaded by the first call; may be called from any thread.
const struct csystemd_library *csystemd_library(void);

#endif
