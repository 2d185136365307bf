/*
 * The same attribute of many ads at once, for those who compare them (a negotiation cycle asks 50,000 slots for twenty).
 * columns.py is the twin.
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

/* column(ads, key): the binding of the key in each ad or its parents, None where it has none. */
PyObject *
native_column(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *ads, *column;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyUnicode_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "column(ads, key)");
        return NULL;
    }
    if ((ads = ads_of(args[0])) == NULL)
        return NULL;
    column = PyList_New(PySequence_Fast_GET_SIZE(ads));
    for (Py_ssize_t i = 0; column != NULL && i < PyList_GET_SIZE(column); i++) {
        PyObject *binding = binding_of_key(PySequence_Fast_GET_ITEM(ads, i), args[1]);

        if (binding == NULL && PyErr_Occurred())
            Py_CLEAR(column);
        else
            PyList_SET_ITEM(column, i, Py_NewRef(binding == NULL ? Py_None : binding));
    }
    Py_DECREF(ads);
    return column;
}

/* computed(ads, key): the different bindings of the key in the ads whose values have to be evaluated, as a set. */
PyObject *
native_computed(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *ads, *found;

    (void)self;
    if (!require_connected())
        return NULL;
    if (count != 2 || !PyUnicode_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "computed(ads, key)");
        return NULL;
    }
    if ((ads = ads_of(args[0])) == NULL)
        return NULL;
    found = PySet_New(NULL);
    for (Py_ssize_t i = 0; found != NULL && i < PySequence_Fast_GET_SIZE(ads); i++) {
        PyObject *binding = binding_of_key(PySequence_Fast_GET_ITEM(ads, i), args[1]);

        if (binding == NULL ? PyErr_Occurred() != NULL
                            : SLOT(binding, shared.b_value) == shared.computed && PySet_Add(found, binding) < 0)
            Py_CLEAR(found);
    }
    Py_DECREF(ads);
    return found;
}
