/*
 * The index of a log, as a file of this machine's byte order that anybody may delete:
 *
 *     header, entries of the ads that are there, their runs (those of one ad follow one another), keys
 *
 * It is made of the log's first `length` bytes alone, which end with a transaction; whoever has an index reads on from
 * there. It belongs to a log with the same number, birth and last bytes before that place. A check sum covers all of it,
 * as nobody waits until an index is on the disk; every place in it is looked at nevertheless before it is used.
 * Opening 100,000 jobs takes 5 ms with it and 40 without (tests/bench/rows/queue.py).
 */

#include "_logscan.h"

#include <stddef.h>

#define WITNESS 4096
#define MAGIC "queue index 6\n\0"

typedef struct {
    char magic[16];
    uint64_t check; /* of everything behind it */
    uint32_t entry_bytes, run_bytes, odd, jobs;
    int64_t sequence, birthdate;
    uint64_t length, witness, entries, runs, keys;
    Word owners[MOST_OWNERS];
    uint64_t owner_count;
} Header;

static uint64_t
check_of(const char *p, size_t n)
{
    uint64_t lanes[4] = {n, 1, 2, 3}, words[4];

    for (; n >= sizeof words; p += sizeof words, n -= sizeof words) {
        memcpy(words, p, sizeof words);
        for (int i = 0; i < 4; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
            lanes[i] ^= lanes[i] >> 32;
        }
    }
    return mix(lanes[0] ^ lanes[1] * 3 ^ lanes[2] * 5 ^ lanes[3] * 7, p, n);
}

static uint64_t
check_of_index(const char *index, size_t size)
{
    size_t behind = offsetof(Header, check) + sizeof(uint64_t);

    return check_of(index + behind, size - behind);
}

/* A mark of the bytes before `length`. */
static int
witness_of(Log *log, uint64_t length, uint64_t *witness)
{
    uint64_t from = length > WITNESS ? length - WITNESS : 0;
    size_t have, n = (size_t)(length - from);
    const char *p = source_from(&log->source, from, n, &have);

    if (p == NULL || have < n)
        return BROKEN;
    *witness = check_of(p, n);
    return FINE;
}

typedef struct {
    size_t entries, runs, keys;
} Counts;

static Counts
count(const Log *log)
{
    Counts found = {0, 0, 0};

    for (size_t i = 0; i < log->entry_count; i++) {
        const Entry *entry = &log->entries[i];
        if (entry->kind == GONE)
            continue;
        found.entries++;
        if (entry->kind == OTHER)
            found.keys += entry->proc;
        for (uint32_t run = entry->first; run != NONE; run = log->runs[run].next)
            found.runs++;
    }
    for (uint32_t i = 0; i < log->owner_count; i++)
        found.keys += log->owners[i].size;
    return found;
}

static size_t
size_of(Counts counts)
{
    return sizeof(Header) + counts.entries * sizeof(Entry) + counts.runs * sizeof(Run) + counts.keys;
}

size_t
index_size(const Log *log)
{
    return size_of(count(log));
}

int
index_write(Log *log, char *to)
{
    Counts counts = count(log);
    Header header = {.magic = MAGIC, .entry_bytes = sizeof(Entry), .run_bytes = sizeof(Run),
                     .odd = (uint32_t)log->odd, .jobs = (uint32_t)log->jobs, .sequence = log->sequence,
                     .birthdate = log->birthdate, .length = log->length, .entries = counts.entries,
                     .runs = counts.runs, .keys = counts.keys, .owner_count = log->owner_count};
    Entry *entries = (Entry *)(to + sizeof header);
    Run *runs = (Run *)(entries + counts.entries);
    char *keys = (char *)(runs + counts.runs);
    size_t size = size_of(counts), made = 0, key = 0;

    if (witness_of(log, log->length, &header.witness) != FINE)
        return BROKEN;
    for (size_t i = 0; i < log->entry_count; i++) {
        Entry entry = log->entries[i];
        if (entry.kind == GONE)
            continue;
        if (entry.kind == OTHER) {
            memcpy(keys + key, log->keys + entry.cluster, entry.proc);
            entry.cluster = (uint32_t)key;
            key += entry.proc;
        }
        uint32_t run = entry.first;
        if (run != NONE)
            entry.first = (uint32_t)made;
        for (; run != NONE; run = log->runs[run].next) {
            entry.last = (uint32_t)made;
            runs[made] = log->runs[run];
            runs[made].next = log->runs[run].next == NONE ? NONE : (uint32_t)made + 1;
            made++;
        }
        *entries++ = entry;
    }
    for (uint32_t i = 0; i < log->owner_count; i++) {
        memcpy(keys + key, log->keys + log->owners[i].at, log->owners[i].size);
        header.owners[i] = (Word){(uint32_t)key, log->owners[i].size};
        key += log->owners[i].size;
    }
    memcpy(to, &header, sizeof header);
    header.check = check_of_index(to, size);
    memcpy(to, &header, sizeof header);
    return FINE;
}

/* ---- reading it ---------------------------------------------------------------------------------------------------- */

static int
is_of_this_log(Log *log, const Header *header)
{
    static const Header like = {.magic = MAGIC};
    uint64_t witness;

    return memcmp(header->magic, like.magic, sizeof like.magic) == 0 && header->entry_bytes == sizeof(Entry)
           && header->run_bytes == sizeof(Run) && header->jobs == (uint32_t)log->jobs && header->odd <= 1
           && header->length > 0 && header->length <= log->source.size
           && witness_of(log, header->length, &witness) == FINE && witness == header->witness;
}

/* Does the log begin with the 107 of this number and birth? */
static int
begins_alike(Log *log, const Header *header)
{
    char line[80];
    int n = header->sequence < 0 ? 0
                                 : snprintf(line, sizeof line, "107 %lld CreationTimestamp %lld\n",
                                            (long long)header->sequence, (long long)header->birthdate);
    size_t have;
    const char *p = source_from(&log->source, 0, (size_t)n, &have);

    return p != NULL && have >= (size_t)n && memcmp(p, line, (size_t)n) == 0;
}

static int
has_its_size(const Header *header, size_t size)
{
    size_t left = size - sizeof *header;

    if (header->entries >= NONE || header->runs >= NONE || header->entries > left / sizeof(Entry))
        return 0;
    left -= header->entries * sizeof(Entry);
    if (header->runs > left / sizeof(Run))
        return 0;
    left -= header->runs * sizeof(Run);
    return header->keys == left;
}

static int
runs_are_sound(const Run *runs, uint64_t count, uint64_t length)
{
    for (uint64_t i = 0; i < count; i++)
        if (runs[i].at > length || runs[i].size > length - runs[i].at
            || (runs[i].next != NONE && (runs[i].next != i + 1 || i + 1 == count)))
            return 0;
    return 1;
}

static int
is_within(uint64_t at, uint64_t size, uint64_t all)
{
    return at <= all && size <= all - at;
}

static int
owners_are_sound(const Header *header)
{
    if (header->owner_count > MOST_OWNERS)
        return 0;
    for (uint64_t i = 0; i < header->owner_count; i++)
        if (!is_within(header->owners[i].at, header->owners[i].size, header->keys))
            return 0;
    return 1;
}

static int
entries_are_sound(const Entry *entries, const Header *header)
{
    for (uint64_t i = 0; i < header->entries; i++) {
        const Entry *entry = &entries[i];
        if (entry->kind < PROC || entry->kind > OTHER || entry->made > header->length
            || entry->made_size > header->length - entry->made
            || (entry->kind == OTHER && !is_within(entry->cluster, entry->proc, header->keys))
            || (entry->owner > header->owner_count && entry->owner != ODD)
            || (entry->first == NONE ? entry->last != NONE
                                     : entry->last >= header->runs || entry->first > entry->last))
            return 0;
    }
    return 1;
}

static void *
copy_of(const char *from, size_t count, size_t size, size_t *room)
{
    *room = count + count / 8 + 256;
    void *made = PyMem_RawMalloc(*room * size);

    if (made != NULL)
        memcpy(made, from, count * size);
    return made;
}

int
index_read(Log *log, const char *from, size_t size)
{
    Header header;

    if (size < sizeof header)
        return STRANGE;
    memcpy(&header, from, sizeof header);
    if (!is_of_this_log(log, &header) || !begins_alike(log, &header) || !has_its_size(&header, size)
        || check_of_index(from, size) != header.check)
        return STRANGE;
    const char *entries = from + sizeof header, *runs = entries + header.entries * sizeof(Entry);
    log->entries = copy_of(entries, header.entries, sizeof(Entry), &log->entry_room);
    log->runs = copy_of(runs, header.runs, sizeof(Run), &log->run_room);
    log->keys = copy_of(runs + header.runs * sizeof(Run), header.keys, 1, &log->keys_room);
    if (log->entries == NULL || log->runs == NULL || log->keys == NULL) {
        log_forget(log);
        return NO_MEMORY;
    }
    if (!owners_are_sound(&header) || !runs_are_sound(log->runs, header.runs, header.length)
        || !entries_are_sound(log->entries, &header)) {
        log_forget(log);
        return STRANGE;
    }
    log->entry_count = header.entries;
    log->run_count = header.runs;
    log->keys_size = header.keys;
    memcpy(log->owners, header.owners, sizeof log->owners);
    log->owner_count = (uint32_t)header.owner_count;
    log->odd = (int)header.odd;
    log->sequence = header.sequence;
    log->birthdate = header.birthdate;
    log->length = log->indexed = header.length;
    return FINE;
}
