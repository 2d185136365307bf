/* The numbers of the events of jobs in an event log, for a schedd that starts. Jobs that have had the same events share
   one tuple of their numbers: those of a cluster mostly do. */

#include "_logreader.h"

#define TOO_LARGE INT64_C(1000000000000000000) /* a number of a cluster or a job that nobody looks for */

typedef struct {
    int64_t cluster, proc;
    uint32_t events; /* what it has had so far: a place in Told.pasts */
} Job;

/* The events of a job: those of `before`, and then `number`. The first one is that of a job without events. */
typedef struct {
    uint32_t before, count;
    uint16_t number;
} Past;

typedef struct {
    int64_t *clusters; /* ascending */
    size_t cluster_count;
    Job *jobs;
    Past *pasts;
    uint32_t *job_table, *past_table; /* places in jobs and pasts by what they are, NONE where there is none */
    size_t job_count, job_room, job_slots, past_count, past_room, past_slots;
} Told;

typedef struct {
    int number;
    int64_t cluster, proc;
} Event;

static size_t
slot_of(uint64_t a, uint64_t b, size_t slots)
{
    uint64_t h = (a * UINT64_C(0x9E3779B97F4A7C15) ^ b) * UINT64_C(0xD6E8FEB86659FD93);

    return (size_t)(h ^ (h >> 32)) & (slots - 1);
}

static size_t
slot_of_job(const Told *told, size_t i, size_t slots)
{
    return slot_of((uint64_t)told->jobs[i].cluster, (uint64_t)told->jobs[i].proc, slots);
}

static size_t
slot_of_past(const Told *told, size_t i, size_t slots)
{
    return slot_of(told->pasts[i].before, told->pasts[i].number, slots);
}

/* Room for one more in an array and in its table, half of whose slots stay empty; 0 where there is no memory. */
static int
make_room(Told *told, void **array, size_t size, size_t count, size_t *room, uint32_t **table, size_t *slots,
          size_t (*where)(const Told *, size_t, size_t))
{
    size_t more = *slots ? *slots * 2 : 1024;
    uint32_t *new;

    if (count >= NONE - 1 || log_grow(array, room, count, size) != FINE)
        return 0;
    if (*slots > count * 2 + 1)
        return 1;
    if ((new = malloc(more * sizeof *new)) == NULL)
        return 0;
    memset(new, 0xff, more * sizeof *new);
    for (size_t i = 0; i < count; i++) {
        size_t slot = where(told, i, more);

        while (new[slot] != NONE)
            slot = (slot + 1) & (more - 1);
        new[slot] = (uint32_t)i;
    }
    free(*table);
    *table = new;
    *slots = more;
    return 1;
}

/* The past that is `before` and then an event; NONE where there is no memory. */
static uint32_t
past_of(Told *told, uint32_t before, int number)
{
    if (!make_room(told, (void **)&told->pasts, sizeof *told->pasts, told->past_count, &told->past_room,
                   &told->past_table, &told->past_slots, slot_of_past))
        return NONE;
    size_t slot = slot_of(before, (uint64_t)number, told->past_slots);

    for (uint32_t at; (at = told->past_table[slot]) != NONE; slot = (slot + 1) & (told->past_slots - 1))
        if (at != 0 && told->pasts[at].before == before && told->pasts[at].number == number)
            return at;
    told->pasts[told->past_count] = (Past){before, told->past_count ? told->pasts[before].count + 1 : 0, (uint16_t)number};
    return told->past_table[slot] = (uint32_t)told->past_count++;
}

static int
add_event(Told *told, const Event *event)
{
    if (!make_room(told, (void **)&told->jobs, sizeof *told->jobs, told->job_count, &told->job_room, &told->job_table,
                   &told->job_slots, slot_of_job))
        return 0;
    size_t slot = slot_of((uint64_t)event->cluster, (uint64_t)event->proc, told->job_slots);
    uint32_t at;

    while ((at = told->job_table[slot]) != NONE
           && (told->jobs[at].cluster != event->cluster || told->jobs[at].proc != event->proc))
        slot = (slot + 1) & (told->job_slots - 1);
    if (at == NONE) {
        at = told->job_table[slot] = (uint32_t)told->job_count++;
        told->jobs[at] = (Job){event->cluster, event->proc, 0};
    }
    return (told->jobs[at].events = past_of(told, told->jobs[at].events, event->number)) != NONE;
}

/* Digits: what follows them, NULL where there are none. */
static const char *
digits(const char *p, const char *end, int64_t *value)
{
    const char *begin = p;

    for (*value = 0; p < end && *p >= '0' && *p <= '9'; p++)
        *value = *value < TOO_LARGE / 10 ? *value * 10 + (*p - '0') : TOO_LARGE;
    return p > begin ? p : NULL;
}

/* The head of an event: "000 (0012.003.000)". */
static int
read_head(const char *p, const char *end, Event *event)
{
    int64_t ignored;
    int negative;

    if (end - p < 12 || p[3] != ' ' || p[4] != '(')
        return 0;
    event->number = 0;
    for (int i = 0; i < 3; i++) {
        if (p[i] < '0' || p[i] > '9')
            return 0;
        event->number = event->number * 10 + (p[i] - '0');
    }
    if ((p = digits(p + 5, end, &event->cluster)) == NULL || p == end || *p++ != '.')
        return 0;
    if ((negative = p < end && *p == '-'))
        p++;
    if ((p = digits(p, end, &event->proc)) == NULL || p == end || *p++ != '.')
        return 0;
    if (p < end && *p == '-')
        p++;
    if ((p = digits(p, end, &ignored)) == NULL || p == end || *p != ')')
        return 0;
    if (event->cluster >= TOO_LARGE || event->proc >= TOO_LARGE)
        return 0;
    event->proc = negative ? -event->proc : event->proc;
    return 1;
}

static int
is_wanted(const Told *told, int64_t cluster)
{
    size_t low = 0, high = told->cluster_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (told->clusters[middle] < cluster)
            low = middle + 1;
        else
            high = middle;
    }
    return low < told->cluster_count && told->clusters[low] == cluster;
}

/* 0 where there is no memory. */
static int
read_events(Told *told, const char *p, const char *end)
{
    Event event;
    int64_t wanted = -1;
    int first = 1; /* a line begins at p: the first one needs no end of another event before it */

    while (p != NULL && p < end) {
        const char *head = p;

        if (!first) {
            if ((p = memmem(p, (size_t)(end - p), "\n...", 4)) == NULL)
                break;
            p += 4;
            head = p < end && *p == '\r' ? p + 1 : p;
            if (head >= end || *head++ != '\n')
                continue;
            p = head - 1;
        } else if (end - p > 4 && memcmp(p, "...", 3) == 0) {
            head = p + 3 + (p[3] == '\r');
            head = *head == '\n' ? head + 1 : p; /* end - p > 4 */
        }
        first = 0;
        if (!read_head(head, end, &event))
            continue;
        if (event.cluster != wanted && !is_wanted(told, event.cluster))
            continue;
        wanted = event.cluster;
        if (!add_event(told, &event))
            return 0;
    }
    return 1;
}

static PyObject *
tuple_of(const Told *told, uint32_t at)
{
    Py_ssize_t count = told->pasts[at].count;
    PyObject *numbers = PyTuple_New(count);

    for (; numbers != NULL && count > 0; at = told->pasts[at].before) {
        PyObject *number = PyLong_FromLong(told->pasts[at].number);

        if (number == NULL)
            Py_CLEAR(numbers);
        else
            PyTuple_SET_ITEM(numbers, --count, number);
    }
    return numbers;
}

/* The procs of a cluster, borrowed from `found`. */
static PyObject *
procs_of(PyObject *found, int64_t cluster)
{
    PyObject *key = PyLong_FromLongLong(cluster);
    PyObject *procs = key == NULL ? NULL : PyDict_GetItemWithError(found, key);

    if (procs == NULL && key != NULL && !PyErr_Occurred() && (procs = PyDict_New()) != NULL) {
        int failed = PyDict_SetItem(found, key, procs);

        Py_DECREF(procs);
        procs = failed ? NULL : procs;
    }
    Py_XDECREF(key);
    return procs;
}

static int
add_job(const Told *told, PyObject *procs, const Job *job, PyObject **tuples)
{
    PyObject *proc, **numbers = &tuples[job->events];
    int failed;

    if (*numbers == NULL && (*numbers = tuple_of(told, job->events)) == NULL)
        return -1;
    if ((proc = PyLong_FromLongLong(job->proc)) == NULL)
        return -1;
    failed = PyDict_SetItem(procs, proc, *numbers);
    Py_DECREF(proc);
    return failed;
}

static PyObject *
result_of(const Told *told)
{
    PyObject **tuples = calloc(told->past_count, sizeof *tuples), *found = PyDict_New(), *procs = NULL;
    int64_t cluster = -1;

    if (tuples == NULL && found != NULL)
        PyErr_NoMemory();
    for (size_t i = 0; found != NULL && tuples != NULL && i < told->job_count; i++) {
        const Job *job = &told->jobs[i];

        if (job->cluster != cluster)
            procs = procs_of(found, cluster = job->cluster);
        if (procs == NULL || add_job(told, procs, job, tuples) < 0)
            Py_CLEAR(found);
    }
    for (size_t i = 0; tuples != NULL && i < told->past_count; i++)
        Py_XDECREF(tuples[i]);
    if (tuples == NULL)
        Py_CLEAR(found);
    free(tuples);
    return found;
}

static int
take_clusters(Told *told, PyObject *list)
{
    size_t count = (size_t)PyList_GET_SIZE(list);

    if ((told->clusters = malloc((count + 1) * sizeof *told->clusters)) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t cluster = PyLong_AsLongLong(PyList_GET_ITEM(list, (Py_ssize_t)i));

        if (cluster == -1 && PyErr_Occurred())
            return -1;
        told->clusters[told->cluster_count++] = cluster;
    }
    return 0;
}

const char events_doc[] =
    "events(data, end, clusters) -> dict\n\n"
    "By cluster and proc: the numbers of the events of the jobs of these clusters (a list, ascending), as a tuple that\n"
    "those share which have had the same, from the first `end` bytes of an event log of the text form.";

PyObject *
reader_events(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer data;
    Py_ssize_t end;
    PyObject *clusters, *found = NULL;
    Told told = {0};

    if (!PyArg_ParseTuple(args, "y*nO!:events", &data, &end, &PyList_Type, &clusters))
        return NULL;
    if (end < 0 || end > data.len)
        PyErr_SetString(PyExc_ValueError, "there are not so many bytes");
    else if (take_clusters(&told, clusters) == 0) {
        if (past_of(&told, 0, 0) != NONE && read_events(&told, data.buf, (const char *)data.buf + end))
            found = result_of(&told);
        else
            PyErr_NoMemory();
    }
    free(told.clusters);
    PyMem_RawFree(told.jobs);
    PyMem_RawFree(told.pasts);
    free(told.job_table);
    free(told.past_table);
    PyBuffer_Release(&data);
    return found;
}
