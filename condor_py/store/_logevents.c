/* The numbers of the events of jobs in an event log, for a schedd that starts. Jobs that have had the same events share
   one tuple of their numbers: those of a cluster mostly do.
   18 times as fast as the twin (tests/bench/bench_compiled.py): a schedd that starts reads the event logs of all its
   jobs. */

#include "_logreader.h"

#define TOO_LARGE INT64_C(1000000000000000000) /* a number of a cluster or a job that no job has */

/* What jobs may have had: the events of `before`, and then `number`. The first one is that of a job without events. */
typedef struct {
    uint32_t before, count;
    int number;
    PyObject *numbers; /* their tuple, once one was made */
} Past;

typedef struct {
    PyObject *wanted;     /* the numbers of clusters, a set */
    PyObject *found;      /* by cluster and proc: the place of what the job has had in `pasts` */
    PyObject *places;     /* by place of the past before and number: the place in `pasts` */
    PyObject *procs;      /* of the latest cluster (borrowed; NULL where that is not wanted) */
    int64_t cluster;
    Past *pasts;
    size_t past_count, past_room;
    uint32_t latest_before, latest; /* neighbours have mostly had the same */
} Told;

typedef struct {
    int number;
    int64_t cluster, proc;
} Event;

/* The place of the past that is `before` and then an event; NONE with an exception. */
static uint32_t
past_of(Told *told, uint32_t before, int number)
{
    PyObject *key, *place;

    if (told->latest_before == before && told->pasts[told->latest].number == number)
        return told->latest;
    if ((key = PyLong_FromUnsignedLongLong((uint64_t)before << 16 | (uint64_t)number)) == NULL)
        return NONE;
    if ((place = Py_XNewRef(PyDict_GetItemWithError(told->places, key))) == NULL && !PyErr_Occurred()) {
        if (told->past_count >= NONE - 1
            || log_grow((void **)&told->pasts, &told->past_room, told->past_count, sizeof *told->pasts) != FINE)
            PyErr_NoMemory();
        else if ((place = PyLong_FromSize_t(told->past_count)) != NULL && PyDict_SetItem(told->places, key, place) == 0)
            told->pasts[told->past_count++] = (Past){before, told->pasts[before].count + 1, number, NULL};
    }
    told->latest_before = before;
    told->latest = place == NULL || PyErr_Occurred() ? NONE : (uint32_t)PyLong_AsUnsignedLong(place);
    Py_DECREF(key);
    Py_XDECREF(place);
    return told->latest;
}

/* Makes the procs of a cluster those at hand; -1 with an exception. */
static int
turn_to(Told *told, int64_t cluster)
{
    PyObject *key;
    int wanted;

    if (cluster == told->cluster)
        return 0;
    told->cluster = cluster;
    told->procs = NULL;
    if ((key = PyLong_FromLongLong(cluster)) == NULL)
        return -1;
    wanted = PySet_Contains(told->wanted, key);
    if (wanted > 0 && (told->procs = PyDict_GetItemWithError(told->found, key)) == NULL && !PyErr_Occurred()
        && (told->procs = PyDict_New()) != NULL) {
        if (PyDict_SetItem(told->found, key, told->procs) < 0)
            Py_CLEAR(told->procs);
        else
            Py_DECREF(told->procs); /* `found` keeps it */
    }
    Py_DECREF(key);
    return PyErr_Occurred() ? -1 : 0;
}

static int
add_event(Told *told, const Event *event)
{
    PyObject *proc, *place;
    uint32_t past = 0;
    int failed = -1;

    if (turn_to(told, event->cluster) < 0)
        return -1;
    if (told->procs == NULL)
        return 0;
    if ((proc = PyLong_FromLongLong(event->proc)) == NULL)
        return -1;
    if ((place = PyDict_GetItemWithError(told->procs, proc)) != NULL)
        past = (uint32_t)PyLong_AsUnsignedLong(place);
    if (!PyErr_Occurred() && (past = past_of(told, past, event->number)) != NONE) {
        place = PyLong_FromUnsignedLong(past);
        failed = place == NULL ? -1 : PyDict_SetItem(told->procs, proc, place);
        Py_XDECREF(place);
    }
    Py_DECREF(proc);
    return failed;
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

/* -1 with an exception. */
static int
read_events(Told *told, const char *p, const char *end)
{
    Event event;
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
        if (read_head(head, end, &event) && add_event(told, &event) < 0)
            return -1;
    }
    return 0;
}

/* The tuple of a past, borrowed; NULL with an exception. */
static PyObject *
numbers_of(Told *told, size_t place)
{
    Past *past = &told->pasts[place];

    if (past->numbers != NULL || (past->numbers = PyTuple_New(past->count)) == NULL)
        return past->numbers;
    for (const Past *at = past; at->count > 0; at = &told->pasts[at->before])
        PyTuple_SET_ITEM(past->numbers, at->count - 1, PyLong_FromLong(at->number));
    return PyErr_Occurred() ? NULL : past->numbers;
}

/* Puts the tuples into the places of their places; -1 with an exception. */
static int
put_numbers(Told *told)
{
    PyObject *procs, *proc, *place;
    Py_ssize_t cluster = 0;

    while (PyDict_Next(told->found, &cluster, NULL, &procs))
        for (Py_ssize_t at = 0; PyDict_Next(procs, &at, &proc, &place);) {
            PyObject *numbers = numbers_of(told, PyLong_AsSize_t(place));

            if (numbers == NULL || PyDict_SetItem(procs, proc, numbers) < 0)
                return -1;
        }
    return 0;
}

const char events_doc[] =
    "events(data, end, clusters) -> dict\n\n"
    "By cluster and proc: the numbers of the events of the jobs of these clusters (a list), as a tuple that those share\n"
    "which have had the same, from the first `end` bytes of an event log of the text form.";

PyObject *
reader_events(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer data;
    Py_ssize_t end;
    PyObject *clusters, *found = NULL;
    Told told = {.cluster = -1, .latest_before = NONE};

    if (!PyArg_ParseTuple(args, "y*nO!:events", &data, &end, &PyList_Type, &clusters))
        return NULL;
    if (end < 0 || end > data.len)
        PyErr_SetString(PyExc_ValueError, "there are not so many bytes");
    else if ((told.wanted = PySet_New(clusters)) != NULL && (told.found = PyDict_New()) != NULL
             && (told.places = PyDict_New()) != NULL
             && log_grow((void **)&told.pasts, &told.past_room, 0, sizeof *told.pasts) == FINE) {
        told.pasts[told.past_count++] = (Past){0, 0, 0, NULL};
        if (read_events(&told, data.buf, (const char *)data.buf + end) == 0 && put_numbers(&told) == 0)
            found = Py_NewRef(told.found);
    } else if (!PyErr_Occurred())
        PyErr_NoMemory();
    for (size_t i = 0; i < told.past_count; i++)
        Py_XDECREF(told.pasts[i].numbers);
    PyMem_RawFree(told.pasts);
    Py_XDECREF(told.wanted);
    Py_XDECREF(told.found);
    Py_XDECREF(told.places);
    PyBuffer_Release(&data);
    return found;
}
