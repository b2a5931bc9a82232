#ifndef CTOML_H
#define CTOML_H

// toml++ (https://marzer.github.io/tomlplusplus, MIT) behind a plain C interface: it parses a buffer, and reports each
// name and value with where it stands. What any of it means, and what to say of an error, is decided elsewhere.
//
// No function throws, and none keeps anything beyond the document that it is given.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A line and a column, both from 1; the column counts Unicode scalars. Both are 0 where the place is not known.
struct ctoml_position {
  uint32_t line;
  uint32_t column;
};

/// From where, and to where: `end` is behind the last character.
struct ctoml_region {
  struct ctoml_position begin;
  struct ctoml_position end;
};

/// UTF-8 that belongs to the document, without a zero at its end.
struct ctoml_text {
  const char *bytes;
  size_t length;
};

/// A document that has been parsed. The caller owns it, and gives it to `ctoml_free`.
typedef struct ctoml_document ctoml_document;

/// A value in a document, which lives as long as the document.
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
  /// Where the name stands: its last part, where a header or a key has several.
  struct ctoml_region region;
  const ctoml_node *value;
};

/// Parses UTF-8, which may begin with a byte order mark.
///
/// The caller sees to it that no line is longer than 4 KiB, nor made of thousands of names with dots between them: the
/// parser recurses into each.
///
/// @param error Where the text is no TOML, if it is none: the parser's position, which may lie behind the culprit, or
/// no position if an assertion of the parser's failed.
/// @return The document; NULL if the text is no TOML, or if there is no memory.
ctoml_document *_Nullable ctoml_parse(const char *_Nullable text, size_t length, struct ctoml_region *error);

/// Frees a document with all its nodes and texts.
void ctoml_free(ctoml_document *document);

/// Returns the table that holds everything else.
const ctoml_node *ctoml_root(const ctoml_document *document);

/// Returns what a value is.
enum ctoml_kind ctoml_kind_of(const ctoml_node *node);

/// Returns where a value stands: for a table with a header, or a list of such tables, the (first) header; for a table
/// that is there because a name has a dot, the part before the dot, or the header that has it.
struct ctoml_region ctoml_region_of(const ctoml_node *node);

/// Returns how many entries a table or elements an array has; 0 for everything else.
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
