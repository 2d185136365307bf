/*
 * Text that is being written: what write.c (values and trees), figures.c (numbers) and print.c (ads) share. Everything
 * here that returns int says 1 for done, 0 where the twin has to write it or, with an exception set, for a failure.
 */

#ifndef CONDOR_PY_CLASSAD_WRITER_H
#define CONDOR_PY_CLASSAD_WRITER_H

#include "native.h"

#include <string.h>

#pragma GCC visibility push(hidden)

typedef struct {
    char *data;
    Py_ssize_t length, room;
    int old;    /* the dialect */
    int spread; /* lists and ads are spread over lines ... */
    int indent; /* ... that start with so many spaces */
} Text;

int make_room(Text *out, Py_ssize_t more); /* for so many bytes behind what is there */

static inline int
add(Text *out, const char *data, Py_ssize_t length)
{
    if (out->length + length > out->room && !make_room(out, length))
        return 0;
    memcpy(out->data + out->length, data, (size_t)length);
    out->length += length;
    return 1;
}

static inline int
add_c(Text *out, const char *text)
{
    return add(out, text, (Py_ssize_t)strlen(text));
}

static inline int
add_char(Text *out, char c)
{
    if (out->length == out->room && !make_room(out, 1))
        return 0;
    out->data[out->length++] = c;
    return 1;
}

int add_break(Text *out, int indent); /* a new line and spaces */
int add_result(Text *out, PyObject *text); /* a string, which is stolen; NULL is no text */
int add_value(Text *out, PyObject *value);
int add_name(Text *out, PyObject *name);
int add_node(Text *out, PyObject *node);
int open_ad(Text *out);
int add_attribute(Text *out, PyObject *name, PyObject *value, PyObject *node, int first);
int close_ad(Text *out);
PyObject *finish(Text *out, int done);

/* figures.c */
#define MOST_DIGITS 24
int digits_of(long long number, char *room); /* fills at most MOST_DIGITS; how many */
int add_integer(Text *out, long long number);
int add_real(Text *out, double number);

#pragma GCC visibility pop

#endif
