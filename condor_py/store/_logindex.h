/* The index of a log: what log_read made of its first bytes, to be kept in a file. See _logindex.c. */

#ifndef CONDOR_PY_LOGINDEX_H
#define CONDOR_PY_LOGINDEX_H

#include "_logscan.h"

/* Bytes that index_write needs. */
size_t index_size(const Log *log);

/* Writes the index of a log that was read: FINE, or BROKEN where its bytes cannot be read. */
int index_write(Log *log, char *to);

/* Makes an empty log what the index says: FINE, NO_MEMORY, or STRANGE for one that is not of this log, or is damaged. */
int index_read(Log *log, const char *from, size_t size);

#endif
