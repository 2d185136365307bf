/*
 * Reading a ClassAd log into ads, and attributes out of lines. Python keeps naming, errors and files; logreader_py.py has
 * the twin of every function. Which lines count, _logscan.c says.
 */

#include "_logscan.h"

#include <structmember.h>

#define NAME_SLOTS 4096    /* direct-mapped caches: names, and bindings of a name to a value */
#define BINDING_SLOTS 131072
#define MAX_CACHED_VALUE 4096

typedef struct {
    PyObject *name, *key;
} Name;

typedef struct {
    PyObject *name, *raw, *binding;
} Shared;

enum { F_NAME, F_KEY, F_RAW, F_VALUE, F_TEXT, F_NODE, FIELDS };
static const char *const field_names[FIELDS] = {"name", "key", "raw", "value", "_text", "_node"};

/* What setup() was told, and the caches. One interpreter, one process: module-wide. */
static PyTypeObject *binding_type, *lazy_type;
static Py_ssize_t field[FIELDS], parent_slot, lines_slot;
static PyObject *bind_function, *lower_function;
static Name names[NAME_SLOTS];
static Shared bindings[BINDING_SLOTS];

static inline int
is_ascii(const char *p, size_t n)
{
    unsigned char all = 0;

    for (size_t i = 0; i < n; i++)
        all |= (unsigned char)p[i];
    return all < 128;
}

static PyObject *
text_of(const char *p, size_t n)
{
    return PyUnicode_DecodeUTF8(p, (Py_ssize_t)n, "surrogateescape");
}

/* ASCII text equal to n bytes at p? */
static inline int
same(PyObject *text, const char *p, size_t n)
{
    return (size_t)PyUnicode_GET_LENGTH(text) == n && memcmp(PyUnicode_1BYTE_DATA(text), p, n) == 0;
}

/* ---- names and bindings ---------------------------------------------------------------------------------------- */

/* The name at p with its lower-case key, as new references. */
static int
name_of(const char *p, size_t n, Name *out)
{
    Name *slot = &names[mix(n, p, n) % NAME_SLOTS];
    int ascii;

    if (slot->name != NULL && same(slot->name, p, n)) {
        out->name = Py_NewRef(slot->name);
        out->key = Py_NewRef(slot->key);
        return 0;
    }
    ascii = is_ascii(p, n);
    if ((out->name = text_of(p, n)) == NULL)
        return -1;
    PyUnicode_InternInPlace(&out->name);
    if ((out->key = PyObject_CallOneArg(lower_function, out->name)) == NULL) {
        Py_DECREF(out->name);
        return -1;
    }
    if (ascii) {
        Py_XSETREF(slot->name, Py_NewRef(out->name));
        Py_XSETREF(slot->key, Py_NewRef(out->key));
    }
    return 0;
}

/* The value of a canonical literal (simple string, small integer); NULL without exception for anything else. */
static PyObject *
literal(const char *p, size_t n)
{
    size_t i = 0;
    int64_t number = 0;

    if (p[0] == '"') {
        if (n < 2 || p[n - 1] != '"' || memchr(p + 1, '"', n - 2) != NULL || (n > 2 && p[n - 2] == '\\'))
            return NULL;
        return text_of(p + 1, n - 2);
    }
    if (p[0] == '-')
        i = 1;
    if (i == n || n - i > MAX_DIGITS || (p[i] == '0' && (n - i > 1 || i == 1)))
        return NULL;
    for (; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return NULL;
        number = number * 10 + (p[i] - '0');
    }
    return PyLong_FromLongLong(p[0] == '-' ? -number : number);
}

static inline PyObject **
slot_of(PyObject *binding, int which)
{
    return (PyObject **)((char *)binding + field[which]);
}

/* A new binding as Binding(name, raw) makes it. */
static PyObject *
new_binding(const Name *name, PyObject *raw, const char *p, size_t n)
{
    PyObject *value = literal(p, n), *binding;

    if (value == NULL) {
        if (PyErr_Occurred())
            return NULL;
        return PyObject_CallFunctionObjArgs(bind_function, name->name, raw, NULL);
    }
    if ((binding = binding_type->tp_alloc(binding_type, 0)) == NULL) {
        Py_DECREF(value);
        return NULL;
    }
    *slot_of(binding, F_NAME) = Py_NewRef(name->name);
    *slot_of(binding, F_KEY) = Py_NewRef(name->key);
    *slot_of(binding, F_RAW) = Py_NewRef(raw);
    *slot_of(binding, F_VALUE) = value;
    *slot_of(binding, F_TEXT) = Py_NewRef(raw);
    *slot_of(binding, F_NODE) = Py_NewRef(Py_None);
    /* Text and number cannot be part of a cycle; a million of them would keep the collector busy for nothing. */
    PyObject_GC_UnTrack(binding);
    return binding;
}

/* The binding of a name to the text at p, shared where it was lately asked for: a new reference. */
static PyObject *
binding_of(const Name *name, const char *p, size_t n)
{
    Shared *slot = NULL;
    PyObject *raw, *binding;

    if (n <= MAX_CACHED_VALUE) {
        slot = &bindings[mix((uintptr_t)name->name, p, n) % BINDING_SLOTS];
        if (slot->name == name->name && same(slot->raw, p, n))
            return Py_NewRef(slot->binding);
    }
    if ((raw = text_of(p, n)) == NULL)
        return NULL;
    binding = new_binding(name, raw, p, n);
    if (binding != NULL && slot != NULL && PyUnicode_IS_ASCII(raw)) {
        Py_XSETREF(slot->name, Py_NewRef(name->name));
        Py_XSETREF(slot->raw, Py_NewRef(raw));
        Py_XSETREF(slot->binding, Py_NewRef(binding));
    }
    Py_DECREF(raw);
    return binding;
}

/* attrs[key] = the binding; the spelling of the first name stays. */
static int
put(PyObject *attrs, const Name *name, const char *p, size_t n)
{
    PyObject *binding = binding_of(name, p, n), *before, *first, *raw;
    int failed;

    if (binding == NULL)
        return -1;
    before = PyDict_SetDefault(attrs, name->key, binding);
    if (before == NULL || before == binding) {
        Py_DECREF(binding);
        return before == NULL ? -1 : 0;
    }
    if ((first = PyObject_GetAttrString(before, "name")) == NULL) {
        Py_DECREF(binding);
        return -1;
    }
    if (first != name->name && PyUnicode_Compare(first, name->name) != 0) {
        Py_DECREF(binding);
        raw = text_of(p, n);
        binding = raw == NULL ? NULL : PyObject_CallFunctionObjArgs(bind_function, first, raw, NULL);
        Py_XDECREF(raw);
    }
    Py_DECREF(first);
    if (binding == NULL)
        return -1;
    failed = PyDict_SetItem(attrs, name->key, binding);
    Py_DECREF(binding);
    return failed;
}

/* ---- the lines of one ad --------------------------------------------------------------------------------------- */

typedef struct {
    int set;
    const char *name, *name_end, *value, *value_end;
} Line;

/* Takes the next line of *at (an ad's own 103 and 104 lines, all with one key): 1 taken, 0 at the end, -1 malformed. */
static int
next_line(const char **at, const char *end, Line *line)
{
    const char *p = *at, *nl, *sp;

    if (p >= end)
        return 0;
    nl = find(p, end, '\n');
    sp = nl == NULL || nl - p < 6 ? NULL : find(p + 4, nl, ' ');
    if (sp == NULL)
        return -1;
    *at = nl + 1;
    line->set = p[2] == '3';
    line->name = sp + 1;
    line->name_end = line->value = line->value_end = nl;
    if (!line->set)
        return 1;
    sp = find(line->name, nl, ' ');
    if (sp == NULL || sp + 1 >= nl)
        return -1;
    line->name_end = sp;
    line->value = sp + 1;
    return 1;
}

static PyObject *
malformed(void)
{
    PyErr_SetString(PyExc_ValueError, "not the lines of an ad");
    return NULL;
}

static int
fill_from(PyObject *attrs, const char *p, const char *end)
{
    Line line;
    Name name;
    int more, failed = 0;

    while (!failed && (more = next_line(&p, end, &line)) != 0) {
        if (more < 0) {
            malformed();
            return -1;
        }
        if (name_of(line.name, (size_t)(line.name_end - line.name), &name) < 0)
            return -1;
        if (line.set)
            failed = put(attrs, &name, line.value, (size_t)(line.value_end - line.value));
        else if (PyDict_Contains(attrs, name.key) > 0)
            failed = PyDict_DelItem(attrs, name.key);
        Py_DECREF(name.name);
        Py_DECREF(name.key);
    }
    return failed;
}

static int
is_ready(void)
{
    if (binding_type == NULL)
        PyErr_SetString(PyExc_RuntimeError, "setup was not called");
    return binding_type != NULL;
}

PyDoc_STRVAR(fill_doc,
"fill(attrs, lines) -> None\n\nApplies an ad's own 103 and 104 lines to its attributes. ValueError for other bytes.");

static PyObject *
reader_fill(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *attrs, *lines;
    const char *p;

    if (!PyArg_ParseTuple(args, "O!S:fill", &PyDict_Type, &attrs, &lines) || !is_ready())
        return NULL;
    p = PyBytes_AS_STRING(lines);
    if (fill_from(attrs, p, p + PyBytes_GET_SIZE(lines)) < 0)
        return NULL;
    if (PyObject_GC_IsTracked(attrs))
        PyObject_GC_UnTrack(attrs); /* the next insertion of anything that needs it tracks it again */
    Py_RETURN_NONE;
}

static inline char
folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static int
same_name(const Line *line, const char *key, Py_ssize_t n)
{
    if (line->name_end - line->name != n)
        return 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (folded(line->name[i]) != key[i])
            return 0;
    return 1;
}

/* ---- some attributes of many ads ------------------------------------------------------------------------------ */

#define MAX_KEYS 64

/* What is asked: lower-case ASCII names, and the latest answer for one ad (borrowed from its lines). */
typedef struct {
    Py_ssize_t count;
    PyObject *names[MAX_KEYS];
    const char *keys[MAX_KEYS];
    Py_ssize_t sizes[MAX_KEYS];
    const char *values[MAX_KEYS], *ends[MAX_KEYS];
    char deleted[MAX_KEYS]; /* the last line deletes it */
    PyObject *gone;         /* what is told then */
} Question;

/* What lines say last. */
static int
ask_lines(Question *q, PyObject *lines)
{
    const char *p, *end;
    Line line;
    int more;

    memset(q->values, 0, (size_t)q->count * sizeof *q->values);
    memset(q->deleted, 0, (size_t)q->count);
    if (lines == NULL || !PyBytes_Check(lines)) {
        malformed();
        return -1;
    }
    p = PyBytes_AS_STRING(lines);
    end = p + PyBytes_GET_SIZE(lines);
    while ((more = next_line(&p, end, &line)) > 0)
        for (Py_ssize_t i = 0; i < q->count; i++)
            if (same_name(&line, q->keys[i], q->sizes[i])) {
                q->values[i] = line.set ? line.value : NULL;
                q->deleted[i] = !line.set;
                q->ends[i] = line.value_end;
                break;
            }
    if (more < 0)
        malformed();
    return more;
}

/* What an ad that was read says: a new reference, None for nothing. */
static PyObject *
ask_attrs(PyObject *attrs, PyObject *name)
{
    PyObject *binding = PyDict_GetItemWithError(attrs, name), *raw;

    if (binding == NULL)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    Py_INCREF(binding);
    raw = PyObject_GetAttrString(binding, "raw");
    if (raw == Py_None)
        Py_SETREF(raw, PyObject_GetAttrString(binding, "text"));
    Py_DECREF(binding);
    return raw;
}

static int
ask_ad(Question *q, PyObject *ad, PyObject *columns)
{
    int lazy = Py_TYPE(ad) == lazy_type, failed = 0;
    PyObject *attrs = NULL, *text;

    if (lazy) {
        if (ask_lines(q, *(PyObject **)((char *)ad + lines_slot)) < 0)
            return -1;
    }
    else if ((attrs = PyObject_GetAttrString(ad, "attrs")) == NULL || !PyDict_Check(attrs)) {
        Py_XDECREF(attrs);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "not an ad");
        return -1;
    }
    for (Py_ssize_t i = 0; i < q->count && !failed; i++) {
        if (!lazy)
            text = ask_attrs(attrs, q->names[i]);
        else if (q->values[i] == NULL)
            text = Py_NewRef(q->deleted[i] ? q->gone : Py_None);
        else
            text = text_of(q->values[i], (size_t)(q->ends[i] - q->values[i]));
        failed = text == NULL ? -1 : PyList_Append(PyList_GET_ITEM(columns, i), text);
        Py_XDECREF(text);
    }
    Py_XDECREF(attrs);
    return failed;
}

static int
take_question(Question *q, PyObject *names)
{
    q->count = PyTuple_GET_SIZE(names);
    if (q->count > MAX_KEYS) {
        PyErr_Format(PyExc_ValueError, "at most %d names", MAX_KEYS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < q->count; i++) {
        q->names[i] = PyTuple_GET_ITEM(names, i);
        if (!PyUnicode_Check(q->names[i])) {
            PyErr_SetString(PyExc_TypeError, "names are strings");
            return -1;
        }
        if ((q->keys[i] = PyUnicode_AsUTF8AndSize(q->names[i], &q->sizes[i])) == NULL)
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(own_texts_doc,
"own_texts(ads, keys, gone) -> list[list[str | None]]\n\n"
"For each of the different lower-case ASCII names in the tuple `keys`: what each ad itself, not its parent, says.\n"
"Nothing is made of an ad's lines; `gone` is told of what they delete.");

static PyObject *
reader_own_texts(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *ads, *names, *columns;
    Question question;

    if (!PyArg_ParseTuple(args, "O!O!O:own_texts", &PyList_Type, &ads, &PyTuple_Type, &names, &question.gone)
        || !is_ready() || take_question(&question, names) < 0 || (columns = PyList_New(question.count)) == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < question.count; i++) {
        PyObject *column = PyList_New(0);

        if (column == NULL) {
            Py_DECREF(columns);
            return NULL;
        }
        PyList_SET_ITEM(columns, i, column);
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ads); i++) {
        PyObject *ad = Py_NewRef(PyList_GET_ITEM(ads, i));
        int failed = ask_ad(&question, ad, columns);

        Py_DECREF(ad);
        if (failed) {
            Py_DECREF(columns);
            return NULL;
        }
    }
    return columns;
}

/* ---- a whole log ------------------------------------------------------------------------------------------------ */

static PyObject *
lines_of(const Log *log, const Entry *entry)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)entry->bytes);
    char *to;

    if (bytes == NULL)
        return NULL;
    to = PyBytes_AS_STRING(bytes);
    for (int64_t i = entry->first; i >= 0; i = log->runs[i].next) {
        size_t size = (size_t)(log->runs[i].end - log->runs[i].start);
        memcpy(to, log->runs[i].start, size);
        to += size;
    }
    return bytes;
}

typedef struct {
    PyObject *ads, *procs, *others, *of_cluster;
    long long cluster;
} Image;

/* A job's ad that still is its lines. */
static PyObject *
lazy_ad(PyObject *lines)
{
    PyObject *ad = lazy_type->tp_alloc(lazy_type, 0);

    if (ad != NULL) {
        *(PyObject **)((char *)ad + lines_slot) = Py_NewRef(lines);
        *(PyObject **)((char *)ad + parent_slot) = Py_NewRef(Py_None);
    }
    return ad;
}

static int
add_proc(Image *image, PyObject *key, PyObject *lines, long long cluster, long long proc)
{
    PyObject *ad = lazy_ad(lines), *number;
    int failed = -1;

    if (ad == NULL)
        return -1;
    if (image->of_cluster == NULL || image->cluster != cluster) {
        number = PyLong_FromLongLong(cluster);
        PyObject *fresh = number == NULL ? NULL : PyDict_GetItemWithError(image->procs, number);
        if (number != NULL && fresh == NULL && !PyErr_Occurred()) {
            fresh = PyDict_New();
            if (fresh != NULL && PyDict_SetItem(image->procs, number, fresh) < 0)
                Py_CLEAR(fresh);
            Py_XDECREF(fresh); /* the outer dictionary keeps it */
        }
        Py_XDECREF(number);
        image->of_cluster = fresh;
        image->cluster = cluster;
    }
    number = image->of_cluster == NULL ? NULL : PyLong_FromLongLong(proc);
    if (number != NULL && PyDict_SetItem(image->of_cluster, number, ad) == 0)
        failed = PyDict_SetItem(image->ads, key, ad);
    Py_XDECREF(number);
    Py_DECREF(ad);
    return failed;
}

static int
add_other(Image *image, PyObject *key, PyObject *lines, const Entry *entry)
{
    const char *sp = find(entry->types, entry->types_end, ' ');
    PyObject *item;
    int failed;

    if (sp == NULL || PyDict_SetItem(image->ads, key, Py_None) < 0)
        return -1;
    item = Py_BuildValue("(ONNO)", key, text_of(entry->types, (size_t)(sp - entry->types)),
                         text_of(sp + 1, (size_t)(entry->types_end - sp - 1)), lines);
    if (item == NULL)
        return -1;
    failed = PyList_Append(image->others, item);
    Py_DECREF(item);
    return failed;
}

static int
add_entries(const Log *log, Image *image, int want_procs)
{
    for (size_t i = 0; i < log->entry_count; i++) {
        const Entry *entry = &log->entries[i];
        PyObject *key, *lines;
        long long cluster = 0, proc = 0;
        int failed = -1;

        if (!entry->alive)
            continue;
        key = text_of(entry->key, entry->key_size);
        lines = lines_of(log, entry);
        if (key != NULL && lines != NULL) {
            if (want_procs && log_is_proc(entry, &cluster, &proc))
                failed = add_proc(image, key, lines, cluster, proc);
            else
                failed = add_other(image, key, lines, entry);
        }
        Py_XDECREF(key);
        Py_XDECREF(lines);
        if (failed)
            return -1;
    }
    return 0;
}

static PyObject *
image_of(const Log *log, Py_ssize_t size, int want_procs)
{
    Image image = {PyDict_New(), PyDict_New(), PyList_New(0), NULL, 0};
    const char *counts = log->begin != NULL ? log->begin : log->end;
    int tail = log->begin != NULL ? OPEN : counts - log->data == size ? COMPLETE : TORN;
    PyObject *result = NULL;

    if (image.ads != NULL && image.procs != NULL && image.others != NULL
        && add_entries(log, &image, want_procs) == 0)
        result = Py_BuildValue("(OOOniLL)", image.ads, image.procs, image.others, (Py_ssize_t)(counts - log->data),
                               tail, log->sequence, log->birthdate);
    Py_XDECREF(image.ads);
    Py_XDECREF(image.procs);
    Py_XDECREF(image.others);
    return result;
}

PyDoc_STRVAR(load_doc,
"load(data, jobs) -> (ads, procs, others, length, tail, sequence, birthdate) | None\n\n"
"The ads that a whole log leads to; `jobs` says whether keys like 7.0 are jobs. None for a log with anything unusual.");

static PyObject *
reader_load(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *result;
    int want_procs;
    Log log = {.sequence = -1, .birthdate = -1};
    int state;

    if (!PyArg_ParseTuple(args, "Sp:load", &data, &want_procs) || !is_ready())
        return NULL;
    log.data = PyBytes_AS_STRING(data);
    log.end = log.data + PyBytes_GET_SIZE(data);
    Py_BEGIN_ALLOW_THREADS
    state = log_read(&log);
    Py_END_ALLOW_THREADS
    if (state == NO_MEMORY)
        result = PyErr_NoMemory();
    else if (state == STRANGE)
        result = Py_NewRef(Py_None);
    else
        result = image_of(&log, PyBytes_GET_SIZE(data), want_procs);
    log_forget(&log);
    return result;
}

PyDoc_STRVAR(setup_doc,
"setup(Binding, LazyAd, bind, lower) -> None\n\nThe classes of attributes and unread ads, and helpers. TypeError when "
"they look unknown.");

/* The offset of a slot of a Python class; -1 and TypeError when there is no such slot. */
static Py_ssize_t
slot_at(PyTypeObject *type, const char *name)
{
    PyObject *member = PyDict_GetItemString(type->tp_dict, name);

    if (member == NULL || Py_TYPE(member) != &PyMemberDescr_Type
        || ((PyMemberDescrObject *)member)->d_member->type != T_OBJECT_EX) {
        PyErr_Format(PyExc_TypeError, "%s is not laid out as expected", type->tp_name);
        return -1;
    }
    return ((PyMemberDescrObject *)member)->d_member->offset;
}

static PyObject *
reader_setup(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyTypeObject *type, *lazy, *record;
    PyObject *bind, *lower, *slots;

    if (!PyArg_ParseTuple(args, "O!O!OO:setup", &PyType_Type, &type, &PyType_Type, &lazy, &bind, &lower))
        return NULL;
    slots = PyDict_GetItemString(type->tp_dict, "__slots__");
    record = lazy->tp_base != NULL ? lazy->tp_base->tp_base : NULL; /* LazyAd, ClassAd, Record */
    if (slots == NULL || PyObject_Size(slots) != FIELDS || record == NULL)
        return PyErr_Format(PyExc_TypeError, "%s is not laid out as expected", type->tp_name);
    for (int i = 0; i < FIELDS; i++)
        if ((field[i] = slot_at(type, field_names[i])) < 0)
            return NULL;
    if ((parent_slot = slot_at(record, "parent")) < 0
        || (lines_slot = slot_at(record, "scope")) < 0)
        return NULL;
    Py_XSETREF(bind_function, Py_NewRef(bind));
    Py_XSETREF(lower_function, Py_NewRef(lower));
    Py_XSETREF(lazy_type, (PyTypeObject *)Py_NewRef((PyObject *)lazy));
    Py_XSETREF(binding_type, (PyTypeObject *)Py_NewRef((PyObject *)type));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", reader_setup, METH_VARARGS, setup_doc},
    {"load", reader_load, METH_VARARGS, load_doc},
    {"fill", reader_fill, METH_VARARGS, fill_doc},
    {"own_texts", reader_own_texts, METH_VARARGS, own_texts_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "condor_py.store._logreader", "Reading a ClassAd log.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__logreader(void)
{
    return PyModule_Create(&module);
}
