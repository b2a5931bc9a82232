/// The names of a keyboard layout's keys, by libxkbcommon. The library is looked for when it is needed: without it there are no
/// labels.

#ifndef CXKB_H
#define CXKB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A key without modifiers.
struct cxkb_key {
  /// Its keysym; 0 if it has none, or several.
  uint32_t symbol;
  /// The characters that it types, as UTF-8, which end with 0. Shift and dead keys, such as `XK_dead_acute`, type none.
  char text[16];
};

/// Reads keys of a layout.
///
/// @param layout As in X11's configuration, such as `de`; the others may be empty.
/// @param codes The codes of the keys in the kernel.
/// @param count How many there are.
/// @param keys Receives as many keys.
/// @returns Whether it could: not if there is no libxkbcommon, or the layout is unknown.
bool cxkb_read(
    const char *_Nonnull model, const char *_Nonnull layout, const char *_Nonnull variant, const char *_Nonnull options,
    const uint16_t *_Nonnull codes, size_t count, struct cxkb_key *_Nonnull keys);

#endif
