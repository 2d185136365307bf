/*
 * Which lines of a ClassAd log count, and whose they are, without any Python object: one pass finds runs of lines with one
 * key and drops what stands in a transaction without its end, a second one plays them.
 *
 * Whatever does not look exactly as both HTCondor and condor_py write it is STRANGE, and Python reads it by the letter.
 * Any bytes are safe: every search is bounded by the end of its line, and every line by the end of the data.
 */

#include "_logscan.h"

void
log_forget(Log *log)
{
    PyMem_RawFree(log->runs);
    PyMem_RawFree(log->entries);
    PyMem_RawFree(log->table);
}

static int
add_run(Log *log, int kind, const char *key, size_t key_size, const char *start, const char *end)
{
    Run *last = log->count > 0 ? &log->runs[log->count - 1] : NULL;

    if (key_size > UINT32_MAX)
        return STRANGE;
    if (kind == LINES && last != NULL && last->kind == LINES && last->end == start && last->key_size == key_size
        && memcmp(last->key, key, key_size) == 0) {
        last->end = end;
        return FINE;
    }
    if (log->count == log->room) {
        size_t room = log->room ? log->room * 2 : 1024;
        Run *runs = room > SIZE_MAX / sizeof *runs ? NULL : PyMem_RawRealloc(log->runs, room * sizeof *runs);
        if (runs == NULL)
            return NO_MEMORY;
        log->runs = runs;
        log->room = room;
    }
    log->runs[log->count++] = (Run){kind, (uint32_t)key_size, key, start, end, -1};
    return FINE;
}

static int
is_mark(const char *p, const char *nl)
{
    return nl - p == 3 || (p[3] == ' ' && (nl - p == 4 || p[4] == '#'));
}

/* Digits up to the character `stop`; -1 when it is anything else or too long. */
static long long
digits(const char **at, const char *end, char stop)
{
    const char *p = *at;
    long long number = 0;

    while (p < end && *p >= '0' && *p <= '9' && p - *at < MAX_DIGITS)
        number = number * 10 + (*p++ - '0');
    if (p == *at || (stop ? p >= end || *p != stop : p != end))
        return -1;
    *at = p + 1;
    return number;
}

static int
take_header(Log *log, const char *p, const char *nl)
{
    static const char word[] = "CreationTimestamp ";
    long long sequence;

    if (p != log->data || nl - p < 5 || p[3] != ' ')
        return STRANGE;
    p += 4;
    sequence = digits(&p, nl, ' ');
    if (sequence < 0 || nl - p < (Py_ssize_t)sizeof word || memcmp(p, word, sizeof word - 1) != 0)
        return STRANGE;
    p += sizeof word - 1;
    log->birthdate = digits(&p, nl, '\0');
    log->sequence = sequence;
    return log->birthdate < 0 ? STRANGE : FINE;
}

static int
take_destroy(Log *log, const char *p, const char *nl)
{
    if (nl - p < 5 || p[3] != ' ')
        return STRANGE;
    for (const char *q = p + 4; q < nl; q++)
        if (*q <= ' ' || *q > '~')
            return STRANGE;
    return add_run(log, GONE, p + 4, (size_t)(nl - p - 4), p, nl + 1);
}

/* 101, 103, 104: words that none of them may lack. */
static int
take_words(Log *log, const char *p, const char *nl)
{
    const char *sp, *second;

    if (nl - p < 6 || p[3] != ' ')
        return STRANGE;
    sp = find(p + 4, nl, ' ');
    if (sp == NULL || sp == p + 4 || sp + 1 == nl)
        return STRANGE;
    second = find(sp + 1, nl, ' ');
    if (p[2] == '4' ? second != NULL : second == NULL || second == sp + 1 || second + 1 == nl)
        return STRANGE;
    return add_run(log, p[2] == '1' ? MADE : LINES, p + 4, (size_t)(sp - p - 4), p, nl + 1);
}

static int
take_line(Log *log, const char *p, const char *nl)
{
    if (nl - p < 3 || p[0] != '1' || p[1] != '0')
        return STRANGE;
    switch (p[2]) {
    case '1':
    case '3':
    case '4':
        return take_words(log, p, nl);
    case '2':
        return take_destroy(log, p, nl);
    case '5':
        if (!is_mark(p, nl))
            return STRANGE;
        if (log->begin == NULL) {
            log->begin = p;
            log->counted = log->count;
        }
        return FINE;
    case '6':
        if (!is_mark(p, nl))
            return STRANGE;
        log->begin = NULL;
        return FINE;
    case '7':
        return take_header(log, p, nl);
    default:
        return STRANGE;
    }
}

static uint64_t
place_of(const Log *log, const char *key, size_t size)
{
    uint64_t at = mix(size, key, size) % log->table_size;

    while (log->table[at] >= 0) {
        const Entry *entry = &log->entries[log->table[at]];
        if (entry->key_size == size && memcmp(entry->key, key, size) == 0)
            break;
        at = (at + 1) % log->table_size;
    }
    return at;
}

/* Which runs make which ad, in the order in which the ads were made. */
static int
play(Log *log)
{
    size_t made = 0;

    for (size_t i = 0; i < log->counted; i++)
        made += log->runs[i].kind == MADE;
    log->table_size = made * 2 + 1;
    log->entries = PyMem_RawCalloc(made + 1, sizeof *log->entries);
    log->table = PyMem_RawMalloc(log->table_size * sizeof *log->table);
    if (log->entries == NULL || log->table == NULL)
        return NO_MEMORY;
    memset(log->table, 0xff, log->table_size * sizeof *log->table);
    for (size_t i = 0; i < log->counted; i++) {
        Run *run = &log->runs[i];
        uint64_t at = place_of(log, run->key, run->key_size);
        Entry *entry = log->table[at] < 0 ? NULL : &log->entries[log->table[at]];
        int alive = entry != NULL && entry->alive;

        if (run->kind == MADE && !alive) {
            log->table[at] = (int64_t)log->entry_count;
            log->entries[log->entry_count++] = (Entry){
                run->key, run->key + run->key_size + 1, run->end - 1, run->key_size, 1, -1, -1, 0};
        }
        else if (run->kind == GONE && alive)
            entry->alive = 0;
        else if (run->kind == LINES && alive) {
            if (entry->last >= 0)
                log->runs[entry->last].next = (int64_t)i;
            else
                entry->first = (int64_t)i;
            entry->last = (int64_t)i;
            entry->bytes += (size_t)(run->end - run->start);
        }
    }
    return FINE;
}

int
log_read(Log *log)
{
    const char *p = log->data, *nl;
    int result;

    if (memchr(p, '\0', (size_t)(log->end - p)) != NULL)
        return STRANGE;
    while ((nl = find(p, log->end, '\n')) != NULL) {
        if ((result = take_line(log, p, nl)) != FINE)
            return result;
        p = nl + 1;
    }
    if (log->begin != NULL && log->end - p > 3 && memcmp(p, "106", 3) == 0)
        return STRANGE; /* the newline of the end is spoiled: the other reader judges */
    if (log->begin == NULL)
        log->counted = log->count;
    log->end = p; /* behind the last whole line */
    return play(log);
}

int
log_is_proc(const Entry *entry, long long *cluster, long long *proc)
{
    const char *p = entry->key, *end = p + entry->key_size, *second;

    if (*p == '0' || (*cluster = digits(&p, end, '.')) <= 0 || p >= end)
        return 0;
    second = p;
    return (*second != '0' || end - second == 1) && (*proc = digits(&p, end, '\0')) >= 0;
}
