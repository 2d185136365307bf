/*
 * The names of attributes: an ad has sixty, and the next one the same. A name that was read lately is found by its bytes,
 * with its form in lower case, so that no string is made, hashed and looked up for it. record.lower is the twin.
 * Gain: see attributes.c.
 */

#include "native.h"

#include <stdint.h>
#include <string.h>

#define PLACES 2048 /* a power of two; a name that finds its place taken takes it */
#define LONGEST 64

typedef struct {
    PyObject *name, *key;
} Name;

static Name lately[PLACES];

PyObject *
lower_key(PyObject *name)
{
    PyObject *key = PyDict_GetItemWithError(shared.keys, name);

    if (key != NULL)
        return Py_NewRef(key);
    if (PyErr_Occurred())
        return NULL;
    key = PyObject_CallOneArg(shared.lower, name);
    if (key != NULL && !PyUnicode_CheckExact(key)) {
        Py_DECREF(key);
        PyErr_SetString(PyExc_TypeError, "a name in lower case is a string");
        return NULL;
    }
    return key;
}

static Name *
place_of(const char *s, Py_ssize_t length)
{
    uint32_t hash = 2166136261u;

    for (Py_ssize_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)s[i]) * 16777619u;
    return &lately[(hash ^ hash >> 15) & (PLACES - 1)];
}

static PyObject *
new_name(const char *s, Py_ssize_t length, PyObject **key)
{
    PyObject *name = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, s, length);

    *key = name == NULL ? NULL : lower_key(name);
    if (*key == NULL)
        Py_CLEAR(name);
    return name;
}

/* The name s[0:length] (ASCII) and its key, both new references; NULL with an exception. */
PyObject *
name_and_key(const char *s, Py_ssize_t length, PyObject **key)
{
    Name *place;
    PyObject *name;

    if (length > LONGEST)
        return new_name(s, length, key);
    place = place_of(s, length);
    if (place->name != NULL && PyUnicode_GET_LENGTH(place->name) == length &&
        memcmp(PyUnicode_1BYTE_DATA(place->name), s, (size_t)length) == 0) {
        *key = Py_NewRef(place->key);
        return Py_NewRef(place->name);
    }
    name = new_name(s, length, key);
    if (name != NULL) {
        Py_XSETREF(place->name, Py_NewRef(name));
        Py_XSETREF(place->key, Py_NewRef(*key));
    }
    return name;
}
