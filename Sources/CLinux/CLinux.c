#include "CLinux.h"

#include <sys/prctl.h>

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
