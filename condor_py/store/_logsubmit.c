/* The lines of new jobs, made of their attributes in one pass; records.py has the records that they are.
   32 times as fast as records (tests/bench/bench_compiled.py): condor_submit of many jobs. */

#include "_logsheet.h"

#define PUT(to, word) put_bytes((to), (word), sizeof(word) - 1)

/* The lines before and behind the attributes of a job, by the status that it says: none, 1, 5. Zeros in them are where its
   number goes. */
enum { NO_STATUS, IDLE, HELD, STATES };

typedef struct {
    PyObject *hidden, *special, *before[STATES], *behind[STATES];
    const char *key; /* "7." */
    size_t key_size;
    Bytes made;
} Making;

static int
put_form(Bytes *made, PyObject *form, const char *number, size_t size)
{
    const char *p = PyBytes_AS_STRING(form), *end = p + PyBytes_GET_SIZE(form), *zero;

    for (; (zero = find(p, end, '\0')) != NULL; p = zero + 1)
        if (put_bytes(made, p, (size_t)(zero - p)) < 0 || put_bytes(made, number, size) < 0)
            return -1;
    return put_bytes(made, p, (size_t)(end - p));
}

/* Is the name among those of a tuple of lower-case ASCII names? */
static int
is_among(const Said *said, PyObject *names)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);

        if ((size_t)PyUnicode_GET_LENGTH(name) == said->name_size
            && same_folded(said->name, (const char *)PyUnicode_1BYTE_DATA(name), said->name_size))
            return 1;
    }
    return 0;
}

/* The name and text of an attribute: 1, 0 for one that is not for us, -1 for what is none. */
static int
pair_of(const Making *how, PyObject *item, Said *said)
{
    if (!PyTuple_CheckExact(item) || PyTuple_GET_SIZE(item) != 2 || !PyUnicode_CheckExact(PyTuple_GET_ITEM(item, 0))
        || !PyUnicode_CheckExact(PyTuple_GET_ITEM(item, 1))) {
        PyErr_SetString(PyExc_TypeError, "attributes are pairs of texts");
        return -1;
    }
    return plain_text(PyTuple_GET_ITEM(item, 0), &said->name, &said->name_size)
           && plain_text(PyTuple_GET_ITEM(item, 1), &said->value, &said->value_size)
           && is_plain_name(said->name, said->name_size) && !is_among(said, how->special);
}

/* 1, 0 where one of the attributes is not for us, -1. `state` is what the first JobStatus among them says. */
static int
check_job(const Making *how, PyObject *items, int *state)
{
    static const char jobstatus[] = "jobstatus";
    int good = 1;

    *state = NO_STATUS;
    for (Py_ssize_t i = 0; good == 1 && i < PyList_GET_SIZE(items); i++) {
        Said said;

        good = pair_of(how, PyList_GET_ITEM(items, i), &said);
        if (good == 1 && *state == NO_STATUS && said.name_size == sizeof jobstatus - 1
            && same_folded(said.name, jobstatus, said.name_size))
            *state = said.value_size == 1 && said.value[0] == '5' ? HELD : IDLE;
    }
    return good;
}

static int
put_attribute(Making *how, const Said *said, const char *number, size_t size)
{
    Bytes *made = &how->made;

    return PUT(made, "103 ") < 0 || put_bytes(made, how->key, how->key_size) < 0 || put_bytes(made, number, size) < 0
                   || PUT(made, " ") < 0 || put_bytes(made, said->name, said->name_size) < 0 || PUT(made, " ") < 0
                   || put_bytes(made, said->value, said->value_size) < 0 || PUT(made, "\n") < 0
               ? -1
               : 0;
}

static int
put_job(Making *how, Py_ssize_t proc, PyObject *items)
{
    char number[24];
    size_t size = (size_t)snprintf(number, sizeof number, "%zd", proc);
    int state, good;

    if (!PyList_CheckExact(items))
        return 0;
    if ((good = check_job(how, items, &state)) != 1)
        return good;
    if (put_form(&how->made, how->before[state], number, size) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        Said said;

        if (pair_of(how, PyList_GET_ITEM(items, i), &said) < 0
            || (!is_among(&said, how->hidden) && put_attribute(how, &said, number, size) < 0))
            return -1;
    }
    return put_form(&how->made, how->behind[state], number, size) < 0 ? -1 : 1;
}

static int
are_words(PyObject *names)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(names, i)) || !PyUnicode_IS_COMPACT_ASCII(PyTuple_GET_ITEM(names, i))) {
            PyErr_SetString(PyExc_TypeError, "names are ASCII texts");
            return 0;
        }
    return 1;
}

const char job_lines_doc[] =
    "job_lines(key, first, jobs, forms, hidden, special) -> bytes | None\n\n"
    "The lines that make jobs, given as lists of (name, text), whose keys are `key` and their number, counted from\n"
    "`first`. `forms` are the lines before and behind the attributes of a job that says no JobStatus, of one that says 5,\n"
    "and of one that says anything else; zeros in them are where the number goes. Attributes whose lower-case names are\n"
    "`hidden` are left out; None where a job has one that is `special`, or that is no plain text.";

PyObject *
reader_job_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *jobs, *key, *found = NULL;
    Py_ssize_t first;
    Making how;
    int good = 1;

    memset(&how, 0, sizeof how);
    if (!PyArg_ParseTuple(args, "UnO!((SS)(SS)(SS))O!O!:job_lines", &key, &first, &PyList_Type, &jobs,
                          &how.before[NO_STATUS], &how.behind[NO_STATUS], &how.before[HELD], &how.behind[HELD],
                          &how.before[IDLE], &how.behind[IDLE], &PyTuple_Type, &how.hidden, &PyTuple_Type, &how.special)
        || !are_words(how.hidden) || !are_words(how.special))
        return NULL;
    good = plain_text(key, &how.key, &how.key_size);
    for (Py_ssize_t i = 0; good == 1 && i < PyList_GET_SIZE(jobs); i++)
        good = put_job(&how, first + i, PyList_GET_ITEM(jobs, i));
    if (good == 1)
        found = PyBytes_FromStringAndSize(how.made.data, (Py_ssize_t)how.made.size);
    else if (good == 0)
        found = Py_NewRef(Py_None);
    PyMem_Free(how.made.data);
    return found;
}
