/*
 * Questions about the jobs of many clusters at once, to a queue of which nothing was made: what each job says, or else its
 * cluster, as columns, and how many are in which state. What all are always asked for (JobStatus, JobUniverse, Owner, QDate,
 * TotalSubmitProcs, the numbers of a job, and what folds them into batches) is in the notes about them, and no line is read
 * for it.
 * condor_q of 100,000 clusters of one job each takes 0.4 s of CPU, where a question for each cluster took 4.4
 * (tests/bench/rows/queue.py).
 */

#include "_logimage.h"

/* ---- going through groups ------------------------------------------------------------------------------------------ */

/* What is done with the jobs of (cluster, procs), in their order; -1 with an exception ends it. `cluster` is NULL where it
   has no ad. */
typedef struct Visitor Visitor;
struct Visitor {
    Image *image;
    int (*begin)(Visitor *self, const Entry *cluster);
    int (*job)(Visitor *self, const Entry *job);
    int (*end)(Visitor *self, PyObject *group); /* NULL for none */
};

static const Entry *
cluster_of(const Image *image, uint64_t number, size_t *place)
{
    size_t low = 0, high = image->cluster_count;

    if (*place >= high || image->log.entries[image->clusters[*place]].cluster != number) {
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (image->log.entries[image->clusters[middle]].cluster < number)
                low = middle + 1;
            else
                high = middle;
        }
        *place = low;
    }
    if (*place >= image->cluster_count)
        return NULL;
    const Entry *found = &image->log.entries[image->clusters[*place]];
    if (found->cluster != number)
        return NULL;
    ++*place;
    return found;
}

/* Are these, in ascending order, all procs of the cluster whose first job is at `place`? Asked of ranges alone. */
static int
are_all(const Image *image, PyObject *procs, Py_ssize_t count, size_t place)
{
    size_t last = place + (size_t)count - 1;

    if (!PyRange_Check(procs) || last >= image->proc_count || proc_at(image, last)->cluster != proc_at(image, place)->cluster
        || (last + 1 < image->proc_count && proc_at(image, last + 1)->cluster == proc_at(image, last)->cluster))
        return 0;
    PyObject *first = PySequence_GetItem(procs, 0), *end = PySequence_GetItem(procs, count - 1);
    int all = first != NULL && end != NULL && PyLong_AsUnsignedLongLong(first) == proc_at(image, place)->proc
              && PyLong_AsUnsignedLongLong(end) == proc_at(image, last)->proc;
    Py_XDECREF(first);
    Py_XDECREF(end);
    PyErr_Clear(); /* a number that is none of a job */
    return all;
}

static int
visit_one_by_one(Visitor *visitor, unsigned long long cluster, PyObject *procs, size_t *place)
{
    PyObject *each = PyObject_GetIter(procs), *number;
    int failed = each == NULL;

    while (!failed && (number = PyIter_Next(each)) != NULL) {
        const Entry *job = job_entry(visitor->image, cluster, number, place);
        failed = job == NULL || visitor->job(visitor, job) < 0;
        Py_DECREF(number);
    }
    Py_XDECREF(each);
    return failed || PyErr_Occurred() ? -1 : 0;
}

static int
visit_jobs(Visitor *visitor, unsigned long long cluster, PyObject *procs, size_t *place)
{
    const Image *image = visitor->image;
    Py_ssize_t count = PyObject_Size(procs);

    if (count <= 0)
        return (int)count;
    if (*place >= image->proc_count || proc_at(image, *place)->cluster != cluster)
        *place = place_of(image, cluster, 0);
    if (*place >= image->proc_count || !are_all(image, procs, count, *place))
        return visit_one_by_one(visitor, cluster, procs, place);
    for (; count > 0; count--)
        if (visitor->job(visitor, proc_at(image, (*place)++)) < 0)
            return -1;
    return 0;
}

/* `place` and `cluster_place` are where the group is expected. */
static int
visit_group(Visitor *visitor, PyObject *group, size_t *place, size_t *cluster_place)
{
    unsigned long long cluster;
    PyObject *procs;

    if (!PyTuple_Check(group) || PyTuple_GET_SIZE(group) != 2) {
        PyErr_SetString(PyExc_TypeError, "a group is a tuple of two");
        return -1;
    }
    cluster = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(group, 0));
    procs = PyTuple_GET_ITEM(group, 1);
    if (PyErr_Occurred() || visitor->begin(visitor, cluster_of(visitor->image, cluster, cluster_place)) < 0
        || visit_jobs(visitor, cluster, procs, place) < 0)
        return -1;
    return visitor->end == NULL ? 0 : visitor->end(visitor, group);
}

static int
visit(Visitor *visitor, PyObject *groups)
{
    size_t place = 0, cluster_place = 0;

    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups); i++) {
        PyObject *group = Py_NewRef(PyList_GET_ITEM(groups, i));
        int failed = visit_group(visitor, group, &place, &cluster_place);
        Py_DECREF(group);
        if (failed)
            return -1;
    }
    return 0;
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

enum { STATUS, UNIVERSE, DATE, SUBMITTED, CLUSTER_ID, PROC_ID, OWNER, NOTES };
static const char *const noted_names[NOTES] = {"jobstatus", "jobuniverse", "qdate", "totalsubmitprocs", "clusterid",
                                               "procid", "owner"};

/* What is noted: a number (of a proc: one more) or the place of an owner; 0 for nothing, NONE where the lines tell. */
static uint32_t
note_in(const Entry *entry, int note)
{
    switch (note) {
    case CLUSTER_ID:
        return entry->cluster_id == 1 ? entry->cluster : entry->cluster_id == 0 ? 0 : NONE;
    case PROC_ID:
        return entry->proc_id == 1 && entry->kind == PROC ? entry->proc + 1 : entry->proc_id == 0 ? 0 : NONE;
    case DATE:
        return entry->date;
    case SUBMITTED:
        return entry->submitted;
    default: {
        uint8_t value = note == STATUS ? entry->status : note == UNIVERSE ? entry->universe : entry->owner;
        return value == ODD ? NONE : value;
    }
    }
}

typedef struct {
    Visitor visitor;
    Question clusters, jobs;    /* the same, apart: the latest answers of each are often the next, too */
    Py_ssize_t places[NOTES];   /* of the keys of which there are notes; -1 where they are not asked for */
    uint64_t bits, noted[NOTES]; /* of the other keys that are not rare; of these */
    uint8_t rare;                /* of rare keys */
    PyObject *common[MAX_KEYS]; /* what the cluster says, None for nothing */
    PyObject *owners[MOST_OWNERS];
    PyObject *texts[NOTES]; /* of the latest numbers */
    uint32_t numbers[NOTES];
    PyObject *held; /* what the latest answers point into */
} Columns;

static PyObject *
number_text(uint32_t number)
{
    char digits[10];
    int at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return PyUnicode_FromStringAndSize(digits + at, (Py_ssize_t)sizeof digits - at);
}

/* The text of a note that is a number or an owner: a new reference. */
static PyObject *
noted_text(Columns *self, int note, uint32_t value)
{
    const Log *log = &self->visitor.image->log;

    if (note != OWNER) {
        if (self->texts[note] == NULL || self->numbers[note] != value)
            Py_XSETREF(self->texts[note], number_text(note == PROC_ID ? value - 1 : value));
        self->numbers[note] = value;
        return Py_XNewRef(self->texts[note]);
    }
    if (self->owners[value - 1] == NULL) {
        const Word *word = &log->owners[value - 1];
        self->owners[value - 1] = text_of(log->keys + word->at, word->size);
    }
    return Py_XNewRef(self->owners[value - 1]);
}

/* Reads what an ad says, unless there are notes of all that it may say. Is there an answer from its lines? -1 with an
   exception. */
static int
read_lines(Columns *self, Question *q, const Entry *entry)
{
    uint64_t bits = self->bits;

    for (int note = 0; note < NOTES; note++)
        if (note_in(entry, note) == NONE)
            bits |= self->noted[note];
    if ((entry->names & bits) == 0 && (entry->rare & self->rare) == 0)
        return 0;
    return ask_entry(self->visitor.image, q, entry, &self->held) < 0 ? -1 : 1;
}

/* The answers of an ad, each a new reference; those of a job instead of what is in `answers`. */
static int
take_answers(Columns *self, Question *q, const Entry *entry, PyObject *const *instead, PyObject **answers)
{
    int from_lines = read_lines(self, q, entry);

    if (from_lines < 0)
        return -1;
    for (Py_ssize_t i = 0; i < q->count; i++) {
        if (from_lines && q->values[i] != NULL)
            answers[i] = answer(q, i);
        else if (from_lines && q->deleted[i])
            answers[i] = Py_NewRef(instead == NULL || instead[i] == Py_None ? Py_None : q->gone);
        else
            answers[i] = Py_NewRef(instead == NULL ? Py_None : instead[i]);
    }
    for (int note = 0; !from_lines && note < NOTES; note++) {
        uint32_t value = note_in(entry, note);
        if (self->places[note] >= 0 && value > 0 && value != NONE)
            Py_SETREF(answers[self->places[note]], noted_text(self, note, value));
    }
    int failed = 0;
    for (Py_ssize_t i = 0; i < q->count; i++)
        failed = failed || answers[i] == NULL;
    return failed ? -1 : 0;
}

static int
begin_cluster(Visitor *visitor, const Entry *cluster)
{
    Columns *self = (Columns *)visitor;

    for (Py_ssize_t i = 0; i < self->jobs.count; i++)
        Py_CLEAR(self->common[i]);
    if (cluster != NULL)
        return take_answers(self, &self->clusters, cluster, NULL, self->common);
    for (Py_ssize_t i = 0; i < self->jobs.count; i++)
        self->common[i] = Py_NewRef(Py_None);
    return 0;
}

static int
add_job(Visitor *visitor, const Entry *job)
{
    Columns *self = (Columns *)visitor;
    PyObject *answers[MAX_KEYS] = {NULL};
    int failed = take_answers(self, &self->jobs, job, self->common, answers);

    for (Py_ssize_t i = 0; i < self->jobs.count; i++) {
        failed = failed || PyList_Append(PyList_GET_ITEM(self->jobs.columns, i), answers[i]) < 0;
        Py_XDECREF(answers[i]);
    }
    return failed ? -1 : 0;
}

static void
find_notes(Columns *self)
{
    const Question *q = &self->jobs;

    for (int note = 0; note < NOTES; note++)
        self->places[note] = -1;
    for (Py_ssize_t i = 0; i < q->count; i++) {
        uint64_t bit = q->sizes[i] > 0 ? name_bit(q->keys[i], (size_t)q->sizes[i]) : 0;
        uint8_t rare = rare_name(q->keys[i], (size_t)q->sizes[i]);
        int note = 0;
        while (note < NOTES && strcmp(q->keys[i], noted_names[note]) != 0)
            note++;
        self->rare |= rare;
        if (note == NOTES)
            self->bits |= rare ? 0 : bit;
        else {
            self->places[note] = i;
            self->noted[note] = bit;
        }
    }
}

static void
end_columns(Columns *self)
{
    for (Py_ssize_t i = 0; i < MAX_KEYS; i++)
        Py_CLEAR(self->common[i]);
    for (int i = 0; i < MOST_OWNERS; i++)
        Py_CLEAR(self->owners[i]);
    for (int i = 0; i < NOTES; i++)
        Py_CLEAR(self->texts[i]);
    Py_CLEAR(self->held);
    end_question(&self->clusters);
    end_question(&self->jobs);
}

const char texts_doc[] =
    "texts(groups, keys) -> list[list[str | None]]\n\n"
    "For each of the different lower-case ASCII names in the tuple `keys`: what each job of the (cluster, procs) in the list\n"
    "says, or else its cluster; \"undefined\" for what a job hides of its cluster. Types of a 101 are not answered. KeyError\n"
    "for a job that is not there.";

/* Asks all jobs of the groups; -1 with an exception. end_columns is needed after it. */
static int
ask_groups(Columns *self, PyObject *groups, PyObject *names)
{
    PyObject *gone;
    int failed;

    if (sort_out(self->visitor.image) < 0 || (gone = PyUnicode_FromString("undefined")) == NULL)
        return -1;
    failed = begin_question(&self->clusters, names, gone) < 0 || begin_question(&self->jobs, names, gone) < 0;
    if (!failed) {
        find_notes(self);
        failed = visit(&self->visitor, groups) < 0;
    }
    Py_DECREF(gone);
    return failed ? -1 : 0;
}

PyObject *
image_texts(Image *image, PyObject *args)
{
    Columns self = {.visitor = {image, begin_cluster, add_job, NULL}};
    PyObject *groups, *names, *columns = NULL;

    if (!PyArg_ParseTuple(args, "O!O!:texts", &PyList_Type, &groups, &PyTuple_Type, &names))
        return NULL;
    if (ask_groups(&self, groups, names) == 0)
        columns = Py_NewRef(self.jobs.columns);
    end_columns(&self);
    return columns;
}

/* ---- those that say something -------------------------------------------------------------------------------------- */

typedef struct {
    Columns columns;
    PyObject *text, *procs, *found; /* wanted; those of this group; groups */
} Where;

static int
begin_where(Visitor *visitor, const Entry *cluster)
{
    Where *self = (Where *)visitor;

    Py_XSETREF(self->procs, PyList_New(0));
    return self->procs == NULL ? -1 : begin_cluster(visitor, cluster);
}

static int
add_fitting(Visitor *visitor, const Entry *job)
{
    Where *self = (Where *)visitor;
    PyObject *answers[MAX_KEYS] = {NULL}, *number;
    int failed = take_answers(&self->columns, &self->columns.jobs, job, self->columns.common, answers), fits;

    fits = !failed && PyUnicode_Check(answers[0]) && PyUnicode_Compare(answers[0], self->text) == 0;
    Py_XDECREF(answers[0]);
    if (failed || !fits)
        return failed;
    if ((number = PyLong_FromUnsignedLong(job->proc)) == NULL)
        return -1;
    failed = PyList_Append(self->procs, number);
    Py_DECREF(number);
    return failed;
}

/* A group of which all fit is the one that was given. */
static int
end_where(Visitor *visitor, PyObject *group)
{
    Where *self = (Where *)visitor;
    Py_ssize_t fitting = PyList_GET_SIZE(self->procs);

    if (fitting == 0)
        return 0;
    if (fitting == PyObject_Size(PyTuple_GET_ITEM(group, 1)))
        return PyList_Append(self->found, group);
    PyObject *some = PyTuple_Pack(2, PyTuple_GET_ITEM(group, 0), self->procs);
    int failed = some == NULL ? -1 : PyList_Append(self->found, some);
    Py_XDECREF(some);
    return failed;
}

const char where_doc[] =
    "where(groups, key, text) -> list[tuple[int, Sequence[int]]]\n\n"
    "Those of the jobs of the (cluster, procs) in the list that say exactly this of a lower-case ASCII name, or else whose\n"
    "clusters do.";

PyObject *
image_where(Image *image, PyObject *args)
{
    Where self = {.columns = {.visitor = {image, begin_where, add_fitting, end_where}}};
    PyObject *groups, *name, *names;

    if (!PyArg_ParseTuple(args, "O!UU:where", &PyList_Type, &groups, &name, &self.text)
        || (names = PyTuple_Pack(1, name)) == NULL)
        return NULL;
    if ((self.found = PyList_New(0)) != NULL && ask_groups(&self.columns, groups, names) < 0)
        Py_CLEAR(self.found);
    end_columns(&self.columns);
    Py_XDECREF(self.procs);
    Py_DECREF(names);
    return self.found;
}

/* ---- states -------------------------------------------------------------------------------------------------------- */

#define STATES 16

typedef struct {
    Visitor visitor;
    uint8_t status;               /* of the cluster */
    size_t counts[STATES];        /* of the jobs of this group */
    size_t before[STATES];        /* of the group before it */
    int odd;                      /* a job has no plain number */
    PyObject *latest, *found;     /* the answer about that group; all answers */
} States;

static int
begin_states(Visitor *visitor, const Entry *cluster)
{
    States *self = (States *)visitor;

    memset(self->counts, 0, sizeof self->counts);
    self->odd = 0;
    self->status = cluster == NULL ? 0 : cluster->status;
    return 0;
}

static int
count_state(Visitor *visitor, const Entry *job)
{
    States *self = (States *)visitor;
    uint8_t status = job->status ? job->status : self->status;

    if (status < STATES)
        self->counts[status]++;
    else
        self->odd = 1;
    return 0;
}

static PyObject *
as_dict(const size_t *counts)
{
    PyObject *states = PyDict_New();

    for (long status = 0; states != NULL && status < STATES; status++)
        if (counts[status] > 0) {
            PyObject *key = PyLong_FromLong(status), *value = PyLong_FromSize_t(counts[status]);
            if (key == NULL || value == NULL || PyDict_SetItem(states, key, value) < 0)
                Py_CLEAR(states);
            Py_XDECREF(key);
            Py_XDECREF(value);
        }
    return states;
}

static int
end_states(Visitor *visitor, PyObject *Py_UNUSED(group))
{
    States *self = (States *)visitor;

    if (self->odd)
        return PyList_Append(self->found, Py_None);
    if (self->latest == NULL || memcmp(self->counts, self->before, sizeof self->counts) != 0) {
        Py_XSETREF(self->latest, as_dict(self->counts));
        memcpy(self->before, self->counts, sizeof self->counts);
    }
    return self->latest == NULL ? -1 : PyList_Append(self->found, self->latest);
}

const char groups_states_doc[] =
    "groups_states(groups) -> list[dict[int, int] | None]\n\n"
    "How many jobs of each (cluster, procs) in the list have which JobStatus (0: none), of which neither they nor their\n"
    "cluster say anything but a plain number; None for others. Equal neighbours share one dictionary.";

PyObject *
image_groups_states(Image *image, PyObject *groups)
{
    States self = {.visitor = {image, begin_states, count_state, end_states}};

    if (!PyList_Check(groups))
        return PyErr_Format(PyExc_TypeError, "groups are a list");
    if (sort_out(image) < 0 || (self.found = PyList_New(0)) == NULL)
        return NULL;
    if (visit(&self.visitor, groups) < 0)
        Py_CLEAR(self.found);
    Py_XDECREF(self.latest);
    return self.found;
}

/* ---- kinds --------------------------------------------------------------------------------------------------------- */

typedef struct {
    Visitor visitor;
    uint8_t status, universe;
    size_t counts[STATES][STATES]; /* by universe and status */
    PyObject *others;
} Tally;

static int
begin_tally(Visitor *visitor, const Entry *cluster)
{
    Tally *self = (Tally *)visitor;

    self->status = cluster == NULL ? 0 : cluster->status;
    self->universe = cluster == NULL ? 0 : cluster->universe;
    return 0;
}

static int
count_kind(Visitor *visitor, const Entry *job)
{
    Tally *self = (Tally *)visitor;
    uint8_t status = job->status ? job->status : self->status, universe = job->universe ? job->universe : self->universe;

    if (status >= STATES || universe >= STATES) {
        PyObject *one = Py_BuildValue("(k[k])", (unsigned long)job->cluster, (unsigned long)job->proc);
        int failed = one == NULL || PyList_Append(self->others, one) < 0;
        Py_XDECREF(one);
        return failed ? -1 : 0;
    }
    self->counts[universe][status]++;
    return 0;
}

const char tally_doc[] =
    "tally(groups) -> tuple[list[tuple[int, int, int]], list[tuple[int, list[int]]]]\n\n"
    "JobUniverse and JobStatus (0: none) of the jobs of the (cluster, procs) in the list, with how many have them; and the\n"
    "jobs, one by one, of which either is no plain number.";

PyObject *
image_tally(Image *image, PyObject *groups)
{
    Tally self = {.visitor = {image, begin_tally, count_kind, NULL}};
    PyObject *kinds = NULL;

    if (!PyList_Check(groups))
        return PyErr_Format(PyExc_TypeError, "groups are a list");
    if (sort_out(image) < 0 || (self.others = PyList_New(0)) == NULL)
        return NULL;
    if (visit(&self.visitor, groups) == 0)
        kinds = PyList_New(0);
    for (int universe = 0; kinds != NULL && universe < STATES; universe++)
        for (int status = 0; kinds != NULL && status < STATES; status++) {
            size_t count = self.counts[universe][status];
            PyObject *kind = count == 0 ? NULL : Py_BuildValue("(iin)", universe, status, (Py_ssize_t)count);
            if (count > 0 && (kind == NULL || PyList_Append(kinds, kind) < 0))
                Py_CLEAR(kinds);
            Py_XDECREF(kind);
        }
    if (kinds == NULL) {
        Py_DECREF(self.others);
        return NULL;
    }
    return Py_BuildValue("(NN)", kinds, self.others);
}

/* ---- whether anything is said -------------------------------------------------------------------------------------- */

const char may_say_doc[] =
    "may_say(keys) -> bool\n\n"
    "Whether any job or cluster may say any of the lower-case ASCII names in the tuple, looking at no line.";

PyObject *
image_may_say(Image *image, PyObject *names)
{
    uint64_t bits = 0;
    uint8_t rare = 0;

    if (!PyTuple_Check(names))
        return PyErr_Format(PyExc_TypeError, "names are a tuple");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        Py_ssize_t size;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &size);
        if (name == NULL)
            return NULL;
        uint8_t one = rare_name(name, (size_t)size);
        rare |= one;
        bits |= one || size == 0 ? 0 : name_bit(name, (size_t)size);
    }
    for (size_t i = 0; i < image->log.entry_count; i++) {
        const Entry *entry = &image->log.entries[i];
        if ((entry->kind == PROC || entry->kind == CLUSTER) && ((entry->names & bits) || (entry->rare & rare)))
            Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}
