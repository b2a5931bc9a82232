#define _GNU_SOURCE  // accept4, dl_iterate_phdr, struct ucred

#include "CLinux.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
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

// The room that the kernel fills with descriptors, aligned as it wants that.
union control {
  char room[CMSG_SPACE(CLINUX_MOST_DESCRIPTORS * sizeof(int))];
  struct cmsghdr alignment;
};

ssize_t clinux_receive(int socket, void *buffer, size_t size, int *descriptors, size_t *count) {
  union control control;
  struct iovec part = {buffer, size};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t result = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  *count = 0;
  if (result < 0) return result;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t length = header->cmsg_len - CMSG_LEN(0);
    memcpy(descriptors + *count, CMSG_DATA(header), length);
    *count += length / sizeof(int);
  }
  return result;
}

ssize_t clinux_send(int socket, const void *bytes, size_t size, const int *descriptors, size_t count) {
  union control control = {0};
  struct iovec part = {(void *)bytes, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int64_t clinux_peer_user(int socket) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (int64_t)peer.uid : -1;
}
