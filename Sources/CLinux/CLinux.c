#define _GNU_SOURCE  // dl_iterate_phdr

#include "CLinux.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int clinux_refuse_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

// Where the C library's start file puts what begins the program's variables. Between the end of what is relocated and this lies
// what the linker puts into the writable part although it is constant: two megabytes of the program.
extern char __data_start[] __attribute__((weak));

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

// Unlike the rest, what lies there is not thrown away but paged out, which leaves alone whatever was written after all.
static void forget_constants(const struct dl_phdr_info *object, uintptr_t page) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_GNU_RELRO) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
    // The first page holds the addresses of functions of other libraries.
    start += page;
    uintptr_t end = (uintptr_t)__data_start & ~(page - 1);
    if (start < end) madvise((void *)start, end - start, MADV_PAGEOUT);
  }
}

static int forget_pages(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  uintptr_t page = *(const uintptr_t *)context;
  // The program itself comes first, and has no name.
  if (object->dlpi_name == NULL || object->dlpi_name[0] == '\0') forget_constants(object, page);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    // What cannot be given back, as what is locked, stays.
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void clinux_forget_program_pages(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(forget_pages, &page);
}
