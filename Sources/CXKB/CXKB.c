#include "CXKB.h"

#include <dlfcn.h>
#include <pthread.h>

// The part of xkbcommon.h that is called: its binary interface is fixed.

struct xkb_context;
struct xkb_keymap;
typedef uint32_t xkb_keysym_t;

struct xkb_rule_names {
  const char *rules, *model, *layout, *variant, *options;
};

// XKB_LOG_LEVEL_CRITICAL: the library prints nothing about an unknown layout.
enum { QUIET = 10 };

// X11's codes of keys are by 8 larger than the kernel's.
enum { FIRST_CODE = 8 };

static struct {
  struct xkb_context *(*xkb_context_new)(int flags);
  void (*xkb_context_unref)(struct xkb_context *);
  void (*xkb_context_set_log_level)(struct xkb_context *, int level);
  struct xkb_keymap *(*xkb_keymap_new_from_names)(struct xkb_context *, const struct xkb_rule_names *, int flags);
  void (*xkb_keymap_unref)(struct xkb_keymap *);
  int (*xkb_keymap_key_get_syms_by_level)(
      struct xkb_keymap *, uint32_t key, uint32_t layout, uint32_t level, const xkb_keysym_t **symbols);
  int (*xkb_keysym_to_utf8)(xkb_keysym_t, char *, size_t);
} library;

static bool is_loaded;

static void load(void) {
  // The library stays open until the process ends.
  void *handle = dlopen("libxkbcommon.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  is_loaded = true;
#define FIND(name)                                                  \
  library.name = (__typeof__(library.name))dlsym(handle, #name); \
  if (!library.name) is_loaded = false;
  FIND(xkb_context_new)
  FIND(xkb_context_unref)
  FIND(xkb_context_set_log_level)
  FIND(xkb_keymap_new_from_names)
  FIND(xkb_keymap_unref)
  FIND(xkb_keymap_key_get_syms_by_level)
  FIND(xkb_keysym_to_utf8)
}

bool cxkb_read(
    const char *model, const char *layout, const char *variant, const char *options, const uint16_t *codes,
    size_t count, struct cxkb_key *keys) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  struct xkb_context *context = is_loaded ? library.xkb_context_new(0) : NULL;
  if (!context) return false;
  library.xkb_context_set_log_level(context, QUIET);
  const struct xkb_rule_names names = {NULL, model, layout, variant, options};
  struct xkb_keymap *keymap = library.xkb_keymap_new_from_names(context, &names, 0);
  // The keymap holds a reference of its own.
  library.xkb_context_unref(context);
  if (!keymap) return false;
  for (size_t i = 0; i < count; i++) {
    struct cxkb_key *key = &keys[i];
    const xkb_keysym_t *symbols = NULL;
    *key = (struct cxkb_key){0};
    if (library.xkb_keymap_key_get_syms_by_level(keymap, codes[i] + FIRST_CODE, 0, 0, &symbols) != 1) continue;
    key->symbol = symbols[0];
    if (library.xkb_keysym_to_utf8(symbols[0], key->text, sizeof key->text) <= 0) key->text[0] = 0;
  }
  library.xkb_keymap_unref(keymap);
  return true;
}
