/*
 * Steps that several evaluations have together: what one leaves, the next may use. allowance.py says what for;
 * evaluate.py is the twin.
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
