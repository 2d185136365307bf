/*
 * Questions about jobs of a queue of which nothing was made: a few attributes out of their lines, and what the notes about
 * them say without any. _logcolumns.c asks all clusters at once.
 * See _logask.c for what that gains.
 */

#include "_logimage.h"

static int
ask_runs(Image *self, Question *q, const Entry *entry)
{
    for (uint32_t at = entry->first; at != NONE; at = self->log.runs[at].next) {
        const Run *run = &self->log.runs[at];
        const char *p = bytes_at(self, run->at, run->size);
        if (p == NULL || ask_lines(q, p, p + run->size) < 0)
            return -1;
    }
    return 0;
}

static int
lies_in_many_places(const Image *self, const Entry *entry)
{
    int places = 0;

    for (uint32_t at = entry->first; at != NONE && places < WINDOWS; at = self->log.runs[at].next)
        places++;
    return places >= WINDOWS;
}

int
ask_entry(Image *self, Question *q, const Entry *entry, PyObject **held)
{
    forget_answers(q);
    if (!lies_in_many_places(self, entry))
        return ask_runs(self, q, entry);
    Py_XSETREF(*held, lines_of(self, entry)); /* answers point into windows, of which there are only so many */
    if (*held == NULL)
        return -1;
    return ask_lines(q, PyBytes_AS_STRING(*held), PyBytes_AS_STRING(*held) + PyBytes_GET_SIZE(*held));
}

const Entry *
job_entry(const Image *self, unsigned long long cluster, PyObject *number, size_t *place)
{
    unsigned long long proc = PyLong_AsUnsignedLongLong(number);
    const Entry *entry;

    if (PyErr_Occurred())
        PyErr_Clear();
    else {
        if (*place >= self->proc_count || proc_at(self, *place)->cluster != cluster
            || proc_at(self, *place)->proc != proc)
            *place = place_of(self, cluster, proc);
        entry = *place < self->proc_count ? proc_at(self, *place) : NULL;
        if (entry != NULL && entry->cluster == cluster && entry->proc == proc) {
            ++*place;
            return entry;
        }
    }
    PyErr_SetObject(PyExc_KeyError, number);
    return NULL;
}

static int
ask_proc(Image *self, Question *q, unsigned long long cluster, PyObject *number, size_t *place)
{
    const Entry *entry = job_entry(self, cluster, number, place);
    PyObject *held = NULL;
    int failed = entry == NULL;

    if (!failed && (entry->names & q->bits) == 0)
        forget_answers(q);
    else if (!failed)
        failed = ask_entry(self, q, entry, &held) < 0;
    failed = failed || add_answers(q) < 0;
    Py_XDECREF(held);
    return failed ? -1 : 0;
}

const char image_own_texts_doc[] =
    "own_texts(cluster, procs, keys, gone) -> list[list[str | None]]\n\n"
    "As the module's own_texts, of jobs of one cluster. KeyError for a job that is not there.";

PyObject *
image_own_texts(Image *self, PyObject *args)
{
    PyObject *procs, *names, *gone, *each, *number, *columns = NULL;
    unsigned long long cluster;
    Question question;
    size_t place = 0;
    int failed = 0;

    if (!PyArg_ParseTuple(args, "KOO!O:own_texts", &cluster, &procs, &PyTuple_Type, &names, &gone)
        || sort_out(self) < 0 || (each = PyObject_GetIter(procs)) == NULL)
        return NULL;
    if (begin_question(&question, names, gone) < 0) {
        Py_DECREF(each);
        return NULL;
    }
    while (!failed && (number = PyIter_Next(each)) != NULL) {
        failed = ask_proc(self, &question, cluster, number, &place);
        Py_DECREF(number);
    }
    if (!failed && !PyErr_Occurred())
        columns = Py_NewRef(question.columns);
    end_question(&question);
    Py_DECREF(each);
    return columns;
}

const char mentioned_doc[] =
    "mentioned(cluster, keys) -> tuple[str, ...]\n\n"
    "Those of the lower-case ASCII names that any job of the cluster may say, looking at no line. Without doubt not: the\n"
    "others.";

PyObject *
image_mentioned(Image *self, PyObject *args)
{
    PyObject *names, *found;
    unsigned long long cluster;
    uint64_t said = 0;

    if (!PyArg_ParseTuple(args, "KO!:mentioned", &cluster, &PyTuple_Type, &names) || sort_out(self) < 0)
        return NULL;
    for (size_t at = place_of(self, cluster, 0); at < self->proc_count && proc_at(self, at)->cluster == cluster; at++)
        said |= proc_at(self, at)->names;
    if ((found = PyList_New(0)) == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        Py_ssize_t size = 0;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &size);
        if (name == NULL
            || ((size == 0 || (name_bit(name, (size_t)size) & said) != 0)
                && PyList_Append(found, PyTuple_GET_ITEM(names, i)) < 0)) {
            Py_DECREF(found);
            return NULL;
        }
    }
    Py_SETREF(found, PyList_AsTuple(found));
    return found;
}

static PyObject *
states_of(const size_t *counts, PyObject *odd)
{
    PyObject *states = PyDict_New(), *result;

    for (long status = 0; states != NULL && status < 10; status++)
        if (counts[status] > 0) {
            PyObject *key = PyLong_FromLong(status), *value = PyLong_FromSize_t(counts[status]);
            if (key == NULL || value == NULL || PyDict_SetItem(states, key, value) < 0)
                Py_CLEAR(states);
            Py_XDECREF(key);
            Py_XDECREF(value);
        }
    if (states == NULL)
        return NULL;
    result = PyTuple_Pack(2, states, odd);
    Py_DECREF(states);
    return result;
}

const char states_doc[] =
    "states(cluster, key) -> tuple[dict[int, int], list[int]]\n\n"
    "How many jobs of a cluster say which JobStatus themselves (0: none); procs of those that say something else, or that\n"
    "may say something of `key`, a lower-case ASCII name.";

PyObject *
image_states(Image *self, PyObject *args)
{
    unsigned long long cluster;
    size_t counts[10] = {0};
    Py_ssize_t size;
    const char *name;
    PyObject *odd, *result;

    if (!PyArg_ParseTuple(args, "Ks#:states", &cluster, &name, &size) || sort_out(self) < 0
        || (odd = PyList_New(0)) == NULL)
        return NULL;
    uint64_t other = size > 0 ? name_bit(name, (size_t)size) : 0;
    for (size_t at = place_of(self, cluster, 0); at < self->proc_count && proc_at(self, at)->cluster == cluster; at++) {
        const Entry *entry = proc_at(self, at);
        if (entry->status < 10 && (entry->names & other) == 0) {
            counts[entry->status]++;
            continue;
        }
        PyObject *proc = PyLong_FromUnsignedLong(entry->proc);
        int failed = proc == NULL ? -1 : PyList_Append(odd, proc);
        Py_XDECREF(proc);
        if (failed) {
            Py_DECREF(odd);
            return NULL;
        }
    }
    result = states_of(counts, odd);
    Py_DECREF(odd);
    return result;
}
