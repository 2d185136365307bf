/* The lines of a ClassAd log that count, and whose they are. Knows nothing of Python objects; see _logscan.c. */

#ifndef CONDOR_PY_LOGSCAN_H
#define CONDOR_PY_LOGSCAN_H

#include "_logsource.h"

#define MAX_DIGITS 18 /* what fits a 64 bit integer for sure */
#define NONE UINT32_MAX
#define MANY_NAMES 64
#define ODD 255 /* in place of a number: its lines say */
#define MOST_OWNERS 200

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

static inline char
folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline int
same_folded(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (folded(a[i]) != folded(b[i]))
            return 0;
    return 1;
}

/* Is that a name of an attribute: letters, digits and _, no digit first? */
static inline int
is_plain_name(const char *name, size_t n)
{
    int odd = n == 0 || (unsigned char)(name[0] - '0') < 10;

    for (size_t i = 0; i < n; i++)
        odd |= !((unsigned char)((name[i] | 32) - 'a') < 26 || (unsigned char)(name[i] - '0') < 10 || name[i] == '_');
    return !odd;
}

/* The bit that stands for a name (in any case of its letters) in Entry.names; several names share one. The numbers were
 * chosen so that what jobs mostly say themselves shares none with what is asked of all of them (where their logs are,
 * whose they are, their universe): JobStatus and OsUser with one bit, or JobPreparingTasks and JobUniverse, have all lines
 * of a queue read. They belong to the index (MAGIC). */
static inline uint64_t
name_bit(const char *name, size_t n)
{
    size_t h = n * 9 + (size_t)(unsigned char)folded(name[0]) * 49 + (size_t)(unsigned char)folded(name[n - 1]) * 22
               + (size_t)(unsigned char)folded(name[n / 2]) * 60;

    return UINT64_C(1) << (h % MANY_NAMES);
}

/* The number of a name_bit. */
static inline unsigned
bit_number(uint64_t bit)
{
    return (unsigned)__builtin_ctzll(bit);
}

/* The bit of a name that few ads have and that is asked of all (what folds jobs into batches), 0 for any other: no other
 * name has it, which cannot be said of name_bit where an ad has as many names as a cluster's. */
uint8_t rare_name(const char *name, size_t n);

enum { COMPLETE, OPEN, TORN };

/* Lines of one ad that follow one another. */
typedef struct {
    uint64_t at;
    uint32_t size;
    uint32_t next; /* of the same ad, further on in the log; NONE at its end */
} Run;

/* What an ad is by its key. GONE is one that was destroyed. */
enum { GONE, PROC, CLUSTER, PRIVATE, OTHER };

typedef struct {
    uint64_t made;         /* where its 101 stands */
    uint64_t names;        /* name_bit of every name that its lines set or delete */
    uint32_t cluster, proc; /* of an OTHER: where its key stands in Log.keys, and its size; proc of a CLUSTER: its jobs
                               that were made after it */
    uint32_t first, last;  /* of its runs; NONE without */
    uint32_t bytes;        /* of its lines */
    uint32_t date, submitted; /* QDate and TotalSubmitProcs that its lines end with; 0: they set none, NONE: look there */
    uint16_t made_size;    /* of the 101, newline included */
    uint8_t kind;
    uint8_t status, universe; /* JobStatus and JobUniverse that its lines end with; 0: they set none */
    uint8_t owner;            /* the place of its Owner in Log.owners, from 1 on; 0: its lines set none */
    uint8_t cluster_id, proc_id; /* ClusterId and ProcId: 1 for those of its key, 0: its lines set none, ODD: they say */
    uint8_t rare;             /* rare_name of every such name that its lines set or delete */
} Entry;

/* The text of an expression in Log.keys. */
typedef struct {
    uint32_t at, size;
} Word;

/* What a log leads to: its ads in the order in which they were made. */
typedef struct {
    Source source;
    int jobs; /* keys like 7.0 are those of jobs */
    int keeps_others; /* lines that make no new job are wanted, also of ads that are not there: runs from first_other on */
    uint32_t first_other, last_other;
    uint64_t other_bytes;
    int odd;  /* a key is not written as everybody writes it, and may be that of a job */
    int repeated; /* a 101 makes an ad that was there already, which does nothing */
    Word owners[MOST_OWNERS];
    uint32_t owner_count;
    Entry *entries;
    Run *runs;
    char *keys;
    uint32_t *table; /* places of entries by their keys, NONE where there is none */
    size_t entry_count, entry_room, run_count, run_room, keys_size, keys_room, table_size, table_used;
    uint64_t length;               /* bytes that count */
    uint64_t indexed;              /* bytes whose ads came from an index */
    int tail;                      /* what follows them */
    long long sequence, birthdate; /* of the 107, -1 without */
} Log;

/* BROKEN: the source could not be read (Source.error). */
enum { FINE = 0, STRANGE, NO_MEMORY, BROKEN };

/* Reads on from log->length: FINE, STRANGE (not for us), NO_MEMORY or BROKEN. OPEN tells, where an end is missing, that all
   has to be read again up to *limit. Needs no GIL. */
int log_read(Log *log, uint64_t *limit);

/* The ad of these numbers; NULL when there is none. */
Entry *log_find(Log *log, int kind, uint32_t cluster, uint32_t proc);

/* Makes room for one more element of `size` bytes. */
int log_grow(void **array, size_t *room, size_t count, size_t size);

/* Gives everything back that log_read made, but not the source. */
void log_forget(Log *log);

/* The index of a log: what log_read made of its first bytes, to be kept in a file; see _logindex.c. Bytes that it needs;
   writes it: FINE, or BROKEN where the bytes of the log cannot be read; makes an empty log what it says: FINE, NO_MEMORY,
   or STRANGE for one that is not of this log, or is damaged. */
size_t index_size(const Log *log);
int index_write(Log *log, char *to);
int index_read(Log *log, const char *from, size_t size);

#endif
