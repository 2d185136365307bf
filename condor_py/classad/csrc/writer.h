/*
 * Text that is being written: what write.c (values and trees) and print.c (ads) share. Everything here that returns int
 * says 1 for done, 0 where the twin has to write it or, with an exception set, for a failure.
 */

#ifndef CONDOR_PY_CLASSAD_WRITER_H
#define CONDOR_PY_CLASSAD_WRITER_H

#include "native.h"

#pragma GCC visibility push(hidden)

typedef struct {
    char *data;
    Py_ssize_t length, room;
    int old;    /* the dialect */
    int spread; /* lists and ads are spread over lines ... */
    int indent; /* ... that start with so many spaces */
} Text;

int add(Text *out, const char *data, Py_ssize_t length);
int add_c(Text *out, const char *text);
int add_char(Text *out, char c);
int add_break(Text *out, int indent); /* a new line and spaces */
int add_result(Text *out, PyObject *text); /* a string, which is stolen; NULL is no text */
int add_real(Text *out, double number);
int add_value(Text *out, PyObject *value);
int add_name(Text *out, PyObject *name);
int add_node(Text *out, PyObject *node);
int open_ad(Text *out);
int add_attribute(Text *out, PyObject *name, PyObject *value, PyObject *node, int first);
int close_ad(Text *out);
PyObject *finish(Text *out, int done);

#pragma GCC visibility pop

#endif
