#include "AllocationCounter.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(SANITIZED) || !defined(__linux__)

long allocation_count(void) { return -1; }

long allocated_bytes(void) { return 0; }

#else

// glibc's own names for what is replaced here.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static _Thread_local long count;
static _Thread_local long bytes;

long allocation_count(void) { return count; }

long allocated_bytes(void) { return bytes; }

static void *counted(void *memory) {
  count++;
  bytes += (long)malloc_usable_size(memory);
  return memory;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *memory, size_t size) {
  long before = (long)malloc_usable_size(memory);
  void *resized = __libc_realloc(memory, size);
  // If there is no memory, the old block stays as it is.
  if (resized != NULL || size == 0) bytes -= before;
  return counted(resized);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
  bytes -= (long)malloc_usable_size(memory);
  __libc_free(memory);
}

#endif
