#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// How often the calling thread has asked for memory since it began; -1 where that is not known.
///
/// The C library's allocation functions are replaced by ones that count and then do the same. A
/// sanitizer replaces them itself: in such a build nothing is counted.
long allocation_count(void);

/// How many bytes the calling thread has been given more than it has given back; 0 where nothing is
/// counted. What one thread is given and another gives back is missing from one and left in the other.
long allocated_bytes(void);

#endif
