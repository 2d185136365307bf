/*
 * The module _logreader: reading a ClassAd log into ads, and attributes out of lines. Python keeps naming, errors and files;
 * logreader_py.py has the twins. Which lines count, _logscan.c says; _logimage.c is a whole queue of which nothing was made
 * yet, _logunfold.c makes ads of all of it, _logask.c asks many ads for some attributes, _logsheet.c and _logprint.c change
 * and print ads that stay lines.
 * Attributes are made twice as fast as by the twin (tests/bench/bench_compiled.py).
 */

#include "_logreader.h"

#include "../lang/classad/csrc/bindings.h"

#include <structmember.h>

/* What setup() was given. One interpreter, one process: module-wide. */
static const Bindings *bindings;
static PyTypeObject *stored_type;
static Py_ssize_t parent_slot, scope_slot, lines_slot;

/* ---- values ---------------------------------------------------------------------------------------------------- */

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

PyObject *
text_of_value(const char *name, size_t name_size, const char *value, size_t n)
{
    PyObject *binding = bindings->binding(name, (Py_ssize_t)name_size, value, (Py_ssize_t)n);
    PyObject *text = binding == NULL ? NULL : bindings->text(binding);

    Py_XDECREF(binding);
    return text;
}

/* ---- the lines of one ad --------------------------------------------------------------------------------------- */

PyObject *
malformed(void)
{
    PyErr_SetString(PyExc_ValueError, "not the lines of an ad");
    return NULL;
}

int
is_ready(void)
{
    if (bindings == NULL)
        PyErr_SetString(PyExc_RuntimeError, "setup was not called");
    return bindings != NULL;
}

/* attrs[name] = value */
static int
put(PyObject *attrs, const Line *line, Py_ssize_t name_size)
{
    PyObject *binding = bindings->binding(line->name, name_size, line->value, line->value_end - line->value);

    return binding == NULL ? -1 : bindings->put(attrs, binding);
}

PyDoc_STRVAR(fill_doc,
"fill(attrs, lines) -> None\n\nApplies an ad's own 103 and 104 lines to its attributes. ValueError for other bytes.");

static PyObject *
reader_fill(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *attrs, *lines;
    const char *p, *end;
    Line line;
    int more;

    if (!PyArg_ParseTuple(args, "O!S:fill", &PyDict_Type, &attrs, &lines) || !is_ready())
        return NULL;
    p = PyBytes_AS_STRING(lines);
    end = p + PyBytes_GET_SIZE(lines);
    while ((more = next_line(&p, end, &line)) > 0) {
        Py_ssize_t size = line.name_end - line.name;

        if ((line.set ? put(attrs, &line, size) : bindings->take_away(attrs, line.name, size)) < 0)
            return NULL;
    }
    if (more < 0)
        return malformed();
    if (PyObject_GC_IsTracked(attrs))
        PyObject_GC_UnTrack(attrs); /* the next insertion of anything that needs it tracks it again */
    Py_RETURN_NONE;
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
"setup(StoredAd) -> None\n\nThe class of unread ads. TypeError when it looks unknown; ImportError where the extension of\n"
"the ClassAds is not there.");

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
reader_setup(PyObject *Py_UNUSED(module), PyObject *type)
{
    PyTypeObject *stored = (PyTypeObject *)type, *record;
    const Bindings *known;

    if (!PyType_Check(type))
        return PyErr_Format(PyExc_TypeError, "setup() expects a class");
    record = stored->tp_base != NULL ? stored->tp_base->tp_base : NULL; /* StoredAd, ClassAd, Record */
    if (record == NULL)
        return PyErr_Format(PyExc_TypeError, "%s is not laid out as expected", stored->tp_name);
    if ((parent_slot = slot_at(record, "parent")) < 0 || (scope_slot = slot_at(record, "scope")) < 0
        || (lines_slot = slot_at(stored, "lines")) < 0 || (known = PyCapsule_Import(BINDINGS, 0)) == NULL)
        return NULL;
    Py_XSETREF(stored_type, (PyTypeObject *)Py_NewRef(type));
    bindings = known;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"setup", reader_setup, METH_O, setup_doc},
    {"load", reader_load, METH_VARARGS, load_doc},
    {"fill", reader_fill, METH_VARARGS, fill_doc},
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
