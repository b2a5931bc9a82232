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
  const char *bytes;
  size_t length;
};

/// A parsed document. The caller owns it and passes it to `ctoml_free`.
typedef struct ctoml_document ctoml_document;

/// A value in a document, valid as long as the document.
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

/// A name in a table, and its value.
struct ctoml_entry {
  struct ctoml_text name;
  /// The place of the name; of a dotted name, that of this part.
  struct ctoml_region region;
  const ctoml_node *value;
};

/// Why a text is not valid TOML.
struct ctoml_error {
  /// Where the parser stopped. No position if an assertion in the parser failed.
  struct ctoml_region region;
  /// What it says of it, in UTF-8, cut where there is no more room.
  char message[256];
};

/// Parses UTF-8, which may begin with a byte order mark.
///
/// The parser recurses into each part of a dotted name: the caller must reject lines that are so long that they could
/// exhaust the stack.
///
/// @param error Is filled in if the text is not valid TOML.
/// @return The document; NULL if the text is not valid TOML, or if memory is exhausted.
ctoml_document *_Nullable ctoml_parse(const char *_Nullable text, size_t length, struct ctoml_error *error);

/// Frees a document with all of its nodes and texts.
void ctoml_free(ctoml_document *document);

/// Returns the outermost table.
const ctoml_node *ctoml_root(const ctoml_document *document);

/// Returns the kind of a value.
enum ctoml_kind ctoml_kind_of(const ctoml_node *node);

/// Returns the place of a value. Of a table with a header, that is the header; of a list of such tables, the first header;
/// of a table that exists only as part of a dotted name, that part, or the header that contains it.
struct ctoml_region ctoml_region_of(const ctoml_node *node);

/// Returns the number of entries of a table or elements of an array; 0 for any other value.
size_t ctoml_count(const ctoml_node *node);

/// Writes the entries of a table, in the order of their names.
///
/// @param entries Room for as many as `ctoml_count` returns.
void ctoml_entries(const ctoml_node *table, struct ctoml_entry *entries);

/// Returns an element of an array.
///
/// @param index Less than `ctoml_count` returns.
const ctoml_node *ctoml_element(const ctoml_node *array, size_t index);

// The value of a node, which must be of that kind.
struct ctoml_text ctoml_string(const ctoml_node *node);
int64_t ctoml_integer(const ctoml_node *node);
double ctoml_float(const ctoml_node *node);
bool ctoml_boolean(const ctoml_node *node);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
