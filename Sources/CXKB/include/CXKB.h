/// The names of a keyboard layout's keys, by libxkbcommon. The library is looked for when it is needed: without it there are no
/// labels.

#ifndef CXKB_H
#define CXKB_H

#include <stddef.h>
#include <stdint.h>

/// A layout's keys.
struct xkb_keymap;

/// Compiles a layout.
///
/// @param layout As in X11's configuration, such as `de`; the others may be empty.
/// @returns `NULL` if there is no libxkbcommon, or the layout is unknown. To be freed with `cxkb_keymap_free`.
struct xkb_keymap *_Nullable cxkb_keymap_new(
    const char *_Nonnull model, const char *_Nonnull layout, const char *_Nonnull variant, const char *_Nonnull options);

/// Frees a layout, which is not used any more.
void cxkb_keymap_free(struct xkb_keymap *_Nonnull keymap);

/// Tells the keysym of a key without modifiers, and what it types.
///
/// @param code The key's code in the kernel.
/// @param text Receives the characters as UTF-8, which end with 0; empty if there are none.
/// @param size How many bytes `text` may take.
/// @returns The keysym; 0 if the key has none, or several. Shift and dead keys, such as `XK_dead_acute`, type no characters.
uint32_t cxkb_key(struct xkb_keymap *_Nonnull keymap, uint32_t code, uint8_t *_Nonnull text, size_t size);

#endif
