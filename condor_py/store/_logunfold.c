/*
 * Ads of all that a log leads to, for a schedd that starts (load, unfold), and of the new jobs in a part of it that was
 * written since it was last read (arrivals): unread ads, which are lines, without a record a line.
 * 26 times as fast as records (tests/bench/bench_compiled.py): a schedd that starts, or reads a submit.
 */

#include "_logimage.h"

/* ---- short lines --------------------------------------------------------------------------------------------------- */

/* What a submit deletes of every job; no cluster has it. */
static const char of_every_submit[] = "JobPreparingTasks\n";

/* Lines of an ad without what finds them in a log (HEAD), and without those that every submit has and no reader needs; takes
   the reference. */
static PyObject *
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

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static PyObject *
key_text(const Log *log, const Entry *entry)
{
    switch (entry->kind) {
    case PROC:
        return PyUnicode_FromFormat("%u.%u", entry->cluster, entry->proc);
    case CLUSTER:
        return PyUnicode_FromFormat("0%u.-1", entry->cluster);
    case PRIVATE:
        return PyUnicode_FromFormat("%u.-2", entry->cluster);
    default:
        return text_of(log->keys + entry->cluster, entry->proc);
    }
}

typedef struct {
    PyObject *ads, *procs, *others, *of_cluster;
    uint32_t cluster;
} Unfolded;

/* The dictionary of the procs of a cluster, borrowed. */
static PyObject *
procs_of_cluster(Unfolded *all, uint32_t cluster)
{
    PyObject *number;

    if (all->of_cluster != NULL && all->cluster == cluster)
        return all->of_cluster;
    if ((number = PyLong_FromUnsignedLong(cluster)) == NULL)
        return NULL;
    PyObject *found = PyDict_GetItemWithError(all->procs, number);
    if (found == NULL && !PyErr_Occurred() && (found = PyDict_New()) != NULL) {
        if (PyDict_SetItem(all->procs, number, found) < 0)
            Py_CLEAR(found);
        Py_XDECREF(found); /* the outer dictionary keeps it */
    }
    Py_DECREF(number);
    all->of_cluster = found;
    all->cluster = cluster;
    return found;
}

static int
add_proc(Unfolded *all, PyObject *lines, const Entry *entry)
{
    PyObject *ad = unread_ad(lines), *procs = procs_of_cluster(all, entry->cluster), *number;
    int failed = -1;

    number = ad == NULL || procs == NULL ? NULL : PyLong_FromUnsignedLong(entry->proc);
    if (number != NULL)
        failed = PyDict_SetItem(procs, number, ad);
    Py_XDECREF(number);
    Py_XDECREF(ad);
    return failed;
}

static int
add_other(Image *self, Unfolded *all, const Entry *entry, PyObject *lines)
{
    PyObject *key = key_text(&self->log, entry), *my_type, *target_type, *item = NULL;
    int failed = key == NULL || (all->ads != NULL && PyDict_SetItem(all->ads, key, Py_None) < 0);

    if (!failed && types_of(self, entry, &my_type, &target_type) == 0)
        item = Py_BuildValue("(ONNO)", key, my_type, target_type, lines);
    failed = item == NULL || PyList_Append(all->others, item) < 0;
    Py_XDECREF(item);
    Py_XDECREF(key);
    return failed ? -1 : 0;
}

#define KIND(kind) (1u << (kind))

/* Makes what is wanted of the entries of some kinds. */
static int
add_entries(Image *self, Unfolded *all, unsigned kinds)
{
    for (size_t i = 0; i < self->log.entry_count; i++) {
        const Entry *entry = &self->log.entries[i];
        PyObject *lines;
        int failed = -1;

        if ((kinds & KIND(entry->kind)) == 0)
            continue;
        lines = lines_of(self, entry);
        if (lines != NULL && entry->kind == PROC)
            lines = short_lines(lines);
        if (lines != NULL)
            failed = entry->kind == PROC ? add_proc(all, lines, entry) : add_other(self, all, entry, lines);
        Py_XDECREF(lines);
        if (failed)
            return -1;
    }
    return 0;
}

const char unfold_doc[] =
    "unfold() -> (ads, procs, others)\n\n"
    "All but clusters: None by the key of each ad that is no job's, jobs by cluster and proc, (key, MyType, TargetType,\n"
    "lines) of the others.";

static PyObject *
unfold_kinds(Image *self, unsigned kinds)
{
    Unfolded all = {PyDict_New(), PyDict_New(), PyList_New(0), NULL, 0};
    PyObject *result = NULL;

    if (all.ads != NULL && all.procs != NULL && all.others != NULL && add_entries(self, &all, kinds) == 0)
        result = PyTuple_Pack(3, all.ads, all.procs, all.others);
    Py_XDECREF(all.ads);
    Py_XDECREF(all.procs);
    Py_XDECREF(all.others);
    return result;
}

PyObject *
image_unfold(Image *self, PyObject *Py_UNUSED(none))
{
    return unfold_kinds(self, ~(KIND(GONE) | KIND(CLUSTER)));
}

const char others_doc[] =
    "others() -> list[tuple[str, str, str, bytes]]\n\n"
    "(key, MyType, TargetType, lines) of the ads that are none of jobs and clusters.";

PyObject *
image_others(Image *self, PyObject *Py_UNUSED(none))
{
    Unfolded all = {NULL, NULL, PyList_New(0), NULL, 0};

    if (all.others != NULL && add_entries(self, &all, KIND(OTHER)) < 0)
        Py_CLEAR(all.others);
    return all.others;
}

const char load_doc[] =
    "load(data, jobs) -> (ads, procs, others, length, tail, sequence, birthdate) | None\n\n"
    "The ads that a whole log leads to; `jobs` says whether keys like 7.0 are jobs. None for a log with anything unusual.";

PyObject *
reader_load(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *image, *all, *end, *loaded;
    int jobs;

    if (!PyArg_ParseTuple(args, "Sp:load", &data, &jobs) || !is_ready())
        return NULL;
    image = new_image(data, 0, jobs, 0, NULL, 0);
    if (image == NULL || image == Py_None)
        return image;
    all = unfold_kinds((Image *)image, ~KIND(GONE));
    end = all == NULL ? NULL : get_end((Image *)image, NULL);
    loaded = end == NULL ? NULL : PySequence_Concat(all, end);
    Py_XDECREF(all);
    Py_XDECREF(end);
    Py_DECREF(image);
    return loaded;
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
    Unfolded all = {NULL, PyDict_New(), NULL, NULL, 0};
    PyObject *image = NULL, *others = NULL, *found = NULL;

    if (!PyBytes_Check(data))
        PyErr_SetString(PyExc_TypeError, "the bytes of a log");
    else if (all.procs != NULL && is_ready())
        image = new_image(data, 0, 1, 1, NULL, 0);
    if (image != NULL && image != Py_None) {
        Log *log = &((Image *)image)->log;

        if (log->tail == OPEN || log->sequence >= 0 || log->odd || has_gone(log))
            found = Py_NewRef(Py_None);
        else if (add_entries((Image *)image, &all, KIND(PROC)) == 0
                 && (others = bytes_of_runs((Image *)image, log->first_other, log->other_bytes)) != NULL)
            found = Py_BuildValue("(OOKi)", others, all.procs, (unsigned long long)log->length, log->tail);
    } else if (image == Py_None)
        found = Py_NewRef(image);
    Py_XDECREF(others);
    Py_XDECREF(all.procs);
    Py_XDECREF(image);
    return found;
}
