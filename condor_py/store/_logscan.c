/*
 * Which lines of a ClassAd log count, and whose they are, without any Python object: one pass that notes for each ad where
 * its lines lie. What stands in a transaction without its end does not count: where the log ends so, it is read again up
 * to there.
 *
 * Whatever does not look exactly as both HTCondor and condor_py write it is STRANGE, and Python reads it by the letter.
 * Any bytes are safe: every search is bounded by the end of its line, and every line by the end of the data.
 * 78 times as fast as records in Python, which condor_q and a schedd that starts would feel
 * (tests/bench/bench_compiled.py).
 */

#include "_logscan.h"

#define FIRST_LOOK (256u << 10)
#define KEPT_KEY 64

/* The key of a line, as it is written and what it means. */
typedef struct {
    const char *text;
    size_t size;
    int kind;
    uint32_t cluster, proc;
} Key;

/* One pass. */
typedef struct {
    Log *log;
    uint64_t begin; /* where the open transaction begins */
    int open;
    uint32_t current; /* the entry of the latest key, NONE for none */
    size_t latest_size;
    char latest[KEPT_KEY]; /* that key */
} Pass;

void
log_forget(Log *log)
{
    PyMem_RawFree(log->runs);
    PyMem_RawFree(log->entries);
    PyMem_RawFree(log->keys);
    PyMem_RawFree(log->table);
    log->runs = NULL;
    log->entries = NULL;
    log->keys = NULL;
    log->table = NULL;
    log->entry_count = log->entry_room = log->run_count = log->run_room = 0;
    log->keys_size = log->keys_room = log->table_size = log->table_used = 0;
    log->odd = log->repeated = 0;
    log->owner_count = 0;
    log->first_other = log->last_other = NONE;
    log->length = log->indexed = log->other_bytes = 0;
}

int
log_grow(void **array, size_t *room, size_t count, size_t size)
{
    size_t wanted;
    void *made;

    if (count < *room)
        return FINE;
    wanted = *room ? *room * 2 : 256;
    if (wanted <= count)
        wanted = count + 1;
    if (wanted > SIZE_MAX / size || (made = PyMem_RawRealloc(*array, wanted * size)) == NULL)
        return NO_MEMORY;
    *array = made;
    *room = wanted;
    return FINE;
}

/* ---- keys --------------------------------------------------------------------------------------------------------- */

/* Digits without a needless zero up to the character `stop` (0: up to the end) that fit 32 bits; -1 for anything else. */
static long long
plain_number(const char **at, const char *end, char stop)
{
    const char *p = *at;
    long long number = 0;

    while (p < end && *p >= '0' && *p <= '9' && p - *at < 10)
        number = number * 10 + (*p++ - '0');
    if (p == *at || (**at == '0' && p - *at > 1) || number >= NONE || (stop ? p >= end || *p != stop : p != end))
        return -1;
    *at = p + 1;
    return number;
}

static int
ends_with(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - p) == n && memcmp(p, word, n) == 0;
}

/* The kind of a job's key, GONE for one that only Python can tell. */
static int
job_key(Key *key)
{
    const char *p = key->text, *end = p + key->size;
    long long number, proc;

    if (p[0] == '0' && key->size > 1 && p[1] == '.')
        return OTHER;
    if (p[0] == '0') {
        p++;
        number = p < end && *p != '0' ? plain_number(&p, end, '.') : -1;
        key->cluster = (uint32_t)number;
        return number > 0 && ends_with(p, end, "-1") ? CLUSTER : GONE;
    }
    if ((number = plain_number(&p, end, '.')) <= 0)
        return GONE;
    key->cluster = (uint32_t)number;
    if (ends_with(p, end, "-2"))
        return PRIVATE;
    if ((proc = plain_number(&p, end, '\0')) < 0)
        return GONE;
    key->proc = (uint32_t)proc;
    return PROC;
}

static Key
key_of(Log *log, const char *text, size_t size)
{
    Key key = {text, size, OTHER, 0, 0};
    char first = text[0];

    if (!log->jobs || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '-')
        return key;
    key.kind = job_key(&key);
    if (key.kind == GONE) {
        log->odd = 1;
        key.kind = OTHER;
    }
    return key;
}

static uint64_t
hash_of(int kind, uint32_t cluster, uint32_t proc)
{
    uint64_t h = ((uint64_t)cluster << 32 | proc) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)kind;

    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ (h >> 32);
}

static uint64_t
hash_of_entry(const Log *log, const Entry *entry)
{
    if (entry->kind == OTHER)
        return mix(0, log->keys + entry->cluster, entry->proc);
    return hash_of(entry->kind, entry->cluster, entry->kind == PROC ? entry->proc : 0);
}

static int
is_of(const Log *log, const Entry *entry, const Key *key)
{
    if (entry->kind != key->kind)
        return 0;
    if (key->kind == OTHER)
        return entry->proc == key->size && memcmp(log->keys + entry->cluster, key->text, key->size) == 0;
    return entry->cluster == key->cluster && (entry->kind != PROC || entry->proc == key->proc);
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

static void
put_into(const Log *log, uint32_t *table, size_t size, uint32_t index)
{
    uint64_t at = hash_of_entry(log, &log->entries[index]) & (size - 1);

    while (table[at] != NONE)
        at = (at + 1) & (size - 1);
    table[at] = index;
}

/* A table with room for `count` entries, made anew: those that are gone are not in it. */
static int
make_table(Log *log, size_t count)
{
    size_t size = 1024;
    uint32_t *table;

    while (size < count * 2)
        size *= 2;
    if ((table = PyMem_RawMalloc(size * sizeof *table)) == NULL)
        return NO_MEMORY;
    memset(table, 0xff, size * sizeof *table);
    log->table_used = 0;
    for (size_t i = 0; i < log->entry_count; i++)
        if (log->entries[i].kind != GONE) {
            put_into(log, table, size, (uint32_t)i);
            log->table_used++;
        }
    PyMem_RawFree(log->table);
    log->table = table;
    log->table_size = size;
    return FINE;
}

static uint32_t
look_up(const Log *log, const Key *key)
{
    uint64_t h = key->kind == OTHER ? mix(0, key->text, key->size) : hash_of(key->kind, key->cluster, key->proc);
    uint64_t at = h & (log->table_size - 1);

    while (log->table[at] != NONE && !is_of(log, &log->entries[log->table[at]], key))
        at = (at + 1) & (log->table_size - 1);
    return log->table[at];
}

Entry *
log_find(Log *log, int kind, uint32_t cluster, uint32_t proc)
{
    Key key = {NULL, 0, kind, cluster, proc};
    uint32_t at;

    if (log->table == NULL && make_table(log, log->entry_count) != FINE)
        return NULL;
    at = look_up(log, &key);
    return at == NONE ? NULL : &log->entries[at];
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

/* Printable ASCII without a space: a key as everybody writes it. */
static int
is_word(const char *p, const char *end)
{
    for (const char *q = p; q < end; q++)
        if (*q <= ' ' || *q > '~')
            return 0;
    return p < end;
}

static int
is_type(const char *p, const char *end)
{
    return is_plain_name(p, (size_t)(end - p)) || (end - p == 1 && *p == '*') || (end - p == 7 && memcmp(p, "(empty)", 7) == 0);
}

/* Makes the key of a line the current one. */
static int
turn_to(Pass *pass, const char *text, size_t size)
{
    Log *log = pass->log;
    Key key;

    if (size == pass->latest_size && memcmp(text, pass->latest, size) == 0)
        return FINE;
    if (!is_word(text, text + size))
        return STRANGE;
    if (log->table == NULL && make_table(log, log->entry_count) != FINE)
        return NO_MEMORY;
    key = key_of(log, text, size);
    pass->current = look_up(log, &key);
    pass->latest_size = size < KEPT_KEY ? size : 0;
    if (size < KEPT_KEY)
        memcpy(pass->latest, text, size);
    return FINE;
}

/* Appends a text to those of the keys. */
static int
keep_text(Log *log, const char *text, size_t size)
{
    if (size > NONE - 1 || log->keys_size > NONE - 1 - size)
        return STRANGE;
    while (log->keys_room < log->keys_size + size)
        if (log_grow((void **)&log->keys, &log->keys_room, log->keys_room, 1) != FINE)
            return NO_MEMORY;
    memcpy(log->keys + log->keys_size, text, size);
    log->keys_size += size;
    return FINE;
}

static int
keep_key(Log *log, const Key *key, Entry *entry)
{
    entry->cluster = key->cluster;
    entry->proc = key->proc;
    if (key->kind != OTHER)
        return FINE;
    entry->cluster = (uint32_t)log->keys_size;
    entry->proc = (uint32_t)key->size;
    return keep_text(log, key->text, key->size);
}

/* The ad of the cluster of a job; NULL where that comes later. */
static Entry *
cluster_of(Log *log, const Entry *entry)
{
    return entry->kind == PROC ? log_find(log, CLUSTER, entry->cluster, 0) : NULL;
}

static int
make_entry(Pass *pass, const char *text, size_t size, uint64_t at, size_t line)
{
    Log *log = pass->log;
    Key key = key_of(log, text, size);
    Entry entry = {.made = at, .first = NONE, .last = NONE, .made_size = (uint16_t)line, .kind = (uint8_t)key.kind};
    int state;

    if (line > UINT16_MAX || log->entry_count >= NONE - 1)
        return STRANGE;
    if ((state = keep_key(log, &key, &entry)) != FINE
        || (state = log_grow((void **)&log->entries, &log->entry_room, log->entry_count, sizeof entry)) != FINE)
        return state;
    pass->current = (uint32_t)log->entry_count;
    log->entries[log->entry_count++] = entry;
    Entry *cluster = cluster_of(log, &entry);
    if (cluster != NULL)
        cluster->proc++;
    if (++log->table_used * 2 > log->table_size)
        return make_table(log, log->table_used * 2);
    put_into(log, log->table, log->table_size, pass->current);
    return FINE;
}

/* The entry of the current key is there no more; its place in the table stays taken. */
static void
destroy_entry(Pass *pass)
{
    Entry *entry = &pass->log->entries[pass->current], *cluster = cluster_of(pass->log, entry);

    if (cluster != NULL && cluster->proc > 0)
        cluster->proc--;
    entry->kind = GONE;
    pass->current = NONE;
}

uint8_t
rare_name(const char *name, size_t n)
{
    static const char *const names[] = {"dagmanjobid", "jobbatchid", "jobbatchname", "dagnodename", "dag_nodestotal",
                                        "dag_nodesdone", "jobmaterializenextprocid", "jobmaterializedigestfile"};
    char first = n < 10 ? '\0' : folded(name[0]);

    if (first != 'd' && first != 'j')
        return 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && same_folded(name, names[i], n))
            return (uint8_t)(1u << i);
    return 0;
}

/* 1 to 13, as everybody writes it, else ODD; `value` is NULL for what is deleted. */
static uint8_t
small_number(const char *value, size_t n)
{
    if (value == NULL || n == 0 || n > 2 || value[0] < '1' || value[0] > '9')
        return ODD;
    if (n == 1)
        return (uint8_t)(value[0] - '0');
    return value[0] == '1' && value[1] >= '0' && value[1] <= '3' ? (uint8_t)(10 + value[1] - '0') : ODD;
}

/* A number without a needless zero that fits 32 bits and is not 0, else NONE; `value` is NULL for what is deleted. */
static uint32_t
number_in(const char *value, size_t n)
{
    const char *p = value;
    long long number = value == NULL ? -1 : plain_number(&p, value + n, '\0');

    return number <= 0 ? NONE : (uint32_t)number;
}

/* 1 for a number of the key of a job, or of a cluster, else ODD. */
static uint8_t
is_number_of(const Entry *entry, const char *value, size_t n, uint32_t number)
{
    const char *p = value;

    return (entry->kind == PROC || entry->kind == CLUSTER) && value != NULL
                   && plain_number(&p, value + n, '\0') == (long long)number
               ? 1
               : ODD;
}

/* The place of an owner, from 1 on; ODD for one too many. */
static int
owner_in(Log *log, const char *value, size_t n, uint8_t *owner)
{
    int state;

    *owner = ODD;
    if (value == NULL)
        return FINE;
    for (uint32_t i = log->owner_count; i > 0; i--)
        if (log->owners[i - 1].size == n && memcmp(log->keys + log->owners[i - 1].at, value, n) == 0) {
            *owner = (uint8_t)i;
            return FINE;
        }
    if (log->owner_count == MOST_OWNERS)
        return FINE;
    log->owners[log->owner_count] = (Word){(uint32_t)log->keys_size, (uint32_t)n};
    if ((state = keep_text(log, value, n)) == FINE)
        *owner = (uint8_t)++log->owner_count;
    return state;
}

/* Notes what all jobs are asked for; `value` is NULL for what is deleted. */
static int
note_value(Log *log, Entry *entry, const char *name, size_t size, const char *value, size_t n)
{
    entry->rare |= rare_name(name, size);
    if (size == 5 && same_folded(name, "owner", size))
        return owner_in(log, value, n, &entry->owner);
    if (size == 9 && same_folded(name, "jobstatus", size))
        entry->status = small_number(value, n);
    else if (size == 11 && same_folded(name, "jobuniverse", size))
        entry->universe = small_number(value, n);
    else if (size == 5 && same_folded(name, "qdate", size))
        entry->date = number_in(value, n);
    else if (size == 9 && same_folded(name, "clusterid", size))
        entry->cluster_id = is_number_of(entry, value, n, entry->cluster);
    else if (size == 6 && same_folded(name, "procid", size))
        entry->proc_id = is_number_of(entry, value, n, entry->proc);
    else if (size == 16 && same_folded(name, "totalsubmitprocs", size))
        entry->submitted = number_in(value, n);
    return FINE;
}

/* Adds lines behind those of a chain of runs. */
static int
add_run(Log *log, uint32_t *first, uint32_t *last, uint64_t at, size_t size)
{
    Run *before = *last == NONE ? NULL : &log->runs[*last];

    if (before != NULL && before->at + before->size == at && size <= NONE - 1 - before->size) {
        before->size += (uint32_t)size;
        return FINE;
    }
    if (log->run_count >= NONE - 1)
        return STRANGE;
    if (log_grow((void **)&log->runs, &log->run_room, log->run_count, sizeof *log->runs) != FINE)
        return NO_MEMORY;
    if (*last == NONE)
        *first = (uint32_t)log->run_count;
    else
        log->runs[*last].next = (uint32_t)log->run_count;
    *last = (uint32_t)log->run_count;
    log->runs[log->run_count++] = (Run){at, (uint32_t)size, NONE};
    return FINE;
}

/* Adds a line to the current ad. */
static int
add_line(Pass *pass, uint64_t at, size_t size)
{
    Entry *entry = &pass->log->entries[pass->current];

    if (size > NONE - 1 - entry->bytes)
        return STRANGE;
    entry->bytes += (uint32_t)size;
    return add_run(pass->log, &entry->first, &entry->last, at, size);
}

/* A line that is none of a new job, where such lines are wanted. */
static int
add_other(Log *log, uint64_t at, size_t size)
{
    if (size > NONE - 1)
        return STRANGE;
    log->other_bytes += size;
    return add_run(log, &log->first_other, &log->last_other, at, size);
}

/* A line of an ad that is not there. */
static int
add_stray(Log *log, uint64_t at, size_t size)
{
    return log->keeps_others ? add_other(log, at, size) : STRANGE;
}

/* A 101 of an ad that is there already does nothing. */
static int
take_repeated(Pass *pass, uint64_t at, size_t size)
{
    pass->log->repeated = 1;
    if (!pass->log->keeps_others)
        return FINE;
    return pass->log->entries[pass->current].kind == PROC ? STRANGE : add_other(pass->log, at, size);
}

/* 101, 103, 104: words that none of them may lack. What a record for an ad that is not there does, Python says. */
static int
take_words(Pass *pass, const char *p, const char *nl, uint64_t at)
{
    const char *sp, *second;
    Entry *entry;
    int state;

    if (nl - p < 6 || p[3] != ' ')
        return STRANGE;
    sp = find(p + 4, nl, ' ');
    if (sp == NULL || sp == p + 4 || sp + 1 == nl)
        return STRANGE;
    second = find(sp + 1, nl, ' ');
    if (p[2] == '4' ? second != NULL : second == NULL || second == sp + 1 || second + 1 == nl || second[1] <= ' ')
        return STRANGE;
    if (second == NULL)
        second = nl;
    if (p[2] == '1' ? !is_type(sp + 1, second) || !is_type(second + 1, nl) : !is_plain_name(sp + 1, (size_t)(second - sp - 1)))
        return STRANGE;
    if ((state = turn_to(pass, p + 4, (size_t)(sp - p - 4))) != FINE)
        return state;
    if (p[2] == '1') {
        if (pass->current != NONE)
            return take_repeated(pass, at, (size_t)(nl + 1 - p));
        state = make_entry(pass, p + 4, (size_t)(sp - p - 4), at, (size_t)(nl + 1 - p));
        if (state == FINE && pass->log->keeps_others && pass->log->entries[pass->current].kind != PROC)
            state = add_other(pass->log, at, (size_t)(nl + 1 - p));
        return state;
    }
    if (pass->current == NONE)
        return add_stray(pass->log, at, (size_t)(nl + 1 - p));
    entry = &pass->log->entries[pass->current];
    entry->names |= name_bit(sp + 1, (size_t)(second - sp - 1));
    const char *value = second == nl ? NULL : second + 1;
    state = note_value(pass->log, entry, sp + 1, (size_t)(second - sp - 1), value, value ? (size_t)(nl - value) : 0);
    if (state != FINE)
        return state;
    if (pass->log->keeps_others && entry->kind != PROC)
        return add_other(pass->log, at, (size_t)(nl + 1 - p));
    return add_line(pass, at, (size_t)(nl + 1 - p));
}

/* Jobs leave when they are removed or completed, clusters without jobs; of others that leave Python says whether that is
   sound. */
static int
has_ended(const Entry *entry)
{
    switch (entry->kind) {
    case PROC:
        return entry->status == 3 || entry->status == 4;
    case CLUSTER:
        return entry->proc == 0;
    default:
        return entry->kind == PRIVATE;
    }
}

static int
take_destroy(Pass *pass, const char *p, const char *nl, uint64_t at)
{
    int state;

    if (nl - p < 5 || p[3] != ' ')
        return STRANGE;
    if ((state = turn_to(pass, p + 4, (size_t)(nl - p - 4))) != FINE)
        return state;
    if (pass->current == NONE)
        return add_stray(pass->log, at, (size_t)(nl + 1 - p));
    if (pass->log->jobs && !has_ended(&pass->log->entries[pass->current]))
        return STRANGE;
    destroy_entry(pass);
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
take_header(Log *log, const char *p, const char *nl, uint64_t at)
{
    static const char word[] = "CreationTimestamp ";
    long long sequence;

    if (at != 0 || nl - p < 5 || p[3] != ' ')
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
take_line(Pass *pass, const char *p, const char *nl, uint64_t at)
{
    if (nl - p < 3 || p[0] != '1' || p[1] != '0')
        return STRANGE;
    switch (p[2]) {
    case '1':
    case '3':
    case '4':
        return take_words(pass, p, nl, at);
    case '2':
        return take_destroy(pass, p, nl, at);
    case '5':
        if (!is_mark(p, nl) || pass->open)
            return STRANGE;
        pass->open = 1;
        pass->begin = at;
        return FINE;
    case '6':
        if (!pass->open || !is_mark(p, nl))
            return STRANGE;
        pass->open = 0;
        return FINE;
    case '7':
        return take_header(pass->log, p, nl, at);
    default:
        return STRANGE;
    }
}

/* ---- the pass ----------------------------------------------------------------------------------------------------- */

/* Takes the whole lines between p and end, which stand at log->length in the log. */
static int
take_lines(Pass *pass, const char *p, const char *end)
{
    const char *nl;
    int state;

    if (memchr(p, '\0', (size_t)(end - p)) != NULL)
        return STRANGE;
    while ((nl = find(p, end, '\n')) != NULL) {
        if ((state = take_line(pass, p, nl, pass->log->length)) != FINE)
            return state;
        pass->log->length += (uint64_t)(nl + 1 - p);
        p = nl + 1;
    }
    return FINE;
}

/* What is left behind the last whole line, and how the log ends. */
static int
take_end(Pass *pass, const char *rest, size_t size, uint64_t *limit)
{
    Log *log = pass->log;

    if (size > 0 && memchr(rest, '\0', size) != NULL)
        return STRANGE;
    if (pass->open && size > 3 && memcmp(rest, "106", 3) == 0)
        return STRANGE; /* the newline of the end is spoiled: the other reader judges */
    log->tail = pass->open ? OPEN : size > 0 ? TORN : COMPLETE;
    if (pass->open)
        *limit = pass->begin;
    return FINE;
}

int
log_read(Log *log, uint64_t *limit)
{
    Pass pass = {.log = log, .current = NONE};
    uint64_t end = *limit;
    size_t least = 1, have, left;
    const char *p;
    int state;

    while (log->length < end) {
        if ((p = source_from(&log->source, log->length, least, &have)) == NULL)
            return log->source.error == ENOMEM ? NO_MEMORY : BROKEN;
        left = (size_t)(end - log->length);
        if (have > left)
            have = left;
        uint64_t before = log->length;
        if ((state = take_lines(&pass, p, p + have)) != FINE)
            return state;
        if (log->length > before)
            least = 1;
        else if (have == left)
            return take_end(&pass, p, have, limit);
        else
            least = have * 2 < FIRST_LOOK ? FIRST_LOOK : have * 2;
    }
    return take_end(&pass, NULL, 0, limit);
}
