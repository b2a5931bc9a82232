#include "Library.h"

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
#define FIND(name, ...) library.sd_##name = (__typeof__(library.sd_##name))find("sd_" #name);
#define FIND_POINTER(type, name, ...) FIND(name, )
  CSYSTEMD_FUNCTIONS(FIND, FIND_POINTER, FIND)
  FIND(bus_add_object_vtable, )
  FIND(bus_reply_method_error, )
  FIND(bus_object_vtable_format, )
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
#define POINTER(type, name, arguments, ...) WRAP(type, name, NULL, arguments, __VA_ARGS__)
#define NOTHING(name, arguments, ...)                          \
  void csystemd_##name(__VA_ARGS__) {                          \
    const struct csystemd_library *found = csystemd_library(); \
    if (found) found->sd_##name arguments;                     \
  }

CSYSTEMD_FUNCTIONS(NUMBER, POINTER, NOTHING)
