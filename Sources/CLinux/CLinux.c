#define _GNU_SOURCE  // dl_iterate_phdr

#include "CLinux.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int forget_pages(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  uintptr_t page = *(const uintptr_t *)context;
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
