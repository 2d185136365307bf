/* The lines of a ClassAd log that count, and whose they are. Knows nothing of Python objects; see _logscan.c. */

#ifndef CONDOR_PY_LOGSCAN_H
#define CONDOR_PY_LOGSCAN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define MAX_DIGITS 18 /* what fits a 64 bit integer for sure */

static inline const char *
find(const char *from, const char *end, char c)
{
    return from < end ? memchr(from, c, (size_t)(end - from)) : NULL;
}

static inline uint64_t
mix(uint64_t h, const char *p, size_t n)
{
    uint64_t word;

    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    for (word = n; n > 0; n--)
        word = (word << 8) | (unsigned char)*p++;
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 32);
}

enum { MADE = 1, LINES, GONE };
enum { COMPLETE, OPEN, TORN };

/* Lines that follow one another and belong to one key. */
typedef struct {
    int kind;
    uint32_t key_size;
    const char *key, *start, *end;
    int64_t next; /* the next run of the same ad, -1 at its end */
} Run;

typedef struct {
    const char *key, *types, *types_end;
    uint32_t key_size;
    int alive;
    int64_t first, last;
    size_t bytes;
} Entry;

typedef struct {
    const char *data, *end;
    Run *runs;
    size_t count, room, counted; /* counted: runs before the open transaction */
    const char *begin;           /* its 105, NULL outside */
    Entry *entries;
    size_t entry_count;
    int64_t *table; /* key -> entry, -1 empty */
    size_t table_size;
    long long sequence, birthdate; /* of the 107, -1 without */
} Log;

enum { FINE = 0, STRANGE = 1, NO_MEMORY = 2 };

/* Reads log->data up to log->end, which then stands behind the last whole line: FINE, STRANGE (not for us), NO_MEMORY.
   Needs no GIL. log_forget() gives the memory back in any case. */
int log_read(Log *log);
void log_forget(Log *log);

/* Is the key that of a job, written as everybody writes it? */
int log_is_proc(const Entry *entry, long long *cluster, long long *proc);

#endif
