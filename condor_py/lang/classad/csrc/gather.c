/*
 * The same attribute of many ads at once, for those who compare them (a negotiation cycle asks 50,000 slots for twenty).
 * columns.py is the twin.
 * 3 times as fast as the twin (tests/bench/bench_compiled.py), 4 % of a large negotiation cycle.
 */

#include "native.h"

/* A sequence of ads (new reference); NULL with an exception. */
static PyObject *
ads_of(PyObject *given)
{
    PyObject *ads = PySequence_Fast(given, "expected a sequence of ads");

    for (Py_ssize_t i = 0; ads != NULL && i < PySequence_Fast_GET_SIZE(ads); i++)
        if (!is_record(PySequence_Fast_GET_ITEM(ads, i))) {
            PyErr_SetString(PyExc_TypeError, "expected a sequence of ads");
            Py_CLEAR(ads);
        }
    return ads;
}

/* Puts the bindings of the keys in one ad into row ``i`` of the columns, None where it has none. */
static int
put_row(PyObject *columns, PyObject *ad, PyObject *keys, Py_ssize_t i)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keys); k++) {
        PyObject *binding = binding_of_key(ad, PyTuple_GET_ITEM(keys, k));

        if (binding == NULL && PyErr_Occurred())
            return -1;
        PyList_SET_ITEM(PyList_GET_ITEM(columns, k), i, Py_NewRef(binding == NULL ? Py_None : binding));
    }
    return 0;
}

/* As many lists of ``length`` as there are keys (new reference); NULL with an exception. */
static PyObject *
empty_columns(PyObject *keys, Py_ssize_t length)
{
    PyObject *columns = PyList_New(PyTuple_GET_SIZE(keys));

    for (Py_ssize_t k = 0; columns != NULL && k < PyTuple_GET_SIZE(keys); k++) {
        PyObject *column = PyUnicode_CheckExact(PyTuple_GET_ITEM(keys, k)) ? PyList_New(length) : NULL;

        if (column == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "expected names");
            Py_CLEAR(columns);
        } else {
            PyList_SET_ITEM(columns, k, column);
        }
    }
    return columns;
}

/* Adds the bindings of the keys in one ad to the sets, where their values have to be evaluated. */
static int
add_computed(PyObject *found, PyObject *ad, PyObject *keys, Py_ssize_t Py_UNUSED(row))
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keys); k++) {
        PyObject *binding = binding_of_key(ad, PyTuple_GET_ITEM(keys, k));

        if (binding == NULL ? PyErr_Occurred() != NULL
                            : SLOT(binding, shared.b_value) == shared.computed
                                  && PySet_Add(PyList_GET_ITEM(found, k), binding) < 0)
            return -1;
    }
    return 0;
}

/* What `one` makes of each ad in its columns. Goes ad by ad: the dictionaries of many ads do not fit into the processor's
 * cache together. */
static PyObject *
gather(PyObject *const *args, Py_ssize_t count, int rows, int (*one)(PyObject *, PyObject *, PyObject *, Py_ssize_t))
{
    PyObject *ads, *columns;

    if (!require_connected())
        return NULL;
    if (count != 2 || !PyTuple_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "expected ads and names");
        return NULL;
    }
    if ((ads = ads_of(args[0])) == NULL)
        return NULL;
    columns = empty_columns(args[1], rows ? PySequence_Fast_GET_SIZE(ads) : 0);
    for (Py_ssize_t k = 0; columns != NULL && !rows && k < PyList_GET_SIZE(columns); k++) {
        PyObject *set = PySet_New(NULL);

        if (set == NULL || PyList_SetItem(columns, k, set) < 0)
            Py_CLEAR(columns);
    }
    for (Py_ssize_t i = 0; columns != NULL && i < PySequence_Fast_GET_SIZE(ads); i++)
        if (one(columns, PySequence_Fast_GET_ITEM(ads, i), args[1], i) < 0)
            Py_CLEAR(columns);
    Py_DECREF(ads);
    return columns;
}

/* columns(ads, keys): a list of bindings for each key. */
PyObject *
native_columns(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t count)
{
    return gather(args, count, 1, put_row);
}

/* computed(ads, keys): for each key the different bindings in the ads whose values have to be evaluated, as a set. */
PyObject *
native_computed(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t count)
{
    return gather(args, count, 0, add_computed);
}
