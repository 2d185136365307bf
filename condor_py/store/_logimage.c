/*
 * The queue that a log leads to, of which nothing is made before it is asked for: the notes of _logscan.c about each ad, and
 * the log itself, of which only what is needed is read. See folded.py, which gives it to the rest of the store;
 * _logunfold.c makes ads of all of it.
 * With _logscan.c 78 times as fast as records in Python (tests/bench/bench_compiled.py); condor_q of 100,000 jobs takes
 * 0.12 s of CPU for two attributes.
 */

#include "_logimage.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

static PyObject *
broken(const Log *log)
{
    if (log->source.error == ENOMEM)
        return PyErr_NoMemory();
    if (log->source.error == 0)
        PyErr_SetString(PyExc_OSError, "the log has become shorter while it was read");
    else {
        errno = log->source.error;
        PyErr_SetFromErrno(PyExc_OSError);
    }
    return NULL;
}

const char *
bytes_at(Image *self, uint64_t at, size_t size)
{
    size_t have;
    const char *p = source_from(&self->log.source, at, size, &have);

    if (p != NULL && have >= size)
        return p;
    broken(&self->log);
    return NULL;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

/* Sorting needs the entries, and qsort hands nothing on. The GIL is held meanwhile. */
static const Entry *sorted_entries;

static int
by_numbers(const void *left, const void *right)
{
    const Entry *a = &sorted_entries[*(const uint32_t *)left], *b = &sorted_entries[*(const uint32_t *)right];

    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    return a->proc < b->proc ? -1 : a->proc > b->proc;
}

/* The entries of a kind in order; NULL with an exception. */
static uint32_t *
in_order(const Log *log, int kind, size_t *count)
{
    uint32_t *found = PyMem_RawMalloc((log->entry_count + 1) * sizeof *found);
    int sorted = 1;

    if (found == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *count = 0;
    sorted_entries = log->entries;
    for (size_t i = 0; i < log->entry_count; i++)
        if (log->entries[i].kind == kind) {
            found[*count] = (uint32_t)i;
            sorted = sorted && (*count == 0 || by_numbers(&found[*count - 1], &found[*count]) < 0);
            ++*count;
        }
    if (!sorted)
        qsort(found, *count, sizeof *found, by_numbers);
    return found;
}

int
sort_out(Image *self)
{
    if (self->procs == NULL && (self->procs = in_order(&self->log, PROC, &self->proc_count)) == NULL)
        return -1;
    if (self->clusters == NULL && (self->clusters = in_order(&self->log, CLUSTER, &self->cluster_count)) == NULL)
        return -1;
    return 0;
}

size_t
place_of(const Image *self, uint64_t cluster, uint64_t proc)
{
    size_t low = 0, high = self->proc_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const Entry *entry = proc_at(self, middle);
        if (entry->cluster < cluster || (entry->cluster == cluster && entry->proc < proc))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The end of the jobs of one cluster, which begin at `place`. */
static size_t
end_of(const Image *self, size_t place)
{
    if (place + 1 == self->proc_count || proc_at(self, place + 1)->cluster != proc_at(self, place)->cluster)
        return place + 1; /* of one job: there may be very many of these */
    return place_of(self, (uint64_t)proc_at(self, place)->cluster + 1, 0);
}

#define FEW 4

/* The procs of these places: a range where none is missing between them, and `before`, borrowed or NULL, where that is
   the list of the same one. */
static PyObject *
procs_between(const Image *self, size_t first, size_t end, PyObject *before)
{
    uint32_t from, to;
    PyObject *procs;

    if (before != NULL && end - first == 1 && PyList_Check(before) && PyList_GET_SIZE(before) == 1
        && PyLong_AsUnsignedLong(PyList_GET_ITEM(before, 0)) == proc_at(self, first)->proc)
        return Py_NewRef(before);
    if (end - first >= FEW) {
        from = proc_at(self, first)->proc;
        to = proc_at(self, end - 1)->proc;
        if ((size_t)to - from + 1 == end - first)
            return PyObject_CallFunction((PyObject *)&PyRange_Type, "LL", (long long)from, (long long)to + 1);
    }
    if ((procs = PyList_New((Py_ssize_t)(end - first))) == NULL)
        return NULL;
    for (size_t i = first; i < end; i++) {
        PyObject *number = PyLong_FromUnsignedLong(proc_at(self, i)->proc);
        if (number == NULL) {
            Py_DECREF(procs);
            return NULL;
        }
        PyList_SET_ITEM(procs, (Py_ssize_t)(i - first), number);
    }
    return procs;
}

PyDoc_STRVAR(groups_doc,
"groups() -> list[tuple[int, Sequence[int]]]\n\nAll jobs as (cluster, procs), both ascending. Groups may share their procs.");

static PyObject *
image_groups(Image *self, PyObject *Py_UNUSED(none))
{
    PyObject *groups = sort_out(self) < 0 ? NULL : PyList_New(0), *before = NULL;
    size_t end;

    for (size_t at = 0; groups != NULL && at < self->proc_count; at = end) {
        PyObject *number, *procs, *group;

        end = end_of(self, at);
        number = PyLong_FromUnsignedLong(proc_at(self, at)->cluster);
        before = procs = procs_between(self, at, end, before);
        group = number == NULL || procs == NULL ? NULL : PyTuple_Pack(2, number, procs);
        if (group == NULL || PyList_Append(groups, group) < 0)
            Py_CLEAR(groups);
        Py_XDECREF(number);
        Py_XDECREF(procs);
        Py_XDECREF(group);
    }
    return groups;
}

PyDoc_STRVAR(procs_doc, "procs(cluster) -> Sequence[int]\n\nThe procs of a cluster, ascending.");

static PyObject *
image_procs(Image *self, PyObject *number)
{
    unsigned long long cluster = PyLong_AsUnsignedLongLong(number);
    size_t at;

    if (PyErr_Occurred()) {
        PyErr_Clear(); /* no cluster has such a number */
        return PyList_New(0);
    }
    if (sort_out(self) < 0)
        return NULL;
    at = place_of(self, cluster, 0);
    if (at == self->proc_count || proc_at(self, at)->cluster != cluster)
        return PyList_New(0);
    return procs_between(self, at, end_of(self, at), NULL);
}

PyDoc_STRVAR(clusters_doc, "clusters() -> list[int]\n\nThe clusters that have an ad, ascending.");

static PyObject *
image_clusters(Image *self, PyObject *Py_UNUSED(none))
{
    PyObject *found = sort_out(self) < 0 ? NULL : PyList_New((Py_ssize_t)self->cluster_count);

    for (size_t i = 0; found != NULL && i < self->cluster_count; i++) {
        PyObject *number = PyLong_FromUnsignedLong(self->log.entries[self->clusters[i]].cluster);
        if (number == NULL)
            Py_CLEAR(found);
        else
            PyList_SET_ITEM(found, (Py_ssize_t)i, number);
    }
    return found;
}

PyDoc_STRVAR(privates_doc, "privates() -> list[int]\n\nThe clusters that have a private ad, in any order.");

static PyObject *
image_privates(Image *self, PyObject *Py_UNUSED(none))
{
    PyObject *found = PyList_New(0);

    for (size_t i = 0; found != NULL && i < self->log.entry_count; i++) {
        if (self->log.entries[i].kind != PRIVATE)
            continue;
        PyObject *number = PyLong_FromUnsignedLong(self->log.entries[i].cluster);
        if (number == NULL || PyList_Append(found, number) < 0)
            Py_CLEAR(found);
        Py_XDECREF(number);
    }
    return found;
}

PyDoc_STRVAR(count_doc, "count() -> int\n\nThe number of jobs.");

static PyObject *
image_count(Image *self, PyObject *Py_UNUSED(none))
{
    return sort_out(self) < 0 ? NULL : PyLong_FromSize_t(self->proc_count);
}

/* ---- ads ---------------------------------------------------------------------------------------------------------- */

PyObject *
bytes_of_runs(Image *self, uint32_t first, size_t most)
{
    PyObject *lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)most);
    size_t done = 0;

    if (lines == NULL)
        return NULL;
    for (uint32_t at = first; at != NONE; at = self->log.runs[at].next) {
        const Run *run = &self->log.runs[at];
        const char *p = run->size <= most - done ? bytes_at(self, run->at, run->size) : NULL;
        if (p == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_OSError, "the index of the log is damaged");
            Py_DECREF(lines);
            return NULL;
        }
        memcpy(PyBytes_AS_STRING(lines) + done, p, run->size);
        done += run->size;
    }
    if (done < most)
        _PyBytes_Resize(&lines, (Py_ssize_t)done);
    return lines;
}

PyObject *
lines_of(Image *self, const Entry *entry)
{
    return bytes_of_runs(self, entry->first, entry->bytes);
}

/* MyType and TargetType as the 101 of an ad has them. */
int
types_of(Image *self, const Entry *entry, PyObject **my_type, PyObject **target_type)
{
    const char *p = bytes_at(self, entry->made, entry->made_size), *end, *first, *second;

    if (p == NULL)
        return -1;
    end = p + entry->made_size - (entry->made_size > 0);
    first = find(p + 4 < end ? p + 4 : end, end, ' ');
    second = first == NULL ? NULL : find(first + 1, end, ' ');
    if (second == NULL) {
        PyErr_SetString(PyExc_OSError, "the index of the log is damaged");
        return -1;
    }
    *my_type = text_of(first + 1, (size_t)(second - first - 1));
    *target_type = text_of(second + 1, (size_t)(end - second - 1));
    if (*my_type != NULL && *target_type != NULL)
        return 0;
    Py_CLEAR(*my_type);
    Py_CLEAR(*target_type);
    return -1;
}

static Entry *
entry_of(Image *self, int kind, PyObject *cluster, PyObject *proc)
{
    unsigned long long numbers[2] = {PyLong_AsUnsignedLongLong(cluster), proc ? PyLong_AsUnsignedLongLong(proc) : 0};

    if (PyErr_Occurred()) {
        PyErr_Clear(); /* nothing has such a number */
        return NULL;
    }
    if (numbers[0] >= NONE || numbers[1] >= NONE)
        return NULL;
    return log_find(&self->log, kind, (uint32_t)numbers[0], (uint32_t)numbers[1]);
}

PyDoc_STRVAR(job_doc, "job(cluster, proc) -> StoredAd | None\n\nThe ad of a job, made anew, without its cluster.");

static PyObject *
image_job(Image *self, PyObject *args)
{
    PyObject *cluster, *proc, *lines, *ad = NULL;
    Entry *entry;

    if (!PyArg_ParseTuple(args, "O!O!:job", &PyLong_Type, &cluster, &PyLong_Type, &proc))
        return NULL;
    if ((entry = entry_of(self, PROC, cluster, proc)) == NULL)
        Py_RETURN_NONE;
    if ((lines = lines_of(self, entry)) != NULL)
        ad = unread_ad(lines);
    Py_XDECREF(lines);
    return ad;
}

PyDoc_STRVAR(cluster_doc,
"cluster(cluster) -> tuple[str, str, bytes] | None\n\nMyType, TargetType and lines of a cluster's ad.");

static PyObject *
image_cluster(Image *self, PyObject *number)
{
    Entry *entry = PyLong_Check(number) ? entry_of(self, CLUSTER, number, NULL) : NULL;
    PyObject *my_type, *target_type;

    if (entry == NULL)
        Py_RETURN_NONE;
    if (types_of(self, entry, &my_type, &target_type) < 0)
        return NULL;
    return Py_BuildValue("(NNN)", my_type, target_type, lines_of(self, entry));
}

/* ---- values that are no literals ------------------------------------------------------------------------------------ */

/* A string whose only escapes are of quotes and backslashes; a real as everybody writes it; a truth. */
static int
is_plain(const char *p, size_t n)
{
    size_t i = 1;

    if (n >= 2 && p[0] == '"' && p[n - 1] == '"') {
        for (; i < n - 1 && p[i] != '"'; i++)
            if (p[i] == '\\' && (++i == n - 1 || (p[i] != '"' && p[i] != '\\')))
                return 0;
        return i == n - 1;
    }
    return (n == 4 && memcmp(p, "true", 4) == 0) || (n == 5 && memcmp(p, "false", 5) == 0);
}

static int
add_values(PyObject *found, const char *p, const char *end)
{
    Line line;
    int more, failed = 0;

    while (!failed && (more = next_line(&p, end, &line)) != 0) {
        if (more < 0) {
            malformed();
            return -1;
        }
        size_t n = line.set ? (size_t)(line.value_end - line.value) : 0;
        if (!line.set || is_literal(line.value, n) || is_plain(line.value, n))
            continue;
        PyObject *value = text_of(line.value, n);
        failed = value == NULL || PySet_Add(found, value) < 0;
        Py_XDECREF(value);
    }
    return failed ? -1 : 0;
}

PyDoc_STRVAR(expressions_doc,
"expressions() -> set[str]\n\nThe values that the ads set and that are no plain literals.");

static PyObject *
image_expressions(Image *self, PyObject *Py_UNUSED(none))
{
    PyObject *found = PySet_New(NULL);

    for (size_t i = 0; found != NULL && i < self->log.entry_count; i++)
        for (uint32_t at = self->log.entries[i].first; found != NULL && at != NONE; at = self->log.runs[at].next) {
            const Run *run = &self->log.runs[at];
            const char *p = bytes_at(self, run->at, run->size);
            if (p == NULL || add_values(found, p, p + run->size) < 0)
                Py_CLEAR(found);
        }
    return found;
}

/* ---- the object --------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(index_doc, "index() -> bytes\n\nWhat image() takes to begin behind the bytes that count now.");

static PyObject *
image_index(Image *self, PyObject *Py_UNUSED(none))
{
    PyObject *index = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)index_size(&self->log));

    if (index == NULL || index_write(&self->log, PyBytes_AS_STRING(index)) == FINE)
        return index;
    Py_DECREF(index);
    return broken(&self->log);
}

PyDoc_STRVAR(rest_doc, "rest() -> None\n\nGives back what was read of the log.");

static PyObject *
image_rest(Image *self, PyObject *Py_UNUSED(none))
{
    source_rest(&self->log.source);
    Py_RETURN_NONE;
}

static void
image_dealloc(Image *self)
{
    log_forget(&self->log);
    source_rest(&self->log.source);
    if (self->log.source.fd >= 0)
        close(self->log.source.fd);
    PyMem_RawFree(self->procs);
    PyMem_RawFree(self->clusters);
    Py_XDECREF(self->data);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *
get_length(Image *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->log.length);
}

static PyObject *
get_indexed(Image *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->log.indexed);
}

PyObject *
get_end(Image *self, void *Py_UNUSED(closure))
{
    return Py_BuildValue("(KiLL)", (unsigned long long)self->log.length, self->log.tail, self->log.sequence,
                         self->log.birthdate);
}

static PyObject *
get_odd(Image *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->log.odd);
}

static PyObject *
get_repeated(Image *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->log.repeated);
}

static PyGetSetDef image_getters[] = {
    {"length", (getter)get_length, NULL, "Bytes that count.", NULL},
    {"indexed", (getter)get_indexed, NULL, "Bytes of which an index told.", NULL},
    {"end", (getter)get_end, NULL, "Bytes that count, index of what follows them (see adlog.Tail), number and "
     "birthdate of the 107 (-1 without).", NULL},
    {"odd", (getter)get_odd, NULL, "Whether unfold() alone knows all jobs.", NULL},
    {"repeated", (getter)get_repeated, NULL, "Whether, of the bytes without an index, a 101 makes an ad that was there.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef image_methods[] = {
    {"groups", (PyCFunction)image_groups, METH_NOARGS, groups_doc},
    {"procs", (PyCFunction)image_procs, METH_O, procs_doc},
    {"clusters", (PyCFunction)image_clusters, METH_NOARGS, clusters_doc},
    {"privates", (PyCFunction)image_privates, METH_NOARGS, privates_doc},
    {"expressions", (PyCFunction)image_expressions, METH_NOARGS, expressions_doc},
    {"count", (PyCFunction)image_count, METH_NOARGS, count_doc},
    {"job", (PyCFunction)image_job, METH_VARARGS, job_doc},
    {"cluster", (PyCFunction)image_cluster, METH_O, cluster_doc},
    {"own_texts", (PyCFunction)image_own_texts, METH_VARARGS, image_own_texts_doc},
    {"mentioned", (PyCFunction)image_mentioned, METH_VARARGS, mentioned_doc},
    {"states", (PyCFunction)image_states, METH_VARARGS, states_doc},
    {"texts", (PyCFunction)image_texts, METH_VARARGS, texts_doc},
    {"where", (PyCFunction)image_where, METH_VARARGS, where_doc},
    {"groups_states", (PyCFunction)image_groups_states, METH_O, groups_states_doc},
    {"may_say", (PyCFunction)image_may_say, METH_O, may_say_doc},
    {"tally", (PyCFunction)image_tally, METH_O, tally_doc},
    {"others", (PyCFunction)image_others, METH_NOARGS, others_doc},
    {"unfold", (PyCFunction)image_unfold, METH_NOARGS, unfold_doc},
    {"index", (PyCFunction)image_index, METH_NOARGS, index_doc},
    {"rest", (PyCFunction)image_rest, METH_NOARGS, rest_doc},
    {NULL, NULL, 0, NULL},
};

PyTypeObject image_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "condor_py.store._logreader.Image",
    .tp_doc = "The ads that a log leads to.",
    .tp_basicsize = sizeof(Image),
    .tp_dealloc = (destructor)image_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = image_methods,
    .tp_getset = image_getters,
};

static int
read_once(Log *log, const char *index, size_t size, uint64_t *limit)
{
    log_forget(log);
    log->sequence = log->birthdate = -1;
    if (index != NULL && index_read(log, index, size) == NO_MEMORY)
        return NO_MEMORY;
    return log_read(log, limit);
}

/* Reads the log, its first bytes from an index where there is a good one. */
static int
read_log(Log *log, const char *index, size_t size)
{
    uint64_t limit = log->source.size;
    int state = read_once(log, index, size, &limit);

    if (state != FINE || log->tail != OPEN)
        return state;
    state = read_once(log, index, size, &limit); /* without what its end is missing of */
    log->tail = OPEN;
    return state;
}

static int
take_source(Image *self, PyObject *source, Py_ssize_t size)
{
    if (PyBytes_Check(source)) {
        self->data = Py_NewRef(source);
        self->log.source.data = PyBytes_AS_STRING(source);
        self->log.source.size = (uint64_t)PyBytes_GET_SIZE(source);
        return 0;
    }
    int fd = (int)PyLong_AsLong(source);
    if (PyErr_Occurred())
        return -1;
    if ((self->log.source.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    self->log.source.size = size < 0 ? 0 : (uint64_t)size;
    return 0;
}

PyObject *
new_image(PyObject *source, Py_ssize_t size, int jobs, int others, const char *index, Py_ssize_t index_bytes)
{
    Image *self = PyObject_New(Image, &image_type);
    int state;

    if (self == NULL)
        return NULL;
    memset((char *)self + offsetof(Image, log), 0, sizeof *self - offsetof(Image, log));
    self->log.source.fd = -1;
    self->log.jobs = jobs;
    self->log.keeps_others = others;
    if (take_source(self, source, size) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    state = read_log(&self->log, index, (size_t)index_bytes);
    Py_END_ALLOW_THREADS
    if (state == FINE) {
        self->log.source.size = self->log.length; /* a writer cuts what a crash left behind that */
        return (PyObject *)self;
    }
    if (state == BROKEN)
        broken(&self->log);
    else if (state == NO_MEMORY)
        PyErr_NoMemory();
    Py_DECREF(self);
    return state == STRANGE ? Py_NewRef(Py_None) : NULL;
}

const char image_doc[] =
    "image(source, size, jobs, index) -> Image | None\n\n"
    "The ads that a log leads to: bytes, or `size` bytes of an open file. `jobs` says whether keys like 7.0 are jobs;\n"
    "`index` is what index() gave of the same log when it was shorter, None or any other bytes are ignored. None for a\n"
    "log with anything unusual. OSError where it cannot be read.";

PyObject *
reader_image(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *source;
    Py_ssize_t size, index_bytes;
    const char *index;
    int jobs;

    if (!PyArg_ParseTuple(args, "Onpz#:image", &source, &size, &jobs, &index, &index_bytes) || !is_ready())
        return NULL;
    return new_image(source, size, jobs, 0, index, index_bytes);
}
