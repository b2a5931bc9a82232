// libsystemd's functions, as they were found.

#ifndef CSYSTEMD_LIBRARY_H
#define CSYSTEMD_LIBRARY_H

#include "CSystemd.h"

struct csystemd_library {
#define FIELD(name, ...) __typeof__(&sd_##name) sd_##name;
#define POINTER_FIELD(type, name, ...) FIELD(name, )
  CSYSTEMD_FUNCTIONS(FIELD, POINTER_FIELD, FIELD)
  FIELD(bus_add_object_vtable, )
  FIELD(bus_reply_method_error, )
  // Not called; the description of an object refers to it.
  FIELD(bus_object_vtable_format, )
#undef POINTER_FIELD
#undef FIELD
};

// The library; `NULL` if it is not there. Loaded by the first call; may be called from any thread.
const struct csystemd_library *csystemd_library(void);

#endif
