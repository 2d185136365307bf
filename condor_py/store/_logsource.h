/* Bytes of a log, where they lie: in memory, or in an open file of which only what is looked at is read. */

#ifndef CONDOR_PY_LOGSOURCE_H
#define CONDOR_PY_LOGSOURCE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define WINDOWS 8

/* A part of the file in memory. */
typedef struct {
    uint64_t at;
    size_t have, room;
    uint64_t used; /* when it was last looked at */
    char *bytes;
} Window;

typedef struct {
    int fd;           /* -1: all of it lies at `data` */
    const char *data;
    uint64_t size;    /* bytes that may be looked at */
    char *whole;      /* all of it, once that is cheaper */
    Window windows[WINDOWS];
    uint64_t clock, fetched;
    int error; /* errno of what failed; 0: the file is shorter than it was */
} Source;

/* Bytes from `at` on, at least `least` of them or all up to the end; `*have` says how many. NULL: see error. The bytes
   stay where they are until the source was asked WINDOWS - 1 times more. Needs no GIL. */
const char *source_from(Source *source, uint64_t at, size_t least, size_t *have);

/* Gives up what was read and can be read again. */
void source_rest(Source *source);

#endif
