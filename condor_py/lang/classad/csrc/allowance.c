/*
 * Steps that several evaluations have together: what one leaves, the next may use. allowance.py says what for, and has
 * the twin of the class; evaluate.py has those of the functions.
 */

#include "native.h"

static long long left = NO_ALLOWANCE;

long long
allowed_steps(void)
{
    return left >= MAX_STEPS ? MAX_STEPS : left > 0 ? left : 0;
}

void
spend_steps(long long steps)
{
    if (left != NO_ALLOWANCE)
        left -= steps;
}

/* allowance([steps]): what is left (NO_ALLOWANCE without a limit); `steps` replaces it. */
PyObject *
native_allowance(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long before = left, wanted;

    (void)self;
    if (count > 1) {
        PyErr_SetString(PyExc_TypeError, "allowance(steps=None)");
        return NULL;
    }
    if (count == 1) {
        wanted = PyLong_AsLongLong(args[0]);
        if (wanted == -1 && PyErr_Occurred())
            return NULL;
        left = wanted;
    }
    return PyLong_FromLongLong(before);
}

/* ---- Allowance -------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    long long rest, before, depth; /* rest: what was left when it last ended; before: what was left to whoever paid */
} Allowance;

static int
allowance_init(Allowance *self, PyObject *args, PyObject *named)
{
    static char *names[] = {"steps", NULL};

    return PyArg_ParseTupleAndKeywords(args, named, "L", names, &self->rest) ? 0 : -1;
}

static PyObject *
allowance_enter(Allowance *self, PyObject *unused)
{
    (void)unused;
    if (self->depth++ == 0) {
        self->before = left;
        left = self->rest;
    }
    Py_RETURN_NONE;
}

static PyObject *
allowance_exit(Allowance *self, PyObject *const *args, Py_ssize_t count)
{
    (void)args;
    (void)count;
    if (--self->depth == 0) {
        self->rest = left;
        left = self->before;
    }
    Py_RETURN_NONE;
}

static long long
allowance_now(Allowance *self)
{
    return self->depth ? left : self->rest;
}

static PyObject *
allowance_left(Allowance *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(allowance_now(self));
}

static PyObject *
allowance_used_up(Allowance *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(allowance_now(self) <= 0);
}

static PyMethodDef allowance_methods[] = {
    {"__enter__", (PyCFunction)allowance_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))allowance_exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef allowance_fields[] = {
    {"left", (getter)allowance_left, NULL, "Steps that are left.", NULL},
    {"used_up", (getter)allowance_used_up, NULL, "Whether nothing is left.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject Allowance_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "condor_py.lang.classad._native.Allowance",
    .tp_doc = "Steps for many evaluations together: see allowance.py.",
    .tp_basicsize = sizeof(Allowance),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)allowance_init,
    .tp_methods = allowance_methods,
    .tp_getset = allowance_fields,
};
