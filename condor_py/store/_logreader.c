/*
 * Reading a ClassAd log into ads, and attributes out of lines. Python keeps naming, errors and files; logreader_py.py has
 * the twin of every function. Which lines count, _logscan.c says; _logimage.c is a whole queue, _logask.c some attributes of
 * many ads.
 */

#include "_logreader.h"

#include <structmember.h>

#define NAME_SLOTS 4096    /* direct-mapped caches: names, and bindings of a name to a value */
#define BINDING_SLOTS 16384
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
static PyTypeObject *binding_type, *stored_type;
static Py_ssize_t field[FIELDS], parent_slot, scope_slot, lines_slot;
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

/* A simple string? */
static int
is_string(const char *p, size_t n)
{
    return n >= 2 && p[0] == '"' && p[n - 1] == '"' && memchr(p + 1, '"', n - 2) == NULL && (n == 2 || p[n - 2] != '\\');
}

int
is_integer(const char *p, size_t n)
{
    size_t i = n > 0 && p[0] == '-';

    if (i == n || n - i > MAX_DIGITS || (p[i] == '0' && (n - i > 1 || i == 1)))
        return 0;
    for (; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return 0;
    return 1;
}

int
is_literal(const char *value, size_t n)
{
    return is_string(value, n) || is_integer(value, n);
}

/* The value of a canonical literal (simple string, small integer); NULL without exception for anything else. */
static PyObject *
literal(const char *p, size_t n)
{
    int64_t number = 0;

    if (is_string(p, n))
        return text_of(p + 1, n - 2);
    if (!is_integer(p, n))
        return NULL;
    for (size_t i = p[0] == '-'; i < n; i++)
        number = number * 10 + (p[i] - '0');
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

PyObject *
text_of_value(const char *name, size_t name_size, const char *value, size_t n)
{
    Name known;
    PyObject *binding, *text;

    if (name_of(name, name_size, &known) < 0)
        return NULL;
    binding = binding_of(&known, value, n);
    Py_DECREF(known.name);
    Py_DECREF(known.key);
    if (binding == NULL)
        return NULL;
    text = PyObject_GetAttrString(binding, "text");
    Py_DECREF(binding);
    return text;
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

PyObject *
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

int
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

/* ---- attributes to lines ------------------------------------------------------------------------------------------- */

static int
fits_a_line(PyObject *text)
{
    return text != NULL && PyUnicode_Check(text) && PyUnicode_IS_ASCII(text) && PyUnicode_GET_LENGTH(text) > 0
           && memchr(PyUnicode_1BYTE_DATA(text), '\n', (size_t)PyUnicode_GET_LENGTH(text)) == NULL;
}

/* Bytes of the line of a binding; 0 for one whose text is still to be made, or fits no line. */
static size_t
line_size(PyObject *binding)
{
    PyObject *name, *raw;

    if (Py_TYPE(binding) != binding_type)
        return 0;
    name = *slot_of(binding, F_NAME);
    raw = *slot_of(binding, F_RAW);
    if (!fits_a_line(name) || !fits_a_line(raw) || PyUnicode_READ_CHAR(name, 0) == HEAD
        || PyUnicode_FindChar(name, ' ', 0, PyUnicode_GET_LENGTH(name), 1) >= 0)
        return 0;
    return (size_t)PyUnicode_GET_LENGTH(name) + 1 + (size_t)PyUnicode_GET_LENGTH(raw) + 1;
}

static char *
put_text(char *to, PyObject *text)
{
    size_t n = (size_t)PyUnicode_GET_LENGTH(text);

    memcpy(to, PyUnicode_1BYTE_DATA(text), n);
    return to + n;
}

PyDoc_STRVAR(lines_doc,
"lines(attrs) -> bytes | None\n\n"
"The lines that fill() makes these attributes of; None where one is no plain text.");

static PyObject *
reader_lines(PyObject *Py_UNUSED(module), PyObject *attrs)
{
    PyObject *key, *binding, *lines;
    Py_ssize_t at = 0;
    size_t size = 0, one;
    char *to;

    if (!is_ready())
        return NULL;
    if (!PyDict_Check(attrs))
        Py_RETURN_NONE;
    while (PyDict_Next(attrs, &at, &key, &binding)) {
        if ((one = line_size(binding)) == 0)
            Py_RETURN_NONE;
        size += one;
    }
    if ((lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size)) == NULL)
        return NULL;
    to = PyBytes_AS_STRING(lines);
    for (at = 0; PyDict_Next(attrs, &at, &key, &binding);) {
        to = put_text(to, *slot_of(binding, F_NAME));
        *to++ = ' ';
        to = put_text(to, *slot_of(binding, F_RAW));
        *to++ = '\n';
    }
    return lines;
}

/* ---- unread ads ------------------------------------------------------------------------------------------------ */

PyObject *
unread_ad(PyObject *lines)
{
    PyObject *ad = stored_type->tp_alloc(stored_type, 0);

    if (ad != NULL) {
        *(PyObject **)((char *)ad + lines_slot) = Py_NewRef(lines);
        *(PyObject **)((char *)ad + parent_slot) = Py_NewRef(Py_None);
        *(PyObject **)((char *)ad + scope_slot) = Py_NewRef(Py_None);
    }
    return ad;
}

PyObject *
unread_lines(PyObject *ad)
{
    PyObject *lines = Py_TYPE(ad) == stored_type ? *(PyObject **)((char *)ad + lines_slot) : NULL;

    return lines == Py_None ? NULL : lines;
}

PyObject *
parent_of_ad(PyObject *ad)
{
    return *(PyObject **)((char *)ad + parent_slot);
}

void
set_unread_lines(PyObject *ad, PyObject *lines)
{
    Py_XSETREF(*(PyObject **)((char *)ad + lines_slot), lines);
}

PyDoc_STRVAR(setup_doc,
"setup(Binding, StoredAd, bind, lower) -> None\n\nThe classes of attributes and unread ads, and helpers. TypeError when "
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
    PyTypeObject *type, *stored, *record;
    PyObject *bind, *lower, *slots;

    if (!PyArg_ParseTuple(args, "O!O!OO:setup", &PyType_Type, &type, &PyType_Type, &stored, &bind, &lower))
        return NULL;
    slots = PyDict_GetItemString(type->tp_dict, "__slots__");
    record = stored->tp_base != NULL ? stored->tp_base->tp_base : NULL; /* StoredAd, ClassAd, Record */
    if (slots == NULL || PyObject_Size(slots) != FIELDS || record == NULL)
        return PyErr_Format(PyExc_TypeError, "%s is not laid out as expected", type->tp_name);
    for (int i = 0; i < FIELDS; i++)
        if ((field[i] = slot_at(type, field_names[i])) < 0)
            return NULL;
    if ((parent_slot = slot_at(record, "parent")) < 0 || (scope_slot = slot_at(record, "scope")) < 0
        || (lines_slot = slot_at(stored, "lines")) < 0)
        return NULL;
    Py_XSETREF(bind_function, Py_NewRef(bind));
    Py_XSETREF(lower_function, Py_NewRef(lower));
    Py_XSETREF(stored_type, (PyTypeObject *)Py_NewRef((PyObject *)stored));
    Py_XSETREF(binding_type, (PyTypeObject *)Py_NewRef((PyObject *)type));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", reader_setup, METH_VARARGS, setup_doc},
    {"load", reader_load, METH_VARARGS, load_doc},
    {"fill", reader_fill, METH_VARARGS, fill_doc},
    {"lines", reader_lines, METH_O, lines_doc},
    {"own_texts", reader_own_texts, METH_VARARGS, own_texts_doc},
    {"kinds", reader_kinds, METH_VARARGS, kinds_doc},
    {"change", reader_change, METH_VARARGS, change_doc},
    {"records", reader_records, METH_VARARGS, records_doc},
    {"arrivals", reader_arrivals, METH_O, arrivals_doc},
    {"job_lines", reader_job_lines, METH_VARARGS, job_lines_doc},
    {"events", reader_events, METH_VARARGS, events_doc},
    {"image", reader_image, METH_VARARGS, image_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "condor_py.store._logreader", "Reading a ClassAd log.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__logreader(void)
{
    return PyType_Ready(&image_type) < 0 ? NULL : PyModule_Create(&module);
}
