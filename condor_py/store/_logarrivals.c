/* Jobs that are new in the part of a log that was written since it was last read: their ads without a record a line. */

#include "_logreader.h"

#include <stdlib.h>

typedef struct {
    uint64_t at;
    uint32_t size;
} Piece;

typedef struct {
    Piece *pieces;
    size_t count, room;
    size_t bytes;
} Pieces;

static int
add_piece(Pieces *all, uint64_t at, uint32_t size)
{
    if (log_grow((void **)&all->pieces, &all->room, all->count, sizeof *all->pieces) != FINE) {
        PyErr_NoMemory();
        return -1;
    }
    all->pieces[all->count++] = (Piece){at, size};
    all->bytes += size;
    return 0;
}

static int
by_place(const void *left, const void *right)
{
    const Piece *a = left, *b = right;

    return a->at < b->at ? -1 : a->at > b->at;
}

/* The lines of everything but new jobs, in the order of the log. */
static PyObject *
other_lines(const Log *log, const char *data)
{
    Pieces all = {NULL, 0, 0, 0};
    PyObject *lines = NULL;
    int failed = 0;

    for (uint32_t at = log->first_stray; at != NONE && !failed; at = log->runs[at].next)
        failed = add_piece(&all, log->runs[at].at, log->runs[at].size);
    for (size_t i = 0; i < log->entry_count && !failed; i++) {
        const Entry *entry = &log->entries[i];

        if (entry->kind == PROC)
            continue;
        failed = add_piece(&all, entry->made, entry->made_size);
        for (uint32_t at = entry->first; at != NONE && !failed; at = log->runs[at].next)
            failed = add_piece(&all, log->runs[at].at, log->runs[at].size);
    }
    if (!failed && (lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)all.bytes)) != NULL) {
        char *to = PyBytes_AS_STRING(lines);

        if (all.count > 1)
            qsort(all.pieces, all.count, sizeof *all.pieces, by_place);
        for (size_t i = 0; i < all.count; i++) {
            memcpy(to, data + all.pieces[i].at, all.pieces[i].size);
            to += all.pieces[i].size;
        }
    }
    PyMem_RawFree(all.pieces);
    return lines;
}

/* ---- short lines --------------------------------------------------------------------------------------------------- */

/* What a submit deletes of every job; no cluster has it. */
static const char of_every_submit[] = "JobPreparingTasks\n";

PyObject *
short_lines(PyObject *lines)
{
    char *to = PyBytes_AS_STRING(lines);
    const char *p = to, *end = to + PyBytes_GET_SIZE(lines), *nl, *name;

    for (; (nl = find(p, end, '\n')) != NULL; p = nl + 1) {
        if (nl - p < 6 || (name = find(p + 4, nl, ' ')) == NULL || name == p + 4)
            break;
        size_t rest = (size_t)(nl + 1 - ++name);
        if (p[2] == '4' && rest == sizeof of_every_submit - 1 && memcmp(name, of_every_submit, rest) == 0)
            continue;
        if (p[2] == '4' || *name == HEAD) {
            memmove(to, p, 4);
            to[4] = '0';
            to[5] = ' ';
            to += 6;
        }
        memmove(to, name, rest);
        to += rest;
    }
    if (p != to) {
        memmove(to, p, (size_t)(end - p)); /* lines like no others stay as they are */
        to += end - p;
        _PyBytes_Resize(&lines, to - PyBytes_AS_STRING(lines));
    }
    return lines;
}

/* ---- the new jobs -------------------------------------------------------------------------------------------------- */

static PyObject *
new_ad(const Log *log, const char *data, const Entry *entry)
{
    PyObject *lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)entry->bytes), *ad;
    char *to;

    if (lines == NULL)
        return NULL;
    to = PyBytes_AS_STRING(lines);
    for (uint32_t at = entry->first; at != NONE; at = log->runs[at].next) {
        memcpy(to, data + log->runs[at].at, log->runs[at].size);
        to += log->runs[at].size;
    }
    if ((lines = short_lines(lines)) == NULL)
        return NULL;
    ad = unread_ad(lines);
    Py_DECREF(lines);
    return ad;
}

static int
add_new_job(PyObject *clusters, const Entry *entry, PyObject *ad)
{
    PyObject *cluster = PyLong_FromUnsignedLong(entry->cluster), *proc = PyLong_FromUnsignedLong(entry->proc), *procs;
    int failed = -1;

    procs = cluster == NULL || proc == NULL ? NULL : PyDict_GetItemWithError(clusters, cluster);
    if (procs == NULL && proc != NULL && cluster != NULL && !PyErr_Occurred() && (procs = PyDict_New()) != NULL) {
        if (PyDict_SetItem(clusters, cluster, procs) < 0)
            Py_CLEAR(procs);
        Py_XDECREF(procs); /* the dictionary keeps it */
    }
    if (procs != NULL)
        failed = PyDict_SetItem(procs, proc, ad);
    Py_XDECREF(cluster);
    Py_XDECREF(proc);
    return failed;
}

static PyObject *
new_jobs(const Log *log, const char *data)
{
    PyObject *clusters = PyDict_New();

    for (size_t i = 0; clusters != NULL && i < log->entry_count; i++) {
        if (log->entries[i].kind != PROC)
            continue;
        PyObject *ad = new_ad(log, data, &log->entries[i]);
        int failed = ad == NULL || add_new_job(clusters, &log->entries[i], ad) < 0;

        Py_XDECREF(ad);
        if (failed)
            Py_CLEAR(clusters);
    }
    return clusters;
}

/* Was an ad made and destroyed again? It may have been there before, too. */
static int
has_gone(const Log *log)
{
    for (size_t i = 0; i < log->entry_count; i++)
        if (log->entries[i].kind == GONE)
            return 1;
    return 0;
}

const char arrivals_doc[] =
    "arrivals(data) -> (others, clusters, length, tail) | None\n\n"
    "What a part of a queue's log that begins at a record says: the lines that make no new job, in their order, and the\n"
    "ads of new jobs by cluster and proc; the bytes that count, and the index of what follows them (see adlog.Tail).\n"
    "None for one with anything unusual. Whether there are such jobs already nobody looks here.";

PyObject *
reader_arrivals(PyObject *Py_UNUSED(module), PyObject *data)
{
    Log log;
    uint64_t limit;
    PyObject *others = NULL, *clusters = NULL, *found = NULL;
    int state;

    if (!PyBytes_Check(data))
        return PyErr_Format(PyExc_TypeError, "the bytes of a log");
    if (!is_ready())
        return NULL;
    memset(&log, 0, sizeof log);
    log.source.fd = -1;
    log.source.data = PyBytes_AS_STRING(data);
    log.source.size = limit = (uint64_t)PyBytes_GET_SIZE(data);
    log.jobs = log.keeps_strays = 1;
    log.first_stray = log.last_stray = NONE;
    log.sequence = -1;
    state = log_read(&log, &limit);
    if (state == FINE && log.tail != OPEN && log.sequence < 0 && !log.odd && !has_gone(&log)) {
        others = other_lines(&log, PyBytes_AS_STRING(data));
        clusters = others == NULL ? NULL : new_jobs(&log, PyBytes_AS_STRING(data));
        if (clusters != NULL)
            found = Py_BuildValue("(OOKi)", others, clusters, (unsigned long long)log.length, log.tail);
    } else if (state == NO_MEMORY)
        PyErr_NoMemory();
    else
        found = Py_NewRef(Py_None);
    Py_XDECREF(others);
    Py_XDECREF(clusters);
    log_forget(&log);
    source_rest(&log.source);
    return found;
}
