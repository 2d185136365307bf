/* The lines of new jobs, made of their attributes in one pass; records.py has the records that they are. */

#include "_logreader.h"

#define PUT(text, word) put_bytes((text), (word), sizeof(word) - 1)

typedef struct {
    const char *data;
    size_t size;
} Word;

/* An ASCII text of one line: 1, 0 for any other, -1 where it is no text at all. */
static int
one_line(PyObject *text, Word *out)
{
    if (!PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "attributes are pairs of texts");
        return -1;
    }
    if (!PyUnicode_IS_COMPACT_ASCII(text) || PyUnicode_GET_LENGTH(text) == 0)
        return 0;
    out->data = (const char *)PyUnicode_1BYTE_DATA(text);
    out->size = (size_t)PyUnicode_GET_LENGTH(text);
    return memchr(out->data, '\n', out->size) == NULL && memchr(out->data, '\0', out->size) == NULL;
}

static int
is_name(const Word *word)
{
    for (size_t i = 0; i < word->size; i++) {
        char c = folded(word->data[i]);

        if (!((c >= 'a' && c <= 'z') || c == '_' || (i > 0 && c >= '0' && c <= '9')))
            return 0;
    }
    return 1;
}

static int
is_word(const Word *word, PyObject *lower)
{
    const char *other = (const char *)PyUnicode_1BYTE_DATA(lower);

    if ((size_t)PyUnicode_GET_LENGTH(lower) != word->size)
        return 0;
    for (size_t i = 0; i < word->size; i++)
        if (folded(word->data[i]) != other[i])
            return 0;
    return 1;
}

static int
is_among(const Word *word, PyObject *names)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
        if (is_word(word, PyTuple_GET_ITEM(names, i)))
            return 1;
    return 0;
}

typedef struct {
    PyObject *hidden, *special;
    Word key, id, end; /* "7.", and what stands around the number of a proc in GlobalJobId */
    int status;
    Bytes made;
} Form;

static int
put_head(Form *form, const char *proc, size_t size, int status)
{
    Bytes *made = &form->made;
    char word[] = "1\n";

    word[0] = (char)('0' + status);
    return PUT(made, "101 ") < 0 || put_bytes(made, form->key.data, form->key.size) < 0 || put_bytes(made, proc, size) < 0
           || PUT(made, " Job Machine\n103 ") < 0 || put_bytes(made, form->key.data, form->key.size) < 0
           || put_bytes(made, proc, size) < 0 || PUT(made, " GlobalJobId ") < 0
           || put_bytes(made, form->id.data, form->id.size) < 0 || put_bytes(made, proc, size) < 0
           || put_bytes(made, form->end.data, form->end.size) < 0 || PUT(made, "\n103 ") < 0
           || put_bytes(made, form->key.data, form->key.size) < 0 || put_bytes(made, proc, size) < 0
           || PUT(made, " ProcId ") < 0 || put_bytes(made, proc, size) < 0 || PUT(made, "\n") < 0
           || (status != 1
               && (PUT(made, "103 ") < 0 || put_bytes(made, form->key.data, form->key.size) < 0
                   || put_bytes(made, proc, size) < 0 || PUT(made, " InitialJobStatus ") < 0
                   || put_bytes(made, word, 2) < 0))
               ? -1
               : 0;
}

static int
put_end(Form *form, const char *proc, size_t size, int status)
{
    Bytes *last = &form->made;
    char word[] = "1\n";

    word[0] = (char)('0' + status);
    return PUT(last, "104 ") < 0 || put_bytes(last, form->key.data, form->key.size) < 0 || put_bytes(last, proc, size) < 0
           || PUT(last, " JobPreparingTasks\n103 ") < 0 || put_bytes(last, form->key.data, form->key.size) < 0
           || put_bytes(last, proc, size) < 0 || PUT(last, " JobStatus ") < 0 || put_bytes(last, word, 2) < 0
               ? -1
               : 0;
}

/* The name and text of an attribute: 1, 0 for one that is not for us, -1. */
static int
pair_of(Form *form, PyObject *item, Word *name, Word *value)
{
    int good;

    if (!PyTuple_CheckExact(item) || PyTuple_GET_SIZE(item) != 2) {
        PyErr_SetString(PyExc_TypeError, "attributes are pairs of texts");
        return -1;
    }
    if ((good = one_line(PyTuple_GET_ITEM(item, 0), name)) == 1)
        good = one_line(PyTuple_GET_ITEM(item, 1), value);
    return good == 1 ? is_name(name) && !is_among(name, form->special) : good;
}

/* The JobStatus that a job begins with; 0 where one of its attributes is not for us, -1. */
static int
status_of(Form *form, PyObject *items, PyObject *jobstatus)
{
    int status = form->status, said = 0;

    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        Word name, value;
        int good = pair_of(form, PyList_GET_ITEM(items, i), &name, &value);

        if (good != 1)
            return good;
        if (!said && is_word(&name, jobstatus)) {
            said = 1; /* the first counts */
            status = value.size == 1 && value.data[0] == '5' ? 5 : 1;
        }
    }
    return status;
}

static int
put_job(Form *form, Py_ssize_t number, PyObject *items, PyObject *jobstatus)
{
    char proc[24];
    int size = snprintf(proc, sizeof proc, "%zd", number), status;

    if (!PyList_CheckExact(items))
        return 0;
    if ((status = status_of(form, items, jobstatus)) <= 0)
        return status;
    if (put_head(form, proc, (size_t)size, status) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        Word name, value;

        if (pair_of(form, PyList_GET_ITEM(items, i), &name, &value) < 0)
            return -1;
        if (is_among(&name, form->hidden))
            continue;
        if (PUT(&form->made, "103 ") < 0 || put_bytes(&form->made, form->key.data, form->key.size) < 0
            || put_bytes(&form->made, proc, (size_t)size) < 0 || PUT(&form->made, " ") < 0
            || put_bytes(&form->made, name.data, name.size) < 0 || PUT(&form->made, " ") < 0
            || put_bytes(&form->made, value.data, value.size) < 0 || PUT(&form->made, "\n") < 0)
            return -1;
    }
    return put_end(form, proc, (size_t)size, status) < 0 ? -1 : 1;
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
    "job_lines(key, first, jobs, status, id, end, hidden, special) -> bytes | None\n\n"
    "The lines that make jobs, given as lists of (name, text), whose keys are `key` and their number, counted from\n"
    "`first`; each ends with its status (`status`, where it does not say 5 or anything else). `id` and `end` stand around\n"
    "the number in GlobalJobId. Attributes whose lower-case names are `hidden` are left out; None where a job has one that\n"
    "is `special`, or that is no plain text.";

PyObject *
reader_job_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *jobs, *key, *id, *end, *jobstatus = PyUnicode_FromString("jobstatus"), *found = NULL;
    Py_ssize_t first;
    Form form;
    int good = 1;

    memset(&form, 0, sizeof form);
    if (jobstatus == NULL
        || !PyArg_ParseTuple(args, "UnO!iUUO!O!:job_lines", &key, &first, &PyList_Type, &jobs, &form.status, &id, &end,
                             &PyTuple_Type, &form.hidden, &PyTuple_Type, &form.special)
        || !are_words(form.hidden) || !are_words(form.special)) {
        Py_XDECREF(jobstatus);
        return NULL;
    }
    if (one_line(key, &form.key) != 1 || one_line(id, &form.id) != 1 || one_line(end, &form.end) != 1)
        good = 0;
    for (Py_ssize_t i = 0; good == 1 && i < PyList_GET_SIZE(jobs); i++)
        good = put_job(&form, first + i, PyList_GET_ITEM(jobs, i), jobstatus);
    if (good == 1)
        found = PyBytes_FromStringAndSize(form.made.data, (Py_ssize_t)form.made.size);
    else if (good == 0)
        found = Py_NewRef(Py_None);
    PyMem_Free(form.made.data);
    Py_DECREF(jobstatus);
    return found;
}
