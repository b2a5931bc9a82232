/// The kernel's event-loop headers, which Swift's Glibc module leaves out, and a constant that Swift cannot import.

#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/// `SI_KERNEL`: a signal's code if the kernel itself sent it.
enum { CEVENTLOOP_SI_KERNEL = SI_KERNEL };

#endif
