#define _GNU_SOURCE  // accept4, struct ucred

#include "CLinux.h"

#include <sched.h>
#include <sys/socket.h>

int clinux_own_descriptors(void) { return unshare(CLONE_FILES); }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int64_t clinux_peer_user(int socket) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (int64_t)peer.uid : -1;
}
