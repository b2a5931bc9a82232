#ifndef CTOML_H
#define CTOML_H

// toml++ (https://marzer.github.io/tomlplusplus, MIT) behind a plain C interface: it parses a buffer, and reports each
// name and value with its place. What they mean, and how errors are worded, is decided elsewhere.
//
// No function throws, and nothing outlives the document.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A line and a column, both from 1; the column counts Unicode scalars. Both are 0 if the place is not known.
struct ctoml_position {
  uint32_t line;
  uint32_t column;
};

/// A range of positions; `end` is after the last character.
struct ctoml_region {
  struct ctoml_position begin;
  struct ctoml_position end;
};

/// UTF-8 that belongs to the document; it is not terminated by a zero.
struct ctoml_text {
  const char *_Nullable bytes;
  size_t length;
};

/// A parsed document. The caller owns it and passes it to `ctoml_free`.
typedef struct ctoml_document ctoml_document;

/// A value in the parser's tree.
typedef struct ctoml_node ctoml_node;

enum ctoml_kind {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  /// A date, a time, or both.
  CTOML_DATE,
} __attribute__((enum_extensibility(closed)));

/// A value in a document with its name, valid as long as the document.
struct ctoml_item {
  /// Its name in its table; none of the root, and of an element of an array.
  struct ctoml_text name;
  /// The place of the name; of a dotted name, that of this part.
  struct ctoml_region name_region;
  /// The place of the value. Of a table with a header, that is the header; of a list of such tables, the first header; of a
  /// table that exists only as part of a dotted name, that part, or the header that contains it.
  struct ctoml_region region;
  enum ctoml_kind kind;
  // The value, of its kind.
  struct ctoml_text text;
  int64_t integer;
  double number;
  bool boolean;
  /// How many items a table or an array has, and by what `ctoml_items` finds them.
  size_t count;
  const ctoml_node *node;
};

/// Why a text is not valid TOML.
struct ctoml_error {
  /// Where the parser stopped. No position if an assertion in the parser failed.
  struct ctoml_region region;
  /// The parser's words for the mistake, in UTF-8, cut to this length.
  char message[256];
};

/// Parses UTF-8, which may begin with a byte order mark.
///
/// The parser recurses into each part of a dotted name: the caller must reject lines that are so long that they could
/// exhaust the stack.
///
/// @param error Receives the mistake if the text is not valid TOML.
/// @return The document; NULL if the text is not valid TOML, or if memory is exhausted.
ctoml_document *_Nullable ctoml_parse(const char *_Nullable text, size_t length, struct ctoml_error *error);

/// Frees a document with all of its nodes and texts.
void ctoml_free(ctoml_document *document);

/// Returns the outermost table.
struct ctoml_item ctoml_root(const ctoml_document *document);

/// Writes the entries of a table, in the order of their names, or the elements of an array.
///
/// @param items Room for as many as there are.
void ctoml_items(const ctoml_node *node, struct ctoml_item *items);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
