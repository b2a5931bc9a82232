#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// How often the calling thread has asked for memory since it began; -1 where that is not known.
///
/// The C library's allocation functions are replaced by ones that count and then do the same. A
/// sanitizer replaces them itself: in such a build nothing is counted.
long allocation_count(void);

#endif
