/*
 * What the reader of logs (store/_logreader.c) takes from this extension: attributes made of the bytes of a line, so that
 * literals and shared bindings are known in one place (bind.c). The module has a capsule of this name.
 */

#ifndef CONDOR_PY_CLASSAD_BINDINGS_H
#define CONDOR_PY_CLASSAD_BINDINGS_H

#include <Python.h>

#define BINDINGS "condor_py.lang.classad._native.bindings"

typedef struct Bindings {
    /* The binding of a name to a text (new reference), shared where the same was lately asked for. */
    PyObject *(*binding)(const char *name, Py_ssize_t name_size, const char *text, Py_ssize_t size);
    /* Adds a binding (stolen) to attributes; the spelling of the first name stays. -1 with an exception. */
    int (*put)(PyObject *attrs, PyObject *binding);
    /* Takes the attribute of a name away, if it is there. -1 with an exception. */
    int (*take_away)(PyObject *attrs, const char *name, Py_ssize_t size);
    PyObject *(*text)(PyObject *binding); /* a new reference; NULL with an exception */
} Bindings;

#endif
