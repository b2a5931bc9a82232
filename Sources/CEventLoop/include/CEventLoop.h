/// The kernel's event-loop headers, which Swift's Glibc module leaves out.
///
/// A header only: nothing here is ours.

#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#endif
