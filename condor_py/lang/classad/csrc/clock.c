/*
 * Time that stands still: the twin of clock.py's `frozen`. Every event of a core goes through one.
 */

#include "native.h"

typedef struct {
    PyObject_HEAD
    PyObject *seconds, *before; /* before: what `now` was outside */
} Frozen;

/* What the module clock has, and the name that is replaced there. */
static PyObject *names, *now_name;

/* take_clock(globals): of the module whose `now` is replaced. */
PyObject *
native_take_clock(PyObject *self, PyObject *globals)
{
    (void)self;
    if (!PyDict_Check(globals)) {
        PyErr_SetString(PyExc_TypeError, "take_clock() expects a dict");
        return NULL;
    }
    if (now_name == NULL && (now_name = PyUnicode_InternFromString("now")) == NULL)
        return NULL;
    Py_XSETREF(names, Py_NewRef(globals));
    Py_RETURN_NONE;
}

static PyObject *
frozen_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *fields[] = {"seconds", NULL};
    PyObject *seconds;
    Frozen *self;

    if (!PyArg_ParseTupleAndKeywords(args, named, "O", fields, &seconds))
        return NULL;
    self = (Frozen *)type->tp_alloc(type, 0);
    if (self != NULL)
        self->seconds = Py_NewRef(seconds);
    return (PyObject *)self;
}

static int
frozen_traverse(Frozen *self, visitproc visit, void *arg)
{
    Py_VISIT(self->seconds);
    Py_VISIT(self->before);
    return 0;
}

static int
frozen_clear(Frozen *self)
{
    Py_CLEAR(self->seconds);
    Py_CLEAR(self->before);
    return 0;
}

static void
frozen_dealloc(Frozen *self)
{
    PyObject_GC_UnTrack(self);
    (void)frozen_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
frozen_call(Frozen *self, PyObject *args, PyObject *named)
{
    (void)args;
    (void)named;
    return Py_NewRef(self->seconds);
}

static PyObject *
frozen_enter(Frozen *self, PyObject *unused)
{
    PyObject *now = names == NULL ? NULL : PyDict_GetItemWithError(names, now_name);

    (void)unused;
    if (now == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "there is no clock");
        return NULL;
    }
    Py_XSETREF(self->before, Py_NewRef(now));
    if (PyDict_SetItem(names, now_name, (PyObject *)self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
frozen_exit(Frozen *self, PyObject *const *args, Py_ssize_t count)
{
    (void)args;
    (void)count;
    if (self->before != NULL && PyDict_SetItem(names, now_name, self->before) < 0)
        return NULL;
    Py_CLEAR(self->before);
    Py_RETURN_NONE;
}

static PyMethodDef frozen_methods[] = {
    {"__enter__", (PyCFunction)frozen_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))frozen_exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Frozen_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "condor_py.lang.classad._native.frozen",
    .tp_doc = "Context manager: time() is `seconds` inside, whatever the wall clock says.",
    .tp_basicsize = sizeof(Frozen),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = frozen_new,
    .tp_dealloc = (destructor)frozen_dealloc,
    .tp_traverse = (traverseproc)frozen_traverse,
    .tp_clear = (inquiry)frozen_clear,
    .tp_call = (ternaryfunc)frozen_call,
    .tp_methods = frozen_methods,
};
